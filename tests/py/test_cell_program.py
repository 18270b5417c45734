"""Python numbers in a cell, program text, magics, modes, nd cells."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid
from jupyter_hybrid import autograd, gluon, nd

FANCY = """def add(a, b):
    return a + b

def fancy_func(a, b, c, d):
    e = add(a, b)
    f = add(c, d)
    g = add(e, f)
    return g

print(fancy_func(1, 2, 3, 4))
"""


@pytest.fixture
def shell() -> Shell:
    return Shell()


def test_fancy_func(shell):
    result = shell.hybridize(FANCY)
    assert result.out == "10\n"
    report = shell.report
    additions = [n for n in report.stages[0].graph.nodes if n.op == "add"]
    assert len(additions) == 3
    assert {report.line_of(n) for n in additions} == {3}
    assert "print((1 + 2) + (3 + 4))" in report.program["written"]
    assert report.program["plan"].partition("#")[0].strip() == "print(10)"
    assert shell.run("fancy_func(5, 6, 7, 8)").value == 26


def test_numbers_are_plain_after_the_cell(shell):
    shell.hybridize("n = 3\nx = n * 2.5\ny = [n, x]\nz = 2 ** 100 + 1\n")
    assert type(shell.ns["n"]) is int and shell.ns["n"] == 3
    assert type(shell.ns["x"]) is float and shell.ns["x"] == 7.5
    assert shell.ns["y"] == [3, 7.5] and shell.ns["z"] == 2**100 + 1


def test_big_integers_and_division_stay_python(shell):
    shell.hybridize("a = 2 ** 62\nb = a + a + a\nc = 7 // 2\nd = -7 % 3\ne = 1 / 3\n")
    names = shell.ns
    assert (names["b"], names["c"], names["d"], names["e"]) == (3 * 2**62, 3, 2, 1 / 3)


def test_nd_cell_stays_asynchronous_and_equals_imperative(shell):
    shell.run("from jupyter_hybrid import nd\nx = nd.arange(6).reshape((2, 3))")
    body = "y = nd.dot(x, x.T)\nz = (y * 2 + 1).sum()\n"
    shell.run("%%imperative\n" + body)
    wanted = shell.ns["z"].asnumpy()
    shell.hybridize(body)
    np.testing.assert_array_equal(shell.ns["z"].asnumpy(), wanted)
    assert type(shell.ns["z"]) is nd.NDArray


def test_nd_random_draws_equal_the_imperative_cell(shell):
    body = "from jupyter_hybrid import nd\nx = nd.random.normal(shape=(5,))\ny = x * 2\n"
    jupyter_hybrid.random.seed(7)
    shell.run(body)
    wanted = shell.ns["y"].asnumpy()
    jupyter_hybrid.random.seed(7)
    shell.hybridize(body)
    np.testing.assert_array_equal(shell.ns["y"].asnumpy(), wanted)


def test_gluon_net_inside_a_cell_is_captured(shell):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.Dense(2))
    net.initialize()
    x = nd.ones((3, 4))
    wanted = net(x).asnumpy()
    net.hybridize()
    shell.ns.update(net=net, x=x)
    shell.hybridize("y = net(x)\n")
    np.testing.assert_array_equal(shell.ns["y"].asnumpy(), wanted)
    ops = [n.op for n in shell.report.stages[0].graph.nodes if n.kind == "op"]
    assert ops.count("FullyConnected") == 2


def test_autograd_inside_a_cell_falls_back_with_a_reason(shell):
    shell.run("from jupyter_hybrid import nd, autograd\nx = nd.ones((3,))\nx.attach_grad()")
    shell.hybridize("h = x * 1\nwith autograd.record():\n    y = (x * x).sum()\ny.backward()\n")
    np.testing.assert_array_equal(shell.ns["x"].grad.asnumpy(), [2, 2, 2])
    assert not autograd.is_recording()


def test_default_mode(shell):
    shell.run("%hybrid mode symbolic")
    try:
        shell.run("import numpy as np\nq = np.ones(4) * 3")
        assert shell.report.cell.lines[1] == "q = np.ones(4) * 3"
        assert shell.report.kernels[0].lines == [2]
        before = shell.report
        shell.run("%%imperative\nr = q + 1")
        assert shell.report is before
        np.testing.assert_array_equal(shell.ns["r"], np.full(4, 4.0))
    finally:
        shell.run("%hybrid mode imperative")


def test_engine_magic(shell):
    assert "naive" in shell.run("%engine naive").out
    assert "threaded" in shell.run("%engine threaded inline on limit 1000 slow 0").out
    failed = shell.run("%engine sideways", fails=True)
    assert "%engine sideways" in str(failed.error)


def test_last_expression_is_shown_once(shell):
    result = shell.hybridize("import numpy as np\nx = np.ones(2) * 2\nx + 1\n")
    np.testing.assert_array_equal(result.value, [3, 3])
    assert shell.hybridize("import numpy as np\nnp.ones(2) + 1;\n").value is None


def test_syntax_error_names_the_users_line(shell):
    failed = shell.hybridize("x = 1\ny = = 2\n", fails=True)
    assert isinstance(failed.error, SyntaxError) and failed.error.lineno == 3


def test_picture_of_a_cell(shell):
    result = shell.hybridize("import numpy as np\nx = np.ones(3) * 2\n")
    bundle = result.shown[0].data
    assert set(bundle) >= {
        "application/vnd.jupyter-hybrid.graph.v1+json",
        "image/svg+xml",
        "text/plain",
    }
    assert bundle["image/svg+xml"].startswith("<svg")
