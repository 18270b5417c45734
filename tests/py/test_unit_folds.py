"""Python's functions that go through all of something, in units."""

from __future__ import annotations

import pytest
from cells import Shell, imperative

SETUP = """
import numpy as np
draw = np.random.default_rng(0)
x, y, m = draw.random(20), draw.random(20), draw.random((3, 4))
k, b, L, T = draw.integers(-9, 9, 20), x > 0.5, [1, 5.5, 9], "some words"
F, s, c, v, said = [0.5, -0.0, 1e300], 0.0, 0, "mine", ""
def f(v):
    return v * v - 0.25
def longest(u):
    return max(f(v) for v in u) - sum(v for v in u if v > 0.3)
class Box:
    def __init__(self):
        self.x = x * 2
    def total(self):
        return sum(v for v in self.x)
box = Box()
"""

STATEMENTS = {
    "sums": "s += sum(x) + sum(F) - sum(range(i)); c += sum(k) + sum(b)",
    "sums of expressions": "s += sum(v * v for v in x) + sum([v - 1 for v in y])",
    "conditions": "s += sum(v * w for v, w in zip(x, y) if v > 0.5 if w > 0.1)",
    "counts": "c += sum(1 for v in k if v > i) + sum(v > 3 for v in k)",
    "two loops": "s += sum(v * w for v in x[:5] for w in y[i % 3 : 9])",
    "a loop that knows the outer one": "c += sum(j for i in range(5) for j in range(i))",
    "one in the other": "s += sum(sum(v for v in r) for r in m) + sum(sum(r) for r in m)",
    "the largest": "s += max(x) - min(y) + max(k) * min(F)",
    "the largest of expressions": "s += max(f(v) for v in x) - min(abs(v) for v in k)",
    "the first of equal ones": "c += max([1, 1.0, True][i % 3 :: -1]) if i else min(k)",
    "is there one": "c += any(v > 0.9 for v in x[i:]); c += any(k > i) if i < 3 else any(b[i:])",
    "are all": "c += all(v < 0.95 for v in x[:i]); c += all([v > -9 for v in k])",
    "a name that stays": "s += sum(v for v in x); said = v",
    "a name that is read": "v = 3; s += sum(v for v in x) + v",
    "in a condition": "if sum(v > 0.5 for v in x) > 9 and any(k == i): c += 1",
    "an index": "s += x[sum(1 for v in k if v > 2)]",
    "an update by one": "x[i % 20] += sum(v for v in y if v > x[i % 20])",
    "functions": "s += longest(x) + longest(y[i % 9 :])",
    "a method": "s += box.total()",
    "draws": "s += sum(draw.random() for _ in F) + any([draw.random() < 0.5 for _ in F])",
    "draws until one": "c += any(draw.random() < 0.5 for _ in range(9))",
    "rows": "s += sum(m)[1] + sum(r * 2 for r in m)[0]",
    "none": "s += sum(x[:0]) + sum(v for v in x[9:9])",
    "the largest of none": "s += max(x[: 20 - i])",
    "infinite": "s += sum(v * 10 for v in F) + max(v * 1e10 for v in F)",
    "words": "c += sum(ord(a) for a in T) + sum(1 for a in T if a == 'o')",
    "nested displays": "c += sum(a * b for a, b in [(1, 2), (3, i)])",
    "a start": "s += sum(x, 1)",
    "a key": "c += max(k, key=lambda v: -v)",
    "a default": "s += max(x[:0], default=2.0)",
}


# No unit runs them.
OTHERS = frozenset({"the first of equal ones", "nested displays", "a start", "a key", "a default"})


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def agree(shell: Shell, statement: str) -> None:
    lines = statement.replace("; ", f"\n{' ' * 8}")
    loop = f"try:\n    for i in range(40):\n        {lines}"
    text = f"{SETUP}{loop}\nexcept Exception as e:\n    said = repr(e)"
    wanted = imperative(text)[0]
    shell.run(text)
    for name in ("x", "s", "c", "v", "said"):
        assert repr(shell.ns[name]) == repr(wanted[name]), name
    assert shell.ns["draw"].bit_generator.state == wanted["draw"].bit_generator.state


@pytest.mark.parametrize("name", STATEMENTS)
def test_folds_are_python_s(shell: Shell, name: str) -> None:
    agree(shell, STATEMENTS[name])  # and what units foretell is compared: conftest


@pytest.mark.parametrize("name", STATEMENTS)
def test_folds_of_units_are_python_s(shell: Shell, steps: list[int], name: str) -> None:
    agree(shell, STATEMENTS[name])
    assert name in OTHERS or sum(steps) >= 19


def test_another_sum(shell: Shell, steps: list[int]) -> None:
    shell.run("s, x = 0, [1, 2]\ndef sum(v):\n    return 7\nfor i in range(40):\n    s += sum(x)")
    assert shell.ns["s"] == 280
    shell.run("del sum\nfor i in range(40):\n    s += sum(x)")
    assert shell.ns["s"] == 400
