"""Losses: one value per sample, averaged over every axis but the batch axis."""

from __future__ import annotations

from typing import Any

from . import own_nets
from .hybrid_block import HybridBlock


class Loss(HybridBlock):
    """Base class.

    Args:
        weight: factor on the loss; None for 1.
        batch_axis: the axis that counts samples.
    """

    def __init__(self, weight: float | None, batch_axis: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        self._weight, self._batch_axis = weight, batch_axis

    def _weighted(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        if sample_weight is not None:
            loss = F.broadcast_mul(loss, sample_weight)
        if self._weight is not None:
            loss = loss * self._weight
        return loss

    def _mean(self, F: Any, loss: Any) -> Any:
        return F.mean(loss, axis=self._batch_axis, exclude=True)


class L2Loss(Loss):
    """``weight / 2 * (pred - label) ** 2``, shape (batch,)."""

    def __init__(self, weight: float = 1.0, batch_axis: int = 0, **kwargs: Any):
        super().__init__(weight / 2, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(F.reshape_like(label, pred) - pred)
        return self._mean(F, self._weighted(F, loss, sample_weight))


class L1Loss(Loss):
    """``weight * |pred - label|``, shape (batch,)."""

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any):
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.abs(F.reshape_like(label, pred) - pred)
        return self._mean(F, self._weighted(F, loss, sample_weight))


class SoftmaxCrossEntropyLoss(Loss):
    """Negative log-likelihood of the label under softmax, shape (batch,).

    Args:
        axis: the class axis of ``pred``.
        sparse_label: labels are class indices; else probabilities of pred's shape.
        from_logits: ``pred`` already holds log-probabilities.
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._axis, self._sparse, self._from_logits = axis, sparse_label, from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * F.reshape_like(label, pred), axis=self._axis, keepdims=True)
        return self._mean(F, self._weighted(F, loss, sample_weight))


SoftmaxCELoss = SoftmaxCrossEntropyLoss

own_nets.register(L1Loss, L2Loss, SoftmaxCrossEntropyLoss, several=True)
