"""MXNet's ``callback``: what loops call after a batch or an epoch, to log or to save.

A batch's callback is given an object with ``epoch``, ``nbatch`` and ``eval_metric`` (or None).
Lines go to Python's root logger, at level INFO.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Any

from .model import save_checkpoint

__all__ = [
    "LogValidationMetricsCallback", "ProgressBar", "Speedometer", "do_checkpoint",
    "log_train_metric", "module_checkpoint",
]  # fmt: skip


def module_checkpoint(
    mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """Every ``period`` epochs has ``mod.save_checkpoint`` write the prefix, with its optimizer."""
    every = max(1, int(period))

    def after_epoch(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % every == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return after_epoch


def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """Every ``period`` epochs writes the symbol and its parameters: :func:`save_checkpoint`."""
    every = max(1, int(period))

    def after_epoch(iter_no: int, sym: Any, arg: dict[str, Any], aux: dict[str, Any]) -> None:
        if (iter_no + 1) % every == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return after_epoch


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[Any], None]:
    """Every ``period`` batches logs the metric; ``auto_reset`` then starts it anew."""

    def after_batch(param: Any) -> None:
        if param.nbatch % period or param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
        if auto_reset:
            param.eval_metric.reset_local()

    return after_batch


class Speedometer:
    """Every ``frequent`` batches logs samples a second and the metric.

    Args:
        batch_size: samples of a batch.
        auto_reset: the metric starts anew after each line.
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True):
        self.batch_size, self.frequent, self.auto_reset = batch_size, frequent, auto_reset
        self.init, self.tic, self.last_count = False, 0.0, 0

    def __call__(self, param: Any) -> None:
        if param.nbatch < self.last_count:  # another epoch
            self.init = False
        self.last_count = param.nbatch
        if not self.init:
            self.init, self.tic = True, time.time()
        elif param.nbatch % self.frequent == 0:
            self._log(param)
            self.tic = time.time()

    def _log(self, param: Any) -> None:
        seconds = time.time() - self.tic
        speed = self.frequent * self.batch_size / seconds if seconds > 0 else math.inf
        if param.eval_metric is None:
            text = "Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec"
            logging.info(text, param.epoch, param.nbatch, speed)
            return
        values = param.eval_metric.get_name_value()
        if self.auto_reset:
            param.eval_metric.reset_local()
        first = param.nbatch - self.frequent if self.auto_reset else 0
        text = "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec" + "\t%s=%f" * len(values)
        flat = [part for pair in values for part in pair]
        logging.info(text, param.epoch, first, param.nbatch, speed, *flat)


class ProgressBar:
    """Logs a bar: how many of ``total`` batches are done. ``length``: of the whole bar."""

    def __init__(self, total: int, length: int = 80):
        self.bar_len, self.total = length, total

    def __call__(self, param: Any) -> None:
        share = param.nbatch / self.total
        done = round(self.bar_len * share)
        bar = "=" * done + "-" * (self.bar_len - done)
        logging.info("[%s] %s%%\r", bar, math.ceil(100 * share))


class LogValidationMetricsCallback:
    """Logs the metric after an epoch."""

    def __call__(self, param: Any) -> None:
        if param.eval_metric:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)
