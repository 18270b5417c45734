"""Initializers: exact ones against genuine MXNet 1.9.1 (tests/interop/initializer_cases.py), drawn
ones by what they promise; names, files, patterns."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import gluon, init, nd

HERE = Path(__file__).resolve().parents[1]
sys.path.append(str(HERE / "interop"))
import initializer_cases


def test_what_is_filled_is_what_mxnet_fills() -> None:
    recorded, ours = np.load(HERE / "data/mxnet/initializers.npz"), initializer_cases.cases(mx)
    assert set(recorded.files) == set(ours)
    for key, value in ours.items():
        np.testing.assert_allclose(value, recorded[key], rtol=1e-6, atol=1e-7, err_msg=key)


def filled(made: Any, shape: tuple[int, ...], name: str = "a_weight") -> np.ndarray:
    array = nd.zeros(shape)
    made(init.InitDesc(name), array)
    return array.asnumpy()


@pytest.mark.parametrize("rand_type", ["uniform", "normal"])
@pytest.mark.parametrize("shape", [(4, 4), (3, 8), (10, 2, 2), (5, 1)])
def test_orthogonal(shape: tuple[int, ...], rand_type: str) -> None:
    rows = filled(init.Orthogonal(2.0, rand_type), shape).reshape(shape[0], -1)
    square = rows @ rows.T if rows.shape[0] <= rows.shape[1] else rows.T @ rows
    np.testing.assert_allclose(square, 4 * np.eye(len(square)), atol=1e-5)


@pytest.mark.parametrize(
    ("made", "deviation"),
    [
        (init.Uniform(0.3), 0.3 / 3**0.5),
        (init.Normal(0.2), 0.2),
        (init.Xavier(), (3 / 300) ** 0.5 / 3**0.5),
        (init.Xavier("gaussian", "in", 2), (2 / 400) ** 0.5),
        (init.Xavier("gaussian", "out", 2), (2 / 200) ** 0.5),
        (init.MSRAPrelu("in", 0.5), (2 / 1.25 / 400) ** 0.5),
    ],
)
def test_drawn_ones(made: Any, deviation: float) -> None:
    drawn = filled(made, (200, 400))
    assert abs(drawn.mean()) < 0.02 * deviation
    assert abs(drawn.std() - deviation) < 0.02 * deviation
    again = init.create(made.dumps())
    assert again == made and again is not made


def test_names_and_configurations() -> None:
    assert type(init.create("zeros")) is init.Zero and type(init.create("ones")) is init.One
    assert init.create("xavier", magnitude=2).magnitude == 2
    assert init.create({"initializer": "constant", "value": 3}) == init.Constant(3)
    assert init.Constant(nd.array([1, 2])).dumps() == '["constant", {"value": [1.0, 2.0]}]'
    assert init.Normal(0.1) != init.Normal(0.2) and init.Zero() != init.One()
    with pytest.raises(ValueError, match=r"unknown initializer 'xaviar'; known: .*xavier"):
        init.create("xaviar")

    class Sevens(init.Initializer):
        def _init_weight(self, name: str, arr: Any) -> None:
            arr[:] = 7

    init.register(init.alias("seven")(Sevens))
    assert filled(init.create("SEVEN"), (2,)).tolist() == [7, 7]
    with pytest.warns(UserWarning, match="takes the name 'Sevens' of another"):
        init.register(Sevens)
    net = gluon.nn.Dense(2, in_units=3, weight_initializer="sevens", bias_initializer="ones")
    net.initialize(init.Zero())
    assert net.weight.data().asnumpy().ravel().tolist() == [7] * 6
    assert net.bias.data().asnumpy().tolist() == [1, 1]


def test_values_of_a_file(tmp_path: Any, caplog: Any) -> None:
    nd.save(str(tmp_path / "x.params"), {"arg:a_weight": nd.ones((2,)) * 3, "b": nd.ones((1,))})
    load = init.Load(str(tmp_path / "x.params"), default_init=init.One(), verbose=True)
    with caplog.at_level(logging.INFO):
        assert filled(load, (2,)).tolist() == [3, 3]
        assert filled(load, (3,), "c_weight").tolist() == [1, 1, 1]
    assert [r.message for r in caplog.records] == [
        "Initialized a_weight by loading", "Initialized c_weight by default",
    ]  # fmt: skip
    with pytest.raises(AssertionError, match=r"a_weight: expected \(4,\), loaded \(2,\)"):
        filled(load, (4,))
    with pytest.raises(AssertionError, match="there is no c_weight, and no default_init"):
        filled(init.Load({"a": nd.ones((1,))}), (1,), "c_weight")


def test_patterns() -> None:
    mixed = init.Mixed(["bias", ".*weight"], [init.Zero(), init.Constant(2)])
    assert filled(mixed, (2,)).tolist() == [2, 2]
    with pytest.raises(ValueError, match="gamma matches no pattern"):
        filled(mixed, (2,), "gamma")
    net = gluon.nn.Dense(2, in_units=1, use_bias=False)
    net.initialize(mixed)
    assert net.weight.data().asnumpy().ravel().tolist() == [2, 2]
    with pytest.raises(AssertionError, match="1 patterns, 0 initializers"):
        init.Mixed(["a"], [])


def test_what_is_filled_is_logged_when_asked(caplog: Any) -> None:
    loud = init.One().set_verbosity(True)
    with caplog.at_level(logging.INFO):
        filled(loud, (4,))
        filled(loud.set_verbosity(True, lambda a: a.shape), (4,), "a_bias")
        filled(loud.set_verbosity(False), (4,))
    assert [r.message for r in caplog.records] == [
        "Initialized a_weight as weight: 1.0", "Initialized a_bias as bias: (4,)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (lambda: filled(init.One(), (2,), "strange"), "Unknown initialization pattern for strange"),
        (lambda: filled(init.Bilinear(), (2, 2)), "expected 4 dimensions"),
        (lambda: filled(init.Xavier(), (2,)), "at least 2"),
        (lambda: init.Orthogonal(rand_type="x"), "rand_type is 'uniform' or 'normal', got 'x'"),
        (lambda: init.FusedRNN(None, 2, 1, "x"), "mode is one of rnn_relu"),
        (lambda: filled(init.FusedRNN("zeros", 3, 1, "lstm"), (7,)), "are not the parameters of"),
    ],
)
def test_misuse_is_named(run: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        run()
