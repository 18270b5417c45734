"""Python's ``min``, ``max``, ``sorted`` and ``sum`` of elements, recorded where that is exact.

Each comparison of two traced elements would read a value; a choice between them need not.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..np_face import TracedArray
from ..np_face.errors import NotCovered
from ..np_face.lower.lowering import core
from ..reasons import Reason
from .recorder import Recorder

_MOST = 64  # elements that are compared one by one
_LONG = 2000  # ... that Python goes through rather than a graph
_ITERATE = (builtins.min, builtins.max, builtins.sorted, builtins.sum, builtins.any, builtins.all)


def handles(function: Any) -> bool:
    """True for the functions of this module."""
    return any(function is f for f in _ITERATE)


def call(recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> Any:
    """``function(*args, **kwargs)``: the same value, type and errors."""
    __tracebackhide__ = True
    if args:
        try:
            if function is builtins.sorted:
                return _sorted(args, kwargs)
            if function is builtins.min or function is builtins.max:
                return _extreme(recorder, function, args, kwargs)
        except NotCovered:
            pass
        x = args[0]
        if type(x) is TracedArray and x.ndim == 1 and x.size > _LONG and not recorder.script:
            why = Reason("{name}() goes through {n} elements", name=function.__name__, n=x.size)
            args = (x.to_numpy(why), *args[1:])
    return function(*args, **kwargs)


def _elements(args: tuple, most: int) -> list[Any]:
    """Traced scalars of one dtype. Raises NotCovered for anything else."""
    items: Any = args
    if len(args) == 1:
        items = args[0]
        if type(items) is TracedArray:
            if items.selected is not None or items.ndim != 1 or items.size > most:
                raise NotCovered("not a short row")
            items = list(items)
    if type(items) not in (list, tuple) or not 1 < len(items) <= most:
        raise NotCovered("not a few elements")
    if not all(type(v) is TracedArray and v.is_scalar for v in items):
        raise NotCovered("not traced")
    kinds = {v.dtype for v in items}
    if len(kinds) != 1 or next(iter(kinds)).kind not in "iuf":
        raise NotCovered("which type the result has, data decide")
    return list(items)


def _extreme(recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> Any:
    if kwargs:
        raise NotCovered("with key= or default=")
    first, *others = [v.handle for v in _elements(args, _MOST)]
    test = "lesser" if function is builtins.min else "greater"
    for other in others:  # as Python: the earlier one stays unless the later is beyond it
        first = core("where", [core(test, [other, first]), other, first])
    return TracedArray.of_node(recorder, first, scalar=True)


def _sorted(args: tuple, kwargs: dict) -> list[Any]:
    if kwargs.keys() - {"reverse"} or type(kwargs.get("reverse", False)) is not bool:
        raise NotCovered("with key=")
    items = _elements(args[:1], 16 * _MOST)
    if items[0].dtype.kind == "f":
        raise NotCovered("where nan goes, data decide")
    made = list(np.sort(np.stack(items)))
    return made[::-1] if kwargs.get("reverse") else made
