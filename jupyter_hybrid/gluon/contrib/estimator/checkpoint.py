"""The handler that saves parameters and the trainer's states, and goes on from them."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

import numpy as np

from ....metric import EvalMetric
from .events import BatchEnd, EpochEnd, TrainBegin
from .metrics import Better

__all__ = ["CheckpointHandler"]


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Saves ``PREFIX-epochEbatchB.params`` and ``.states`` every so many epochs or batches.

    The graph of a hybridized net is saved once, as ``PREFIX-symbol.json``.

    Args:
        model_dir: the folder; it is made.
        monitor: the metric that tells which checkpoint is the best.
        verbose: above 0: each one is logged.
        save_best: keeps the best one as ``PREFIX-best``.
        mode: "min", "max" or "auto": what is better, see :class:`Better`.
        epoch_period, batch_period: how often; None: never.
        max_checkpoints: how many are kept, beside the best one.
        resume_from_checkpoint: goes on from the latest one in the folder.

    Raises:
        ValueError: ``save_best`` without a metric.
    """

    def __init__(
        self,
        model_dir: str,
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ):
        os.makedirs(model_dir, exist_ok=True)
        self.model_dir, self.model_prefix = model_dir, model_prefix
        self.monitor, self.verbose, self.save_best = monitor, verbose, save_best
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.current_batch = self.current_epoch = 0
        self.trained_epoch = self.trained_batch = -1
        self.saved_checkpoints: list[str] = []
        self.best = np.nan
        if save_best:
            if not isinstance(monitor, EvalMetric):
                raise ValueError(
                    "CheckpointHandler: save_best needs a monitor, one of "
                    f"estimator.train_metrics or val_metrics; got {type(monitor).__name__}"
                )
            self._better = Better(monitor, mode)
            self.monitor_op, self.best = self._better.compare, self._better.worst

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.current_epoch = self.current_batch = 0
        if self.save_best:
            self.best = self._better.worst
        if self.resume_from_checkpoint:
            by_batch = bool(estimator.max_batch)
            assert bool(self.batch_period) == by_batch and bool(self.epoch_period) != by_batch, (
                "CheckpointHandler: to resume, save by what the training is counted in: "
                "epoch_period alone for epochs, batch_period alone for batches"
            )
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save(estimator)
        self.current_batch += 1

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save(estimator)
        self.current_epoch += 1

    def _path(self, name: str) -> str:
        return os.path.join(self.model_dir, name)

    def _save(self, estimator: Any) -> None:
        epoch, batch = self.current_epoch, self.current_batch
        if self.resume_from_checkpoint:
            epoch += self.trained_epoch + 1
            batch += self.trained_batch + (0 if estimator.max_epoch else 1)
        name = f"{self.model_prefix}-epoch{epoch}batch{batch}"
        self._write(estimator, name)
        self.saved_checkpoints.append(name)
        if len(self.saved_checkpoints) > self.max_checkpoints:
            self._remove(self.saved_checkpoints.pop(0))
        self._tell(estimator, f"{self.current_batch + 1} batches, saved {self._path(name)}")
        if self.save_best:
            self._save_best(estimator)

    def _save_best(self, estimator: Any) -> None:
        assert self.monitor is not None
        name, value = self.monitor.get()
        if np.isnan(value):
            warnings.warn(
                f"CheckpointHandler: the best one is not saved: {name} was not updated; monitor "
                "one of estimator.train_metrics and estimator.val_metrics",
                RuntimeWarning,
                stacklevel=2,
            )
        elif self.monitor_op(value, self.best):
            self._write(estimator, f"{self.model_prefix}-best")
            self._tell(estimator, f"{name} improved from {self.best:.5f} to {value:.5f}")
            self.best = value
        else:
            self._tell(estimator, f"{name} did not improve from {self.best:.5f}")

    def _tell(self, estimator: Any, text: str) -> None:
        if self.verbose > 0:
            estimator.logger.info("[Epoch %d] CheckpointHandler: %s", self.current_epoch, text)

    def _write(self, estimator: Any, name: str) -> None:
        estimator.net.save_parameters(self._path(name + ".params"))
        estimator.trainer.save_states(self._path(name + ".states"))

    def _remove(self, name: str) -> None:
        for end in (".params", ".states"):
            if os.path.exists(self._path(name + end)):
                os.remove(self._path(name + end))

    def _save_symbol(self, estimator: Any) -> None:
        file = self._path(self.model_prefix + "-symbol.json")
        cached = getattr(estimator.net, "_cached", None)
        if cached is not None:
            cached.symbol.save(file)
        else:
            estimator.logger.info(
                "The graph is not saved as %s: the net is no hybridized HybridBlock.", file
            )

    def _found(self) -> list[tuple[int, int]]:
        """(epoch, batch) of the checkpoints in the folder, in order."""
        form = re.compile(re.escape(self.model_prefix) + r"-epoch(\d+)batch(\d+)\.params")
        matches = filter(None, map(form.fullmatch, os.listdir(self.model_dir)))
        return sorted((int(m[1]), int(m[2])) for m in matches)

    def _resume(self, estimator: Any) -> None:
        found = self._found()
        if not found:
            self.trained_epoch = self.trained_batch = -1
            estimator.logger.info("CheckpointHandler: no checkpoint found, training from scratch")
            return
        self.saved_checkpoints = [f"{self.model_prefix}-epoch{e}batch{b}" for e, b in found]
        self.trained_epoch, self.trained_batch = found[-1]
        if estimator.max_epoch:
            estimator.max_epoch = _left(estimator.max_epoch, self.trained_epoch, "epochs")
        if estimator.max_batch:
            estimator.max_batch = _left(estimator.max_batch, self.trained_batch, "batches")
        file = self._path(self.saved_checkpoints[-1])
        estimator.net.load_parameters(file + ".params", ctx=estimator.context)
        estimator.trainer.load_states(file + ".states")
        estimator.logger.warning(
            "CheckpointHandler: resumed from epoch %d batch %d, %d %s are left",
            self.trained_epoch,
            self.trained_batch,
            estimator.max_epoch or estimator.max_batch,
            "epochs" if estimator.max_epoch else "batches",
        )


def _left(wanted: int, trained: int, what: str) -> int:
    if trained >= wanted - 1:
        raise ValueError(
            f"CheckpointHandler: the checkpoint is of the last of {wanted} {what}; without "
            "resume_from_checkpoint the training begins anew"
        )
    return wanted - trained - 1
