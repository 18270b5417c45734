"""Functions of earlier cells and scripts: may a call write memory that the graph still reads?

They run as they are. Traced arrays tell of every write; existing ndarrays that such code reaches by
itself (``self.weights``, a global, a list) do not, so what reads them is computed before.
"""

from __future__ import annotations

import dis
import types
from functools import lru_cache
from typing import Any

import numpy as np

from ..np_face import TracedArray
from . import numbers
from .library import TRANSPARENT
from .recorder import Recorder

_WRITERS = frozenset(
    {"fill", "sort", "put", "itemset", "partition", "resize", "shuffle", "copyto", "putmask"}
    | {"place", "at", "fill_diagonal", "put_along_axis", "setfield", "byteswap", "readinto"}
)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), slice, range, np.generic, np.dtype)
_CALL, _INIT = "__call__", "__init__"
_DEPTH = 4  # of functions that call functions


def before_call(recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> None:
    """Makes memory what the imperative cell's would be, and computes what a write would change."""
    if not recorder.active or recorder.bodies:
        return
    code = _code_of(function)
    if code is None:
        return
    recorder.write_back()
    if _reaches(function, code, (*args, *kwargs.values())) and _writes(code, function, _DEPTH):
        recorder.settle_readers(f"{getattr(function, '__name__', 'a call')} may write an array")


def _code_of(function: Any) -> types.CodeType | None:
    inner = getattr(function, "__func__", function)
    if isinstance(inner, type):
        inner = next((vars(c)[_INIT] for c in inner.__mro__ if _INIT in vars(c)), None)
    elif not isinstance(inner, types.FunctionType):
        inner = next((vars(c)[_CALL] for c in type(inner).__mro__ if _CALL in vars(c)), None)
    root = (getattr(inner, "__module__", None) or "").partition(".")[0]
    if not isinstance(inner, types.FunctionType) or root == "numpy" or root in TRANSPARENT:
        return None
    return inner.__code__


def _reaches(function: Any, code: types.CodeType, args: tuple) -> bool:
    """True when the call can get at arrays that are not handed to it as traced ones."""
    owner = getattr(function, "__self__", None)
    if code.co_freevars or (owner is not None and not isinstance(owner, types.ModuleType)):
        return True
    if not isinstance(function, (types.FunctionType, type)):
        return True  # an object that is called
    if not all(type(numbers.plain(a)) is TracedArray or isinstance(a, _PLAIN) for a in args):
        return True
    held = getattr(function, "__globals__", {})
    harmless = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)
    known = (held.get(n) for n in code.co_names)
    return any(not isinstance(v, (*harmless, *_PLAIN, TracedArray)) for v in known)


def _writes(code: types.CodeType, function: Any, depth: int) -> bool:
    """True when this code, or a function that it calls by its name, writes into something."""
    if _stores(code):
        return True
    if not depth:
        return True
    names = getattr(getattr(function, "__func__", function), "__globals__", {})
    owner = getattr(function, "__self__", None)
    for name in code.co_names:
        for called in (names.get(name), getattr(type(owner), name, None)):
            if isinstance(called, types.FunctionType) and called.__code__ is not code:
                held = types.MethodType(called, owner) if owner is not None else called
                if _writes(called.__code__, held, depth - 1):
                    return True
    return False


@lru_cache(maxsize=1024)
def _stores(code: types.CodeType) -> bool:
    if _WRITERS & set(code.co_names) or "out" in str(code.co_consts):
        return True
    for step in dis.get_instructions(code):
        if step.opname in ("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR"):
            return True
        if step.opname.startswith("INPLACE_") or (
            step.opname == "BINARY_OP" and step.argrepr.endswith("=")
        ):
            return True
    return any(_stores(c) for c in code.co_consts if isinstance(c, types.CodeType))
