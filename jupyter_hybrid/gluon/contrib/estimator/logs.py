"""The handler that writes to the estimator's log."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd
from .metrics import checked_metrics

__all__ = ["LoggingHandler"]


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Logs metrics and times, after every epoch or every ``log_interval`` batches.

    Args:
        log_interval: "epoch", or a number of batches.
        metrics: those that are logged.

    Raises:
        ValueError: another interval.
    """

    def __init__(
        self, log_interval: int | str = "epoch", metrics: Any = None, priority: float = np.inf
    ):
        if not isinstance(log_interval, int) and log_interval != "epoch":
            raise ValueError(
                f"log_interval must be a number of batches or 'epoch', got {log_interval!r}"
            )
        self.metrics = checked_metrics(metrics)
        self.priority, self.log_interval = priority, log_interval
        self._reset()

    def _reset(self) -> None:
        self.batch_index = self.current_epoch = self.processed_samples = 0
        self.log_interval_time = 0.0

    def _measured(self) -> str:
        return ", ".join("{}: {:.4f}".format(*metric.get()) for metric in self.metrics)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.train_start = time.time()
        trainer = estimator.trainer
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f ",
            type(trainer.optimizer).__name__,
            trainer.learning_rate,
        )
        count = estimator.max_epoch or estimator.max_batch
        what = "epochs" if estimator.max_epoch else "batches"
        estimator.logger.info("Train for %d %s.", count, what)
        self._reset()

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        estimator.logger.info(
            "Train finished using total %ds with %d epochs. %s",
            time.time() - self.train_start,
            self.current_epoch,
            self._measured(),
        )

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.batch_start = time.time()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(self.log_interval, int):
            self.log_interval_time += time.time() - self.batch_start
            self.processed_samples += kwargs["batch"][0].shape[0]
            if self.batch_index % self.log_interval == 0:
                estimator.logger.info(
                    "[Epoch %d][Batch %d][Samples %s] time/interval: %.3fs %s",
                    self.current_epoch,
                    self.batch_index,
                    self.processed_samples,
                    self.log_interval_time,
                    self._measured(),
                )
                self.log_interval_time = 0.0
        self.batch_index += 1

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.epoch_start = time.time()
        if any("training" in metric.name for metric in self.metrics):
            rate = estimator.trainer.learning_rate
            estimator.logger.info(
                "[Epoch %d] Begin, current learning rate: %.4f", self.current_epoch, rate
            )
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        estimator.logger.info(
            "[Epoch %d] Finished in %.3fs, %s",
            self.current_epoch,
            time.time() - self.epoch_start,
            self._measured(),
        )
        self.current_epoch += 1
        self.batch_index = 0
