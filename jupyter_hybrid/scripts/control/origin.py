"""Where a function that a script calls comes from: us, the user, a library."""

from __future__ import annotations

import functools
import types
from typing import Any

from ...capture import closed
from ...capture.source.sources import INSTALLED, module_of
from ...np_face import makers

_OWN = __name__.partition(".")[0]
# Modules that handle arrays as any other object; what they call asks an array itself.
_TRANSPARENT = frozenset(
    {
        "collections", "_collections", "contextlib", "copy", "dataclasses", "functools",
        "_functools", "itertools", "types",
    }
)  # fmt: skip
_BUILTIN_TYPES = (str, bytes, int, float, complex, bool, list, tuple, dict, set, frozenset)


def origin(function: Any) -> str:
    """Where code called by a script comes from.

    ``own``: this package, or what it records in NumPy's place; ``user``: cells, scripts, built-in
    types and NumPy; ``library``: everything else, which gets real arrays; ``object``: an instance
    that is called, of which not even an attribute is asked here.
    """
    while type(function) is functools.partial:
        function = function.func
    if makers.makes(function):
        return "own"
    kind = type(function)
    inner = function.__func__ if kind is types.MethodType else function
    if isinstance(inner, types.FunctionType):
        filename = inner.__code__.co_filename
        module = module_of(inner)
    elif type(inner) is type:
        filename, module = "", inner.__module__
    elif type(inner) in closed.BUILTIN_CALLABLES:
        owner = getattr(inner, "__self__", None)
        if isinstance(owner, _BUILTIN_TYPES):
            return "user"
        if (getattr(inner, "__module__", None) or "").partition(".")[0] == _OWN:
            return "own"  # the core's functions belong to records of pybind11's
        filename = ""
        if isinstance(inner, (types.BuiltinFunctionType, types.MethodDescriptorType)):
            if owner is None or isinstance(owner, types.ModuleType):
                module = getattr(inner, "__module__", None) or "builtins"
            else:
                module = type(owner).__module__
        else:
            found: object = type(inner).__module__
            module = found if isinstance(found, str) else ""  # Cython's can have a member there
    else:
        inner_type = inner if isinstance(inner, type) else kind
        module = type.__getattribute__(inner_type, "__module__")
        root = module.partition(".")[0] if isinstance(module, str) else ""
        return "own" if root == _OWN else "object"
    root = module.partition(".")[0]
    if root == _OWN:
        return "own"
    if root in ("builtins", "numpy", "__main__", "operator"):
        return "user"
    if root in _TRANSPARENT and not isinstance(inner, functools._lru_cache_wrapper):
        return "user"
    if filename and not filename.startswith(INSTALLED) and not filename.startswith("<frozen"):
        return "user"
    return "library"
