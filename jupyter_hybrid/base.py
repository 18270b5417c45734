"""The error types, and the names for kinds of values that MXNet's ``base`` has."""

from __future__ import annotations

import os
import platform
import re
from typing import Any

import numpy as np

from . import _core
from ._core import MXNetError
from .one_element import OneElement

__all__ = [
    "LinAlgError",
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "ReshapeError",
    "data_dir",
    "data_dir_default",
    "integer_types",
    "mx_real_t",
    "numeric_types",
    "py_str",
    "string_types",
]

#: For isinstance(), as code that ran on Python 2 as well used them.
integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)
basestring = str
#: The dtype of arrays whose dtype nobody gives.
mx_real_t = np.float32


def dtype_of(dtype: Any) -> Any:
    """An element type as arrays tell it: a type of NumPy's, or "bfloat16", which NumPy lacks and
    MXNet writes as a structure of that name. None is float32, an array stands for its own."""
    if dtype is None:
        return np.float32
    if isinstance(dtype, _core.NDArray):
        return dtype.dtype
    if isinstance(dtype, str) and dtype == "bfloat16":
        return dtype
    known = np.dtype(dtype)
    return "bfloat16" if known.names == ("bfloat16",) else known.type


def dtype_name(dtype: Any) -> str:
    """Its name, such as "float32"."""
    known = dtype_of(dtype)
    return known if isinstance(known, str) else np.dtype(known).name


def is_whole(dtype: Any) -> bool:
    """Is it one of whole numbers, or bool?"""
    return dtype_of(dtype) != "bfloat16" and np.dtype(dtype).kind in "iub"


_REASON = re.compile(
    r"Singular matrix|Matrix is not positive definite|(Eigenvalues|SVD) did not converge"
)


class LinAlgError(MXNetError, np.linalg.LinAlgError):
    """A matrix that a decomposition can't have: NumPy's error and text.

    ``placed`` is the core's text, with the operator and the line that called it.
    """

    def __init__(self, text: str):
        found = _REASON.search(text)
        super().__init__(found[0] if found else text)
        self.placed = text


class ReshapeError(MXNetError, ValueError):
    """An array can't take that shape."""


class IndexRangeError(MXNetError, IndexError):
    """An index is out of range."""


_core.set_reshape_error(ReshapeError)
_core.set_index_error(IndexRangeError)
_core.set_one_element(OneElement)
LinAlgError.__module__ = "numpy.linalg"
_core.set_linalg_error(LinAlgError)


def py_str(x: bytes | str) -> str:
    """UTF-8 bytes as a text; a text, such as op hooks get here, as it is."""
    return x.decode("utf-8") if isinstance(x, bytes) else x


class NotImplementedForSymbol(MXNetError):
    """A method of arrays was called on a symbol, whose value nobody knows yet."""

    def __init__(self, function: Any, alias: str | None, *args: Any):
        name = getattr(function, "__name__", str(function))
        other = f" (alias {alias})" if alias else ""
        kinds = f" with {', '.join(type(a).__name__ for a in args)}" if args else ""
        super().__init__(f"{name}{other}{kinds} is not there for symbols, only for NDArray")


class NotSupportedForSparseNDArray(MXNetError):
    """A method of dense arrays was called on a sparse one; there are none here."""

    def __init__(self, function: Any, alias: str | None, *args: Any):
        name = getattr(function, "__name__", str(function))
        other = f" (alias {alias})" if alias else ""
        super().__init__(f"{name}{other} is not there for sparse arrays")


def data_dir_default() -> str:
    """Where models and data sets are kept unless ``MXNET_HOME`` says otherwise."""
    if platform.system() == "Windows":
        return os.path.join(os.environ["APPDATA"], "mxnet")
    return os.path.join(os.path.expanduser("~"), ".mxnet")


def data_dir() -> str:
    """Where models and data sets are kept: ``MXNET_HOME``, or :func:`data_dir_default`."""
    return os.environ.get("MXNET_HOME", data_dir_default())


def as_list(obj: Any) -> list[Any]:
    """A list or tuple as a list; anything else as a list of it."""
    return list(obj) if isinstance(obj, (list, tuple)) else [obj]
