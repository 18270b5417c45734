"""gluon.contrib.estimator: fits, the events of handlers, what they save, print and stop."""

from __future__ import annotations

import logging
import tempfile
import warnings
from pathlib import Path

import numpy as np

from .common import attribute, numbers, raised


def _data(mx):
    x, y = numbers(8, 3), numbers(8, 1, seed=3)
    return mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x, y), batch_size=4)


def _estimator(mx, **options):
    net = mx.gluon.nn.Dense(1, in_units=3, prefix="net_")
    net.initialize(mx.init.Constant(0.25))
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    module = mx.gluon.contrib.estimator
    loss = mx.gluon.loss.L2Loss()
    return module.Estimator(net, loss, train_metrics=mx.metric.MSE(), trainer=trainer, **options)


def _values(metrics):
    return {name: np.float64(value) for m in metrics for name, value in m.get_name_value()}


def _plain(values):
    return [[name, round(float(value), 5)] for name, value in values.items()]


def fits(mx):
    made = _estimator(mx, val_metrics=mx.metric.MAE())
    data = _data(mx)
    made.fit(data, data, epochs=3)
    held = {"weight": made.net.weight.data().asnumpy(), "bias": made.net.bias.data().asnumpy()}
    held["trained"] = _plain(_values(made.train_metrics))
    held["validated"] = _plain(_values(made.val_metrics))
    made.evaluate(data)
    held["again"] = _plain(_values(made.val_metrics))
    made.fit(data, batches=1)
    held["of a batch"] = made.net.weight.data().asnumpy()
    return held


def events(mx):
    module, seen = mx.gluon.contrib.estimator, []
    kinds = ("TrainBegin", "TrainEnd", "EpochBegin", "EpochEnd", "BatchBegin", "BatchEnd")
    names = [f"{kind[:-5].lower()}_begin" if kind.endswith("Begin") else f"{kind[:-3].lower()}_end"
             for kind in kinds]  # fmt: skip

    def noting(name):
        def method(self, estimator, *given, **named):
            seen.append([name, sorted(named)])

        return method

    bases = tuple(attribute(module, kind) for kind in kinds)
    Noting = type("Noting", bases, {name: noting(name) for name in names})
    made = _estimator(mx)
    made.fit(_data(mx), epochs=1, event_handlers=[Noting()])
    plain = [
        raised(lambda kind=kind, name=name: getattr(getattr(module, kind)(), name)(made), TypeError)
        for kind, name in zip(kinds, names)
    ]
    return {"seen": seen, "plain": plain}


def processors(mx):
    class Doubled(attribute(mx.gluon.contrib.estimator, "BatchProcessor")):
        def fit_batch(self, estimator, batch, batch_axis=0):
            data, label, out, loss = super().fit_batch(estimator, batch, batch_axis)
            return data, label, out, [each * 2 for each in loss]

    class Quiet(mx.gluon.contrib.estimator.GradientUpdateHandler):
        def __init__(self):
            super().__init__(priority=-1500)
            self.steps = 0

        def batch_end(self, estimator, *args, **kwargs):
            self.steps += 1
            if self.steps % 2:
                super().batch_end(estimator, *args, **kwargs)

    processor, quiet = Doubled(), Quiet()
    made = _estimator(mx, batch_processor=processor)
    made.fit(_data(mx), epochs=2, event_handlers=[quiet])
    found = processor.evaluate_batch(made, next(iter(_data(mx))))
    return {
        "weight": made.net.weight.data().asnumpy(),
        "steps": quiet.steps,
        "priority": quiet.priority,
        "parts": len(found),
        "out": found[2][0] if isinstance(found[2], list) else found[2],
        "loss": found[3][0] if isinstance(found[3], list) else found[3],
    }


def stopping(mx):
    """Modes are named: MXNet's "auto" takes larger values for better ones whatever the metric."""
    module = mx.gluon.contrib.estimator
    held = {}
    for name, options in (
        ("epochs", {"max_epoch": 2}),
        ("batches", {"max_batch": 3}),
    ):
        handler = module.StoppingHandler(**options)
        made = _estimator(mx)
        made.max_epoch, made.max_batch = options.get("max_epoch"), options.get("max_batch")
        handler.train_begin(made)
        for _ in range(2):
            handler.batch_end(made)
            handler.batch_end(made)
            handler.epoch_end(made)
        held[name] = [handler.current_batch, handler.current_epoch, handler.stop_training]
    for name, options in (
        ("patience", {"patience": 1, "mode": "max"}),
        ("max", {"mode": "max", "patience": 0}),
        ("improving", {"mode": "min", "patience": 0}),
        ("baseline", {"mode": "min", "baseline": 0.01, "patience": 2}),
        ("delta", {"min_delta": 10, "patience": 1, "mode": "min"}),
    ):
        made = _estimator(mx)
        watched = made.train_metrics[0]
        handler = module.EarlyStoppingHandler(watched, **options)
        made.fit(_data(mx), epochs=6, event_handlers=[handler])
        held[name] = [handler.current_epoch, handler.stopped_epoch, bool(handler.stop_training)]
        held[f"{name} weight"] = made.net.weight.data().asnumpy()
    return held


def metrics(mx):
    module = mx.gluon.contrib.estimator
    made, data = _estimator(mx), _data(mx)
    own, runs = made.train_metrics[0], []
    handler = module.MetricHandler([own])
    validation = module.ValidationHandler(
        data, lambda val_data, **rest: runs.append(len(val_data)), epoch_period=1, batch_period=2
    )
    made.fit(data, epochs=2, event_handlers=[handler, validation])
    return {
        "own": np.float64(own.get()[1]),
        "runs": len(runs),
        "priorities": [handler.priority, validation.priority],
    }


def logged(mx):
    module, told = mx.gluon.contrib.estimator, []

    class Kept(logging.Handler):
        def emit(self, record):
            told.append(record.getMessage())

    made = _estimator(mx)
    made.logger.addHandler(Kept())
    made.logger.propagate = False
    for interval in ("epoch", 1):
        handler = module.LoggingHandler(log_interval=interval, metrics=made.train_metrics)
        made.fit(_data(mx), epochs=1, event_handlers=[handler])
    wrong = raised(lambda: module.LoggingHandler(log_interval="never"), ValueError)
    return {"lines": [_first_words(line) for line in told], "wrong": wrong}


def _first_words(line):
    """Without times and speeds."""
    return line.split(",")[0].split(":")[0].split("s, ")[0][:14]


def saved(mx):
    module, held = mx.gluon.contrib.estimator, {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = _estimator(mx)
        handler = module.CheckpointHandler(folder, model_prefix="net", epoch_period=1)
        made.fit(_data(mx), epochs=2, event_handlers=[handler])
        held["files"] = sorted(p.name for p in Path(folder).iterdir())
        trained = made.net.weight.data().asnumpy()
        again = _estimator(mx)
        back = module.CheckpointHandler(
            folder, model_prefix="net", epoch_period=1, resume_from_checkpoint=True
        )
        again.fit(_data(mx), epochs=3, event_handlers=[back])
        held["resumed"] = [back.trained_epoch, back.current_epoch]
        made.fit(_data(mx), epochs=1)
        held["weight"], held["same"] = trained, again.net.weight.data().asnumpy()
    with tempfile.TemporaryDirectory() as folder:
        made = _estimator(mx)
        best = module.CheckpointHandler(
            folder,
            model_prefix="run",
            monitor=made.train_metrics[0],
            save_best=True,
            mode="min",
            max_checkpoints=1,
        )
        made.fit(_data(mx), epochs=3, event_handlers=[best])
        held["best files"] = sorted(p.name for p in Path(folder).iterdir())
        held["best"] = np.float64(best.best)
    return held
