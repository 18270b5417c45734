"""Estimator: a net, its loss and its trainer with the loop that trains them."""

from __future__ import annotations

import copy
import logging
import sys
import warnings
from typing import Any

from ....context import Context, cpu, gpu, num_gpus
from ....metric import EvalMetric
from ....metric import Loss as LossMetric
from ...data import DataLoader
from ...loss import Loss
from ...trainer import Trainer
from .batch_processor import BatchProcessor
from .events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
    checked_handlers,
)
from .handlers import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler
from .logs import LoggingHandler
from .metrics import check_known, checked_metrics, suggested_metric

__all__ = ["Estimator"]


class Estimator:
    """Trains and evaluates a net; what happens besides is done by event handlers.

    Args:
        net: a Block.
        loss: a ``gluon.loss.Loss``.
        train_metrics, val_metrics: metrics; by default accuracy for a softmax loss, and the loss.
            Their names get "training" and "validation" in front.
        initializer: initializes what of the net is not initialized.
        trainer: by default SGD with a learning rate of 0.001.
        context: devices; by default the first GPU, or the CPU.
        val_net, val_loss: for the evaluation, if they are others.
        batch_processor: computes batches; see :class:`BatchProcessor`.

    Raises:
        ValueError: an argument is of the wrong kind.
        AssertionError: there is no such device.
    """

    #: A logger of its own that writes to standard output from level INFO on.
    logger: Any = None

    def __init__(
        self,
        net: Any,
        loss: Any,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Any = None,
        context: Any = None,
        val_net: Any = None,
        val_loss: Any = None,
        batch_processor: Any = None,
    ):
        self.net, self.loss = net, _checked_loss(loss)
        self._train_metrics = _training(checked_metrics(train_metrics), self.loss)
        self._val_metrics = _validation(checked_metrics(val_metrics), self._train_metrics)
        self.val_loss = self.loss if val_loss is None else _checked_loss(val_loss)
        self.val_net = net if val_net is None else val_net
        self.logger = logging.Logger(name="Estimator", level=logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = _checked_context(context)
        self._initialize(initializer)
        self.trainer = self._checked_trainer(trainer)
        self.batch_processor = _checked_processor(batch_processor)
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis = 0

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """The metrics of training."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """The metrics of evaluation."""
        return self._val_metrics

    def evaluate(self, val_data: Any, batch_axis: int = 0, event_handlers: Any = None) -> None:
        """Computes ``val_metrics`` on the data of a DataLoader.

        Raises:
            ValueError: ``val_data`` is no DataLoader, or a handler has metrics of its own.
        """
        _check_loader(val_data)
        for metric in self.val_metrics:
            metric.reset()
        handlers = self._prepare_default_validation_handlers(event_handlers)
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = self._categorize_handlers(handlers)
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in val_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            for handler in batch_end:
                handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss)
        for handler in epoch_end:
            handler.epoch_end(self)

    def fit(
        self,
        train_data: Any,
        val_data: Any = None,
        epochs: int | None = None,
        event_handlers: Any = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Trains for ``epochs`` epochs or ``batches`` batches of a DataLoader.

        Handlers that are not given are added: updates, metrics, a log, the evaluation on
        ``val_data``, and the end.

        Raises:
            ValueError: the data are no DataLoader; not one of ``epochs`` and ``batches`` is given;
                a handler has metrics of its own.
        """
        _check_loader(train_data)
        if bool(epochs) == bool(batches):
            raise ValueError(
                f"fit: expected either epochs or batches, got epochs={epochs}, batches={batches}"
            )
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        handlers = self._prepare_default_handlers(val_data, event_handlers)
        begin, epoch_begin, batch_begin, batch_end, epoch_end, end = self._categorize_handlers(
            handlers
        )
        for handler in begin:
            handler.train_begin(self)
        stopped = False
        while not stopped:
            for handler in epoch_begin:
                handler.epoch_begin(self)
            self._fit_epoch(train_data, batch_begin, batch_end, batch_axis)
            answers = [handler.epoch_end(self) for handler in epoch_end]  # all of them are asked
            stopped = any(answers)
        for handler in end:
            handler.train_end(self)

    def _fit_epoch(self, data: Any, begin: list[Any], end: list[Any], batch_axis: int) -> None:
        for batch in data:
            for handler in begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.fit_batch(self, batch, batch_axis)
            told = {"batch": batch, "pred": pred, "label": label, "loss": loss}
            answers = [handler.batch_end(self, **told) for handler in end]
            if any(answers):
                return

    def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[Any]:
        given = checked_handlers(event_handlers)
        added: list[EventHandler] = [StoppingHandler(self.max_epoch, self.max_batch)]
        if not _has(given, GradientUpdateHandler):
            added.append(GradientUpdateHandler())
        if not _has(given, MetricHandler):
            added.append(MetricHandler(metrics=self.train_metrics))
        if val_data and not _has(given, ValidationHandler):
            added.append(ValidationHandler(val_data=val_data, eval_fn=self.evaluate))
        if not _has(given, LoggingHandler):
            added.append(LoggingHandler(metrics=self.train_metrics))
        return _together(given, added, [*self.train_metrics, *self.val_metrics])

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[Any]:
        given = checked_handlers(event_handlers)
        added: list[EventHandler] = []
        if not _has(given, MetricHandler):
            added.append(MetricHandler(metrics=self.val_metrics))
        if not _has(given, LoggingHandler):
            added.append(LoggingHandler(metrics=self.val_metrics))
        return _together(given, added, self.val_metrics)

    def _categorize_handlers(self, event_handlers: list[Any]) -> tuple[list[Any], ...]:
        """The handlers of each event, in the order of a training."""
        kinds = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)
        return tuple([h for h in event_handlers if isinstance(h, kind)] for kind in kinds)

    def _initialize(self, initializer: Any) -> None:
        if not self._is_initialized():
            options = {"init": initializer} if initializer else {}
            self.net.initialize(ctx=self.context, **options)
        elif initializer:
            warnings.warn(
                "Network already fully initialized, the initializer is not used; "
                "net.initialize(init=..., force_reinit=True) initializes it anew",
                stacklevel=3,
            )

    def _is_initialized(self) -> bool:
        try:
            for parameter in self.net.collect_params().values():
                parameter.list_ctx()
        except RuntimeError:
            return False
        return True

    def _checked_trainer(self, trainer: Any) -> Trainer:
        if not trainer:
            warnings.warn(
                "No trainer specified: SGD with a learning rate of 0.001 is used", stacklevel=3
            )
            return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise ValueError(f"trainer must be a gluon.Trainer, got {trainer!r}")
        return trainer


def _has(handlers: list[Any], kind: type) -> bool:
    return any(isinstance(handler, kind) for handler in handlers)


def _together(given: list[Any], added: list[Any], known: list[EvalMetric]) -> list[Any]:
    """All handlers by priority; with handlers of both kinds metrics have to be the same ones."""
    handlers = [*given, *added]
    if given and added:
        for handler in handlers:
            check_known(handler, known)
    return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))


def _training(metrics: list[EvalMetric], loss: Any) -> list[EvalMetric]:
    if not metrics:
        suggested = suggested_metric(loss)
        metrics = [] if suggested is None else [suggested]
        metrics.append(LossMetric(loss.name.rstrip("1234567890")))
    for metric in metrics:
        metric.name = "training " + metric.name
    return metrics


def _validation(metrics: list[EvalMetric], training: list[EvalMetric]) -> list[EvalMetric]:
    for metric in metrics or (metrics := [copy.deepcopy(m) for m in training]):
        if "training" in metric.name:
            metric.name = metric.name.replace("training", "validation")
        else:
            metric.name = "validation " + metric.name
    return metrics


def _checked_loss(loss: Any) -> Loss:
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be a gluon.loss.Loss, got {loss!r}")
    return loss


def _checked_processor(processor: Any) -> Any:
    if processor is None:
        return BatchProcessor()
    for name in ("fit_batch", "evaluate_batch"):
        if not callable(getattr(processor, name, None)):
            raise ValueError(f"batch_processor must have the method {name}, got {processor!r}")
    return processor


def _checked_context(context: Any) -> list[Context]:
    if not context:
        return [gpu(0)] if num_gpus() else [cpu()]
    found = [context] if isinstance(context, Context) else context
    if not isinstance(found, list) or not all(isinstance(c, Context) for c in found):
        raise ValueError(f"context must be a Context or a list of them, got {context!r}")
    for ctx in found:
        exists = ctx.device_type != "gpu" or ctx.device_id < num_gpus()
        assert exists, f"there is no {ctx}, only {num_gpus()} GPUs"
    return found


def _check_loader(data: Any) -> None:
    if not isinstance(data, DataLoader):
        raise ValueError(
            f"an Estimator takes a gluon.data.DataLoader, got {type(data).__name__}; "
            "ArrayDataset makes one of arrays"
        )
