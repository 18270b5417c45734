"""The functions that nd.contrib, nd.linalg, nd.image and nd.random have from the operator table."""

from __future__ import annotations

from collections.abc import Callable
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
