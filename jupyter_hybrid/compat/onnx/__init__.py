"""ONNX models: writing (MXNet 1.x's ``mx.onnx.export_model``) and reading.

The ``onnx`` package is imported when a function here is called: ``pip install
'jupyter_hybrid[onnx]'``.
"""

from __future__ import annotations

from .export import export_model, get_operator_support
from .importer import get_model_metadata, import_model, import_to_gluon

__all__ = [
    "export_model",
    "get_model_metadata",
    "get_operator_support",
    "import_model",
    "import_to_gluon",
]
