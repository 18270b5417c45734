"""Layers that differ in the defaults of their arguments alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


def with_defaults(function: Callable[P, R], **defaults: Any) -> Callable[P, R]:
    """The same function with other defaults of positional arguments that have one.

    >>> with_defaults(lambda size, step=1: size * step, step=(1, 1))(2)
    (1, 1, 1, 1)
    """
    given = cast(FunctionType, function)
    own = {
        name: parameter.default
        for name, parameter in inspect.signature(given).parameters.items()
        if parameter.default is not parameter.empty
    }
    unknown = set(defaults) - set(own)
    assert not unknown, f"{given.__qualname__} has no defaults of {sorted(unknown)}"
    made = FunctionType(
        given.__code__,
        given.__globals__,
        given.__name__,
        tuple({**own, **defaults}.values()),
        given.__closure__,
    )
    made.__annotations__ = given.__annotations__
    made.__qualname__ = given.__qualname__
    made.__module__ = given.__module__
    return cast(Callable[P, R], made)
