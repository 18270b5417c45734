"""Units over attributes and methods of instances, and over variables of outer functions."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = """
import numpy as np
class Box:
    rate = 0.5
    _hidden = 3
    __private = 4
    def __init__(self, n=6):
        self.x, self.s, self.k, self.h = np.arange(float(n)), 0.0, 0, []
    def scaled(self, v, by=2.0):
        return v * by + self.s
    def add(self, i):
        self.k += 1
        self.s = self.s + self.scaled(self.x[i])
        return self.k, self.s
    def both(self, i):
        one, other = self.add(i)
        return other - one
    def go(self, n):
        for i in range(n):
            gain = self.both(i % 6)
            self.s += gain * self.rate
            self.h.append(self.s)
        return self.s
    @staticmethod
    def square(v):
        return v * v
    def squares(self, n):
        for i in range(n):
            self.k += self.square(i) % 7
        return self.k
    def privately(self, n):
        for i in range(n):
            self.k += self.__private
        return self.k
box, other = Box(), Box()
"""


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def agree(shell: Shell, body: str, fails: bool = False) -> None:
    text = SETUP + body
    if fails:
        text = (
            SETUP
            + "try:\n    "
            + body.replace("\n", "\n    ")
            + "\nexcept Exception as e:\n    said = repr(e)"
        )
    wanted = imperative(text)[0]
    shell.run(text)
    for name in ("box", "other"):
        one, plain = vars(shell.ns[name]), vars(wanted[name])
        assert list(one) == list(plain)
        for attribute, value in plain.items():
            found = one[attribute]
            assert type(found) is type(value) and repr(found) == repr(value), attribute
    for name in ("r", "said"):
        assert repr(shell.ns.pop(name, None)) == repr(wanted.get(name))


LOOPS = {
    "a method's loop": "r = box.go(50)",
    "attributes of a global": """
for i in range(40):
    box.s += box.x[i % 6] * box._hidden
    box.k = i
""",
    "methods that write": """
for i in range(40):
    a, b = box.add(i % 6)
    box.x[i % 6] = b
r = a
""",
    "a static method": "r = box.squares(40)",
    "elements": """
for i in range(6):
    box.x[i] = box.x[i] * box.rate + other.x[-i]
    other.k += 1
""",
    "whole arrays": "for i in range(9):\n    box.x = box.x * box.rate + i\n    box.s = box.x.sum()",
    "a list grows": "for i in range(9):\n    box.h.append(i * box.rate)",
    "a while": "while box.k < 30:\n    box.k += 2\n    other.s -= box.k",
    "a comprehension": "r = [box.scaled(v, 3.0) + box.k for v in range(40)]",
    "a generator": "r = sum(box.scaled(v) for v in range(40))",
    "two instances of a class": """
for i in range(9):
    box.add(i % 6)
    other.add(0)
    box.s -= other.s
""",
    "an error in a step": """
box = Box(180)
for i in range(200):
    box.k = i
    box.s = box.x[i]
    box.k += 100
""",
    "what an outer function has": """
def outer(n):
    table, k = [2, 3, 5], 4
    def small(v):
        for p in table:
            if v % p == 0:
                return p
        return big(v)
    def big(v):
        return v * k
    total = 0
    for i in range(n):
        total += small(i)
    return total
r = outer(40)
""",
    "functions of a factory": """
def power(n):
    return lambda v: v ** n
square, cube = power(2), power(3)
r = 0
for i in range(30):
    r += square(i) - cube(i % 3)
""",
}
LEFT = {
    "a property": """
class B(Box):
    @property
    def k(self): return 1
    @k.setter
    def k(self, v): seen.append(v)
seen = []
box = B()
for i in range(20):
    box.k = box.k + i
r = seen
""",
    "slots": """
class S:
    __slots__ = ('v',)
s = S()
s.v = 1
for i in range(20):
    s.v = s.v * 3 + i
r = s.v
""",
    "what is set is seen": """
class B(Box):
    def __setattr__(self, n, v):
        seen.append(n)
        object.__setattr__(self, n, v)
seen = []
box = B()
for i in range(20):
    box.k = box.k + i
r = seen
""",
    "what is read is seen": """
class B(Box):
    def __getattribute__(self, n):
        seen.append(n)
        return object.__getattribute__(self, n)
seen = []
box = B()
for i in range(20):
    box.k = box.k + i
r = seen[:99]
box = Box()
""",
    "two names of one": """
same = box
for i in range(20):
    box.k = same.k + 1
    same.s += box.k
""",
    "a class attribute is set": "for i in range(20):\n    box.rate = box.rate * 0.5 + i",
    "a new attribute": "for i in range(20):\n    box.new = i\n    box.k += box.new",
    "no such attribute": "for i in range(20):\n    box.k += 1\n    box.s += box.missing",
    "a private name": "r = box.privately(30)",
    "an instance's own function": """
box.scaled = lambda v: v
r = 0
for i in range(20):
    r += box.scaled(i)
del box.scaled
""",
    "the instance goes on": """
r = []
for i in range(20):
    r.append(box)
    box.k += i
r = len(r)
""",
    "what the loop binds": """
def outer(n):
    k = 1
    def f(v):
        return v * k
    total = 0
    for i in range(n):
        k = i
        total += f(i)
    return total
r = outer(30)
""",
    "a function that rebinds": """
def outer(n):
    k = 1
    def f(v):
        nonlocal k
        k += v
        return k
    total = 0
    for i in range(n):
        total += f(i)
    return total, k
r = outer(30)
""",
    "a variable that is not bound": """
def outer(n):
    def f(v):
        return v * late
    total = 0
    for i in range(n):
        total += f(i)
    late = 2
    return total
r = outer(30)
""",
}
FAIL = {"an error in a step", "no such attribute", "a variable that is not bound"}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_run_compiled(shell: Shell, steps: list[int], name: str) -> None:
    agree(shell, LOOPS[name], fails=name in FAIL)
    assert sum(steps) > 0


@pytest.mark.parametrize("name", LEFT)
def test_loops_that_are_pythons(shell: Shell, name: str) -> None:
    agree(shell, LEFT[name], fails=name in FAIL)


def test_methods_and_classes_that_change(shell: Shell, steps: list[int]) -> None:
    body = "r = 0\nfor i in range(40):\n    r += box.scaled(i)"
    changes = [
        "Box.scaled = lambda self, v: v - 1",
        "box.s = 7",
        "box.__class__ = type('C', (Box,), {'scaled': lambda self, v: v + self.k})",
        "box.k = np.float32(2)",
        "C = type(box)\nC.k = property(lambda self: 11)",
    ]
    wanted = imperative(SETUP)[0]
    shell.run(SETUP)
    for change in ["", *changes]:
        exec(change, wanted)
        exec(body, wanted)
        shell.run(change or "pass")
        shell.run(body)
        assert repr(shell.ns["r"]) == repr(wanted["r"])
    assert sum(steps) > 0


def test_a_method_that_is_called_again_and_again(shell: Shell, steps: list[int]) -> None:
    """Its loops are compiled by calls through an attribute, and of one instance after another."""
    shell.run(SETUP)
    shell.run("r = [Box(6).go(k) for k in range(1, 30)]")
    assert sum(steps) > 0
    wanted = imperative(SETUP + "r = [Box(6).go(k) for k in range(1, 30)]")[0]["r"]
    assert shell.ns["r"] == wanted
    assert all(type(v) is type(w) for v, w in zip(shell.ns["r"], wanted, strict=True))
    assert isinstance(shell.ns["r"][0], np.float64)


FIRST_STEP_MAKES = """
class Later:
    def __init__(self):
        self.w = np.ones(3)
    def look(self, v):
        self.seen = v * self.w
    def learn(self):
        self.w = self.w - 0.1 * self.seen
    def go(self, n):
        for i in range(n):
            self.look(i / n)
            self.learn()
        return self.w, self.seen
"""


def test_an_attribute_that_the_first_step_makes(shell, steps):
    shell.run(SETUP + FIRST_STEP_MAKES)
    for _ in range(3):
        shell.run("made = Later().go(300)\n")
    assert 299 in steps  # Python has taken one
    wanted = imperative(SETUP + FIRST_STEP_MAKES + "made = Later().go(300)\n")[0]
    for mine, its in zip(shell.ns["made"], wanted["made"], strict=True):
        np.testing.assert_array_equal(mine, its)
