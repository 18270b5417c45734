"""What a compiled function is given: arrays of the dtypes that its variables declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core import Context, MXNetError, NDArray, Symbol
from ..nd import array

__all__ = ["as_array", "declared_dtype", "declared_shape", "name_of"]

_NAMES = {
    0: "float32", 1: "float64", 2: "float16", 3: "uint8", 4: "int32", 5: "int8", 6: "int64",
    7: "bool",
}  # fmt: skip


def name_of(variable: Any, what: str) -> str:
    """The name of a variable given as a symbol or by name.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(variable, str):
        return variable
    if isinstance(variable, Symbol) and variable.list_arguments() == [variable.name]:
        return str(variable.name)
    shown = repr(variable) if isinstance(variable, Symbol) else type(variable).__name__
    raise TypeError(f"{what}: expected a variable or its name, got {shown}")


def declared_dtype(symbol: Symbol, names: Sequence[str]) -> dict[str, str]:
    """By variable: the dtype it was made with, else float32."""
    attrs = symbol.attr_dict()
    found = {}
    for name in names:
        text = attrs.get(name, {}).get("__dtype__", "0")
        found[name] = _NAMES[int(text)] if text.isdigit() else text
    return found


def declared_shape(graph: Any) -> dict[str, tuple[int, ...]]:
    """By variable of a graph: the shape it was made with, where its rank is known."""
    made = {node.id: node for node in graph.nodes}
    variables = [made[i] for i in graph.inputs]
    return {v.name: tuple(v.shapes[0]) for v in variables if v.shapes[0] is not None}


def as_array(
    name: str,
    value: Any,
    dtype: str,
    shape: tuple[int, ...] | None,
    ctx: Context,
    strict: bool = True,
) -> NDArray:
    """The argument as an NDArray on ``ctx``; one that is there already is not copied.

    A number has the variable's shape, if that is of one element. With ``strict`` off an NDArray may
    be on any device.

    Raises:
        TypeError: it is neither an array nor a number (nor nested lists of them).
        MXNetError: an NDArray on another device.
    """
    if isinstance(value, NDArray):
        if strict and value.context != ctx:
            raise MXNetError(f"{name!r} is on {value.context}, the function runs on {ctx}")
        return value
    try:
        numbers = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{name!r}: {error}") from None
    if numbers.dtype.kind not in "biufc" and numbers.dtype.name != dtype:
        raise TypeError(f"{name!r}: expected an array or a number, got {type(value).__name__}")
    if numbers.ndim == 0 and shape and set(shape) == {1}:
        numbers = numbers.reshape(shape)
    return array(numbers, ctx=ctx, dtype=dtype)
