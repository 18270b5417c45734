"""Metrics of classes: shares of right ones, and scores of a table of what was taken for what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import EvalMetric, alias, check_label_shapes, pairs, register


@register
@alias("acc")
class Accuracy(EvalMetric):
    """Share of right classes: predictions are classes, or scores along ``axis``."""

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(
            name,
            axis=axis,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=True,
        )
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in pairs(labels, preds):
            chosen = pred if pred.shape == label.shape else pred.argmax(self.axis)
            chosen, wanted = chosen.astype("int32").ravel(), label.astype("int32").ravel()
            check_label_shapes(wanted, chosen)
            self.add_batch(int((chosen == wanted).sum()), len(chosen))


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(EvalMetric):
    """Share of labels that are among the ``top_k`` highest scores."""

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(
            name,
            top_k=top_k,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=True,
        )
        if top_k <= 1:
            raise AssertionError(f"TopKAccuracy: top_k is {top_k}; use Accuracy for 1")
        self.top_k = top_k
        self.name += f"_{top_k}"

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in pairs(labels, preds):
            if pred.ndim > 2:
                raise AssertionError(
                    f"TopKAccuracy: expected predictions of at most 2 dimensions, got {pred.shape}"
                )
            wanted = label.astype("int32").ravel()
            check_label_shapes(wanted, pred)
            if pred.ndim == 1:  # classes, not scores
                order = np.argpartition(pred.astype("float32"), -self.top_k)
                self.add_batch(int((order == wanted).sum()), len(pred))
                continue
            top_k = min(pred.shape[1], self.top_k)
            best = np.argpartition(pred.astype("float32"), -top_k)[:, -top_k:]
            self.add_batch(int((best == wanted[:, None]).sum()), len(pred))


class BinaryCounts:
    """How often classes 0 and 1 were taken for each other: [label, prediction]."""

    def __init__(self) -> None:
        self.table = np.zeros((2, 2))

    def add(self, label: np.ndarray, pred: np.ndarray, what: str) -> None:
        """Adds scores of shape (batch, 2) and their classes."""
        chosen, wanted = pred.argmax(1), label.astype("int32")
        check_label_shapes(wanted, pred)
        if len(np.unique(wanted)) > 2:
            raise ValueError(f"{what} currently only supports binary classification.")
        np.add.at(self.table, ((wanted == 1).ravel().astype(int), (chosen == 1).astype(int)), 1)

    @property
    def total(self) -> float:
        """How many there were."""
        return float(self.table.sum())

    def fscore(self) -> float:
        """The harmonic mean of precision and recall; 0 where there is none."""
        (_, false_positive), (false_negative, right) = self.table
        precision = right / (right + false_positive) if right + false_positive else 0.0
        recall = right / (right + false_negative) if right + false_negative else 0.0
        both = precision + recall
        return float(2 * precision * recall / both) if both else 0.0

    def matthews(self) -> float:
        """Matthews' correlation coefficient; sums that are 0 count as 1."""
        (true_no, false_yes), (false_no, true_yes) = self.table
        sums = [*self.table.sum(0), *self.table.sum(1)]
        below = math.prod(s for s in sums if s != 0)
        return float((true_yes * true_no - false_yes * false_no) / math.sqrt(below))


class _Binary(EvalMetric):
    """A score of the counts: the mean over batches ("macro"), or of all examples together."""

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
        average: str,
    ):
        self.average = average
        super().__init__(
            name, output_names=output_names, label_names=label_names, has_global_stats=True
        )

    def score(self, counts: BinaryCounts) -> float:
        """What is told of the counts."""
        raise NotImplementedError

    def update(self, labels: Any, preds: Any) -> None:
        fresh = BinaryCounts()
        for label, pred in pairs(labels, preds):
            fresh.add(label, pred, type(self).__name__)
        if self.average == "macro":
            self.add_batch(self.score(fresh), 1)
            return
        self._counts.table += fresh.table
        self._global_counts.table += fresh.table
        self.num_inst, self.global_num_inst = self._counts.total, self._global_counts.total
        self.sum_metric = self.score(self._counts) * self.num_inst
        self.global_sum_metric = self.score(self._global_counts) * self.global_num_inst

    def reset(self) -> None:
        super().reset()
        self._global_counts = BinaryCounts()
        self._counts = BinaryCounts()

    def reset_local(self) -> None:
        super().reset_local()
        self._counts = BinaryCounts()


@register
class F1(_Binary):
    """F1 of class 1: ``2 * precision * recall / (precision + recall)`` of scores (batch, 2).

    Args:
        average: "macro": the mean of the batches' values; "micro": the value of all examples.
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ):
        super().__init__(name, output_names, label_names, average)

    def score(self, counts: BinaryCounts) -> float:
        return counts.fscore()


@register
class MCC(_Binary):
    """Matthews' correlation coefficient of scores (batch, 2); ``average`` as of :class:`F1`."""

    def __init__(
        self,
        name: str = "mcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ):
        super().__init__(name, output_names, label_names, average)

    def score(self, counts: BinaryCounts) -> float:
        return counts.matthews()


@register
class PCC(EvalMetric):
    """Matthews' correlation coefficient of any number of classes, of all examples together."""

    lcm: np.ndarray  # [prediction, label], since reset_local()
    gcm: np.ndarray

    def __init__(
        self,
        name: str = "pcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        has_global_stats: bool = True,
    ):
        self.k = 2  # classes
        super().__init__(
            name=name,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=has_global_stats,
        )

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in pairs(labels, preds):
            wanted = label.astype("int32")
            chosen = pred.argmax(1) if pred.shape != label.shape else pred.astype("int32")
            most = int(max(chosen.max(), wanted.max())) + 1
            if most > self.k:
                more = most - self.k
                self.lcm, self.gcm = np.pad(self.lcm, (0, more)), np.pad(self.gcm, (0, more))
                self.k = most
            counted = np.zeros((self.k, self.k))
            np.add.at(counted, (chosen.ravel(), wanted.ravel()), 1)
            self.lcm += counted
            self.gcm += counted
        self.num_inst += 1
        self.global_num_inst += 1
        self.sum_metric = _correlation(self.lcm) * self.num_inst
        self.global_sum_metric = _correlation(self.gcm) * self.global_num_inst

    def reset(self) -> None:
        super().reset()
        self.gcm = np.zeros((self.k, self.k))
        self.lcm = np.zeros((self.k, self.k))

    def reset_local(self) -> None:
        super().reset_local()
        self.lcm = np.zeros((self.k, self.k))


def _correlation(table: np.ndarray) -> float:
    n, chosen, wanted = table.sum(), table.sum(1), table.sum(0)
    spread = (chosen * (n - chosen)).sum() * (wanted * (n - wanted)).sum()
    if spread == 0:
        return float("nan")
    return float((table.diagonal() * n - chosen * wanted).sum() / math.sqrt(spread))
