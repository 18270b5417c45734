"""The ``onnx`` package, imported when it is needed, and its numbers for dtypes."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ...base import MXNetError

#: The opsets that are written, and the default domain's that are read.
EXPORTED = range(17, 22)
IMPORTED = range(13, 22)

#: numpy name -> TensorProto.DataType
_NUMBERS = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
}
_NAMES = {number: name for name, number in _NUMBERS.items()}


def onnx() -> Any:
    """The package with its ``checker`` and ``numpy_helper``. ImportError: it is not installed."""
    try:
        for part in ("onnx.checker", "onnx.helper", "onnx.numpy_helper"):
            importlib.import_module(part)
        return importlib.import_module("onnx")
    except ImportError as error:
        raise ImportError(
            f"ONNX files need the onnx package: pip install 'jupyter_hybrid[onnx]' ({error})"
        ) from error


def number_of(dtype: Any) -> int:
    """TensorProto.DataType of a dtype's name. MXNetError: ONNX's operators have no such dtype."""
    try:
        return _NUMBERS[str(dtype)]
    except KeyError:
        raise MXNetError(
            f"onnx: given dtype {dtype}, expected one of {', '.join(_NUMBERS)}"
        ) from None


def dtype_of(number: int, what: str) -> np.dtype:
    """The dtype of a TensorProto.DataType; ``what`` has it."""
    if number not in _NAMES:
        try:
            given = onnx().TensorProto.DataType.Name(number)
        except ValueError:
            given = str(number)
        raise MXNetError(f"onnx: {what} has dtype {given}, expected one of {', '.join(_NUMBERS)}")
    return np.dtype(_NAMES[number])
