"""Twins: a function of the user's compiled once more, with its lines rewritten.

A call in a recorded cell enters the twin, which has the function's globals, closure and defaults;
the function object itself keeps its own code, which is what everybody else calls.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from . import closed
from .source.definitions import Definition, definition_of
from .source.loops import may_try
from .source.nodes import Rewriting
from .source.rewrite import rewrite_function
from .source.sources import NoSource, is_users
from .source.with_units import function_with_units
from .trace_state import is_rewritten

_KEPT = 10_000  # functions
_OTHER_FRAMES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
# A function's twin, and the code that it had then.
_twins: WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, types.FunctionType]]
_twins = WeakKeyDictionary()


unguarded: WeakSet[types.CodeType] = WeakSet()  # of twins with nothing in them that could ask


class Decorated:
    """What stands for a function of the user's, and is called in its twin's place."""

    def __init__(self, function: types.FunctionType):
        self._function = function

    @property
    def __code__(self) -> types.CodeType:
        return self._function.__code__

    def twin(self) -> types.FunctionType | None:
        """The function rewritten; None where it can't be."""
        raise NotImplementedError


_FUNCTIONS = (types.FunctionType, Decorated)


def seen(function: Any) -> Callable | None:
    """What a recorded cell calls in the place of ``function``; None where its code is unseen."""
    kind = type(function)
    if kind is types.FunctionType:
        return _twin(function)
    if issubclass(kind, Decorated):
        return function.twin()
    if kind is types.MethodType and issubclass(type(function.__func__), _FUNCTIONS):
        method: Any = seen(function.__func__)
        return method and types.MethodType(method, function.__self__)
    if kind is type:
        return _constructor(function)
    if kind is functools.partial:
        whole: Any = seen(function.func)
        return whole and functools.partial(whole, *function.args, **function.keywords)
    if kind in closed.BUILTIN_CALLABLES:
        return None
    for base in kind.__mro__:
        found = vars(base).get("__call__")
        if found is not None:
            inner = _twin(found) if type(found) is types.FunctionType else None
            return inner and types.MethodType(inner, function)
    return None


def code_of(function: Any) -> types.CodeType | None:
    """The code, as written, that a seen function runs; None of a class without ``__init__``."""
    kind = type(function)
    if kind is types.MethodType:
        function = function.__func__
    elif kind is type:
        function = function.__init__
    elif not issubclass(kind, _FUNCTIONS):
        function = kind.__call__
    return getattr(function, "__code__", None)


def _twin(function: types.FunctionType) -> types.FunctionType | None:
    code = function.__code__
    known = _twins.get(function)
    if known is not None and known[0] is code:
        twin = known[1]
        given = twin.__defaults__ is function.__defaults__
        if given and twin.__kwdefaults__ is function.__kwdefaults__:
            return twin
    rewritten = _compiled(code, code.co_filename, rewrite_function)
    if rewritten is None:
        return None
    if not is_rewritten(rewritten):
        unguarded.add(rewritten)
    made = with_code(function, rewritten)
    _twins[function] = code, made
    return made


def with_units(function: types.FunctionType) -> tuple[types.FunctionType, range]:
    """The function with its loops compiled, and nothing else of it, and the numbers of its loops;
    itself where none can be tried."""
    code = function.__code__
    rewritten, numbers = _code_with_units(code, code.co_filename)
    return with_code(function, rewritten) if rewritten else function, numbers


_LOOKED_AT = frozenset({"locals", "vars"})


@functools.lru_cache(maxsize=_KEPT)
def _code_with_units(code: types.CodeType, filename: str) -> tuple[types.CodeType | None, range]:
    if not _LOOKED_AT.isdisjoint(code.co_names):
        return None, range(0)  # a unit that looks at variables renews what locals() has given
    first = len(may_try)
    made = _compiled(code, filename, function_with_units)
    known = made is not None and any(map(is_rewritten, with_inner(made)))  # in comprehensions, too
    return made if known else None, range(first, len(may_try))


def _constructor(made: type) -> Callable | None:
    """A plain class whose instances are made by a seen ``__init__``, or by none."""
    init, new = (getattr(made, name) for name in ("__init__", "__new__"))
    if new is not object.__new__ or made.__module__ == "builtins":
        return None
    if init is object.__init__:
        return made
    inner: Any = _twin(init) if type(init) is types.FunctionType else None
    if inner is None:
        return None

    def construct(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        instance: Any = object.__new__(made)
        result = inner(instance, *args, **kwargs)
        if result is not None:
            kind = result.__class__.__name__  # a stand-in's is NumPy's
            raise TypeError(f"__init__() should return None, not '{kind}'")
        return instance

    return construct


@functools.lru_cache(maxsize=_KEPT)
def _compiled(
    code: types.CodeType, filename: str, rewrite: Callable[[Any, str, str], Any]
) -> types.CodeType | None:
    """The rewritten code; None: it can't be rewritten. Equal code of other files is other code."""
    if code.co_flags & _OTHER_FRAMES or is_rewritten(code) or not is_users(filename):
        return None
    try:
        with Rewriting():
            found = definition_of(code)
            node = rewrite(found.copied(), filename, found.class_name)
            return rewritten_code(code, found, node)
    except (NoSource, SyntaxError):  # too many blocks in each other
        return None


def with_code(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    """``function`` with other code. Raises NoSource when its variables are not the same."""
    variables = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    if not variables.keys() >= set(code.co_freevars):
        raise NoSource("its variables were not found")
    closure = tuple(variables[name] for name in code.co_freevars)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    return made


def rewritten_code(code: types.CodeType, found: Definition, node: Any) -> types.CodeType:
    """The code of ``node``, which is the function that was found, rewritten. Raises NoSource when
    its variables are not the same."""
    made = found.compiled(node, code)
    if not set(made.co_freevars) <= set(code.co_freevars):
        raise NoSource("its variables were not found")
    return _with_parts_of(made, {c: c for c in with_inner(code) if c is not code})


def with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code and that of all that is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from with_inner(constant)


def _with_parts_of(code: types.CodeType, parts: dict) -> types.CodeType:
    """The code with these very ones for the inner functions that are as written."""
    if not any(isinstance(c, types.CodeType) for c in code.co_consts):
        return code
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            constant = parts.get(constant) or _with_parts_of(constant, parts)
        constants.append(constant)
    return code.replace(co_consts=tuple(constants))
