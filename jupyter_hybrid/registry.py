"""Classes that are created by name: MXNet's ``registry``, for bases of the user's own."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

Class = TypeVar("Class", bound=type)
_classes: dict[type, dict[str, type]] = {}  # base -> name in small letters -> class


def get_registry(base_class: type) -> dict[str, type]:
    """A copy of what is registered for the base: name in small letters -> class."""
    return dict(_classes.setdefault(base_class, {}))


def get_register_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """``register(klass, name=None)``: registers a derived class and gives it back.

    A name that is taken is given to the new class, with a warning.
    """
    known = _classes.setdefault(base_class, {})

    def register(klass: Class, name: str | None = None) -> Class:
        assert issubclass(klass, base_class), (
            f"register: expected a class derived from {base_class.__name__}, got {klass.__name__}"
        )
        key = (klass.__name__ if name is None else name).lower()
        if key in known:
            warnings.warn(
                f"{nickname} {key!r} was {known[key].__module__}.{known[key].__name__} and is "
                f"{klass.__module__}.{klass.__name__} from now on",
                UserWarning,
                stacklevel=2,
            )
        known[key] = klass
        return klass

    return register


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """``@alias("a", "b")``: registers a class by each of the names."""
    register = get_register_func(base_class, nickname)

    def alias(*aliases: str) -> Callable[[Class], Class]:
        def with_names(klass: Class) -> Class:
            for name in aliases:
                register(klass, name)
            return klass

        return with_names

    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """``create(name, *args, **kwargs)``: an instance of the class of that name.

    The name may be given as the argument called ``nickname``, alone or in a dict with the others.
    JSON will do: ``'["name", {"size": 2}]'`` or ``'{"nickname": "name", "size": 2}'``. An instance
    is given back as it is.
    """
    known = _classes.setdefault(base_class, {})

    def create(*args: Any, **kwargs: Any) -> Any:
        if not args and nickname not in kwargs:
            raise TypeError(f"create: expected a {nickname}, its name or its description")
        name, args = (args[0], args[1:]) if args else (kwargs.pop(nickname), ())
        if isinstance(name, base_class):
            assert not args and not kwargs, (
                f"{nickname}: an instance takes no arguments, got {args} {kwargs}"
            )
            return name
        if isinstance(name, dict):
            return create(**name)
        assert isinstance(name, str), f"{nickname}: expected a str, got {name!r}"
        if name.startswith(("[", "{")):
            assert not args and not kwargs, f"{nickname}: JSON takes no more arguments"
            described = json.loads(name)
            first, more = described if isinstance(described, list) else (described, {})
            return create(first, **more)
        assert name.lower() in known, (
            f"{nickname} {name!r} is not registered; registered are {', '.join(sorted(known))}"
        )
        return known[name.lower()](*args, **kwargs)

    return create
