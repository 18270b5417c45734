"""Nets that genuine MXNet 1.9.1 writes, its model zoo among them: its outputs, here and without
Python."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from genuine import run_script

import jupyter_hybrid as mx
from jupyter_hybrid import gluon, native, nd

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ZOO = [
    "resnet18_v1",
    "resnet18_v2",
    "mobilenet0.25",
    "mobilenetv2_0.25",
    "squeezenet1.1",
    "vgg11",
    "vgg11_bn",
    "densenet121",
]
OWN = ["recurrent", "transformer", "unet"]


@pytest.fixture(scope="module")
def written(mxnet_python, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("zoo")
    run_script(mxnet_python, "write_in_mxnet.py", str(folder), *ZOO, *OWN, folder=folder)
    return folder


@pytest.mark.parametrize("name", ZOO + OWN)
def test_same_outputs(name, written, tmp_path):
    start = str(written / name)
    files = [f"{start}-symbol.json", f"{start}-0000.params"]
    arrays = [np.load(path) for path in sorted(written.glob(f"{name}-x*.npy"))]
    names = ["data"] if len(arrays) == 1 else [f"data{i}" for i in range(len(arrays))]
    expected = np.load(f"{start}-y.npy")
    largest = np.abs(expected).max()
    assert largest > 0 and np.isfinite(expected).all()

    block = gluon.SymbolBlock.imports(files[0], names, files[1])
    for active in (False, True):
        block.hybridize(active)
        found = block(*map(nd.array, arrays)).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * largest)

    for key, array in zip(names, arrays):
        np.save(tmp_path / f"{key}.npy", array)
    given = [f"{key}={tmp_path / key}.npy" for key in names]
    out = str(tmp_path / "out.npy")
    subprocess.run([native.program(), *files, *given, "-o", out], check=True)
    np.testing.assert_array_equal(np.load(out), found)

    # Written again: no operator and no parameter is lost or changed.
    again = [str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")]
    assert list(block.export(str(tmp_path / "net"))) == again
    ops = [
        sorted(n["op"] for n in json.loads(Path(file).read_text())["nodes"])
        for file in (files[0], again[0])
    ]
    assert ops[0] == ops[1]
    subprocess.run([native.program(), *again, *given, "-o", out], check=True)
    np.testing.assert_array_equal(np.load(out), found)


@pytest.mark.parametrize("name", ["recurrent", "unet"])
def test_mxnet_reads_what_is_written_again(name, written, mxnet_python, tmp_path):
    files = [str(written / f"{name}-{end}") for end in ("symbol.json", "0000.params")]
    gluon.SymbolBlock.imports(files[0], "data", files[1]).export(str(tmp_path / "net"))
    np.savez(tmp_path / "net-inputs.npz", x=np.load(written / f"{name}-x.npy"))
    start = str(tmp_path / "net")
    run_script(mxnet_python, "run_in_mxnet.py", start, "data", "forward", folder=tmp_path)
    found, expected = np.load(start + "-genuine.npz")["x"], np.load(written / f"{name}-y.npy")
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["resnet18_v1", "mobilenetv2_0.25", "densenet121", *OWN])
def test_same_outputs_through_onnx(name, written, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    files = [str(written / f"{name}-{end}") for end in ("symbol.json", "0000.params")]
    arrays = [np.load(path) for path in sorted(written.glob(f"{name}-x*.npy"))]
    expected = np.load(written / f"{name}-y.npy")
    largest = np.abs(expected).max()
    path = mx.onnx.export_model(
        *files, [a.shape for a in arrays], onnx_file_path=str(tmp_path / "net.onnx")
    )
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feed = {given.name: a for given, a in zip(session.get_inputs(), arrays, strict=True)}
    back = mx.contrib.onnx.import_to_gluon(path)(*map(nd.array, arrays)).asnumpy()
    for found in (session.run(None, feed)[0], back):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * largest)
