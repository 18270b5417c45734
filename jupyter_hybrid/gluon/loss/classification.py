"""Losses of classes and of probabilities."""

from __future__ import annotations

from typing import Any

from .. import own_nets
from .base import Loss

_EPSILON = 1e-12


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
        self._axis, self._sparse_label, self._from_logits = axis, sparse_label, from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * F.reshape_like(label, pred), axis=self._axis, keepdims=True)
        return self._mean_of(F, loss, sample_weight)


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Cross-entropy of labels from 0 to 1 under the logistic function, shape (batch,).

    Args:
        from_sigmoid: ``pred`` holds probabilities already.
    """

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None
    ) -> Any:
        """``pos_weight``: factor on the share of positive labels; it is broadcast."""
        label = F.reshape_like(label, pred)
        if self._from_sigmoid:
            positive = F.log(pred + _EPSILON) * label
            if pos_weight is not None:
                positive = F.broadcast_mul(positive, pos_weight)
            loss = -(positive + F.log(1.0 - pred + _EPSILON) * (1.0 - label))
        else:
            tail = _softplus_of_negative(F, pred)  # log(1 + exp(-|x|)) overflows nowhere
            if pos_weight is None:
                loss = F.relu(pred) - pred * label + tail
            else:
                more = 1.0 + F.broadcast_mul(pos_weight - 1.0, label)
                loss = pred - pred * label + more * (tail + F.relu(-pred))
        return self._mean_of(F, loss, sample_weight)


class LogisticLoss(Loss):
    """``log(1 + exp(-pred * label))``, shape (batch,).

    Args:
        label_format: "signed": labels are -1 and 1; "binary": 0 and 1.

    Raises:
        ValueError: for another format.
    """

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        label_format: str = "signed",
        **kwargs: Any,
    ):
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ValueError(
                f"LogisticLoss: label_format: expected 'signed' or 'binary', got {label_format!r}"
            )
        self._signed = label_format == "signed"

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        label = F.reshape_like(label, pred)
        if self._signed:
            label = (label + 1.0) / 2.0
        loss = F.relu(pred) - pred * label + _softplus_of_negative(F, pred)
        return self._mean_of(F, loss, sample_weight)


class HingeLoss(Loss):
    """``max(0, margin - pred * label)`` of labels -1 and 1, shape (batch,)."""

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.relu(self._margin - pred * F.reshape_like(label, pred))
        return self._mean_of(F, loss, sample_weight)


class SquaredHingeLoss(HingeLoss):
    """``max(0, margin - pred * label) ** 2`` of labels -1 and 1, shape (batch,)."""

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(F.relu(self._margin - pred * F.reshape_like(label, pred)))
        return self._mean_of(F, loss, sample_weight)


class KLDivLoss(Loss):
    """Kullback-Leibler divergence ``sum(label * (log(label) - pred))`` of the distribution
    ``label`` from the one with the log-probabilities ``pred``, shape (batch,).

    Args:
        from_logits: ``pred`` holds log-probabilities; else their softmax along ``axis`` is taken.
    """

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._axis = from_logits, axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = label * (F.log(label + _EPSILON) - pred)
        loss = self._weighted(F, loss, sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


def _softplus_of_negative(F: Any, x: Any) -> Any:
    """``log(1 + exp(-|x|))``."""
    return F.Activation(-F.abs(x), act_type="softrelu")


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss
SoftmaxCELoss = SoftmaxCrossEntropyLoss
own_nets.register(
    HingeLoss,
    KLDivLoss,
    LogisticLoss,
    SigmoidBinaryCrossEntropyLoss,
    SoftmaxCrossEntropyLoss,
    SquaredHingeLoss,
    several=True,
)
