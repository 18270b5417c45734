"""MXNet 1.x's ``sym``: expressions of named variables, computed when they are bound.

The functions are those of :mod:`jupyter_hybrid.nd`, on symbols; an input that is left out becomes
a variable named after the operator ("dense0_weight").
"""

from __future__ import annotations

from typing import Any

from .. import _generate, _rooms
from .._core import Symbol
from . import _internal as _internal
from . import (
    contrib,
    creation,
    functions,
    image,
    linalg,
    methods,
    random,
    refusals,
    variable,
)
from .applying import apply_operator
from .creation import *  # noqa: F403
from .custom import Custom
from .executor import Executor
from .function import Function, compile_function
from .functions import *  # noqa: F403
from .names import name_prefix
from .pair import load_pair
from .variable import *  # noqa: F403


def _split_method(self: Symbol, *args: Any, **kwargs: Any) -> Symbol:
    """:func:`split_v2` of the symbol."""
    return split_v2(self, *args, **kwargs)  # noqa: F405


def _define() -> list[str]:
    """Makes the functions and methods; one compilation for all."""
    scope = globals()
    scope.update(creation.arithmetic(), _apply=apply_operator)
    made = [f for f in _generate.faces() if f.name not in scope]
    source = "".join(_generate.function_source(f, symbolic=True) for f in made)
    exec(compile(source, "<jupyter_hybrid.sym operators>", "exec"), scope)
    for face in made:
        scope[face.name].__module__ = __name__
    methods.install(scope["reshape"])
    refusals.install()
    taken = set(dir(Symbol))
    operators = list(_generate.methods(taken))
    bodies: dict[str, Any] = {"_apply": apply_operator}
    text = "".join(_generate.method_source(f, symbolic=True) for f in operators)
    exec(compile(text, "<jupyter_hybrid.sym methods>", "exec"), bodies)
    for face in operators:
        setattr(Symbol, face.name, bodies[face.name])
    Symbol.split_v2 = _split_method  # type: ignore[attr-defined]
    for module in (contrib, image, linalg, random):
        _rooms.fill(module, True, apply_operator)
    return [*creation.arithmetic(), *(f.name for f in made)]


__all__ = [
    "Custom",
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
    *creation.__all__,
    *functions.__all__,
    *variable.__all__,
    *_define(),
]
