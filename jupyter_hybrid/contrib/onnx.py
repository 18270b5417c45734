"""``mx.contrib.onnx``, as MXNet 1.x spells it: ``import_model(model_file)`` and its kin."""

from __future__ import annotations

from ..compat.onnx import export_model, get_model_metadata, import_model, import_to_gluon

__all__ = ["export_model", "get_model_metadata", "import_model", "import_to_gluon"]
