"""A picture with another one beside it."""

from __future__ import annotations

import pytest
from cells import Shell

from jupyter_hybrid import sym
from jupyter_hybrid.views import GraphViewer
from jupyter_hybrid.views.packed import packed


def exp(name: str) -> sym.Symbol:
    return sym.exp(sym.var(name, shape=(3,)))


def test_the_spec_carries_both_pictures():
    first, second = exp("x"), sym.tanh(exp("y"))
    spec = GraphViewer(first, beside=second).spec
    assert GraphViewer(first).spec["beside"] is None
    assert spec["beside"]["stages"] == GraphViewer(second).spec["stages"]
    assert [n["op"] for n in spec["stages"][0]["graph"]["nodes"]] == ["input", "exp"]
    sent = packed(spec)["beside"]["stages"][0]["graph"]
    assert [n["op"] for n in sent["nodes"]] == ["input", "exp", "tanh"]


def test_a_plan_for_other_names_keeps_what_is_beside():
    shell = Shell()
    shell.hybridize("import numpy as np\na = np.ones(5)\nb = a + 1\nc = b * 2\n")
    viewer = GraphViewer(shell.report, beside=exp("x"))
    beside = viewer.spec["beside"]
    viewer.keep_only("c")
    assert viewer.spec["replanned"] is not None
    assert viewer.spec["beside"] == beside


def test_what_has_no_graph_is_refused():
    shell = Shell()
    shell.hybridize("t = 0\nfor i in range(500):\n    t += i * i\n")
    with pytest.raises(ValueError, match=r"^beside: it has no graph"):
        GraphViewer(exp("x"), beside=shell.report)
    with pytest.raises(ValueError, match=r"^thing: it has no graph"):
        GraphViewer(shell.report, beside=exp("x"))
    with pytest.raises(TypeError, match=r"^beside: expected a report, .* got int"):
        GraphViewer(exp("x"), beside=3)
    with pytest.raises(TypeError, match=r"^thing: .* got NoneType"):
        GraphViewer(None, beside=exp("x"))
