"""One name for one value: the user's, else its notation, in pictures, programs and reasons."""

from __future__ import annotations

import pytest
from cells import Shell

from jupyter_hybrid.views import spec_of


@pytest.fixture
def spec():
    def made(setup: str, body: str):
        shell = Shell()
        shell.run(setup)
        shell.hybridize(body, "--view none --force")
        return {stage["name"]: stage for stage in spec_of(shell.report)["stages"]}, spec_of(
            shell.report
        )

    return made


def test_reasons_write_out_what_has_no_name(spec):
    setup = "import numpy as np\nx = np.ones((50, 50))"
    stages, _ = spec(setup, "u = np.tanh((x - 2) * 3)\nv = u.sum() / 8e4 + np.exp(x.sum() / 8e4)")
    why = [change["why"] for change in stages["fuse"]["changes"]]
    assert "(x - 2) * 3 goes straight into u and is never written to memory" in why
    assert "tanh((x - 2) * 3) ends a kernel of 3 operators: one pass over memory" in why
    assert not any("scalar0" in text or "8e+04" in text for text in why)


def test_a_layer_s_values_have_one_name(spec):
    setup = (
        "from jupyter_hybrid import autograd, gluon, nd\nnet = gluon.nn.Dense(3)\n"
        "net.initialize()\nx = nd.ones((2, 4))\nnet(x)"
    )
    body = "with autograd.record():\n    loss = (net(x) ** 2).sum()\nloss.backward()"
    stages, whole = spec(setup, body)
    program = stages["plan"]["program"]
    labels = [b["label"] for b in whole["memory"]["buffers"] if "_fwd" in b["label"]]
    values = [value for label in labels for value in label.split(" → ")]
    assert values and all(f"{value} = " in program for value in values)
