"""The handler that ends a training that no longer gets better."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ....metric import CompositeEvalMetric, EvalMetric
from .events import EpochEnd, TrainBegin, TrainEnd
from .metrics import Better

__all__ = ["EarlyStoppingHandler"]


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Ends the training after ``patience`` epochs in which ``monitor`` got no better.

    Args:
        monitor: one of the estimator's metrics.
        min_delta: what it has to be better by.
        mode: "min", "max" or "auto": what is better, see :class:`Better`.
        baseline: what it is compared with at first.

    Raises:
        ValueError: ``monitor`` is no single metric.
    """

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ):
        if not isinstance(monitor, EvalMetric) or isinstance(monitor, CompositeEvalMetric):
            raise ValueError(
                f"EarlyStoppingHandler: expected a single metric as monitor, one of "
                f"estimator.train_metrics or val_metrics, got {type(monitor).__name__}"
            )
        self._better = Better(monitor, mode)
        self.monitor, self.baseline, self.patience = monitor, baseline, patience
        self.monitor_op = self._better.compare
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta
        self._reset()

    def _reset(self) -> None:
        self.wait = self.stopped_epoch = self.current_epoch = 0
        self.stop_training = False
        self.best = self._better.worst if self.baseline is None else self.baseline

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self._reset()

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        name, value = self.monitor.get()
        if np.isnan(value):
            warnings.warn(
                f"EarlyStoppingHandler: {name} was not updated; monitor one of "
                "estimator.train_metrics and estimator.val_metrics",
                RuntimeWarning,
                stacklevel=2,
            )
        elif self.monitor_op(value - self.min_delta, self.best):
            self.best, self.wait = value, 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch, self.stop_training = self.current_epoch, True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.stopped_epoch > 0:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHandler: early stopping due to %s not improving",
                self.stopped_epoch,
                self.monitor.get()[0],
            )
