"""Estimator: its loop, handlers, checkpoints and errors."""

from __future__ import annotations

import io
import logging
import math
from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import autograd, gluon, metric, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.gluon.contrib.estimator import (
    BatchEnd,
    BatchProcessor,
    CheckpointHandler,
    EarlyStoppingHandler,
    EpochEnd,
    Estimator,
    LoggingHandler,
    ValidationHandler,
)


def loader(count: int = 8, batch: int = 4) -> gluon.data.DataLoader:
    x = np.arange(count * 3, dtype="float32").reshape(count, 3) / 10
    return gluon.data.DataLoader(
        gluon.data.ArrayDataset(nd.array(x), nd.array(x.sum(1, keepdims=True))), batch_size=batch
    )


def estimator(**options: object) -> Estimator:
    net = nn.HybridSequential()
    net.add(nn.Dense(1, in_units=3))
    net.initialize()
    net.hybridize()
    options.setdefault("trainer", gluon.Trainer(net.collect_params(), "sgd"))
    made = Estimator(net, gluon.loss.L2Loss(), **options)
    made.logger.handlers.clear()
    return made


def test_a_fit_is_the_plain_loop() -> None:
    ours = estimator()
    weight, bias = (p.data().asnumpy() for p in ours.net.collect_params().values())
    ours.fit(loader(), epochs=3)
    net = nn.Dense(1, in_units=3)
    net.initialize()
    for p, value in zip(net.collect_params().values(), (weight, bias)):
        p.set_data(nd.array(value))
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for _ in range(3):
        for x, y in loader():
            with autograd.record():
                loss = gluon.loss.L2Loss()(net(x), y)
            loss.backward()
            trainer.step(4)
    assert np.array_equal(net.weight.data().asnumpy(), ours.net[0].weight.data().asnumpy())


def test_batches_end_in_the_middle_of_an_epoch_and_handlers_may_stop() -> None:
    class Counter(BatchEnd, EpochEnd):
        def __init__(self, last: int):
            self.batches = self.epochs = 0
            self.last = last

        def batch_end(self, estimator: Estimator, *args: object, **kwargs: object) -> bool:
            assert [p.shape for p in kwargs["pred"]] == [(4, 1)]
            self.batches += 1
            return self.batches == self.last

        def epoch_end(self, estimator: Estimator, *args: object, **kwargs: object) -> bool:
            self.epochs += 1
            return self.batches >= self.last

    counter = Counter(100)
    estimator().fit(loader(), batches=5, event_handlers=counter)
    assert (counter.batches, counter.epochs) == (5, 3)
    counter = Counter(3)
    estimator().fit(loader(), epochs=9, event_handlers=[counter])
    assert (counter.batches, counter.epochs) == (3, 2)


def test_metrics_are_named_and_computed_on_both_data() -> None:
    ours = estimator(train_metrics=[metric.MSE(), metric.Loss("l")])
    ours.fit(loader(), val_data=loader(4), epochs=1)
    names = [m.get()[0] for m in ours.train_metrics + ours.val_metrics]
    assert names == ["training mse", "training l", "validation mse", "validation l"]
    (x, y), *_ = loader(4)
    wanted = float(((ours.net(x) - y) ** 2).mean().asscalar())
    mse, half = (m.get()[1] for m in ours.val_metrics)
    assert mse == pytest.approx(wanted) and half == pytest.approx(wanted / 2)


def test_the_log_tells_epochs_and_intervals() -> None:
    ours, text = estimator(), io.StringIO()
    ours.logger.addHandler(logging.StreamHandler(text))
    ours.fit(loader(12), epochs=1, event_handlers=LoggingHandler(2, ours.train_metrics))
    lines = text.getvalue().splitlines()
    assert "using optimizer SGD" in lines[0] and lines[1] == "Train for 1 epochs."
    assert [line.split("]")[1] for line in lines if "[Batch" in line] == ["[Batch 0", "[Batch 2"]
    assert "[Samples 12]" in lines[4] and "Train finished" in lines[-1]


def test_checkpoints_are_kept_and_trained_on(tmp_path: Path) -> None:
    def handler(**options: object) -> CheckpointHandler:
        return CheckpointHandler(str(tmp_path), "m", **options)

    first = estimator()
    best = handler(monitor=first.train_metrics[0], save_best=True, max_checkpoints=1, mode="min")
    first.fit(loader(), epochs=2, event_handlers=best)
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == [
        *("m-best.params", "m-best.states"),
        *("m-epoch1batch4.params", "m-epoch1batch4.states", "m-symbol.json"),
    ]
    assert best.best == first.train_metrics[0].get()[1]
    second = estimator()
    second.fit(loader(), epochs=5, event_handlers=handler(resume_from_checkpoint=True))
    assert second.max_epoch == 3 and (tmp_path / "m-epoch4batch10.states").exists()
    with pytest.raises(ValueError, match="the checkpoint is of the last of 5 epochs"):
        estimator().fit(loader(), epochs=5, event_handlers=handler(resume_from_checkpoint=True))
    with pytest.raises(AssertionError, match="epoch_period alone"):
        estimator().fit(loader(), batches=5, event_handlers=handler(resume_from_checkpoint=True))


def test_early_stopping_knows_what_is_better() -> None:
    ours = estimator(train_metrics=metric.MSE())
    loss = ours.train_metrics[0]
    stop = EarlyStoppingHandler(loss, patience=2, baseline=-1.0)
    assert stop.monitor_op is np.less  # of a loss less is better; MXNet takes more for better
    ours.fit(loader(), epochs=9, event_handlers=stop)
    assert (stop.current_epoch, stop.stopped_epoch) == (2, 1)
    up = EarlyStoppingHandler(metric.Accuracy(), min_delta=0.5)
    up.train_begin(ours)
    assert up.monitor_op is np.greater and up.best == -math.inf and up.min_delta == 0.5


def test_wrong_arguments_are_refused() -> None:
    ours = estimator()
    for wrong in ({"epochs": 1, "batches": 1}, {}):
        with pytest.raises(ValueError, match="either epochs or batches"):
            ours.fit(loader(), **wrong)
    with pytest.raises(ValueError, match="DataLoader, got list"):
        ours.evaluate([nd.ones((2, 3))])
    own = LoggingHandler(metrics=[metric.RMSE()])
    with pytest.raises(ValueError, match="not the estimator's"):
        ours.fit(loader(), epochs=1, event_handlers=own)
    for options in (
        {"train_metrics": "acc"},
        {"trainer": "sgd"},
        {"context": "cpu"},
        {"batch_processor": object()},
        {"val_loss": "l2"},
    ):
        with pytest.raises(ValueError, match=f"{next(iter(options)).split('_')[-1]}"):
            estimator(**options)
    with pytest.raises(ValueError, match="log_interval"):
        LoggingHandler("batch")
    with pytest.raises(ValueError, match="monitor"):
        EarlyStoppingHandler("loss")
    assert isinstance(ours.batch_processor, BatchProcessor)


def test_validation_runs_every_few_batches() -> None:
    calls: list[int] = []
    check = ValidationHandler(
        None, lambda **told: calls.append(told["batch_axis"]), None, batch_period=2
    )
    estimator().fit(loader(12), epochs=2, event_handlers=check)
    assert calls == [0, 0, 0]
