"""The plan's arena beside what the pool lends while the program runs, by depth of a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import _core, nd, sym

BATCH, WIDTH = 256, 64
LAYER = BATCH * WIDTH * 4  # bytes of one layer's values


def layers(count: int) -> Any:
    hidden = sym.var("data")
    for i in range(count):
        hidden = sym.FullyConnected(hidden, num_hidden=WIDTH, name=f"fc{i}")
        hidden = sym.Activation(hidden, act_type="tanh", name=f"act{i}")
    return hidden


def values(symbol: Any) -> dict[str, Any]:
    draw = np.random.RandomState(0)
    shapes, _, _ = symbol.infer_shape(data=(BATCH, WIDTH))
    return {
        name: nd.array(0.1 * draw.standard_normal(shape))
        for name, shape in zip(symbol.list_arguments(), shapes)
    }


def arena(function: Any, given: dict[str, Any]) -> int:
    """Bytes of the arena; the pool must have lent as many, beside the outputs."""
    function(**given)  # packs weights
    nd.waitall()
    before = mx.engine.pool_stats()["used"]
    _core.reset_pool_peak()
    made = function(**given)
    nd.waitall()
    lent = mx.engine.pool_stats()["peak"] - before
    planned: int = function.report().plan.arena_bytes
    assert lent == planned + sum(4 * array.size for array in made)
    return planned


@pytest.mark.parametrize("count", [4, 16, 64])
def test_forward_needs_no_more_for_more_layers(count: int) -> None:
    net = layers(count)
    assert arena(mx.compile([net]), values(net)) <= 2 * LAYER


@pytest.mark.parametrize("count", [4, 16, 64])
def test_training_keeps_a_value_a_layer_or_a_square_root_of_them(count: int) -> None:
    net = layers(count)
    given = values(net)
    heads = [net, *net.grad(wrt=[sym.var(name) for name in given])]
    whole, by_root = mx.compile(heads), mx.compile(heads, remat="sqrt")
    assert arena(mx.compile(heads, without=["plan"]), given) >= 2 * count * LAYER
    assert arena(whole, given) <= (count + 2) * LAYER
    assert arena(by_root, given) <= (2.5 * count**0.5 + 1) * LAYER
    for kept, again in zip(whole(**given), by_root(**given)):
        assert kept.asnumpy().tobytes() == again.asnumpy().tobytes()
