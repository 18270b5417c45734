"""Writing ``x[i] = v`` where an index is known only when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from . import loop_number, loop_operators
from .errors import NotConvertible
from .kinds import handle_of
from .loop_number import LoopNumber
from .recorder import BodyRecorder


def is_recorded_key(key: Any) -> bool:
    """Is one of the indices a number that is known only when it runs?"""
    return any(type(k) is LoopNumber for k in (key if type(key) is tuple else (key,)))


def store(recorder: BodyRecorder, array: Any, key: Any, value: Any) -> None:
    """``array[key] = value`` of a recorded array; an error when it runs if out of bounds.

    Raises NotConvertible for indices that are no ints, and values that do not fit an element.
    """
    keys = key if type(key) is tuple else (key,)
    handle = handle_of(array)
    if handle is None:
        raise NotConvertible(
            f"an element of a {type(array).__name__} is written at an index that "
            "is known only when it runs"
        )
    shape = tuple(handle.shape)
    indices = [k for k in map(loop_number.of, keys) if k is not None and k.kind is int]
    if len(keys) > len(shape) or len(indices) < len(keys):
        raise NotConvertible(
            "an element is written at an int that is known only when it runs, beside other kinds "
            "of index"
        )
    chosen: Any = None
    for axis, index in enumerate(indices):
        places = _places(recorder, shape[axis], index)
        places = _core.invoke_core(
            "reshape", [places], {"shape": (shape[axis], *[1] * (len(shape) - axis - 1))}
        )
        chosen = (
            places if chosen is None else _core.invoke_core("logical_and", [chosen, places], {})
        )
    row = shape[len(keys) :]
    made = _core.invoke_core("where", [chosen, _fitting(value, handle, row), handle], {})
    if type(array) is TracedArray:
        array.assign(made)
    else:
        array[:] = made


def as_array(recorder: BodyRecorder, array: Any, value: LoopNumber) -> Any:
    """A number that is known only when it runs, for ``array[...] = value``."""
    node = _fitting(value, handle_of(array), ())
    if type(array) is TracedArray:
        return TracedArray.of_node(recorder, node, scalar=True)
    return _core.invoke_core("reshape", [node], {"shape": (1,)})


def _places(recorder: BodyRecorder, size: int, index: LoopNumber) -> Any:
    """True at the place of the index along an axis of this size."""
    count = _core.invoke_core("arange", [], {"start": 0, "stop": size, "dtype": "int64"})
    place = loop_operators.taken_at(recorder, count, 0, index)
    return _core.invoke_core("equal", [count, place], {})


def _fitting(value: Any, array: Any, row: tuple[int, ...]) -> Any:
    """The value as a node of the array's dtype that broadcasts to a row."""
    dtype = np.dtype(array.dtype)
    node = handle_of(value)
    if node is None:
        number = loop_number.of(numbers.plain(value))
        if number is None:
            raise NotConvertible(f"a {type(value).__name__} is written into an element")
        node = number.node
    if tuple(node.shape) != row and all(n == 1 for n in node.shape):
        node = _core.invoke_core("reshape", [node], {"shape": ()})
    if tuple(node.shape) not in (row, ()):
        raise NotConvertible(f"an array of shape {tuple(node.shape)} is written into one of {row}")
    given = np.dtype(node.dtype)
    if given == dtype:
        return node
    if (given.kind in "iub" and dtype.kind == "f") or given.kind == dtype.kind == "f":
        return _core.invoke_core("cast", [node], {"dtype": dtype.name})
    raise NotConvertible(f"{given} is written into an array of {dtype}")
