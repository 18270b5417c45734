"""Code with conditions and loops on values: what cells and scripts are both asked to run.

In a cell Python follows the values; as a scripted function the same code becomes nodes, or is
refused with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jupyter_hybrid import nd

A = np.array([1.0, 2.0])
X = np.linspace(-1.0, 2.0, 12).reshape(3, 4)
ONE = np.array(1.0)
THIRTY = nd.arange(120).reshape((30, 4)) / 60


@dataclass
class Body:
    """A piece of code and what it is given.

    Attributes:
        made: the operators that a script makes of it, or why it is refused there.
        reads: times that a cell reads a value for a condition; None: it is not counted.
        close: floats may differ by rounding; BLAS adds in an order of its own.
    """

    text: str
    made: list[str] | str
    given: dict[str, Any] = field(default_factory=lambda: {"x": X})
    reads: int | None = None
    close: bool = False


def signed(text: str, made: list[str] | str, **given: Any) -> list[Body]:
    """The same for values that choose the one branch and the other."""
    return [Body(text, made, {"a": A, "s": s, **given}, 1) for s in (1.0, -1.0)]


TEST = "if (a * s).sum() > 0:\n"
BRANCHES: dict[str, list[Body]] = {
    "both bind": [
        Body(
            "y = x * 2\nif y.sum() > 0:\n    z = y - 1\nelse:\n    z = y + 1\nw = z * 3\n",
            ["cond"], {"x": X * sign}, 1,
        )
        for sign in (1.0, -1.0)
    ],
    "one leaves a name alone": [
        Body("y = x * 2\nif y.sum() > 0:\n    y = -y\nz = y + 1\n", ["cond"], reads=1)
    ],
    "may be an input": [
        Body("y = x\nif (x * 2).sum() > 0:\n    y = -x\nz = y * 2\n", ["cond"], reads=1)
    ],
    "different dtypes": [
        Body(
            "y = x * 2\nif y.sum() > 0:\n    z = y.astype('float32')\nelse:\n    z = y + 0\n",
            "float32", reads=1,
        )
    ],
    "bound in one": [
        Body("y = x * 2\nif y.sum() > 0:\n    only = y + 1\nz = only\n", "bound in one", reads=1)
    ],
    "numbers": [
        Body(
            "if (x * 2).sum() > 0:\n    k = 1\nelse:\n    k = 2\ny = x * k\n",
            ["cond"], {"x": X * sign}, 1,
        )
        for sign in (1.0, -1.0)
    ],
    "nested, elif": [
        Body(
            "y = x * 2\nif y.sum() > 5:\n    z = y - 1\n    if z.max() > 2:\n        z = z * 0.5\n"
            "elif y.sum() > 0:\n    z = y * 7\nelse:\n    z = y * 9\n",
            ["cond"], {"x": X * scale}, 2,
        )
        for scale in (1.0, -1.0, 0.01)
    ],
    "print": [
        Body("y = x * 2\nif y.sum() > 0:\n    print('yes')\n    z = y\n", "print", reads=1)
    ],
    "known": [Body("n = 3\nif n > 2:\n    y = x + n\nelse:\n    y = x\n", [], reads=0)],
    "a sieve": [
        Body(
            "prime = np.ones(60, dtype=bool)\nprime[:2] = False\nfor i in range(2, 8):\n"
            "    if prime[i]:\n        prime[i * i :: i] = False\ncount = prime.sum()\n",
            ["cond"] * 6, {}, 6,
        )
    ],
}  # fmt: skip

WRITES: dict[str, list[Body]] = {
    "an element": signed("x = a * 1.0\n" + TEST + "    x[0] = 1\ny = x * 2\n", ["cond"]),
    "in both": signed(
        "x = a * 1.0\n" + TEST + "    x += 1\nelse:\n    x[1] *= 2\n    x -= a\ny = x * 2\n",
        ["cond"],
    ),
    "seen by a view": signed(
        "x = a * 1.0\nv = x[1:]\n" + TEST + "    x[1] = 7\nw = v + 1\n", ["cond"]
    ),
    "through a view": signed(
        "x = a * 1.0\nv = x[1:]\n" + TEST + "    v[0] = 9\n    v += 3\ny = x * 2\n", ["cond"]
    ),
    "two names": signed("x = a * 1.0\nz = x\n" + TEST + "    x[1] = 7\nz += 1\n", ["cond"]),
    "made two names": signed(
        "x = a * 1.0\n" + TEST + "    x[1] = 7\n    z = x\nelse:\n    z = x\nz += 1\n", ["cond"]
    ),
    "always one array": signed(
        "x = a * 1.0\n" + TEST + "    z = x = x + 1\nelse:\n    z = x = x * 7\nz += 1\n", ["cond"]
    ),
    "crosswise": signed(
        "x, y = a * 1.0, a * 2.0\n" + TEST + "    x[0], y[1] = y[0], x[1]\nelse:\n    x += y\n",
        ["cond"],
    ),
    "nested": [
        Body(
            "x = a * 1.0\n" + TEST + "    x[0] = 3\n    if x.sum() > 4:\n        x += 10\n",
            ["cond"], {"a": A, "s": s}, reads,
        )
        for s, reads in ((1.0, 2), (-1.0, 1))
    ],
    "in a for": [
        Body(
            "x = a * 1.0\nfor i in range(600):\n    if x.sum() > 8:\n        x[0] *= 0.5\n"
            "    else:\n        x += 1\n",
            ["foreach"], {"a": A},
        )
    ],
    "in a while": [
        Body(
            "x = a * 1.0\nwhile x.sum() < 50:\n    if x[0] > x[1]:\n        x[1] *= 2\n"
            "    else:\n        x[0] += 3\n",
            ["while_loop"], {"a": A},
        )
    ],
    "seen by the condition": [
        Body("x = a * 1.0\nwhile x.sum() < 50:\n    x[1] *= 2\n", ["while_loop"], {"a": A})
    ],
    "read by a view": signed(
        "x = a * 1.0\nv = x[1:]\n" + TEST + "    x[1] = 1\n    y = v * 1\nelse:\n    y = v * 2\n",
        "read by another name",
    ),
    "read backwards": signed(
        "x = a * 1.0\nv = x[::-1]\n" + TEST + "    x[1] = 1\n    y = v * 1\nelse:\n    y = v * 2\n",
        "read by another name",
    ),
    "one memory": signed(
        "x = a * 1.0\nv = x[:1]\n" + TEST + "    x[0] = 1\n    v[0] = 3\n", "the same memory"
    ),
    "one array in one case": signed(
        "x = a * 1.0\n" + TEST + "    x[1] = 1\n    z = x\nelse:\n    z = x * 2\nz += 1\n",
        "same array",
    ),
    "written and bound anew": signed(
        "x = a * 1.0\n" + TEST + "    x[1] = 1\n    x = x * 2\nz = x + 1\n", ["cond"]
    ),
    "an alias in one case": signed(
        "x = a * 1.0\n" + TEST + "    z = x\nelse:\n    z = x + 1\n    x = x + 2\nz += 1\n",
        "same array",
    ),
    "through a function": signed(
        "x = a * 1.0\ndef touch():\n    return x[0] * 2\n" + TEST + "    x[0] = 1\n"
        "    z = touch()\nelse:\n    z = x[0]\n",
        "touch, which reads x",
    ),
}  # fmt: skip

NEWTON = """
x = a * 1.0
while abs(x * x - 2.0) > 1e-12:
    x = x - (x * x - 2.0) / (2.0 * x)
y = x + 1
"""
LOOPS: dict[str, list[Body]] = {
    "newton": [Body(NEWTON, ["while_loop"], {"a": ONE}, 6)],
    "newton counts": [
        Body(
            "x = a * 1.0\nerr = 1.0\nsteps = 0\nwhile err > tol:\n    new = 0.5 * (x + 2.0 / x)\n"
            "    err = abs(new - x)\n    x = new\n    steps += 1\n",
            ["while_loop"], {"a": ONE, "tol": 1e-14},
        )
    ],
    "no step": [
        Body(NEWTON.replace("a * 1.0", "a[0] * 1.0"), ["while_loop"], {"a": np.sqrt([2.0])}, 1)
    ],
    "collatz": [
        Body(
            "n = start * 1\nsteps = start * 0\nwhile n != 1:\n    if n % 2 == 0:\n"
            "        n = n // 2\n    else:\n        n = 3 * n + 1\n    steps = steps + 1\n",
            ["while_loop"], {"start": np.array(27)}, 223,
        )
    ],
    "power iteration": [
        Body(
            "w = v = np.ones(4)\nchange = np.array(1.0) * 1\nwhile change > 1e-10:\n    w = m @ v\n"
            "    w = w / np.sqrt((w * w).sum())\n    change = abs(w - v).max()\n    v = w\n",
            ["while_loop"], {"m": np.cov(np.random.default_rng(0).random((4, 9)))}, close=True,
        )
    ],
    "while True": [
        Body(
            "x = a * 1.0\ntotal = a * 0.0\nwhile True:\n    x = x * 1.5\n    if x > limit:\n"
            "        break\n    total = total + x\n",
            ["while_loop"], {"a": ONE, "limit": limit}, reads,
        )
        for limit, reads in ((3.0, 3), (50.0, 10))
    ],
    "continue": [
        Body(
            "i = a * 0\nodd = a * 0\nwhile i < 20:\n    i = i + 1\n    if i % 2 == 0:\n"
            "        continue\n    odd = odd + i\n",
            ["while_loop"], {"a": np.array(1)}, 41,
        )
    ],
    "print": [
        Body("x = a * 1.0\nwhile x < 10:\n    x = x * 2\n    print('step')\n", "print", {"a": ONE})
    ],
    "a list grows": [
        Body(
            "x = a * 1.0\nseen = []\nwhile x < 10:\n    x = x * 2\n    seen.append(1)\n",
            "append", {"a": ONE}, 5,
        )
    ],
    "in a function": [
        Body(
            "def root(s):\n    x = s\n    while abs(x * x - s) > 1e-12:\n"
            "        better = 0.5 * (x + s / x)\n        x = better\n    return x\n"
            "y = root(a * 1.0)\nz = root(y * 3.0)\n",
            ["while_loop", "while_loop"], {"a": np.array(7.0)},
        )
    ],
    "a function reads the name": [
        Body(
            "x = a * 1.0\ndef g():\n    return x * 2\nwhile x < 10:\n    x = g()\n",
            "g, which reads x", {"a": ONE},
        )
    ],
    "types change": [
        Body("x = a * 1\nwhile x.sum() < 10:\n    x = x * 1.5\n", "x", {"a": np.array([1, 2])})
    ],
    "an inner loop binds": [
        Body(
            "x = a * 1.0\ninner = x\nfor k in range(300):\n    x = x * 1.5 + 4\n"
            "    while x.sum() > 1:\n        inner = x * 0.5\n        x = inner * 0.9\n"
            "y = inner + 1\n",
            ["foreach"], {"a": A},
        )
    ],
    "a while in a for": [
        Body(
            "y = x * 1.0\nfor i in range(300):\n    e = y.sum()\n    while e > 1.0:\n"
            "        y = y * 0.5\n        e = y.sum()\n    y = y + 1.0\n",
            ["foreach"], close=True,
        )
    ],
}  # fmt: skip

ADDS = "x = a * 1.0\nfor i in range({}):\n    x += i\n"
LEFT_EARLY: dict[str, list[Body]] = {
    "soon": [
        Body(ADDS.format(50) + f"    if x.sum() > {most}:\n        break\n", ["while_loop"],
             {"a": A}, reads)
        for most, reads in ((40, 7), (1e9, 50), (0, 1))
    ],
    "downwards": [
        Body(
            ADDS.format("30, 0, -3") + "    if x[0] > 70:\n        continue\n"
            "    if x[1] > 120:\n        break\n    x[1] -= 1\n",
            ["while_loop"], {"a": A},
        )
    ],
    "before the step ends": [
        Body(
            "x = a * 1.0\nfor i in range(20):\n    y = x * 2\n    if y.max() > 20:\n"
            "        break\n    x = y + 1\n",
            ["while_loop"], {"a": A}, 3,
        )
    ],
    "continue alone": [
        Body(
            "x = a * 1.0\nfor i in range(700):\n    if x.sum() > 9000:\n        continue\n"
            "    x += i\n",
            ["foreach"], {"a": A}, 700,
        )
    ],
    "in a function": [
        Body(
            "def root(x):\n    for _ in range(100):\n        new = 0.5 * (x + a / x)\n"
            "        change = abs(new - x).max()\n        x = new + 0.0\n"
            "        if change < 1e-9:\n            break\n    return x\nz = root(a * 1.0)\n",
            ["while_loop"], {"a": A}, 5,
        )
    ],
    "numbers": [
        Body(
            "t, lr = 0, 1.0\n" + ADDS.format(60)
            + "    t += 3\n    lr *= 0.5\n    if x.sum() > 30:\n        break\n",
            ["while_loop"], {"a": A}, 6,
        )
    ],
    "a counter that changes": [
        Body(
            ADDS.format(20).replace("    x", "    i = i * 2\n    x")
            + "    if x.sum() > 90:\n        break\n",
            ["while_loop"], {"a": A},
        )
    ],
    "inside another": [
        Body(
            "x = a * 1.0\nfor k in range(300):\n    for i in range(20):\n        x = x * 1.1\n"
            "        if x.sum() > 9:\n            break\n    x = x * 0.5\n",
            ["foreach"], {"a": A},
        )
    ],
    "two names": [
        Body(
            "x = a * 1.0\nfor i in range(50):\n    y = x * 1.5\n    if y.sum() > 20:\n"
            "        break\n    x = y\nx += 1\n",
            "same array", {"a": A}, 5,
        )
    ],
    "when does not depend": [
        Body(
            "x = a * 1.0\ny = x * 2\nfor i in range(20):\n    x = y\n    if x.sum() > 5:\n"
            "        break\nx += 1\n",
            "same array", {"a": A}, 1,
        )
    ],
    "through an array": [
        Body(
            "x = a * 1.0\nfor row in np.outer(a, a):\n    x = x + row\n    if x.sum() > 3:\n"
            "        break\n",
            ["while_loop"], {"a": A}, 1,
        )
    ],
    "print": [
        Body(
            ADDS.format(20) + "    if x.sum() > 9:\n        print('out')\n        break\n",
            "print", {"a": A},
        )
    ],
    "a list grows": [
        Body(
            "seen = []\n" + ADDS.format(20) + "    seen.append(i)\n    if x.sum() > 9:\n"
            "        break\n",
            "append", {"a": A},
        )
    ],
}  # fmt: skip

COUNTED: dict[str, list[Body]] = {
    "jacobi": [
        Body(
            "u = start * 1.0\nfor it in range(1500):\n    new = u.copy()\n"
            "    new[1:-1, 1:-1] = 0.25 * (\n"
            "        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])\n    u = new\n",
            ["foreach"], {"start": np.eye(12)}, 0,
        )
    ],
    "written in place": [
        Body(
            "u = given * 1.0\nfor _ in range(1000):\n    old = u.copy()\n"
            "    u[1:-1] = 0.5 * (old[:-2] + old[2:])\n",
            ["foreach"], {"given": np.linspace(0, 1, 10) ** 2}, 0,
        )
    ],
    "an alias is read": [
        Body(
            "u = given * 1.0\nv = u[1:]\nfor _ in range(600):\n"
            "    u[:-1] = u[:-1] * 0.5 + v * 0.25\n",
            [], {"given": np.linspace(0, 1, 6)}, 0,
        )
    ],
    "the counter": [
        Body(
            "total = x[0] * 0.0\nfor i in range(500):\n    total = total + x[i] * i + 1 / (i + 1)\n"
            "last = i\n",
            ["foreach"], {"x": np.linspace(0, 1, 500)}, 0,
        )
    ],
    "numbers that count": [
        Body(
            "k = 5\ny = x * 1.0\nfor i in range(10, 2000, 3):\n    k += 2\n    y = y + k * x\n",
            ["foreach"], reads=0,
        )
    ],
    "short": [Body("y = x\nfor i in range(10):\n    y = y * 0.5 + i\n", [], reads=0)],
    "rows": [
        Body(
            "s = np.zeros(3)\nfor row in data:\n    s = s * 0.9 + row\n",
            ["foreach"], {"data": np.random.default_rng(1).random((700, 3))}, 0,
        )
    ],
    "none": [Body("y = x * 1\nfor i in range(0):\n    z = y\n", [], reads=0)],
    "nested": [
        Body(
            "y = x * 1.0\nfor i in range(60):\n    for j in range(50):\n"
            "        y = y * 0.99 + i - j\n",
            ["foreach"], reads=0,
        )
    ],
    "changing roles": [
        Body(
            "a = x * 1.0\nb = x * 2.0\nfor _ in range(2501):\n    a, b = b, a * 0.999\n",
            ["foreach"], reads=0,
        )
    ],
    "two names stay one": [
        Body(
            "a = x * 1.0\nfor _ in range(1500):\n    b = a * 0.5 + 1.0\n    a = b\na += 1\n",
            ["foreach"], reads=0,
        )
    ],
    "made another name of": [
        Body(
            "x, y = a * 1.0, a * 2.0\nfor i in range(700):\n    z = y\n    x = x * 0.5 + z\n"
            "z += 1\n",
            "may be the same array", {"a": A}, 0,
        )
    ],
    "a dtype in place": [
        Body(
            "x = (a * 1).astype(np.int8)\nfor i in range(700):\n    x += i % 5\n    x -= 2\n",
            ["foreach"], {"a": A}, 0,
        )
    ],
    "a truth value": [
        Body(
            "flag = False\ns = x * 0\nfor i in range(700):\n    if flag:\n        s = s + x * 100\n"
            "    else:\n        s = s + x\n    flag = i > 3\n",
            ["foreach"], reads=0,
        )
    ],
}  # fmt: skip

ND: dict[str, list[Body]] = {
    "while and if": [
        Body(
            "x = nd.array([1.0, 2.0]) * a\nwhile nd.sum(x) < 100:\n    x = x * 2\ny = x + 1\n"
            "if nd.sum(y) > 10:\n    y = y * 3\n",
            ["while_loop", "cond"], {"a": start},
        )
        for start in (0.5, 1000.0)
    ],
    "left early": [
        Body(
            "x = nd.array([1.0, 2.0]) * a\nfor i in range(40):\n    x = x * 1.5\n"
            "    if nd.sum(x) > 100:\n        break\ny = x + i\n",
            ["while_loop"], {"a": start},
        )
        for start in (0.5, 1000.0, 1e-9)
    ],
    "beside one written": [
        Body(f"x = rows * 1\ny, z = nd.ones(4) * 2, nd.ones(4) * 2\n{loop}\n", made,
             {"rows": THIRTY})
        for loop, made in {
            "for i in range(30):\n    z = z * 1.5\n    y += x[0]": ["foreach"],
            "for row in x:\n    z = z * 1.5\n    y[0:2] = 3": ["foreach"],
            "for row in x:\n    z = z * 1.5\n    row += 1": "slice or element",
            "while z.sum() < 100:\n    z = z * 1.5\n    y += x[0]": "same array",
            "while z.sum() < 100:\n    z = z * 1.5": ["while_loop"],
        }.items()
    ],
    "written in a branch": [
        Body(f"x = nd.ones(4) * 3\nw = x + 1\nv = w[1:3]\n{text}", made, {"s": s})
        for s in (1, -1)
        for text, made in {
            "y = x * 2\nif nd.sum(x * s) > 0:\n    y[0:2] = 5\nz = y * 2\n": ["cond"],
            "if nd.sum(x * s) > 0:\n    x[0:2] = 5\nelse:\n    x += 1\nz = x * 2\n": ["cond"],
            "y = x * 1\nif nd.sum(x * s) > 0:\n    z = y\n    y += 1\nelse:\n    z = y\nz += 1\n":
                ["cond"],
            "if nd.sum(x * s) > 0:\n    w[0:2] = 5\nelse:\n    w += 1\nz = w + v.sum()\n":
                "memory",
            "y = x * 1\nv = y[1:3]\nif nd.sum(x * s) > 0:\n    y[0:2] = 5\nelse:\n    v += 1\n":
                "memory",
            "if nd.sum(x * s) > 0:\n    v[:] = 5\n    w[0] = 3\n": "memory",
            "if nd.sum(x * s) > 0:\n    w[:] = 5\n    z = v * 1\nelse:\n    z = v * 2\n":
                "memory",
            "y = x * 1\nif nd.sum(x * s) > 0:\n    z = y[1:3]\n    y += 1\nelse:\n"
            "    z = y[1:3]\nz += 1\n": "y",
        }.items()
    ],
}  # fmt: skip
ALL = {"branches": BRANCHES, "writes": WRITES, "loops": LOOPS, "left early": LEFT_EARLY,
       "counted": COUNTED, "nd": ND}  # fmt: skip
