"""Python numbers of recorded arrays inside traced code: ``int(x)``, ``x.asscalar()``, ``range(n)``.

Only Python's own conversions; a number that is known only when the program runs is a
:class:`~.loop_number.LoopNumber`.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from . import loop_number
from .errors import NotConvertible
from .kinds import handle_of
from .loop import CountedRange
from .loop_number import LoopNumber
from .recorder import BodyRecorder
from .truth import truth_node

_SCALARS = frozenset({"asscalar", "item"})
_TYPES = (int, float, bool)
_MOST = loop_number.LARGEST


def convert(recorder: BodyRecorder, function: Any, args: tuple) -> Any:
    """The value of a conversion of recorded values; NotImplemented for any other call."""
    if function in _TYPES and len(args) == 1:
        return _number(recorder, function, args[0])
    if function is range and any(map(_is_recorded, args)):
        return CountedRange(*[_as_int(recorder, a) for a in args])
    if function in (min, max) and len(args) >= 2 and any(map(_is_recorded, args)):
        result = args[0]
        for other in args[1:]:
            result = _extreme(function, result, other)
        return result
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if name in _SCALARS and owner is not None and not args and _is_recorded(owner):
        return _scalar(recorder, name, owner)
    return NotImplemented


def _is_recorded(value: Any) -> bool:
    if type(value) is LoopNumber:
        return True
    if type(value) is TracedArray and value.selected is not None:
        return False
    handle = handle_of(value)
    return handle is not None and handle._traced


def _element(value: Any) -> Any:
    """The node of rank 0 of an array of one element."""
    node = handle_of(value)
    if any(n != 1 for n in node.shape):
        raise NotConvertible(f"a number of an array of shape {tuple(node.shape)} is needed")
    return _core.invoke_core("reshape", [node], {"shape": ()}) if len(node.shape) else node


def _number(recorder: BodyRecorder, kind: type, value: Any) -> Any:
    if not _is_recorded(value):
        return NotImplemented
    if kind is bool:
        return LoopNumber(truth_node(value), bool)
    if type(value) is LoopNumber:
        if value.kind is kind:
            return value
        if value.kind is bool:
            return LoopNumber(_cast(value.node, kind), kind, 0, 1)
        if kind is float:
            return LoopNumber(loop_number.as_float(value), float)
        return _whole(recorder, value.node)
    node = _element(value)
    if kind is int:
        return _whole(recorder, node)
    if np.dtype(node.dtype).kind not in "biuf":
        raise NotConvertible(f"float() of {np.dtype(node.dtype)}")
    return LoopNumber(_cast(_constant(node), float), float)


def _constant(node: Any) -> Any:
    """The same to compute with; like a Python number it is none of the tape's."""
    return _core.invoke_core("stop_gradient", [node], {})


def _cast(node: Any, kind: type) -> Any:
    dtype = {int: "int64", float: "float64"}[kind]
    return _core.invoke_core("cast", [node], {"dtype": dtype})


def _whole(recorder: BodyRecorder, node: Any) -> LoopNumber:
    """``int(x)``: toward zero; an error when it runs where Python raises or it is too large."""
    dtype = np.dtype(node.dtype)
    if dtype.kind == "b":
        return LoopNumber(_cast(node, int), int, 0, 1)
    if dtype.kind in "iu" and dtype.itemsize <= 4:
        info = np.iinfo(dtype)
        return LoopNumber(_cast(node, int), int, int(info.min), int(info.max))
    if dtype.kind not in "iuf":
        raise NotConvertible(f"int() of {dtype}")
    recorder.checks += 1
    made = _core.invoke_core("exact_int", [node], {"limit": _MOST})
    return LoopNumber(made, int, -_MOST, _MOST)


def _as_int(recorder: BodyRecorder, value: Any) -> Any:
    """A bound of range(): an int, or an array of one int."""
    if type(value) in (LoopNumber, int, numbers.RecordedInt) or not _is_recorded(value):
        return value
    if np.dtype(handle_of(value).dtype).kind not in "iu":
        raise NotConvertible("range() needs ints; write int(n)")
    return _whole(recorder, _element(value))


def _scalar(recorder: BodyRecorder, name: str, value: Any) -> Any:
    node = _element(value)
    if name == "asscalar":
        return TracedArray.of_node(recorder, _constant(node), scalar=True)
    dtype = np.dtype(node.dtype)
    if dtype.kind == "b":
        return LoopNumber(node, bool)
    return _number(recorder, int if dtype.kind in "iu" else float, value)


def _extreme(function: Any, a: Any, b: Any) -> Any:
    if handle_of(a) is not None or handle_of(b) is not None:
        return _extreme_array(function, a, b)
    x, y = loop_number.of(a), loop_number.of(b)
    if x is None or y is None or x.kind is not y.kind or x.kind is bool:
        raise NotConvertible(f"{function.__name__}() of numbers of one kind is converted alone")
    compare = "greater" if function is builtins.max else "lesser"
    second = _core.invoke_core(compare, [y.node, x.node], {})  # Python keeps the first of equals
    made = _core.invoke_core("where", [second, y.node, x.node], {})
    return LoopNumber(made, x.kind, function(x.lo, y.lo), function(x.hi, y.hi))


def _extreme_array(function: Any, a: Any, b: Any) -> Any:
    """Of two arrays of one element: Python keeps the first unless the second is beyond it."""
    x, y = handle_of(a), handle_of(b)
    name = function.__name__
    if type(a) is not type(b) or (x.shape, x.dtype) != (y.shape, y.dtype):
        raise NotConvertible(
            f"{name}() of different kinds of values gives one of them; write nd.{name}imum(x, y), "
            f"np.{name}imum(x, y), or {name}() of floats"
        )
    if any(n != 1 for n in x.shape):
        raise NotConvertible(
            f"{name}() of arrays needs one element each, given shape {tuple(x.shape)}; elementwise "
            f"is nd.{name}imum(x, y) or np.{name}imum(x, y)"
        )
    second = _core.invoke_core("greater" if function is builtins.max else "lesser", [y, x], {})
    made = _core.invoke_core("where", [second, y, x], {})
    if type(a) is TracedArray:
        return TracedArray.of_node(a.recorder, made, scalar=a.is_scalar)
    return made
