"""Tuples, lists and dicts of values: their leaves by name, and the container made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

CONTAINERS = (tuple, list, dict)


def is_tree(value: Any) -> bool:
    """Is it a container that is looked into? Subclasses are values of their own."""
    return type(value) in CONTAINERS


def items(value: Any) -> Iterator[tuple[Any, Any]]:
    """(key, element) pairs of a container."""
    return iter(value.items()) if type(value) is dict else iter(enumerate(value))


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(``name[key]``, value) of everything in a container, in order."""
    if not is_tree(value):
        yield name, value
        return
    for key, element in items(value):
        yield from leaves(f"{name}[{key!r}]", element)


def rebuild(name: str, like: Any, leaf: Callable[[str, Any], Any]) -> Any:
    """A new container of the same form with ``leaf(name, old value)`` in each place."""
    if not is_tree(like):
        return leaf(name, like)
    if type(like) is dict:
        return {k: rebuild(f"{name}[{k!r}]", v, leaf) for k, v in like.items()}
    return type(like)(rebuild(f"{name}[{i!r}]", v, leaf) for i, v in enumerate(like))


def form(value: Any) -> Any:
    """The container without its leaves, comparable."""
    if not is_tree(value):
        return None
    if type(value) is dict:
        return dict, tuple((k, form(v)) for k, v in value.items())
    return type(value), tuple(form(v) for v in value)


def described(value: Any) -> str:
    """What kind of container it is, for messages."""
    if not is_tree(value):
        return "no container"
    return f"a {type(value).__name__} of {len(value)}"
