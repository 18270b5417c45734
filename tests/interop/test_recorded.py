"""What genuine MXNet 1.9.1 computed once (see record.py): its outputs and gradients are ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import autograd, gluon, nd

FOLDER = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "recorded"
NETS = "convolutional lenet mixed recurrent transformer unet upward words"


def test_all_nets_are_there():
    assert [path.stem for path in sorted(FOLDER.glob("*.npz"))] == NETS.split()


@pytest.mark.parametrize("active", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", NETS.split())
def test_same_outputs_and_gradients(name, active, tmp_path):
    held = np.load(FOLDER / f"{name}.npz")
    symbol, params = tmp_path / "net-symbol.json", tmp_path / "net-0000.params"
    symbol.write_bytes(held["symbol"].tobytes())
    kept = [key for key in held if key.startswith(("arg:", "aux:"))]
    nd.save(str(params), {key: nd.array(held[key], dtype=held[key].dtype) for key in kept})
    inputs = {k.removeprefix("in:"): held[k] for k in held if k.startswith("in:")}
    net = gluon.SymbolBlock.imports(str(symbol), list(inputs), str(params))
    net.hybridize(active)

    with autograd.record(train_mode=False):
        outputs = net(*(nd.array(a, dtype=a.dtype) for a in inputs.values()))
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * out).sum() for out in outputs)
    total.backward(train_mode=False)
    assert len(outputs) == sum(key.startswith("out") for key in held)
    for i, out in enumerate(outputs):
        expected = held[f"out{i}"]
        largest = float(np.abs(expected).max())
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-5, atol=1e-5 * largest)
    found = net.collect_params()
    for key in held:
        if key.startswith("grad:"):
            scale = max(1.0, float(np.abs(held[key]).max()))
            gradient = found[key.removeprefix("grad:")].grad().asnumpy()
            np.testing.assert_allclose(gradient / scale, held[key] / scale, atol=2e-5)
