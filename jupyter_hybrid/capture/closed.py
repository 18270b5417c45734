"""The closed list: the calls of a recorded cell that run no code which nobody has seen.

A *seen* function is one whose own lines are rewritten: of this cell, of an earlier one, or a twin
made from the source of a function of a plain cell or of a module in the notebook's folder. Before
any other call (a contact) everything that waits on memory in the user's reach is computed, and
the call gets real arrays.
"""

from __future__ import annotations

import builtins
import cmath
import copy
import functools
import math
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..np_face import TracedArray
from ..np_face.array.traced_array import OWN_NAMES, Flags
from ..np_face.lower.draws import GENERATORS
from .homes import is_ours, is_seen_steps
from .numbers import RecordedFloat, RecordedInt
from .source.sources import module_of

_guards = _core.guards

Rule = Callable[[tuple, dict], bool]


def _looks(args: tuple, kwargs: dict) -> bool:
    """For what asks its arguments nothing."""
    return not kwargs


def _takes_apart(args: tuple, kwargs: dict) -> bool:
    """For what goes through its arguments once and looks at none of what it finds."""
    return not kwargs and all(map(_guards.walkable, args))


def _of_data(args: tuple, kwargs: dict) -> bool:
    """For what compares, hashes, shows or computes with its arguments, down to what they hold."""
    return _guards.data(*args, *kwargs.values())


def _of_real_data(args: tuple, kwargs: dict) -> bool:
    """For what keeps its arguments."""
    return _of_data(args, kwargs) and not is_ours((*args, *kwargs.values()))


# What an array is asked by them, it is asked as by the cell itself.
_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def _of_classes(args: tuple, kwargs: dict) -> bool:
    """For ``isinstance``: the classes of ``int | float`` are asked one by one."""
    kind = args[1] if len(args) == 2 else None
    members = kind.__args__ if type(kind) is types.UnionType else (kind,)
    return not kwargs and _guards.data(*args[:1], *members)


_ITERATORS = frozenset({builtins.enumerate, builtins.zip, builtins.reversed})
# What changes how NumPy computes: before it everything is computed as it was.
_SETTINGS = frozenset({"seterr", "seterrcall", "setbufsize", "errstate", "set_printoptions"})
_MODULES_OF_DATA = (math, cmath, operator)  # nothing in them keeps or calls what it is given
# The table, by identity. Whatever stands nowhere is judged by its type, or it is a contact.
_RULES: dict[Any, Rule] = {
    **dict.fromkeys((builtins.id, builtins.callable), _looks),
    **dict.fromkeys((builtins.len, builtins.list, builtins.tuple), _takes_apart),
    **dict.fromkeys(_ITERATORS, _takes_apart),
    builtins.isinstance: _of_classes,
    **dict.fromkeys(_GETTERS, _of_real_data),
    **dict.fromkeys(
        (
            builtins.min, builtins.max, builtins.sum, builtins.abs, builtins.round,
            builtins.sorted, builtins.any, builtins.all, builtins.divmod, builtins.pow,
            builtins.hash, builtins.repr, builtins.str, builtins.int, builtins.float,
            builtins.bool, builtins.complex, builtins.set, builtins.frozenset, builtins.dict,
            builtins.ord, builtins.chr, builtins.bin, builtins.hex, builtins.oct,
            builtins.format, builtins.issubclass, builtins.range,
            builtins.slice, copy.copy,
        ),
        _of_data,
    ),
    # A memo is not followed.
    copy.deepcopy: lambda args, kwargs: len(args) == 1 and _of_data(args, kwargs),
    **{
        f: _of_data
        for module in _MODULES_OF_DATA
        for f in vars(module).values()
        if type(f) is types.BuiltinFunctionType
    },
    **{f: _of_data for f in vars(np).values() if isinstance(f, np.ufunc)},
}  # fmt: skip
_KINDS = frozenset(map(type, _RULES))  # their hash is their identity
# Methods that compare, hash or call nothing of what they are given or of what they hold.
_METHODS: dict[type, frozenset[str]] = {
    list: frozenset({"append", "insert", "pop", "clear", "copy", "reverse"}),
    dict: frozenset({"keys", "values", "items", "copy", "clear"}),
    set: frozenset({"copy", "clear"}),
}
# They read memory, past every array protocol.
_BUFFER_READERS = (memoryview, bytes, bytearray, np.frombuffer)  # and the classes of arrays
_EXACT = (
    list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool,
    RecordedInt, RecordedFloat,
)  # fmt: skip
# Their attributes can be asked: no class of the user's answers.
BUILTIN_CALLABLES = frozenset(
    {
        types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
        types.MethodWrapperType, types.ClassMethodDescriptorType, functools.partial, np.ufunc,
        type(np.concatenate), type(functools.lru_cache(lambda: None)), types.FunctionType,
        types.MethodType, type, type(np.random.Generator.normal),
    }
)  # fmt: skip
_NUMPY_CALLABLES = (
    types.FunctionType, types.BuiltinFunctionType, type, type(np.concatenate), type(np.array)
)  # fmt: skip
_PACKAGE = "jupyter_hybrid"
_OURS = tuple(
    f"{_PACKAGE}.{name}" for name in ("nd", "np_face", "_core", "capture", "sym", "random")
)


def allows(function: Any, args: tuple, kwargs: dict) -> bool:
    """True for a call on the closed list, by the exact types of what it gets."""
    kind = type(function)
    if any(kind is getter for getter in _GETTERS):
        asked = _asked_for(function)
        own = any(type(a) is str and a.partition(".")[0] in OWN_NAMES for a in asked)
        array = bool(args) and type(args[0]) is TracedArray
        return array and not own and _of_data(asked, kwargs)
    if kind not in BUILTIN_CALLABLES:  # an object of the user's is not even hashed
        return _is_ours(function) and _of_data(args, kwargs)
    owner = getattr(function, "__self__", None) if kind is types.BuiltinFunctionType else None
    if type(owner) in _EXACT:
        return _allows_method(owner, function.__name__, args, kwargs)
    rule = _RULES.get(function) if kind in _KINDS else None
    if rule is not None:
        return rule(args, kwargs)
    return _of_data(args, kwargs) and (
        _is_numpys(function, kind, owner) or _is_ours(function) or _is_exception(function)
    )


def _asked_for(getter: Any) -> tuple:
    """What a getter of ``operator``'s was made with, as it tells who pickles it."""
    made, held = getter.__reduce__()
    if type(made) is functools.partial:
        held = (*held, *made.args, *made.keywords.values())
    return held


def is_own(function: Any) -> bool:
    """True for this package's functions and objects, which know stand-ins."""
    while type(function) is functools.partial:
        function = function.func
    return any(home.partition(".")[0] == _PACKAGE for home in _homes(function))


def _is_exception(made: Any) -> bool:
    """A class of errors that keeps what it is given, as Python's own do."""
    if type(made) is not type or not issubclass(made, BaseException):
        return False
    init, new = (getattr(made, name) for name in ("__init__", "__new__"))
    own = type(init) is types.WrapperDescriptorType and type(new) is types.BuiltinFunctionType
    return own and init.__objclass__.__module__ == "builtins"


def name_of(function: Any) -> str:
    """What a callable is called, without asking an object of the user's."""
    if type(function) in BUILTIN_CALLABLES:
        return getattr(function, "__qualname__", None) or type(function).__name__
    return type(function).__name__


def _allows_method(owner: Any, name: str, args: tuple, kwargs: dict) -> bool:
    if name == "join" and len(args) == 1 and is_seen_steps(args[0]):
        return True
    if name in _METHODS.get(type(owner), ()):
        return True
    if name == "extend" and type(owner) is list:
        return bool(args) and _guards.walkable(args[0])
    held = tuple(owner) if type(owner) in (dict, list, set, frozenset, tuple) else ()
    return _guards.data(*args, *kwargs.values(), *held)


def _is_numpys(function: Any, kind: type, owner: Any) -> bool:
    """NumPy's own functions, with data: no callback of the user's among them."""
    if owner is not None and type(owner) is not types.ModuleType:
        if type(owner) is np.ufunc:  # its `reduce` and so on
            return owner in _RULES
        return type(owner) in GENERATORS
    if kind not in _NUMPY_CALLABLES or _reads_buffers(function):
        return False
    return _module(function).partition(".")[0] == "numpy" and function.__name__ not in _SETTINGS


def _is_ours(function: Any) -> bool:
    return any(home.startswith(_OURS) for home in _homes(function))


def _homes(function: Any) -> tuple[str, ...]:
    """The modules of a function and of what it is bound to, or of the object that is called."""
    if type(function) not in BUILTIN_CALLABLES:
        return (_home(type(function)),)
    if type(function) is types.MethodWrapperType and type(function.__self__) is TracedArray:
        return (TracedArray.__module__,)  # an operator
    inner = function.__func__ if type(function) is types.MethodType else function
    known = _module(inner) if type(inner) in BUILTIN_CALLABLES else _home(type(inner))
    return known, _home(type(getattr(function, "__self__", None)))


def _module(function: Any) -> str:
    if type(function) is types.FunctionType:
        return module_of(function)
    if type(function) is type:
        return _home(function)
    return getattr(function, "__module__", None) or ""


def _home(kind: type) -> str:
    """The module that has this class under its name: what a class says of itself anybody sets."""
    module = type.__getattribute__(kind, "__module__")
    names = vars(sys.modules[module]) if type(module) is str and module in sys.modules else {}
    return module if names.get(kind.__name__) is kind else ""


def opens(function: Any, args: tuple) -> bool:
    """True for callables that get real arrays: those that may run the user's unseen code."""
    kind = type(function)
    if kind not in BUILTIN_CALLABLES or calls_back(args) or _reads_buffers(function):
        return True
    if kind is types.MethodType:
        function, kind = function.__func__, type(function.__func__)
    if any(function is f for f in _ASKS) or goes_through(function):
        return False
    named = kind in (types.FunctionType, types.BuiltinFunctionType, type)
    return not (_module(function) if named else kind.__module__).startswith("numpy")


def _reads_buffers(function: Any) -> bool:
    if type(function) is type and issubclass(function, np.ndarray):
        return True
    return any(function is reader for reader in _BUFFER_READERS)


# They keep nothing, and a stand-in answers them without its elements.
_ASKS: tuple[Any, ...] = (
    builtins.getattr, builtins.hasattr, builtins.iter, builtins.type, builtins.dir, builtins.next,
    builtins.enumerate, builtins.zip, builtins.reversed,
)  # fmt: skip
_CALLBACKS = (types.FunctionType, types.MethodType, functools.partial)
_COLLECT = (list, tuple, dict, set, frozenset)


def goes_through(function: Any) -> bool:
    """True for Python's own containers, made of what an iterator gives."""
    return any(function is made for made in _COLLECT)


def calls_back(args: tuple) -> bool:
    """Are functions among what a call is given, or may they be?"""
    return _guards.first_of(args, _CALLBACKS, 100_000) is not None


def tell_types(runtime: type) -> None:
    """The types whose operations are ours or NumPy's own, for the guards."""
    arrays: list[type] = [TracedArray, _core.NDArray]
    arrays += [type(np.r_), type(np.c_), type(np.mgrid), type(np.ogrid), type(np.s_)]
    for kind in arrays:
        _guards.tell(kind, "array")
    scalars: list[type] = [t for t in np.sctypeDict.values() if t not in (np.object_, np.void)]
    scalars += [type(np.dtype(t)) for t in scalars]
    for kind in (*scalars, RecordedInt, RecordedFloat):
        _guards.tell(kind, "scalar")
    for kind in (runtime, Flags, np.ufunc, type(np.concatenate), *GENERATORS):
        _guards.tell(kind, "named")


def made(function: Any, args: tuple, result: Any) -> Any:
    """The result of an allowed call; an iterator of its own may be gone through freely."""
    if type(function) is type and function in _ITERATORS:
        return _guards.closed(result, *args)
    _guards.closed(None, *args)
    return result
