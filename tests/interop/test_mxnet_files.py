"""Models written by genuine MXNet 1.9.1 give its outputs here; what we export reads back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import gluon, nd
from jupyter_hybrid.base import MXNetError
from jupyter_hybrid.gluon import nn

MODELS = ("my_mlp", "lenet")


def lenet() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=5, padding=2, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(16, kernel_size=5, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Dense(120, activation="sigmoid"),
        nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )
    return net


def arrays(data: Path, model: str) -> tuple[np.ndarray, np.ndarray]:
    folder = data / "mxnet"
    return np.load(folder / f"{model}-input.npy"), np.load(folder / f"{model}-output.npy")


@pytest.mark.parametrize("model", MODELS)
def test_exported_by_mxnet_runs_here(data, model):
    given, wanted = arrays(data, model)
    stem = str(data / "mxnet" / model)
    block = gluon.SymbolBlock.imports(f"{stem}-symbol.json", "data", f"{stem}-0000.params")
    np.testing.assert_allclose(block(nd.array(given)).asnumpy(), wanted, rtol=1e-5, atol=1e-5)


def test_parameters_saved_by_mxnet_load_into_our_net(data):
    given, wanted = arrays(data, "lenet")
    net = lenet()
    net.load_parameters(str(data / "mxnet" / "lenet-gluon.params"))
    for active in (False, True):
        net.hybridize(active)
        np.testing.assert_allclose(net(nd.array(given)).asnumpy(), wanted, rtol=1e-5, atol=1e-5)


def test_what_we_export_reads_back(data, tmp_path):
    given, wanted = arrays(data, "lenet")
    net = lenet()
    net.load_parameters(str(data / "mxnet" / "lenet-gluon.params"))
    net.hybridize()
    net(nd.array(given))
    files = net.export(str(tmp_path / "lenet"))
    assert [Path(f).name for f in files] == ["lenet-symbol.json", "lenet-0000.params"]
    block = gluon.SymbolBlock.imports(files[0], "data", files[1])
    np.testing.assert_allclose(block(nd.array(given)).asnumpy(), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("cut", [0, 1, 10, 100, 1000])
def test_truncated_files_are_refused(data, tmp_path, cut):
    for name in ("lenet-symbol.json", "lenet-0000.params"):
        content = (data / "mxnet" / name).read_bytes()
        (tmp_path / name).write_bytes(content[:cut])
    with pytest.raises(MXNetError):
        gluon.SymbolBlock.imports(str(tmp_path / "lenet-symbol.json"), "data")
    with pytest.raises(MXNetError):
        nd.load(str(tmp_path / "lenet-0000.params"))
