"""Variables, groups and files of symbols."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Symbol
from ..attribute import attribute_names
from ..base import MXNetError, dtype_name
from ..whole_files import read_whole

__all__ = ["Constant", "Group", "Variable", "fromjson", "load", "load_json", "var"]

#: MXNet's type flags, which symbol.json stores.
_FLAGS = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
}


def var(
    name: str,
    attr: dict[str, str] | None = None,
    shape: Any = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """A variable: an input or a parameter, bound by its name.

    Args:
        attr: further attributes, strings.
        shape: the shape, 0 for a size that is not known yet.
        lr_mult, wd_mult: factors of the learning rate and the weight decay.
        dtype: the dtype; found by inference when not given.
        init: an Initializer, or its name.
        kwargs: attributes of the form ``__name__``.

    Raises:
        ValueError: another keyword was given.
    """
    if not isinstance(name, str):
        raise TypeError(f"var: expected a name, got {type(name).__name__}")
    extra = attribute_names({k: str(v) for k, v in (attr or {}).items()})
    if shape is not None:
        sizes = (shape,) if isinstance(shape, int) else tuple(int(s) for s in shape)
        extra["__shape__"] = str(sizes)
    if lr_mult is not None:
        extra["__lr_mult__"] = str(lr_mult)
    if wd_mult is not None:
        extra["__wd_mult__"] = str(wd_mult)
    if dtype is not None:
        name_of_dtype = dtype_name(dtype)
        extra["__dtype__"] = str(_FLAGS.get(name_of_dtype, name_of_dtype))
    if init is not None:
        extra["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype not in (None, "default"):
        raise _core.MXNetError(f"var: given stype {stype!r}, only dense arrays are supported")
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise ValueError(f"var: given {key!r}, further attributes are named like __{key}__")
        extra[key] = str(value)
    return _core.sym_var(name, **extra)


Variable = var


def Constant(value: Any, dtype: Any = None) -> Symbol:
    """A symbol of a fixed value, which broadcasts against the variables it meets.

    Args:
        value: a number, NumPy array or NDArray; it is copied.
        dtype: float32 unless given or ``value`` is an NDArray.

    Raises:
        TypeError: ``value`` is no number or array.
    """
    if isinstance(value, _core.NDArray):
        array = value.copy() if dtype is None else value.astype(dtype)
        return _core.sym_constant(array, "")
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biufc":
        raise TypeError(f"Constant: expected a number or an array, got {type(value).__name__}")
    numbers = np.array(numbers, dtype=np.dtype("float32" if dtype is None else dtype), order="C")
    text = repr(value) if isinstance(value, (bool, int, float)) else ""
    return _core.sym_constant(_core.from_numpy(numbers, copy=True), text)


def Group(symbols: Sequence[Symbol], create_fn: Any = Symbol) -> Symbol:
    """One symbol with the outputs of all of them.

    Raises:
        NotImplementedError: ``create_fn`` is not Symbol (``mx.np`` is not carried).
    """
    if create_fn is not Symbol:
        raise NotImplementedError(f"Group: given create_fn {create_fn!r}, expected Symbol")
    return _core.sym_group(list(symbols))


def load(fname: str | os.PathLike[str]) -> Symbol:
    """Reads MXNet's symbol.json.

    Raises:
        MXNetError: the file is truncated, corrupt, or has an operator that does not exist here.
        MissingFileError: there is none; it is an MXNetError and a FileNotFoundError.
    """
    text = read_whole(fname)
    try:
        return _core.sym_load_json(text)
    except MXNetError as error:
        raise MXNetError(f"{os.fspath(fname)}: {error}") from None


def load_json(json_str: str) -> Symbol:
    """:func:`load` of the text of a file."""
    if not isinstance(json_str, str):
        raise TypeError(f"fromjson: expected a str, got {type(json_str).__name__}")
    return _core.sym_load_json(json_str)


fromjson = load_json
