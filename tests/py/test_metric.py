"""Metrics against what genuine MXNet 1.9.1 computed (tests/interop/metric_cases.py), and names."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import metric, nd

HERE = Path(__file__).resolve().parents[1]
sys.path.append(str(HERE / "interop"))
import metric_cases


@pytest.fixture(scope="module")
def recorded() -> Any:
    return np.load(HERE / "data" / "mxnet" / "metrics.npz")


@pytest.mark.parametrize("name", metric_cases.METRICS)
def test_values_are_those_of_mxnet(name: str, recorded: Any) -> None:
    ours, theirs = metric_cases.measured(mx, name), recorded[name].copy()
    if name == "pearson_micro":  # MXNet says 0 globally, and forgets nothing in reset_local()
        theirs[1::4] = ours[1::4]
        theirs[8] = ours[8]
        assert ours[1] == ours[0] and ours[9] == pytest.approx(recorded[name][8], rel=1e-5)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


def labels_and_preds() -> tuple[Any, Any]:
    return [nd.array([0, 1, 1])], [nd.array([[0.3, 0.7], [0, 1.0], [0.4, 0.6]])]


def test_a_composite_tells_of_all() -> None:
    both = metric.create(["acc", metric.F1(), metric.create(lambda label, pred: 2.0)])
    both.update(*labels_and_preds())
    names, values = both.get()
    assert names == ["accuracy", "f1", "custom(<lambda>)"]
    assert values == [pytest.approx(2 / 3), pytest.approx(0.8), 2]
    assert both.get_name_value() == list(zip(names, values)) == both.get_global_name_value()
    both.reset_local()
    assert math.isnan(both.get()[1][0]) and both.get_global()[1] == values
    both.reset()
    assert all(map(math.isnan, both.get_global()[1]))
    assert both.get_metric(1) is both.metrics[1]
    with pytest.raises(ValueError, match="metric 3 is out of range: there are 3"):
        both.get_metric(3)
    assert str(metric.create("acc")).startswith("EvalMetric: {'accuracy': nan")


def test_arrays_by_name() -> None:
    made = metric.Accuracy(output_names=["p"], label_names=["y"])
    labels, preds = labels_and_preds()
    made.update_dict({"y": labels[0], "z": None}, {"q": None, "p": preds[0]})
    assert made.get() == ("accuracy", pytest.approx(2 / 3))
    with pytest.raises(KeyError, match="y"):
        made.update_dict({}, {"p": preds[0]})
    both = metric.CompositeEvalMetric(["acc"], output_names=["p"], label_names=["y"])
    both.update_dict({"y": labels[0], "z": None}, {"q": None, "p": preds[0]})
    assert both.get() == (["accuracy"], [pytest.approx(2 / 3)])


@pytest.mark.parametrize(
    "made",
    [
        metric.TopKAccuracy(3, output_names=["a"]),
        metric.Perplexity(2, axis=1),
        metric.CrossEntropy(1e-3, label_names=["b"]),
    ],
)
def test_a_configuration_makes_the_same(made: Any) -> None:
    config = made.get_config()
    if isinstance(made, metric.TopKAccuracy):  # its number is added to the name, as in MXNet
        assert config.pop("name") == "top_k_accuracy_3"
    for again in (
        metric.create(dict(config)),
        metric.create(json.dumps(config)),
        metric.create(**dict(config)),
    ):
        assert type(again) is type(made) and again.get_config() == made.get_config()
    name = config.pop("metric")
    assert type(metric.create(json.dumps([name, config]))) is type(made)


def test_sums_are_float64_whatever_the_batches_are() -> None:
    class Own(metric.EvalMetric):
        def update(self, labels: Any, preds: Any) -> None:
            self.sum_metric += preds.asscalar()
            self.num_inst += 1

    for made in (Own("own"), metric.CustomMetric(lambda label, pred: pred.sum())):
        for value in (2.0**24, 1.0, 1.0):  # in float32 the ones are lost
            made.update(nd.zeros(1), nd.array([value]))
        assert made.sum_metric == 2**24 + 2 and made.get()[1] == (2**24 + 2) / 3
        assert type(made.get()[1]) is float


def test_functions_of_numpy_arrays() -> None:
    def distance(label: Any, pred: Any) -> Any:
        return np.abs(label - pred[:, 1]).sum(), len(label)

    labels, preds = labels_and_preds()
    for made in (metric.np(distance), metric.create(distance, name="distance")):
        assert isinstance(made, metric.CustomMetric)
        made.update(labels, preds)
        assert made.get() == ("distance", pytest.approx((0.7 + 0 + 0.4) / 3))
        with pytest.raises(NotImplementedError):
            made.get_config()
    with pytest.raises(ValueError, match="Shape of labels 1 does not match"):
        metric.np(distance).update(labels, preds * 2)
    extra = metric.np(distance, allow_extra_outputs=True)
    extra.update(labels, preds * 2)
    assert extra.num_inst == 3


def test_a_metric_of_the_users() -> None:
    class Halves(metric.EvalMetric):
        def update(self, labels: Any, preds: Any) -> None:
            self.sum_metric += 0.5 * len(labels)
            self.num_inst += 1

    metric.register(metric.alias("half")(Halves))
    made = metric.create("HALF", name="h")
    made.update([1, 2], [3])
    assert made.get() == made.get_global() == ("h", 1)
    with pytest.warns(UserWarning, match="takes the name 'halves' of another"):
        metric.register(Halves)


def test_misuse_is_named() -> None:
    with pytest.raises(AssertionError, match="metric 'acuracy' is not registered; there are acc"):
        metric.create("acuracy")
    with pytest.raises(AssertionError, match="use Accuracy for 1"):
        metric.create("top_k_acc")
    with pytest.raises(ValueError, match="F1 currently only supports binary"):
        metric.F1().update([nd.array([0, 1, 2])], [nd.ones((3, 2))])
    with pytest.raises(AssertionError, match="2 labels for 3 predictions"):
        metric.CrossEntropy().update([nd.array([0, 1])], [nd.ones((3, 2))])
    with pytest.raises(ValueError, match=r"\(2,\) does not match shape of predictions \(3,\)"):
        metric.PearsonCorrelation().update([nd.array([0, 1])], [nd.array([1, 2, 3])])
    with pytest.raises(NotImplementedError):
        metric.EvalMetric("m").update([], [])
    assert math.isnan(metric.create("acc").get()[1])
