"""Which functions a traced branch or loop body may call: those that only compute.

A body is traced once, so a call that prints, appends to a list or draws random numbers would happen
a wrong number of times. Functions written in Python are judged by their code.
"""

from __future__ import annotations

import builtins
import dis
import math
import types
from typing import Any

import numpy as np

from ... import _core
from ...capture import numbers
from .errors import NotConvertible
from .loop_number import LoopNumber
from .places import RUNTIME

_OWN = __name__.partition(".")[0]
_BUILTINS = frozenset({
    abs, bool, complex, divmod, enumerate, float, int, isinstance, len, list, max, min, pow, range,
    reversed, round, slice, sum, tuple, zip, all, any,
})  # fmt: skip
_CHANGES_ARRAYS = frozenset({
    "sort", "fill", "put", "partition", "resize", "setflags", "setfield", "itemset", "tofile",
    "dump", "byteswap", "copyto", "place", "putmask", "fill_diagonal", "put_along_axis", "save",
    "savez", "savez_compressed", "savetxt", "load", "loadtxt", "fromfile", "genfromtxt", "seterr",
    "setbufsize", "set_printoptions", "vectorize", "apply_along_axis", "apply_over_axes",
    "fromfunction", "frompyfunc", "piecewise", "append_fields", "attach_grad", "backward",
    "wait_to_read", "wait_to_write", "waitall", "seed", "errstate", "shuffle",
})  # fmt: skip
_CHANGES = frozenset({
    "STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR",
    "STORE_SLICE", "IMPORT_NAME", "IMPORT_FROM", "YIELD_VALUE", "SETUP_FINALLY", "SETUP_WITH",
    "BEFORE_WITH", "RETURN_GENERATOR", "MAKE_FUNCTION", "RAISE_VARARGS", "LOAD_BUILD_CLASS",
})  # fmt: skip
_KNOWN_ATTRIBUTES = frozenset(
    {n for n in (*dir(np.ndarray), *dir(np), *dir(math), *dir(_core.NDArray)) if n[0] != "_"}
) - (_CHANGES_ARRAYS | {"append", "insert", "delete", "random", "write", "pop", "clear", "update"})


def check_call(function: Any, args: tuple, kwargs: dict, stored: frozenset[str]) -> None:
    """Raises NotConvertible for a call that may do more than compute.

    Args:
        stored: names that the traced bodies assign; a function that reads one by itself would
            see the value from before the loop.
    """
    name = getattr(function, "__qualname__", None) or type(function).__name__
    if "out" in kwargs:
        raise NotConvertible(f"{name} writes into out=")
    why = _impure(function, stored, set())
    if why:
        raise NotConvertible(f"it calls {name}, which {why}")
    inner = getattr(function, "__func__", function)
    if not isinstance(inner, types.FunctionType) or not _rewritten(inner):
        for value in (*args, *kwargs.values()):
            if isinstance(value, types.FunctionType):
                why = _impure(value, stored, set())
                if why:
                    raise NotConvertible(f"it passes {value.__name__}, which {why}")


def _rewritten(function: types.FunctionType) -> bool:
    return RUNTIME in function.__code__.co_names


def _impure(function: Any, stored: frozenset[str], seen: set[int]) -> str:
    """Why a function may do more than compute from its arguments; "" when it may not."""
    try:
        if function in _BUILTINS:
            return ""
    except TypeError:  # not hashable
        pass
    if type(getattr(function, "__self__", None)).__module__ == f"{_OWN}.scripts.control.hooks":
        return ""  # what rewritten code calls itself
    inner = getattr(function, "__func__", function)
    module = getattr(inner, "__module__", None) or ""
    name = getattr(inner, "__name__", type(inner).__name__)
    if isinstance(inner, np.ufunc):
        return ""
    if isinstance(getattr(function, "__self__", None), _core.NDArray) and name[:2] != "__":
        return "changes an array" if name in _CHANGES_ARRAYS else ""
    if isinstance(inner, type):
        return "" if issubclass(inner, np.generic) else "is a class"
    owner = getattr(inner, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        if isinstance(owner, (np.ndarray, np.generic, _core.NDArray)):
            return "changes an array" if name in _CHANGES_ARRAYS else ""
        if type(owner) in (int, float, numbers.RecordedInt, numbers.RecordedFloat, LoopNumber):
            return ""
        return "is a method of " + type(owner).__name__
    if "random" in module or name in _CHANGES_ARRAYS:
        return "is not a pure computation"
    if module.startswith(f"{_OWN}.np_face") or module.startswith(f"{_OWN}.nd"):
        return ""
    if type(inner).__module__.startswith(f"{_OWN}.np_face"):
        return ""  # a method of a traced array
    if isinstance(inner, types.FunctionType) and module.partition(".")[0] not in ("numpy", _OWN):
        return _impure_code(inner, stored, seen)
    if module.partition(".")[0] in ("numpy", "math", "_operator"):
        return ""
    return "is not part of the graph"


def _impure_code(function: types.FunctionType, stored: frozenset[str], seen: set[int]) -> str:
    if id(function.__code__) in seen:
        return ""
    seen.add(id(function.__code__))
    code = function.__code__
    if getattr(code, "co_exceptiontable", b""):
        return "catches exceptions"
    for instruction in dis.get_instructions(code):
        if instruction.opname in _CHANGES:
            return f"may change something (line {code.co_firstlineno})"
        inplace = instruction.opname == "BINARY_OP" and instruction.argrepr.endswith("=")
        if inplace or instruction.opname.startswith("INPLACE_"):
            return "may write its argument in place"
    late = stored & {*code.co_names, *code.co_freevars}
    if late:
        return f"reads {sorted(late)[0]}, which the loop changes"
    if _rewritten(function):
        return ""  # its calls come by here themselves
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))
    for name in (*code.co_names, *code.co_freevars):
        if name in cells:
            try:
                value = cells[name].cell_contents
            except ValueError:
                return f"reads {name}"
        elif name in function.__globals__:
            value = function.__globals__[name]
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
        else:
            if name not in _KNOWN_ATTRIBUTES:
                return f"uses .{name}"
            continue
        why = _impure_value(name, value, stored, seen)
        if why:
            return why
    return ""


def _impure_value(name: str, value: Any, stored: frozenset[str], seen: set[int]) -> str:
    if value is np or value is math:
        return ""
    if isinstance(value, types.ModuleType):
        own = value.__name__ in (_OWN, f"{_OWN}.nd")
        return "" if own else f"uses the module {name}"
    if isinstance(value, (bool, int, float, complex, str, np.ndarray, np.generic, _core.NDArray)):
        return ""
    if value is None or type(value) is tuple:
        return ""
    if callable(value):
        why = _impure(value, stored, seen)
        return f"calls {name}, which {why}" if why else ""
    return f"reads {name}"
