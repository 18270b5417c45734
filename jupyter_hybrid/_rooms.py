"""The functions that nd.contrib, nd.linalg, nd.image and nd.random have from the operator table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

from . import _generate


def fill(module: ModuleType, symbolic: bool, call: Callable[..., Any]) -> None:
    """Adds the generated functions to a module and to its ``__all__``; what it has itself stays.

    Args:
        module: one whose last name is a room of :data:`jupyter_hybrid._generate.ROOMS`.
        call: what the functions call, ``nd``'s or ``sym``'s.
    """
    scope = vars(module)
    room = module.__name__.rpartition(".")[2]
    made = [f for f in _generate.room_faces(room) if f.name not in scope]
    scope["_apply" if symbolic else "_invoke"] = call
    source = "".join(_generate.function_source(f, symbolic) for f in made)
    exec(compile(source, f"<{module.__name__} operators>", "exec"), scope)
    for face in made:
        scope[face.name].__module__ = module.__name__
    scope["__all__"] = [*scope.get("__all__", ()), *(f.name for f in made)]


def internal(scope: dict[str, Any], name: str, symbolic: bool, call: Callable[..., Any]) -> Any:
    """A function of ``_internal``, made when it is first asked for, and kept in ``scope``.

    Raises AttributeError when there is no operator of that name.
    """
    face = _internal_faces().get(name)
    if face is None:
        raise AttributeError(f"module {scope['__name__']!r} has no attribute {name!r}")
    bodies: dict[str, Any] = {"_apply" if symbolic else "_invoke": call}
    exec(_generate.function_source(face, symbolic), bodies)
    bodies[name].__module__ = scope["__name__"]
    scope[name] = bodies[name]
    return scope[name]


@lru_cache(maxsize=1)
def _internal_faces() -> dict[str, _generate.Face]:
    return {face.name: face for face in _generate.room_faces("_internal")}


def internal_names() -> list[str]:
    """The operators whose names begin with "_"."""
    return sorted(_internal_faces())
