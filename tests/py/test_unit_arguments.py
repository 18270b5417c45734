"""Whatever a loop gives to a function: a unit knows it, or leaves it; nothing of ours raises."""

from __future__ import annotations

import ast
import itertools
import math
import sys
from typing import Any

import numpy as np
import pytest

from jupyter_hybrid.capture.units import Unit, functions, pure, values, whole

NAMES: dict[str, Any] = {
    "x": np.arange(6.0), "m": np.ones((3, 3)), "k": np.arange(3), "t": np.array([True, False]),
    "z": np.ones(3) * 1j, "d": np.float64(2), "f": np.float32(1), "i": 3, "s": 1.5, "b": True,
    "w": 1j, "n": None, "u": "abc", "p": [(1, 2), (3, 4)], "rng": np.random.default_rng(0),
}  # fmt: skip
GIVEN = [*NAMES, "(i, i)", "[s, i]", "[]", "x.shape", "(-1)"]
PYTHONS = [sum, min, max, any, all, len, abs, round, complex, int, float, math.atan2]
KNOWN: dict[Any, None] = dict.fromkeys(
    [*values._FUNCTIONS, *pure.PURE, *functions.FUNCTIONS, *PYTHONS]
)
METHODS = sorted({*whole.METHODS, *pure._METHODS, "normal", "random", "integers", "choice"})


def compiled(expression: str, names: dict[str, Any]) -> None:
    """Makes the unit of a loop that computes it, if there is one."""
    node: Any = ast.parse(f"for q in range(9):\n    r = {expression}\n").body[0]
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    made: dict[str, Any] = {"sys": sys}
    parameters = ", ".join(sorted(used & names.keys()))
    exec(f"def frame({parameters}):\n    return sys._getframe()", made)
    frame = made["frame"](**{n: v for n, v in names.items() if n in used})
    Unit(node).ready(frame, range(9))


@pytest.mark.parametrize("function", KNOWN, ids=lambda f: getattr(f, "__name__", "a ufunc"))
def test_functions(function: Any) -> None:
    names = {**NAMES, "function": function}
    for one in GIVEN:
        compiled(f"function({one})", names)
    for one, other in itertools.product(GIVEN, repeat=2):
        compiled(f"function({one}, {other})", names)
    for one, name, value in itertools.product(
        ("x", "m", "s", "[]"), ("axis", "keepdims", "dtype", "size"), ("0", "None", "(0,)", "x")
    ):
        compiled(f"function({one}, {name}={value})", names)


@pytest.mark.parametrize("method", METHODS)
def test_methods(method: str) -> None:
    for base, given in itertools.product(GIVEN, ["", "x", "i", "(2, 3)", "n", "axis=0", "[]"]):
        compiled(f"{base}.{method}({given})", NAMES)


@pytest.mark.parametrize("operator", ["+", "/", "//", "**", "@", "&", "<<", "<", "==", "is", "or"])
def test_operators(operator: str) -> None:
    for one, other in itertools.product(GIVEN, repeat=2):
        compiled(f"{one} {operator} {other}", NAMES)


@pytest.mark.parametrize("form", ["{}[{}]", "{}[{}:]", "{}[::{}]", "{}[{}, 0]", "{}[None, {}]"])
def test_elements(form: str) -> None:
    for one, other in itertools.product(GIVEN, repeat=2):
        compiled(form.format(one, other), NAMES)
