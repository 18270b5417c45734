"""Calls of a cell that record on and on, in code that nobody rewrites: their rest is imperative."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

LIBRARY = """
from jupyter_hybrid import autograd, gluon, init, nd

def simulate(n):
    x, v = nd.ones((2, 3)), nd.zeros((2, 3)) + 0.1
    for _ in range(n):
        v = v * 0.99 - x * 0.01
        x = x + v
    return x, v

class Line:
    def __init__(self):
        self.w = nd.ones((3, 1))
        self.w.attach_grad()
        self.losses = []

    def fit(self, x, y, n):
        for _ in range(n):
            with autograd.record():
                loss = ((nd.dot(x, self.w) - y) ** 2).mean()
            loss.backward()
            self.w -= 0.1 * self.w.grad
            self.losses.append(loss)
        return loss

def train(n):
    net = gluon.nn.Dense(1)
    net.initialize(init.One())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    x = nd.arange(6).reshape((2, 3)) / 6
    for _ in range(n):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(1)
    return net.weight.data()

def give(n):
    x = nd.ones((2, 3))
    for _ in range(n):
        for _ in range(700):
            x = x * 0.999 + 0.001
        yield x
"""
CELLS = {
    "operators": "a, b = lib.simulate(900)\nc = a * 2 + b",
    "training": "line = lib.Line()\nx = nd.arange(6).reshape((2, 3)) / 6\n"
    "last = line.fit(x, nd.ones((2, 1)), 90)\ntotal = sum(v.asscalar() for v in line.losses)",
    "compiled": "w = lib.train(90) * 2",
    "generator": "t = nd.zeros((2, 3))\nfor x in lib.give(4):\n    t = t + x * x",
    "with NumPy": "p = np.ones((2, 3))\nq = p * 2 + lib.simulate(900)[0].asnumpy() * p\np += 1\n"
    "r = q * p + lib.simulate(2)[1].asnumpy()\np *= r",
    "an unrolled cell": "cell = gluon.rnn.RNNCell(4)\ncell.initialize(init.One())\n"
    "out, states = cell.unroll(400, nd.ones((1, 400, 2)), merge_outputs=True)\nlast = out * 2",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """With ``lib``, a module that lies elsewhere."""
    file = tmp_path / "lib.py"
    file.write_text(LIBRARY)
    spec = importlib.util.spec_from_file_location("lib", file)
    assert spec is not None and spec.loader is not None
    lib = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lib)
    made = Shell()
    made.ns["lib"] = lib
    made.run("import numpy as np\nfrom jupyter_hybrid import autograd, gluon, init, nd")
    return made


def arrays(names: dict[str, Any]) -> dict[str, np.ndarray]:
    return {
        n: v if isinstance(v, np.ndarray) else np.array(v) if isinstance(v, float) else v.asnumpy()
        for n, v in names.items()
        if isinstance(v, (np.ndarray, float)) or hasattr(v, "asnumpy")
    }


@pytest.mark.parametrize("cell", CELLS)
def test_such_a_call_records_its_beginning_alone(shell: Shell, cell: str) -> None:
    body = CELLS[cell]
    expected = arrays(imperative(body, shell.ns)[0])
    for _ in range(2):
        shell.hybridize(body)
        assert sum(len(s.graph.nodes) for s in shell.report.segments) < 3000
        given = arrays(shell.ns)
        assert expected.keys() <= given.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(given[name], value, err_msg=name)


def test_what_follows_such_a_call_is_recorded(shell: Shell) -> None:
    shell.hybridize("a, b = lib.simulate(900)\nc = nd.exp(a)\nd = nd.tanh(c + b)")
    assert {"exp", "tanh"} <= {n.op for n in shell.report.segments[-1].graph.nodes}
    told = [str(b) for b in shell.report.graph_breaks]
    assert any("its rest ran as written" in t for t in told), told


def test_nothing_is_put_aside_where_recording_was_asked_for(shell: Shell) -> None:
    shell.hybridize("a, b = lib.simulate(500)", "--force --view none")
    assert not shell.report.graph_breaks
    assert sum(len(s.graph.nodes) for s in shell.report.segments) >= 2000


def test_calls_that_are_short_are_recorded_however_many_there_are(shell: Shell) -> None:
    """A loop of the cell's own is judged as one, not by what its steps call."""
    shell.hybridize("t = nd.zeros((2, 3))\nfor i in range(30):\n    t = t + lib.simulate(20)[0]")
    assert not any("its rest ran as written" in b.text for b in shell.report.graph_breaks)


def test_what_differs_is_told_in_a_few_parts(shell: Shell) -> None:
    body = "z = sum((a * i for i, a in enumerate(arrays)), nd.zeros((1,)))"
    for count in (2, 40):
        shell.ns["arrays"] = [shell.ns["nd"].ones((1,)) for _ in range(count)]
        shell.hybridize(body)
    (told,) = [line for line in str(shell.report).splitlines() if line.startswith("replay")]
    assert told.endswith(" more") and len(told) < 1000, told
