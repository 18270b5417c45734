"""MXNet 1.x's ``sym``: expressions of named variables, computed when they are bound.

The functions are those of :mod:`jupyter_hybrid.nd`, on symbols; an input that is left out becomes
a variable named after the operator ("dense0_weight").
"""

from __future__ import annotations

from typing import Any

from .. import _core, _generate, _rooms
from .._core import Symbol
from ..attribute import attribute_names, split_attributes
from . import contrib, creation, image, linalg, methods, random, refusals, variable
from .creation import *  # noqa: F403
from .executor import Executor
from .function import Function, compile_function
from .names import choose_name, name_prefix
from .pair import load_pair
from .random import normal as random_normal
from .random import randint as random_randint
from .random import shuffle
from .random import uniform as random_uniform
from .variable import *  # noqa: F403


def _apply(op: str, inputs: Any, attrs: Any, name: str | None, attr: Any, hint: str = "") -> Symbol:
    own, named = split_attributes(attrs)
    if attr:
        named |= attribute_names(attr)
    return _core.sym_apply(op, inputs, own, choose_name(name, hint or op), named)


def _define() -> list[str]:
    """Makes the functions and methods; one compilation for all."""
    scope = globals()
    scope.update(creation.arithmetic())
    made = [f for f in _generate.faces() if f.name not in scope]
    source = "".join(_generate.function_source(f, symbolic=True) for f in made)
    exec(compile(source, "<jupyter_hybrid.sym operators>", "exec"), scope)
    for face in made:
        scope[face.name].__module__ = __name__
    methods.install(scope["reshape"])
    refusals.install()
    taken = set(dir(Symbol))
    operators = list(_generate.methods(taken))
    bodies: dict[str, Any] = {"_apply": _apply}
    text = "".join(_generate.method_source(f, symbolic=True) for f in operators)
    exec(compile(text, "<jupyter_hybrid.sym methods>", "exec"), bodies)
    for face in operators:
        setattr(Symbol, face.name, bodies[face.name])
    for module in (contrib, image, linalg, random):
        _rooms.fill(module, True, _apply)
    return [*creation.arithmetic(), *(f.name for f in made)]


__all__ = [
    "Executor",
    "Function",
    "Symbol",
    "compile_function",
    "contrib",
    "image",
    "linalg",
    "load_pair",
    "name_prefix",
    "random",
    "random_normal",
    "random_randint",
    "random_uniform",
    "shuffle",
    *creation.__all__,
    *variable.__all__,
    *_define(),
]
