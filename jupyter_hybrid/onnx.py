"""``mx.onnx``, as MXNet 1.9 spells it; :mod:`jupyter_hybrid.compat.onnx` has the functions."""

from __future__ import annotations

from .compat.onnx import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
