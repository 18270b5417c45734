"""Losses of embeddings: which samples shall be near one another."""

from __future__ import annotations

from typing import Any

from .. import own_nets
from .base import Loss

_EPSILON = 1e-12


class TripletLoss(Loss):
    """``max(0, |pred - positive|^2 - |pred - negative|^2 + margin)``, shape (batch,)."""

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        near = F.square(F.reshape_like(positive, pred) - pred)
        far = F.square(F.reshape_like(negative, pred) - pred)
        apart = F.sum(near - far, axis=self._batch_axis, exclude=True)
        return self._weighted(F, F.relu(apart + self._margin), None)


class CosineEmbeddingLoss(Loss):
    """Of the cosine c of each pair of rows: ``1 - c`` where the label is 1, ``max(0, c - margin)``
    where it is -1; shape (batch, 1)."""

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None
    ) -> Any:
        input1 = F.reshape_like(input1, input2)
        label = F.reshape(label, shape=(-1, 1))
        cosine = _cosine(F, input1, input2)
        alike = (1 - cosine) * (label == 1)
        unlike = F.relu(cosine - self._margin) * (label == -1)
        return self._weighted(F, alike + unlike, sample_weight)


class SDMLLoss(Loss):
    """Smoothed deep metric learning (Bonadiman, Kumar and Mittal, 2019): two batches of which the
    i-th rows belong together; those of other rows are the negative samples. Shape (batch,).

    Args:
        smoothing_parameter: probability that is given to the other rows, all together.
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float = 1.0,
        batch_axis: int = 0,
        **kwargs: Any,
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._smoothing = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        apart = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        predicted = F.log_softmax(-F.sum(F.square(apart), axis=2), axis=1)
        # Of batch size n: 1 - s for the row itself, s / (n - 1) for each other.
        rows = F.sum(F.ones_like(predicted), axis=1, keepdims=True)
        same = F.broadcast_equal(
            F.cumsum(F.ones_like(predicted), axis=0), F.cumsum(F.ones_like(predicted), axis=1)
        )
        others = F.broadcast_div(F.ones_like(predicted) * self._smoothing, rows - 1)
        wanted = F.where(same, F.ones_like(predicted) * (1 - self._smoothing), others)
        divergence = F.mean(wanted * (F.log(wanted + _EPSILON) - predicted), axis=1)
        loss = F.broadcast_mul(divergence, F.reshape(rows, shape=(-1,)))
        return self._weighted(F, loss, None)


def _cosine(F: Any, x: Any, y: Any) -> Any:
    def length(of: Any) -> Any:
        return F.reshape(F.norm(of, axis=-1), shape=(-1, 1))

    product = F.reshape(F.sum(x * y, axis=-1), shape=(-1, 1))
    lengths = length(x) * length(y)
    return product / F.broadcast_maximum(lengths, F.ones_like(lengths) * _EPSILON)


own_nets.register(CosineEmbeddingLoss, SDMLLoss, TripletLoss, several=True)
