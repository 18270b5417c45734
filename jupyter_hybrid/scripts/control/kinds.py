"""What kinds of values traced code meets: arrays, numbers, names without a value."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from ...np_face.protocols import Recorder
from .errors import NotConvertible
from .loop_number import LoopNumber

UNBOUND = object()


def constant_flag(recorder: Recorder, value: bool) -> TracedArray:
    """A recorded truth value of rank 0."""
    node = _core.trace_constant(value, "bool", repr(value))
    return TracedArray.of_node(recorder, node, scalar=True)


def handle_of(value: Any) -> Any:
    """The array handle of an array, None for other values."""
    if type(value) is TracedArray:
        return value.handle
    return value if type(value) is _core.NDArray else None


def is_scalar(array: Any) -> bool:
    """Is it a recorded NumPy scalar? These are never written."""
    return type(array) is TracedArray and array.is_scalar


def is_plain(value: Any) -> bool:
    """Is it a plain Python value that can be compared?"""
    return type(value) in (bool, int, float, str, type(None))


def is_numpy_scalar(value: Any) -> bool:
    """Is it a real NumPy scalar?"""
    return type(value) is not TracedArray and isinstance(value, np.generic)


def same(a: Any, b: Any) -> bool:
    """Are two plain values of one type the same?"""
    return a == b and repr(a) == repr(b)  # -0.0 and 0.0 differ, nan is never the same


def loop_invariant(value: Any, outer: Any) -> bool:
    """Does a step leave a name what it was before the loop?"""
    if value is outer:
        return True
    return is_plain(value) and type(value) is type(numbers.plain(outer)) and same(value, outer)


def was_written(value: Any, node: Any, operators: int = 0) -> bool:
    """Was this parameter written in place by the body?

    Args:
        operators: that it was computed with when the body began.
    """
    handle = handle_of(value)
    if handle is None:
        return False
    if type(value) is TracedArray:
        return value.version != 0
    if node is not None and handle is node and _core.count_recorded([node], 0) > operators:
        # The parameter itself was rebound to what was written: its own entry is gone.
        raise NotConvertible("an nd array is written in place")
    return node is not None and not _core.is_window_on(handle, [node])


def zero_of(value: Any) -> Any:
    """A stand-in of the value's kind, shape and dtype that nobody reads."""
    handle = handle_of(value)
    if handle is None and type(value) is not LoopNumber:
        return value
    node = handle if handle is not None else value.node
    attrs = {"shape": tuple(node.shape), "dtype": np.dtype(node.dtype).name}
    made = _core.invoke_core("zeros", [], attrs)
    if type(value) is TracedArray:
        return TracedArray.of_node(value.recorder, made, scalar=value.is_scalar)
    if type(value) is LoopNumber:
        return LoopNumber(made, value.kind)
    return made


_KINDS: dict[tuple[Any, bool], str] = {
    ("numpy", True): "a NumPy scalar",
    ("numpy", False): "a NumPy array",
    ("nd", False): "an NDArray",
}


def _described(kind: type, _: bool) -> str:
    if kind is type(None):
        return "None"
    return f"{'an' if kind.__name__[0] in 'aeiou' else 'a'} {kind.__name__}"


def common_kind(name: str, yes: Any, no: Any, where: str = "in the branches") -> tuple:
    """The kind that both branches give a name: numpy, nd or a Python number's type."""
    kinds: list[tuple[Any, bool]] = []
    for value in (yes, no):
        if type(value) is TracedArray:
            kinds.append(("numpy", value.is_scalar))
        elif type(value) is _core.NDArray:
            kinds.append(("nd", False))
        elif type(value) is LoopNumber:
            kinds.append((value.kind, True))
        else:
            kinds.append((type(value), True))
    if kinds[0] != kinds[1]:
        one, other = (_KINDS.get(k) or _described(*k) for k in kinds)
        raise NotConvertible(f"{name} is of different kinds {where}: {one} and {other}")
    return kinds[0]
