"""A small net in the files of MXNet and ONNX."""

from __future__ import annotations

from pathlib import Path

from jupyter_hybrid import nd
from jupyter_hybrid.compat.onnx import export_model
from jupyter_hybrid.gluon import nn


def exported(folder: Path) -> None:
    """Writes ``small-symbol.json``, ``small-0000.params`` and ``small.onnx``: a convolution of two
    channels to four, ``net_stem``, and a dense layer, ``net_head``."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, prefix="stem_"), nn.Dense(3, prefix="head_"))
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2, 8, 8))).wait_to_read()
    symbol, params = net.export(str(folder / "small"))
    export_model(symbol, params, [(1, 2, 8, 8)], onnx_file_path=str(folder / "small.onnx"))
