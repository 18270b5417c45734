"""Complex numbers in units: Python's and NumPy's, which divide in two ways, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

EXPRESSIONS = (
    "a / b", "a ** 2", "a ** 3", "a ** 2.0", "2 / b", "a / 3", "1.5 / b ** 2", "a.real / b",
    "(a ** 3 - 1) / (3 * a ** 2)", "a / h[i]", "h[i] / b", "h[i] ** 2", "h[i] ** 3",
    "h[i] / h[-i]", "h[i] / 2.5", "3 / h[i]", "h[i] ** 2 / (1 + h[i])", "h[i].real / h[i]",
    "np.abs(a) + np.abs(h[i])", "abs(a) * h[i]", "abs(h[i])",
    "(a == b) + 2 * (a != 0) + 4 * (b == -1e150)", "int(a == i) + 2 * bool(a != h[i].imag)",
    "int(a.real == a) + 2 * (h[i] == b) + 4 * (h[i] != 3)",
    "a * u[i] + 1j * u[-i]", "u[i] * a", "a / u[i]", "u[i] / a", "1 - u[i] * np.exp(-1j * u[i])",
    "7 if a == 1j or h[i] == 0 else 8", "np.exp(a) + np.exp(h[i])",
)  # fmt: skip
# The loop goes on behind a step that raises.
LOOP = """
import numpy as np
x, said, s = np.zeros(len(ps), complex), [], 0
h, u = np.array([p[1] for p in ps]), np.array([p[0].imag for p in ps])
ar, ai = [p[0].real for p in ps], [p[0].imag for p in ps]
br, bi = [p[1].real for p in ps], [p[1].imag for p in ps]
while s < len(ps):
    try:
        for i in range(s, len(ps)):
            a, b = complex(ar[i], ai[i]), complex(br[i], bi[i])
            x[i] = {}
        s = len(ps)
    except (ZeroDivisionError, OverflowError) as e:
        said.append((i, repr(e)))
        s = i + 1
"""


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def numbers() -> list[complex]:
    draw = np.random.default_rng(3)
    return [complex(*v) for v in draw.normal(size=(40, 2)) * 10.0 ** draw.integers(-3, 4, (40, 1))]


def ran(shell: Shell, expression: str, pairs: list[tuple[complex, complex]]) -> None:
    text = LOOP.format(expression)
    with np.errstate(all="ignore"):
        wanted: dict[str, Any] = imperative(text, {"ps": pairs})[0]
        shell.ns["ps"] = pairs
        shell.run(text)
    assert shell.ns["x"].tobytes() == wanted["x"].tobytes()
    assert shell.ns["said"] == wanted["said"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_bits(shell: Shell, steps: list[int], expression: str) -> None:
    some = numbers()
    pairs = [(a, b) for a in some for b in some[::3]]
    ran(shell, expression, pairs)
    assert sum(steps) >= len(pairs)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_zeros_infinities_and_large_numbers(
    shell: Shell, steps: list[int], expression: str
) -> None:
    reals = (0.0, -0.0, 1.0, -2.0, 1e200, 1e-200, float("inf"), float("nan"))
    some = [complex(a, b) for a in reals for b in (0.0, -0.0, 3.0, -1e150)]
    ran(shell, expression, [(a, b) for a in some for b in some[::3]])
