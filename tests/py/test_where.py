"""nd.where and sym.where, MXNet's: a condition of one axis chooses rows. np.where stays NumPy's."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, gluon, nd, sym

X = np.arange(9, dtype=np.float32).reshape(3, 3)
CONDITION = np.array([1, 0, 2], np.float32)
ROWS = np.where(CONDITION[:, None] != 0, X, -X - 1)


class Chosen(gluon.HybridBlock):
    def hybrid_forward(self, F, condition, x):
        return F.where(condition, x, -x - 1)


@pytest.mark.parametrize("hybridized", [False, True])
def test_rows_and_their_gradients(hybridized):
    net = Chosen()
    if hybridized:
        net.hybridize()
    condition, x = nd.array(CONDITION), nd.array(X)
    x.attach_grad()
    condition.attach_grad()
    with autograd.record():
        y = net(condition, x) ** 2
        (first,) = autograd.grad(y, [x], create_graph=True)
        total = (first * nd.array(X)).sum()
    np.testing.assert_array_equal(y.asnumpy(), ROWS**2)
    np.testing.assert_array_equal(first.asnumpy(), 2 * np.where(CONDITION[:, None] != 0, X, X + 1))
    total.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * X)
    assert not condition.grad.asnumpy().any()


def test_in_cells_both_systems_keep_their_rules():
    shell = Shell()
    shell.ns.update(np=np, nd=nd, x=X, c=CONDITION, a=nd.array(X), b=nd.array(CONDITION))
    shell.hybridize("rows = nd.where(b, a, -a - 1) + 0\ncolumns = np.where(c, x, -x - 1) + 0")
    assert len(shell.report.segments) == 1
    np.testing.assert_array_equal(shell.ns["rows"].asnumpy(), ROWS)
    np.testing.assert_array_equal(shell.ns["columns"], np.where(CONDITION, X, -X - 1))


def test_a_symbol_is_written_as_mxnets_and_read_as_such():
    net = sym.where(sym.var("c"), sym.var("x"), sym.var("y"), name="w")
    text = net.tojson()
    assert [n["op"] for n in json.loads(text)["nodes"]] == ["null"] * 3 + ["where"]
    given = {"c": nd.array(CONDITION), "x": nd.array(X), "y": nd.array(-X - 1)}
    for one in (net, sym.load_json(text)):
        np.testing.assert_array_equal(one.eval(**given)[0].asnumpy(), ROWS)
        assert one.infer_shape(c=(3,), x=(3, 5))[1] == [(3, 5)]


def test_what_broadcasts_is_no_where_of_mxnets():
    text = sym.where(sym.var("c"), sym.var("x"), sym.var("y"), name="w").tojson()
    net = sym.load_json(text.replace('"where"', '"_npi_where"'))
    given = {"c": nd.array(CONDITION), "x": nd.array(X), "y": nd.array(-X - 1)}
    columns = np.where(CONDITION != 0, X, -X - 1)
    np.testing.assert_array_equal(net.eval(**given)[0].asnumpy(), columns)
    assert json.loads(net.tojson())["nodes"][-1]["op"] == "_npi_where"


@pytest.mark.parametrize(
    ("condition", "x", "y"),
    [
        ((2,), (3, 2), (3, 2)),
        ((3, 1), (3, 3), (3, 3)),
        ((1,), (3, 3), (3, 3)),
        ((2,), (2, 2), (2,)),
    ],
)
def test_other_shapes_are_refused(condition, x, y):
    with pytest.raises(MXNetError, match=r"where.*given .* of shape .*expected"):
        nd.where(nd.ones(condition), nd.ones(x), nd.ones(y))


@pytest.mark.parametrize(("condition", "x"), [((0,), (0, 3)), ((3,), (3, 0)), ((2,), (2, 1, 4))])
def test_edges(condition, x):
    assert nd.where(nd.ones(condition), nd.ones(x), nd.zeros(x)).shape == x


def test_nodes_are_named_after_the_function_as_in_mxnet():
    x = sym.var("x")
    assert sym.where(x, x, x).name.rstrip("0123456789") == "where"
    assert sym.flip(x, axis=0).name.rstrip("0123456789") == "flip"
    assert sym.rint(x).name.rstrip("0123456789") == "rint"
