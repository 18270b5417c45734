"""What all losses share: weights, and the mean of a sample."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock


class Loss(HybridBlock):
    """Base class.

    Args:
        weight: factor on the loss; None for 1.
        batch_axis: the axis that counts samples.
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any):
        super().__init__(**kwargs)
        self._weight, self._batch_axis = weight, batch_axis

    def _weighted(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        if sample_weight is not None:
            loss = F.broadcast_mul(loss, sample_weight)
        factor = self._factor()
        return loss if factor is None else loss * factor

    def _factor(self) -> float | None:
        return self._weight

    def _mean(self, F: Any, loss: Any) -> Any:
        return F.mean(loss, axis=self._batch_axis, exclude=True)

    def _mean_of(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        return self._mean(F, self._weighted(F, loss, sample_weight))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"
