"""Random cells of closed code, what they read, and what becomes of that between their runs."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

VECTORS = [
    "base[:4]", "base[4:8]", "base[2:6]", "base[9:5:-1]", "base[8:16:2]", "np.arange(4.0)",
    "np.arange(4)", "np.arange(4, dtype=np.float32) + 1", "np.arange(4, dtype=np.int8) * 40",
    "np.linspace(-1, 2, 4)", "np.array([0.0, -0.0, 3.0, 1.0])", "np.arange(4) > 1",
]  # fmt: skip
SQUARES = [
    "base.reshape(4, 4)", "np.arange(16.0).reshape(4, 4)", "np.arange(16.0).reshape(4, 4).T",
    "np.eye(4)[::-1]", "np.arange(16).reshape(4, 4)", "np.ones((4, 8))[:, ::2]",
    "np.ones((4, 4), np.float32)",
]  # fmt: skip
FIXED = """import numpy as np
base = np.arange(16.0) + 1
hidden = [base[3:7]]
k, n, scale, way = 2.0, 2, 0.5, "add"
"""
FUNCTIONS = {
    "f": [
        "def f(v, by=1.0):\n    return v * scale + by\n",
        "def f(v, by=2):\n    w = v + by\n    w *= 2\n    return w\n",
        "def f(v, by=1):\n    for i in range(n):\n        v = v + i * by\n    return v\n",
        "def f(v, by=None):\n    return v if by is None else v - by\n",
        "def f(v, by=3, *, extra=0.5):\n    return g(v, by)[0] * extra\n",
        "def f(v, by=3, more=(1, 2)):\n    return np.maximum(v, len(more)) + sum(more) * by\n",
    ],
    "g": [
        "def g(v, m=2):\n    out = np.zeros_like(v)\n    for i in range(m):\n        if i == 1:\n"
        "            continue\n        out[1:] = v[:-1] + i\n    else:\n        out[0] = 1\n"
        "    return out, m\n",
        "def g(v, m=2):\n    if m > 2:\n        return v, v\n    return v[::-1], 2 * v\n",
        "def g(v, m=2):\n    i = 0\n    while True:\n        i += 1\n        if i > m:\n"
        "            break\n        v = v * 0.5\n    return v, [i][0]\n",
        "def g(v, m=2):\n    v[1:] = v[:-1] * 2\n    return v, v.T\n",
    ],
    "h": [
        "def h(u, v):\n    u[1:-1] = v[2:] + v[:-2]\n    v[:] = u\n",
        "def h(u, v):\n    u += v\n    return u\n",
        "def h(u, v):\n    np.copyto(u, v)\n    u.fill(k)\n",
        "def h(u, v):\n    if way == 'add':\n        u[:1], u[1:2] = v[1:2] + 1, u[2:3]\n"
        "    return way\n",
    ],
}
ARRAYS = ["a", "b", "x", "y"]
LOCALS = ["p", "q", "r", "s"]
LEAVES = [*ARRAYS, *ARRAYS, "pair[0]", "items[0]", "items[1]"]
NUMBERS = ["k", "n", "2", "0.5", "scale", "-1"]
UNARY = [
    "np.square({})", "-{}", "np.abs({})", "f({})", "f({}, k)", "f({}, by=n)", "g({}, n)[0]", "{}.T",
    "{}[::-1]", "np.sum({}, axis=0)", "1 / {}", "np.sqrt({})", "{}.copy()",
    "np.cumsum({}, axis=0)", "sum({} * i for i in range(n))", "[f({}) for j in range(2)][0]",
    "np.asarray({})",
]  # fmt: skip
# No number is put into an element: where it is no integer's, NumPy raises, and a cell warns.
TARGETS = ["{0}[1:] = {0}[:-1]", "{0}[:] = {1}", "{0}[:1] = {1}[:1]", "{0} += {1}", "{0} *= 2"]
LINES = [
    "np.add({0}, {1}, out={0})", "np.copyto({0}, {1})", "{0}.fill(k)", "h({0}, {1})",
    "{2} = h({0}, {1})", "{2} = {0}", "{2} = {0}[1:]", "{2} = {0}.T[:, None]",
    "{2} = ({0}, k, {1})",
    "{2} = pair", "{2}, {3} = {0}, {1}", "{2}, {3} = g({0}, n)", "{0}, {1} = {1}, {0}",
    "items[0] = {0}", "{2} = (n, (k, way))", "scale = {3} = 3.0", "{2} = {0}.reshape(-1)",
    "{2} = {0}.astype(np.float32)", "{2} = np.where({0} > k, {0}, {1})", "{2} = {0}.sum()",
    "{2} = n * 2", "{2} = f'{{way}}{{n}}'", "k = k * 2", "{2} = {0}.real", "{0}[{0} > 1] = k",
]  # fmt: skip
CHANGES = [
    "a += 1", "x[:] = x[::-1].copy()", "base[:] = -1", "b[0] = np.nan", "base[5] = 0", "k = 3.0",
    "k = 2", "n = 3", "n = 0", "n = np.int64(2)", "a = np.arange(4, dtype=np.float32)", "a = b",
    "b = a[::-1]", "a, b = base[:4], base[2:6]", "x = base.reshape(4, 4)", "x = x.T", "y = x[0]",
    "pair = (b, a)", "pair = pair[0], pair[1] + 1", "items[0] = a", "items = [a, b]",
    "def f(v, by=1.0):\n    return v - by", "f.__defaults__ = (2.0,)", "scale = 7.0", "way = 'no'",
    "def h(u, v):\n    return 1", "p = 5", "q = None", "globals().pop('p', None)", "sum = max",
    "def g(v, m=2):\n    return v + m, v", "a = np.ones((1, 4))", "a = a.astype('>f8')",
    "a.flags.writeable = False", "b = np.asmatrix(np.ones((4, 4)))", "del scale",
    "np.seterr(invalid='ignore')", "np.seterr(divide='raise')", "items.append(1)", "base += 1",
    "i = j = 7", "f.__kwdefaults__ = {'by': 4}",
]  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """A cell that runs ``len(changes) + 1`` times.

    Attributes:
        changes: what happens before each further run.
        again: the setup runs before each of them, too.
    """

    setup: str
    body: str
    changes: tuple[str, ...]
    again: bool


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    if not depth or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(LEAVES))
    if draw(st.booleans()):
        part = draw(expressions(depth - 1))
        return draw(st.sampled_from(UNARY)).format(part if part.isidentifier() else f"({part})")
    left = draw(expressions(depth - 1))
    right = draw(st.one_of(expressions(depth - 1), st.sampled_from(NUMBERS)))
    return f"({left} {draw(st.sampled_from('+-*+-*/'))} {right})"


@st.composite
def statements(draw: st.DrawFn, known: tuple[str, ...], depth: int = 1) -> str:
    """``known``: names of arrays."""
    one, other = draw(st.sampled_from(known)), draw(st.sampled_from(known))
    new = draw(st.sampled_from(LOCALS))
    kind = draw(st.integers(0, 9))
    if kind < 4:
        return f"{new} = {draw(expressions())}\n"
    if kind < 6:
        return draw(st.sampled_from(TARGETS)).format(one, other) + "\n"
    if kind < 8 or not depth:
        fourth = draw(st.sampled_from(LOCALS))
        return draw(st.sampled_from(LINES)).format(one, other, new, fourth) + "\n"
    inside = "".join(draw(st.lists(statements(known, depth - 1), min_size=1, max_size=2)))
    block = "".join(f"    {line}\n" for line in inside.splitlines())
    head = ["for i in range(n):", "if k > 2:", "if way == 'add':", "for j in (1, 2):"]
    tail = ["", "", "    if n > 2:\n        break\n", "    continue\n", "    pass\nelse:\n" + block]
    head_line = draw(st.sampled_from(head))
    end = draw(st.sampled_from(tail if head_line.startswith("for") else [*tail[:2], tail[-1]]))
    return f"{head_line}\n{block}{end}"


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    setup = FIXED
    for name in ("a", "b"):
        setup += f"{name} = {draw(st.sampled_from(VECTORS))}\n"
    setup += f"x = {draw(st.sampled_from(SQUARES))}\n"
    setup += f"y = {draw(st.sampled_from(SQUARES + VECTORS))}\n"
    setup += "pair = (a + 1, x * 2)\nitems = [b + 1, y * 2, 3]\n"
    functions = {name: draw(st.sampled_from(texts)) for name, texts in FUNCTIONS.items()}
    setup += "".join(functions.values())
    body = draw(st.sampled_from(["", "", "", "import numpy as np\n", functions["f"]]))
    known = tuple(ARRAYS)
    for _ in range(draw(st.integers(2, 8))):
        statement = draw(statements(known))
        body += statement
        known += tuple(n for n in LOCALS if statement.startswith(f"{n} = "))
    body += draw(st.sampled_from(["", "", *(f"{n}\n" for n in known)]))
    changes = []
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=3)):
        changes += ["", "", change]
    return Trial(setup, body, (*changes, ""), draw(st.booleans()))
