"""Metrics that an estimator and its handlers are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....metric import Accuracy, CompositeEvalMetric, EvalMetric
from ...loss import SoftmaxCrossEntropyLoss


def checked_metrics(metrics: Any) -> list[EvalMetric]:
    """One metric, several or None as a list; a composite one as its parts.

    Raises:
        ValueError: something is no metric.
    """
    if isinstance(metrics, CompositeEvalMetric):
        return [part for metric in metrics.metrics for part in checked_metrics(metric)]
    if isinstance(metrics, EvalMetric):
        return [metrics]
    given = metrics or []
    if isinstance(given, str) or not all(isinstance(m, EvalMetric) for m in given):
        raise ValueError(f"metrics must be an EvalMetric or a list of them, got {metrics!r}")
    return list(given)


def suggested_metric(loss: Any) -> EvalMetric | None:
    """What is measured beside a loss when nobody says what."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None


def check_known(handler: Any, known: list[EvalMetric]) -> None:
    """A handler's metrics are the estimator's: others would never be updated.

    Raises:
        ValueError: one is not.
    """
    held = [value for name, value in vars(handler).items() if "metric" in name]
    for value in held:
        for metric in value if isinstance(value, list) else [value]:
            if isinstance(metric, EvalMetric) and not any(metric is k for k in known):
                raise ValueError(
                    f"{type(handler).__name__} has the metric {metric}, which is not the "
                    "estimator's: use those of estimator.train_metrics and estimator.val_metrics"
                )


class Better:
    """Which of two values of a metric is the better one.

    Args:
        mode: "min", "max", or "auto": larger is better of accuracies and F1, less of others.
            (MXNet takes the larger one of every metric then, by a slip in its condition.)
    """

    def __init__(self, metric: EvalMetric, mode: str):
        name = str(metric.get()[0]).lower()
        larger = mode == "max" or (mode != "min" and ("acc" in name or "f1" in name))
        self.compare = np.greater if larger else np.less
        self.worst = -np.inf if larger else np.inf
