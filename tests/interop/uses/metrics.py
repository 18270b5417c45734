"""metric: every class made by itself, what all of them have, compositions."""

from __future__ import annotations

import numpy as np
from metric_cases import batch

from .common import numbers, raised

# By class: (arguments, kind of data)
CLASSES = {
    "Accuracy": ({"axis": 1}, "classes"),
    "TopKAccuracy": ({"top_k": 2}, "classes"),
    "F1": ({"average": "micro"}, "binary"),
    "MCC": ({}, "binary"),
    "PCC": ({}, "classes"),
    "MAE": ({"name": "own"}, "numbers"),
    "MSE": ({}, "numbers"),
    "RMSE": ({}, "rows"),
    "CrossEntropy": ({"eps": 1e-8}, "classes"),
    "NegativeLogLikelihood": ({}, "classes"),
    "Perplexity": ({"ignore_label": 1}, "sequence"),
    "PearsonCorrelation": ({}, "numbers"),
    "Loss": ({}, "rows"),
    "Torch": ({}, "rows"),
    "Caffe": ({}, "numbers"),
}


def _updated(mx, metric, kind, steps=2):
    rng = np.random.RandomState(7)
    for _ in range(steps):
        labels, preds = batch(kind, rng)
        metric.update([mx.nd.array(a) for a in labels], [mx.nd.array(b) for b in preds])
    return metric


def classes(mx):
    held = {}
    for name, (options, kind) in CLASSES.items():
        metric = _updated(mx, getattr(mx.metric, name)(**options), kind)
        held[f"{name} value"] = np.array(metric.get()[1], np.float64)
        held[f"{name} names"] = [metric.get()[0], metric.get_global()[0], metric.name]
        held[f"{name} pairs"] = [n for n, _ in metric.get_name_value()]
        metric.reset()
        held[f"{name} reset"] = str(metric.get()[1])
    return held


def of_all(mx):
    metric = mx.metric.MSE(output_names=["out"], label_names=["label"])
    label, out = mx.nd.array(numbers(4)), mx.nd.array(numbers(4, seed=1))
    metric.update_dict({"label": label, "more": out}, {"out": out, "more": label})
    metric.reset_local()
    metric.update_dict({"label": label}, {"out": label})
    return {
        "local": np.array(metric.get()[1], np.float64),
        "global": np.array(metric.get_global()[1], np.float64),
        "pairs": np.array([v for _, v in metric.get_global_name_value()], np.float64),
        "config": metric.get_config(),
        "name": mx.metric.create("mse").get_config()["metric"],
    }


def composed(mx):
    made = mx.metric.CompositeEvalMetric(["acc"], name="both")
    made.add(mx.metric.create(["mae", "mse"]))
    made = mx.metric.create(["acc", mx.metric.CrossEntropy()])
    _updated(mx, made, "classes")
    names, values = made.get()
    own = mx.metric.np(lambda label, pred: float(np.abs(label - pred).sum()), name="apart")
    custom = mx.metric.CustomMetric(lambda label, pred: (float(pred.sum()), 2), name="sum")
    return {
        "names": names,
        "values": np.array(values, np.float64),
        "one": made.get_metric(1).name,
        "own": np.array(_updated(mx, own, "numbers").get()[1], np.float64),
        "own name": own.get()[0],
        "custom": np.array(_updated(mx, custom, "numbers").get()[1], np.float64),
    }


def registered(mx):
    @mx.metric.register
    class Twice(mx.metric.EvalMetric):
        def __init__(self, name="twice", output_names=None, label_names=None):
            super().__init__(name, output_names=output_names, label_names=label_names)

        def update(self, labels, preds):
            self.sum_metric += 2.0 * len(preds)
            self.num_inst += 1

    found = mx.metric.create("twice")
    found.update([], [1, 2])
    check = mx.metric.check_label_shapes
    return {
        "value": found.get(),
        "apart": raised(
            lambda: check(mx.nd.ones((2, 3)), mx.nd.ones((2, 2)), shape=True), ValueError
        ),
        "lengths": raised(lambda: check([1], [1, 2]), ValueError),
        "wrapped": [len(x) for x in check(mx.nd.ones(2), mx.nd.ones(2), wrap=True)],
    }
