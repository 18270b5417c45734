"""Shapes that follow from the use: what is known of results completes inputs."""

from __future__ import annotations

import json
from typing import Any

from jupyter_hybrid import sym, util


def shapes(symbol: Any, **given: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    return dict(zip(symbol.list_arguments(), symbol.infer_shape_partial(**given)[0]))


def test_a_convolutions_data_follows_from_its_result() -> None:
    y = sym.Convolution(sym.var("x"), num_filter=4, kernel=(3, 2), pad=(1, 0), dilate=(2, 1))
    whole = y + sym.var("c")
    found = shapes(whole, x=(0, 3, 0, 0), c=(5, 4, 8, 9))
    assert found["x"] == (5, 3, 10, 10)
    assert y.infer_shape(x=(5, 3, 10, 10))[1] == [(5, 4, 8, 9)]
    # Two sizes give the same result when the window moves by 2: neither is taken.
    wide = sym.Convolution(sym.var("x"), num_filter=4, kernel=(3, 3), stride=(2, 2))
    assert shapes(wide + sym.var("c"), x=(0, 3, 0, 0), c=(5, 4, 8, 8))["x"] == (5, 3, 0, 0)


def test_a_reshaped_array_has_as_many_elements_as_the_result() -> None:
    y = sym.reshape(sym.var("x"), shape=(-1, 6)) + sym.var("c")
    assert shapes(y, x=(4, 0, 3), c=(2, 6))["x"] == (4, 1, 3)
    assert shapes(y, x=(0, 0, 3), c=(2, 6))["x"] == (0, 0, 3)


def test_a_weight_is_known_with_the_data() -> None:
    y = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc")
    assert shapes(y)["fc_weight"] == () and shapes(y, x=(0, 3))["fc_weight"] == (4, 3)


def test_batch_dot_waits_for_the_sizes_that_it_sums_over() -> None:
    y = sym.batch_dot(sym.var("a"), sym.var("b"))
    assert y.infer_shape_partial(a=(0, 3, 4), b=(0, 0, 5))[1] == [()]
    assert y.infer_shape_partial(a=(0, 3, 4), b=(0, 4, 5))[1] == [(0, 3, 5)]
    with util.np_shape():
        assert y.infer_shape_partial(a=(-1, 3, 4), b=(2, -1, 5))[1] == [None]


def test_an_identity_gives_its_shape_to_both_sides() -> None:
    same = sym._internal._identity_with_attr_like_rhs(sym.var("a") + sym.var("w"), sym.var("b"))
    y = sym.FullyConnected(sym.var("x"), same, num_hidden=4, no_bias=True)
    assert shapes(y, x=(2, 3), w=(1,))["b"] == (4, 3)


def test_a_graph_written_with_np_shape_says_so() -> None:
    symbol = sym.var("x", shape=(0, 3)) * 2
    plain = symbol.tojson()
    with util.np_shape():
        marked = symbol.tojson()
    assert "is_np_shape" not in plain and json.loads(marked)["attrs"]["is_np_shape"] == ["int", 1]
    assert sym.load_json(plain).infer_shape_partial()[1] == [(0, 3)]
    with util.np_shape():
        assert sym.load_json(marked).infer_shape_partial()[1] == [(0, 3)]
        assert sym.load_json(plain).infer_shape_partial()[1] == [(-1, 3)]
