"""Calls on the closed list that keep something: methods of containers, errors, ``operator``'s."""

from __future__ import annotations

import types
from typing import Any

from .. import _core
from .homes import is_ours, kept, put

_guards = _core.guards
_CONTAINERS = (list, dict, set)


def call(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """``function(*args, **kwargs)``, where what is kept is real or waits in its place."""
    owner = getattr(function, "__self__", None)
    if type(owner) in _CONTAINERS:
        return _method(owner, function, args, kwargs)
    if type(function) is type and issubclass(function, BaseException) and is_ours(args):
        args = tuple(map(kept, args))
    made = function(*args, **kwargs)
    if type(function) is types.BuiltinFunctionType and function.__module__ == "_operator":
        for a in args:
            _guards.held(a)
    return made


def _method(owner: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    name = function.__name__
    if name == "append" and len(args) == 1 and is_ours(args[0]):
        function(None)
        put(args[0], owner, -1)
        return None
    if type(owner) is set:
        args = tuple(map(kept, args))
    try:
        return function(*args, **kwargs)
    finally:  # an error may leave it what came before
        if type(owner) is set:
            for member in [v for v in owner if is_ours(v)]:
                owner.remove(member)
                owner.add(kept(member))
        elif is_ours(args) or name in ("extend", "update"):
            _guards.held(owner)
