"""MXNet 1.x's ``mx.contrib``: its ONNX functions, and ``nd.contrib`` and ``sym.contrib``."""

from __future__ import annotations

from ..nd import contrib as nd
from ..sym import contrib as sym
from . import autograd, onnx, text

ndarray = nd
symbol = sym

__all__ = ["autograd", "nd", "ndarray", "onnx", "sym", "symbol", "text"]
