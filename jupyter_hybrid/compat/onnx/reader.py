"""Reads an ONNX file as untrusted input: sizes, dtypes and paths are checked before use."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from ...base import MXNetError
from .library import IMPORTED, dtype_of, onnx
from .wire import check_size

#: Bytes of a model's file, and of the external data of one tensor.
MAX_BYTES = 2**31 - 1
#: TensorProto's field that holds values of a dtype where they are not raw bytes.
_FIELDS = {"float32": "float_data", "float64": "double_data", "int64": "int64_data"}
_MOST_AXES = 64
_WIDE = ("uint32", "uint64")


def read_model(path: str | os.PathLike[str]) -> tuple[Any, int]:
    """(ModelProto with external data read in, opset). MXNetError: it is no usable model."""
    library = onnx()
    size = os.path.getsize(path)
    if size > MAX_BYTES:
        raise MXNetError(f"{os.fspath(path)}: has {size} bytes, a model has 2 GiB at most")
    with open(path, "rb") as file:
        content = file.read(MAX_BYTES)
    check_size(content)
    model = library.ModelProto()
    try:
        model.ParseFromString(content)
    except Exception as error:  # protobuf's DecodeError, whatever its version calls it
        raise MXNetError(f"{os.fspath(path)}: not an ONNX model, or truncated: {error}") from None
    if not model.HasField("graph") or not model.opset_import:
        raise MXNetError(f"{os.fspath(path)}: not an ONNX model: it has no graph or no opset")
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), None)
    if opset is None or opset not in IMPORTED:
        raise MXNetError(
            f"{os.fspath(path)}: has opset {opset}, expected {IMPORTED.start} to "
            f"{IMPORTED.stop - 1}"
        )
    if model.graph.sparse_initializer:
        raise MXNetError(f"{os.fspath(path)}: sparse initializers are not read")
    folder = Path(path).resolve().parent
    taken: dict[Path, int] = {}
    for tensor in model.graph.initializer:
        read_external(tensor, folder, taken)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                read_external(attribute.t, folder, taken)
    return model, int(opset)


def check(model: Any, path: Any) -> None:
    """``onnx.checker``'s word on a model."""
    try:
        onnx().checker.check_model(model)
    except Exception as error:
        raise MXNetError(f"{os.fspath(path)}: the checker refuses it: {error}") from None


def read_external(tensor: Any, folder: Path, taken: dict[Path, int]) -> None:
    """Puts the bytes of a tensor stored in another file, inside the model's folder, into it.

    ``taken`` counts the bytes that tensors have of each file: together they have no more than it.
    """
    if tensor.data_location != onnx().TensorProto.EXTERNAL:
        return
    what = f"external data of '{tensor.name}'"
    entries = {e.key: e.value for e in tensor.external_data}
    location = entries.get("location", "")
    target = Path(location)
    if not location or "\0" in location or target.is_absolute() or ".." in target.parts:
        raise MXNetError(f"onnx: {what}: location {location!r} is outside of the file's folder")
    target = (folder / target).resolve()
    if folder not in target.parents:
        raise MXNetError(f"onnx: {what}: location {location!r} leads out of the file's folder")
    if not target.is_file():
        raise MXNetError(f"onnx: {what}: there is no file {location!r}")
    wanted = _count(tensor, what) * dtype_of(tensor.data_type, what).itemsize
    try:
        offset = int(entries.get("offset", "0"))
        length = int(entries.get("length", str(wanted)))
    except ValueError:
        raise MXNetError(f"onnx: {what}: offset or length is no number") from None
    if length != wanted or offset < 0 or wanted > MAX_BYTES:
        raise MXNetError(f"onnx: {what}: {length} bytes at {offset}, the shape needs {wanted}")
    if offset + length > target.stat().st_size:
        raise MXNetError(f"onnx: {what}: {location!r} ends before byte {offset + length}")
    taken[target] = taken.get(target, 0) + length
    if taken[target] > target.stat().st_size:
        raise MXNetError(f"onnx: {what}: tensors have more bytes of {location!r} than it holds")
    with open(target, "rb") as file:
        file.seek(offset)
        tensor.raw_data = file.read(length)
    tensor.data_location = onnx().TensorProto.DEFAULT
    del tensor.external_data[:]


def array_of(tensor: Any, what: str) -> np.ndarray:
    """A TensorProto's values; they must be as many as its shape says."""
    dtype = dtype_of(tensor.data_type, what)
    count = _count(tensor, what)
    if tensor.HasField("raw_data"):
        given, wanted = len(tensor.raw_data), count * dtype.itemsize
    else:
        field = _FIELDS.get(dtype.name, "uint64_data" if dtype.name in _WIDE else "int32_data")
        given, wanted = len(getattr(tensor, field)), count
    if given != wanted:
        raise MXNetError(
            f"onnx: {what}: shape {tuple(tensor.dims)} needs {wanted} bytes or values, has {given}"
        )
    try:
        return np.array(onnx().numpy_helper.to_array(tensor))
    except Exception as error:
        raise MXNetError(f"onnx: {what}: {error}") from None


def _count(tensor: Any, what: str) -> int:
    if len(tensor.dims) > _MOST_AXES:
        raise MXNetError(f"onnx: {what}: {len(tensor.dims)} axes, expected at most {_MOST_AXES}")
    if any(d < 0 for d in tensor.dims):
        raise MXNetError(f"onnx: {what}: shape {tuple(tensor.dims)} has a negative size")
    return math.prod(tensor.dims)
