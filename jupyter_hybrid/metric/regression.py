"""Metrics of numbers: errors, likelihoods, correlation, losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..nd import NDArray
from .base import EvalMetric, alias, check_label_shapes, numpy_of, pairs, register


class _Mean(EvalMetric):
    """The mean over batches of an error; arrays of one dimension count as columns."""

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(
            name, output_names=output_names, label_names=label_names, has_global_stats=True
        )

    def error(self, difference: np.ndarray) -> Any:
        """Of one batch."""
        raise NotImplementedError

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in pairs(labels, preds):
            self.add_batch(self.error(_column(label) - _column(pred)), 1)


def _column(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, 1) if array.ndim == 1 else array


@register
class MAE(_Mean):
    """Mean absolute error."""

    def __init__(
        self,
        name: str = "mae",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    def error(self, difference: np.ndarray) -> Any:
        return np.abs(difference).mean()


@register
class MSE(_Mean):
    """Mean squared error."""

    def __init__(
        self,
        name: str = "mse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    def error(self, difference: np.ndarray) -> Any:
        return (difference**2.0).mean()


@register
class RMSE(_Mean):
    """Root of the mean squared error: the mean of the batches' roots."""

    def __init__(
        self,
        name: str = "rmse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    def error(self, difference: np.ndarray) -> Any:
        return np.sqrt((difference**2.0).mean())


class _Likelihood(EvalMetric):
    """``-log(p + eps)`` of the labels' probabilities, the mean over examples."""

    def __init__(
        self,
        eps: float,
        name: str,
        output_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
    ):
        super().__init__(
            name,
            eps=eps,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=True,
        )
        self.eps = eps

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in pairs(labels, preds):
            classes = label.ravel()
            if len(classes) != len(pred):
                raise AssertionError(
                    f"{type(self).__name__}: {len(classes)} labels for {len(pred)} predictions"
                )
            chosen = pred[np.arange(len(classes)), classes.astype(np.int64)]
            self.add_batch((-np.log(chosen + self.eps)).sum(), len(classes))


@register
@alias("ce")
class CrossEntropy(_Likelihood):
    """Cross entropy of probabilities (batch, classes) and classes."""

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(eps, name, output_names, label_names)


@register
@alias("nll_loss")
class NegativeLogLikelihood(_Likelihood):
    """The same as :class:`CrossEntropy`, by another name."""

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(eps, name, output_names, label_names)


@register
class Perplexity(EvalMetric):
    """``exp`` of the mean of ``-log(max(p, 1e-10))`` of the labels' probabilities.

    Args:
        ignore_label: labels that don't count; None: all do.
        axis: of the classes.
    """

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(
            name,
            ignore_label=ignore_label,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=True,
        )
        self.ignore_label, self.axis = ignore_label, axis

    def update(self, labels: Any, preds: Any) -> None:
        if len(labels) != len(preds):
            raise AssertionError(f"Perplexity: {len(labels)} labels, {len(preds)} predictions")
        total, count = 0.0, 0
        for label, pred in pairs(labels, preds):
            if label.size * pred.shape[-1] != pred.size:
                raise AssertionError(f"shape mismatch: {label.shape} vs. {pred.shape}")
            rows = np.moveaxis(pred, self.axis, -1)
            rows = rows.reshape(-1, rows.shape[-1])
            classes = label.ravel().astype("int64")
            last = rows.shape[-1] - 1  # beyond it as MXNet's pick: the nearest class
            chosen = rows[np.arange(len(rows)), np.clip(classes, 0, last)]
            if self.ignore_label is not None:
                chosen = chosen[label.ravel() != self.ignore_label]
            total -= float(np.log(np.maximum(chosen, 1e-10)).sum())
            count += len(chosen)
        self.add_batch(total, count)

    def _value(self, total: Any, count: Any) -> Any:
        return float("nan") if count == 0 else math.exp(total / count)


@register
@alias("pearsonr")
class PearsonCorrelation(EvalMetric):
    """Pearson's correlation of all elements.

    Args:
        average: "macro": the mean of the batches' values; "micro": the value of all elements.
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ):
        self.average = average
        super().__init__(
            name, output_names=output_names, label_names=label_names, has_global_stats=True
        )

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for one, other in zip(labels, preds, strict=True):
            check_label_shapes(one, other, shape=True)
            label = numpy_of(one).ravel().astype(np.float64)
            pred = numpy_of(other).ravel().astype(np.float64)
            if self.average == "macro":
                self.add_batch(np.corrcoef(pred, label)[0, 1], 1)
            else:
                self.add_batch(0, 1)
                self._moments.add(label, pred)
                self._global_moments.add(label, pred)

    def reset(self) -> None:
        super().reset()
        self._global_moments = _Moments()
        self._moments = _Moments()

    def reset_local(self) -> None:
        super().reset_local()
        self._moments = _Moments()

    def get(self) -> tuple[Any, Any]:
        if self.average == "macro" or self.num_inst == 0:
            return super().get()
        return self.name, self._moments.correlation()

    def get_global(self) -> tuple[Any, Any]:
        """As :meth:`get`, of all batches (MXNet's says 0 of "micro")."""
        if self.average == "macro" or self.global_num_inst == 0:
            return super().get_global()
        return self.name, self._global_moments.correlation()


class _Moments:
    """Means and sums of products of deviations, added to batch by batch (Chan and others, 1979)."""

    def __init__(self) -> None:
        self.count = 0
        self.mean, self.products = np.zeros(2), np.zeros((2, 2))

    def add(self, label: np.ndarray, pred: np.ndarray) -> None:
        """Adds a batch."""
        both = np.stack([label, pred])
        count, mean = both.shape[1], both.mean(axis=1)
        away, apart = both - mean[:, None], mean - self.mean
        whole = self.count + count
        self.products += away @ away.T + np.outer(apart, apart) * (self.count * count / whole)
        self.mean = self.mean + apart * (count / whole)
        self.count = whole

    def correlation(self) -> float:
        """Of all that was added."""
        (labels, shared), (_, preds) = self.products
        return float(shared / math.sqrt(labels) / math.sqrt(preds))


@register
class Loss(EvalMetric):
    """The mean of all elements of the predictions; labels don't count."""

    def __init__(
        self,
        name: str = "loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(
            name, output_names=output_names, label_names=label_names, has_global_stats=True
        )

    def update(self, labels: Any, preds: Any) -> None:
        for pred in [preds] if isinstance(preds, NDArray) else preds:
            self.add_batch(float(numpy_of(pred).sum()), pred.size)


@register
class Torch(Loss):
    """:class:`Loss`, by another name."""

    def __init__(
        self,
        name: str = "torch",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """:class:`Loss`, by another name."""

    def __init__(
        self,
        name: str = "caffe",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)
