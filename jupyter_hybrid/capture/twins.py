"""Twins: a plain function of the user's compiled once more, with its lines rewritten.

A call in a recorded cell enters the twin, which has the function's globals, closure and defaults;
the function object itself keeps its own code, which is what everybody else calls.
"""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import os
import sys
import sysconfig
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from . import closed
from .source.copies import ON
from .source.guarded import GUARDS
from .source.rewrite import rewrite
from .source.sources import FUTURES, NoSource, class_around, function_of
from .trace_state import RUNTIME

_OTHER_FRAMES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_INSTALLED = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_TYPE_PARAMS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}
_codes: dict[types.CodeType, types.CodeType | None] = {}  # None: it can't be rewritten
# A function's twin, and the code that it had then.
_twins: WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, types.FunctionType]]
_twins = WeakKeyDictionary()


def is_rewritten(code: types.CodeType) -> bool:
    """True for code of hybridized cells: it asks for itself."""
    return not {RUNTIME, GUARDS, ON}.isdisjoint(code.co_names)


def seen(function: Any) -> Callable | None:
    """What a recorded cell calls in the place of ``function``; None where its code is unseen."""
    kind = type(function)
    if kind is types.FunctionType:
        return _twin(function)
    if kind is types.MethodType and type(function.__func__) is types.FunctionType:
        inner = _twin(function.__func__)
        if inner is None or inner is function.__func__:
            return inner and function
        return types.MethodType(inner, function.__self__)
    if kind is type:
        return _constructor(function)
    if kind in closed.BUILTIN_CALLABLES:
        return None
    for base in kind.__mro__:
        found = vars(base).get("__call__")
        if found is not None:
            inner = _twin(found) if type(found) is types.FunctionType else None
            return inner and types.MethodType(inner, function)
    return None


def _twin(function: types.FunctionType) -> types.FunctionType | None:
    code = function.__code__
    if is_rewritten(code):
        return function
    known = _twins.get(function)
    if known is not None and known[0] is code and _same_defaults(known[1], function):
        return known[1]
    if code not in _codes:
        _codes[code] = _compiled(function) if _is_users(code) else None
    rewritten = _codes[code]
    if rewritten is None:
        return None
    made = with_code(function, rewritten)
    _twins[function] = code, made
    return made


def _same_defaults(twin: types.FunctionType, function: types.FunctionType) -> bool:
    return (
        twin.__defaults__ is function.__defaults__
        and twin.__kwdefaults__ is function.__kwdefaults__
    )


def _constructor(made: type) -> Callable | None:
    """A plain class whose instances are made by a seen ``__init__``, or by none."""
    init, new = (getattr(made, name) for name in ("__init__", "__new__"))
    if new is not object.__new__ or made.__module__ == "builtins":
        return None
    if init is object.__init__:
        return made
    inner: Any = _twin(init) if type(init) is types.FunctionType else None
    if inner is None or inner is init:
        return made if inner is init else None

    def construct(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        instance: Any = object.__new__(made)
        result = inner(instance, *args, **kwargs)
        if result is not None:
            kind = result.__class__.__name__  # a stand-in's is NumPy's
            raise TypeError(f"__init__() should return None, not '{kind}'")
        return instance

    return construct


def _is_users(code: types.CodeType) -> bool:
    """Code of a plain cell, or of a module below the notebook's folder that is not installed."""
    if code.co_flags & _OTHER_FRAMES:
        return False
    cached = linecache.cache.get(code.co_filename)
    if cached is not None and len(cached) > 1 and cached[1] is None:
        return True
    path = os.path.abspath(code.co_filename)
    own = os.path.dirname(os.path.dirname(__file__))
    if path.startswith((*_INSTALLED, own + os.sep)):
        return False
    return path.startswith(os.getcwd() + os.sep)


def _compiled(function: types.FunctionType) -> types.CodeType | None:
    try:
        _, definition = function_of(function.__code__)
        around = class_around(function.__code__)
        return rewritten_code(function, copy.deepcopy(definition), around=around)
    except NoSource:
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


def _twice(tree: ast.Module, filename: str) -> ast.Module:
    return rewrite(tree, filename, copies=True)


def rewritten_code(
    function: types.FunctionType,
    definition: ast.FunctionDef,
    rewriting: Callable[[ast.Module, str], ast.Module] = _twice,
    around: str | None = None,
) -> types.CodeType:
    """The code of the rewritten function. Raises NoSource when its source can't be rewritten.

    Args:
        rewriting: rewrites a module of this file.
        around: the name of the class whose method it is, which mangles names.
    """
    code = function.__code__
    definition.decorator_list = []
    definition.returns = None
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    definition.args.kw_defaults = [d and ast.Constant(None) for d in definition.args.kw_defaults]
    method: list[ast.stmt] = [definition]
    if around is not None:
        mangling = ast.ClassDef(around, [], [], method, [], **_TYPE_PARAMS)
        method = [ast.copy_location(mangling, definition)]
    tree = rewriting(ast.Module(method, []), code.co_filename)
    inner: list[ast.stmt] = list(tree.body)
    if code.co_freevars:
        outer = ast.parse(f"def __outer__({', '.join(code.co_freevars)}): pass").body[0]
        assert isinstance(outer, ast.FunctionDef)
        outer.body = inner
        tree = ast.Module([outer], [])
    ast.fix_missing_locations(tree)
    flags = code.co_flags & FUTURES
    made = _find(compile(tree, code.co_filename, "exec", flags, True), code.co_name)
    if not set(made.co_freevars) <= set(code.co_freevars):
        raise NoSource("its variables were not found")
    return made


def _find(code: types.CodeType, name: str) -> types.CodeType:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name:
                return constant
            with suppress(NoSource):
                return _find(constant, name)
    raise NoSource("its code was not found")


def has_private_names(definition: ast.FunctionDef) -> bool:
    """Does it use names that a class around it would mangle?"""
    names = [n.id for n in ast.walk(definition) if isinstance(n, ast.Name)]
    names += [n.attr for n in ast.walk(definition) if isinstance(n, ast.Attribute)]
    return any(n.startswith("__") and not n.endswith("__") for n in names)
