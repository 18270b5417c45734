"""Random functions for script(): branches, loops, early ends, writes in place.

A program is a function of the arrays a, b (shape (2,)), the matrix m (3, 2) and the int k; it
returns three arrays, an int and a float. ``face`` is ``np`` (float64) or ``nd`` (float32).
"""

from __future__ import annotations

import random
from collections.abc import Callable

HELPER = """def helper(v, k):
    if v.sum() > 0:
        return v * k
    return v + k

"""
_START = """    c = a + b
    t = (a * 2, b)
    flag = False
    x = 0.25
"""


class Writer:
    """Writes one program; the same for the same seed."""

    def __init__(self, seed: int, face: str):
        self.random = random.Random(seed)
        self.face = face
        self.in_place = self.chance(0.5)  # arrays of its own, which it writes
        self.floats = self.chance(0.6)
        self.lines: list[str] = []
        self.loops = 0
        self.counts: list[str] = []  # ints that loops count

    def program(self) -> str:
        self.block(1, 3, False)
        self.block(1, 2, False)
        copies = "    a = a * 1\n    b = b * 1\n" if self.in_place else ""
        body = "\n".join(self.lines)
        return (
            f"{HELPER}def program(a, b, m, k):\n{copies}{_START}{body}\n    return a, b, c, k, x\n"
        )

    # Drawing --------------------------------------------------------------------------------------
    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self) -> str:
        floats = ("x", "x") if self.floats else ()
        return self.one("0.5", "2", "1.5", "k", "-1", *floats, *self.counts)

    # Expressions ----------------------------------------------------------------------------------
    def array(self, depth: int = 2) -> str:
        if not depth or self.chance(0.4):
            return self.one("a", "b", "c", "t[0]", "t[1]")
        part = self.array(depth - 1)
        kinds: dict[str, Callable[[], str]] = {
            "pair": lambda: f"({part} {self.one('+', '-', '*')} {self.array(depth - 1)})",
            "scaled": lambda: f"({part} {self.one('+', '-', '*')} {self.number()})",
            "function": lambda: f"{self.face}.{self.one('tanh', 'abs', 'square')}({part})",
            "chosen": lambda: f"({part} if {self.test()} else {self.array(depth - 1)})",
            "helper": lambda: f"helper({part}, {self.number()})",
            "clipped": lambda: f"{self.face}.maximum({part}, {self.number()})",
            "negative": lambda: f"-{part}",
            "row": lambda: f"m[{self.one('0', '1', 'k % 3', *self.counts)}]",
        }
        return kinds[self.one("pair", "pair", "scaled", *kinds)]()

    def integer(self) -> str:
        return self.one(
            "k + 1", "k - 1", "k * 2", "min(k, 3)", "max(k, 1, int(b.sum()))", "abs(k)", "k % 3",
            "k % -3", "k // 2", "7 // (k or 1)", "k ** 2", "divmod(k, 4)[1]", "k and 3",
            "int(a.sum())", "int(b[0] * 2)", f"(k if {self.test(1)} else 2)",
        )  # fmt: skip

    def float(self) -> str:
        return self.one(
            "x + 0.5", "x * 0.5", "float(a.sum())", "-x", "x - k", "abs(x)", "min(x, 1.0)", "x / 2",
            "1 / (x or 2.0)", "float(k)", f"(x if {self.test(1)} else 0.5)",
        )  # fmt: skip

    def test(self, depth: int = 2) -> str:
        kind = self.one(
            "reduced", "element", "number", "chain", "flag", *["both", "not"] * (depth > 0)
        )
        if kind == "reduced":
            value = f"{self.one('a', 'b', 'c')}.{self.one('sum', 'max', 'min', 'mean')}()"
            return f"{value} {self.one('<', '>', '<=')} {self.one('0', '0.7', 'k', 'b.sum()')}"
        if kind == "element":
            return f"{self.one('a', 'b')}[{self.one('0', '-1')}] < {self.one('0.3', 'b[1]')}"
        if kind == "number":
            counts = [f"{i} > 1" for i in self.counts] + [f"{i} == k" for i in self.counts]
            floats = ("x > 0", "x < 0.5") if self.floats else ()
            return self.one("k > 0", "k == 1", "k % 2 == 0", "-2 < k <= 1", "k", *floats, *counts)
        if kind == "both":
            return f"({self.test(depth - 1)} {self.one('and', 'or')} {self.test(depth - 1)})"
        if kind == "not":
            return f"(not {self.test(depth - 1)})"
        return f"-1 < {self.one('a', 'b')}.sum() < 2" if kind == "chain" else "flag"

    # Statements -----------------------------------------------------------------------------------
    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, left: int, in_loop: bool) -> None:
        """``left``: how deep statements in it may nest."""
        for _ in range(self.random.randint(1, 3)):
            kinds = ["array"] * 5 + ["integer", "names", "tuple", "flag"]
            kinds += ["float"] * 2 * self.floats
            kinds += ["update", "element", "element", "updated", "slice"] * self.in_place
            kinds += (
                ["branch"] * 4 + ["counted"] * 2 + ["while", "rows", "over", "early"]
                if left
                else []
            )
            kinds += ["leave"] * 3 * in_loop
            getattr(self, "_" + self.one(*kinds))(depth, left, in_loop)

    def _array(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"{self.one('a', 'b', 'c')} = {self.array()}")

    def _integer(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"k = {self.integer()}")

    def _float(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"x = {self.float()}")

    def _names(self, depth: int, left: int, in_loop: bool) -> None:
        pair = f"a, b = b, {self.array(1)}"
        self.add(depth, self.one("a, b = b, a", pair, "a, b, c = b, c, a", "c = a", "b = c"))

    def _tuple(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"t = ({self.array(1)}, {self.array(1)})")

    def _flag(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"flag = {self.one('k > 0', 'not flag', 'True', 'False')}")

    def _update(self, depth: int, left: int, in_loop: bool) -> None:
        value = self.array(1) if self.chance(0.6) else self.number()
        self.add(depth, f"{self.one('a', 'b', 'c')} {self.one('+=', '-=', '*=')} {value}")

    def _element(self, depth: int, left: int, in_loop: bool) -> None:
        key = self.one("0", "1", "-1", "k % 2", "int(a.sum()) % 2")
        value = self.one(self.number(), "int(b.sum())", "b[1]", "a[0]", "a.sum()")
        self.add(depth, f"{self.one('a', 'b', 'c')}[{key}] = {value}")

    def _updated(self, depth: int, left: int, in_loop: bool) -> None:
        key = self.one("0", "1", "-1", "k % 2")
        self.add(depth, f"{self.one('a', 'b', 'c')}[{key}] {self.one('+=', '*=')} {self.number()}")

    def _slice(self, depth: int, left: int, in_loop: bool) -> None:
        key = self.one(":", "0:1", "1:")
        self.add(depth, f"{self.one('a', 'b', 'c')}[{key}] {self.one('=', '+=')} {self.number()}")

    def _early(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"if {self.test()}:")
        self.add(depth + 1, f"return {self.array(1)}, b, c, k, x")

    def _leave(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"if {self.test()}:")
        if self.chance(0.3):
            self._array(depth + 1, 0, False)
        self.add(depth + 1, self.one("break", "continue"))

    def _branch(self, depth: int, left: int, in_loop: bool) -> None:
        self.add(depth, f"if {self.test()}:")
        self.block(depth + 1, left - 1, in_loop)
        if self.chance(0.3):
            self.add(depth, f"elif {self.test()}:")
            self.block(depth + 1, left - 1, in_loop)
        if self.chance(0.5):
            self.add(depth, "else:")
            self.block(depth + 1, left - 1, in_loop)

    def _loop(self, depth: int, left: int, in_loop: bool, head: str, first: str) -> None:
        self.add(depth, head)
        self.add(depth + 1, first)
        self.block(depth + 1, left - 1, True)
        if self.chance(0.15):
            self.add(depth, "else:")
            self.block(depth + 1, 0, in_loop)

    def _name(self, kind: str) -> str:
        self.loops += 1
        return f"{kind}{self.loops}"

    def _counted(self, depth: int, left: int, in_loop: bool) -> None:
        bounds = (
            "3",
            "9",
            "2",
            "min(max(int(a.sum()), 0), 4)",
            "min(abs(k), 5)",
            "1, 4",
            "5, 0, -2",
        )
        name = self._name("i")
        self.counts.append(name)
        head = f"for {name} in range({self.one(*bounds)}):"
        self._loop(depth, left, in_loop, head, f"c = c * 0.5 + {name}")
        if self.chance(0.7):
            self.counts.remove(name)

    def _while(self, depth: int, left: int, in_loop: bool) -> None:
        name = self._name("w")
        self.add(depth, f"{name} = 0")
        test = self.one(f"{name} < 6 and {self.test(1)}", f"{self.test(1)} and {name} < 5")
        self.counts.append(name)
        self._loop(depth, left, in_loop, f"while {test}:", f"{name} += 1")
        if self.chance(0.7):
            self.counts.remove(name)

    def _rows(self, depth: int, left: int, in_loop: bool) -> None:
        name = self._name("r")
        self._loop(depth, left, in_loop, f"for {name} in m:", f"b = b * 0.5 + {name}")

    def _over(self, depth: int, left: int, in_loop: bool) -> None:
        name = self._name("v")
        target, values = self.random.choice(
            [(name, "(a, b)"), (name, "[a, c, b]"), (name, "t"), (f"_, {name}", "enumerate(t)"),
             (f"{name}, _", "zip(t, (a, b))")]
        )  # fmt: skip
        self._loop(depth, left, in_loop, f"for {target} in {values}:", f"a = a * 0.5 + {name}")
