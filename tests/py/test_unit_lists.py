"""Lists that units make, change and read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = """
import numpy as np
x = np.arange(40.0) / 7
m = x[:6].reshape(2, 3) * 1
xs, ks, mixed, none, pair = [0.25], [3, 1, 2], [1, 2.5, True], [], (1, 2)
moves = [(0, 1), (1, 0)]
layers = [np.arange(9.0).reshape(3, 3) / 9, np.eye(3), np.ones((3, 3))]
biases = [x[:3] * 1.0, x[3:6] * 2, x[1:4] * 0.5]
views, others = [x, x[::-1], x[3:]], [x * 1.0, m * 1.0]
fixed = [x * 2.0, x * 3.0]
fixed[0].flags.writeable = fixed[1].flags.writeable = False
rows, graph = [[1, 2], [3, 4]], [[1], [2, 3], [], [0]]
one = two = [5, 6]
u, v, w, s, c, said, kept = [0.0] * 4, 0, None, 0.0, 0, "", []
def twice(a):
    return [2 * k for k in a]
def put(a, k):
    a.append(k)
    return len(a)
def total(a):
    t = 0
    for k in a:
        t += k
    return t
class Box:
    def __init__(self):
        self.items = [1.5]
        self.left = []
    def add(self, k):
        self.items.append(self.items[-1] * 0.5 + k)
        return len(self.items)
box = Box()
"""

STATEMENTS = {
    "the last item": "xs.append(xs[-1] * 0.5 + i)",
    "an int, then floats": "none.append(none[-1] + 0.5 if none else 0)",
    "two before": "ks.append((ks[-1] + ks[-2]) % 1000)",
    "an update of one": "xs.append(1.5); xs[-1] += i; xs[0] = xs[i] * 2",
    "a new one": "v = [i, i + 1, i * 2]; s += v[0] + v[-1] + len(v)",
    "kinds in one": "v = [i, i * 0.5, i > 3]; s += v[i % 2]",
    "kinds by place": "v = [i, i * 0.5, i > 3]; a, b, k = v; s += v[0] + v[1] * b; "
    "v.append(7); c += v[2] + v[-1]",
    "tuples": "v = (i, 0.5); kept.append(v); a, b = v; s += v[0] + b + len(v)",
    "tuples in a list": "w = [(i, 0.5), (2, 1.5)]; w.append((i + 1, s)); s += w[0][1] + w[-1][0]\n"
    "for a, b in w: s += a * b\nv = w.pop()\na, b = w.pop(0)",
    "a stack of tuples": "v = [(i, 0)]\nwhile v:\n    a, k = v.pop(); c += k\n"
    "    if k < 3: v.append((a, k + 1))",
    "given tuples": "c += pair[0] * len(pair); a, b = pair\nfor k in pair: c += k\n"
    "moves.append((i, c))\nfor a, b in moves[:3]: c += a - b",
    "a tuple of lists": "v = ([i], [0.5]); v[0].append(2); c += len(v[0])",
    "an item of a tuple": "v = (i, 2)\nif i == 30: v[0] = 1",
    "NumPy's numbers": "v = [x[i], x[i] * 2]; w = v[0] + v[1]; xs.append(x[i]); s += xs[-1]",
    "an empty one": "v = []; c += len(v)",
    "comprehensions": "v = [k * i for k in range(5)]; w = [k + 1 for k in v if k % 2]; c += len(w)",
    "two loops in one": "v = [a * b for a in range(3) for b in range(a)]; c += v[-1]",
    "lists in a list": "v = [[k * i for k in range(3)] for _ in range(2)]; v[1][2] = 5; "
    "c += v[1][2]",
    "a table": "v = [[0] * 4 for _ in range(3)]; v[i % 3][1] += i; w = v[i % 3]; s += w[1]",
    "parts": "v = ks[1:]; w = ks[::-1]; v[0] = i; s += w[0] + v[0]",
    "a copy": "v = u[:]; v[0] += i; w = u.copy(); u[1] = v[0]; s += w[1]",
    "swapped": "v = [z + 1.0 for z in u]; u, w = v, u; s += u[0] + w[0]",
    "sums of lists": "v = ks + [i]; w = [0.5] * 3 + xs; c += len(v) + len(w)",
    "repeated": "v = [0] * i; w = 2 * ks; z = [i] * 0; c += len(v) + len(w)",
    "extended": "ks.extend([i, i + 1]); v = [1]; v += ks; v.extend(v); c += len(v)",
    "extended in place": "two += [i]; c += one[-1]",
    "popped": "ks.append(i); v = ks.pop(0); w = ks.pop() + ks[-1]; ks.append(7); c += v + w",
    "popped twice in one": "xs.append(1.0); xs.append(2.0); "
    "s += xs[-1] - xs.pop() * 3 + xs[-1] + xs.pop(-1)",
    "a stack": "v = [i]\nwhile v:\n    k = v.pop(); c += k\n    if k > 2: v.append(k // 2); "
    "v.append(k // 3)",
    "a queue": "v = [0]; w = [False] * 4\nwhile v:\n    k = v.pop(0); w[k] = True; c += k\n"
    "    for z in graph[k]:\n        if not w[z]: v.append(z)",
    "inserted": "ks.insert(1, i); ks.insert(-1, 5); ks.insert(99, 6); c += ks[1] + ks[-2]",
    "turned round": "v = [i, 2, 3]; v.reverse(); ks.reverse(); c += v[0] + ks[0]",
    "sorted": "v = [3, i % 5, 2]; v.sort(); w = sorted(v); ks.sort(); z = sorted(xs); "
    "c += v[0] + w[1] + ks[0]",
    "contained": "c"
    " += (i in ks) + (i not in ks) + (2.5 in xs) + (i in (1, 5, 7)) + (i not in [3, 4])",
    "an index": "c += ks.index(3)",
    "truth": "c += 1 if none else 2; v = not ks; w = bool(ks)\nif ks and i: c += 3",
    "gone through": "for k in ks: c += k\nfor n, k in enumerate([1.5, i]): s += n * k\n"
    "for a, b in zip(ks, xs): s += a * b",
    "of rows": "for r in [[i, 2], [3, 4]]: c += r[0] * r[1]\nfor r in rows:\n"
    "    for k in r: c += k",
    "taken apart": "a, b = [i, i + 1]; v = [a, b]; b, a = v; c += a - b",
    "list()": "v = list(ks); w = list(range(i)); z = list(x[:3]); c += len(v) + len(w); s += z[-1]",
    "list() of others": "v = list(k * 2 for k in ks); w = list(pair); c += v[0] + w[0]",
    "folds": "v = [k * 0.5 for k in range(i + 1)]; s += sum(v) + max(v) - min(v); "
    "c += any(v) + all(v)",
    "NumPy's functions": "v = [0.5 * k for k in range(5)]; "
    "s += np.sum(v) + np.mean(v) + np.max(v); w = np.array(v) * i; "
    "z = np.asarray([i, 2, 3]) + np.array(ks[:3])",
    "an array and a list": "v = x[:3] + [1, 2, i]; w = x[[0, i % 4]]; z = x[ks[:2]]; x[i] = ks[0]",
    "rows as an array": "w = np.array(rows) * i",
    "arrays in it": "v = [x * i, x + 1]; w = v[1] * 2; s += v[0][3]",
    "arrays that are kept": "kept.append(x[i:] * 1.0)\nif i > 3: s += kept[-1][0] + len(kept[2])",
    "parts of arrays": "v = [m[0], m[1]]; v[0][1] = i; s += v[0][1] + v[1][0]",
    "a net": "w = x[:3] * 1.0\nfor W, b in zip(layers, biases): w = np.tanh(W @ w + b)",
    "arrays in given lists": "k = i % 3; layers[k] -= 0.1 * layers[k]; "
    "biases[k] = biases[k] * 0.5; s += layers[k][0, 1] + biases[0][k]",
    "a list's array in place": "for b in biases: b += i\nbiases[i % 3][1] = 7.0; s += biases[1][1]",
    "parts of arrays in lists": "s += layers[i % 3][1:, 0].sum() + biases[1][::-1][0]; "
    "layers[i % 3][0, 1:] *= 0.5; biases[0][:2] = i; w = layers[0][1] * 2",
    "views in a list": "views[0][i] = i; s += views[1][i] + views[2][5]; views[1] *= 0.9",
    "arrays of several ranks": "s += others[1][0, 1]; w = others[1] * 2",
    "arrays that are fixed": "s += fixed[i % 2][3]; w = fixed[1] * 2",
    "and one that is written": "if i == 30: fixed[0][1] = 5.0",
    "arrays that come and go": "layers.append(layers[-1] * 0.5)\n"
    "if len(layers) > 5: w = layers.pop(0)",
    "a row that is appended": "kept.append([i, i * i]); kept[-1][0] = 7; c += kept[i][1]",
    "the same list twice": "v = [i]; w = [v, v]; w[0].append(3); c += len(w[1])",
    "the same list again": "v = [i]; kept.append(v); kept.append(v); v.append(1)",
    "given rows": "rows[0].append(i); c += len(rows[0]) + rows[1][0]; rows.append([i])",
    "given lists": "graph[i % 4].append(i); c += graph[i % 4][-1]",
    "an item that is a list": "rows[i % 2] = [i, i + 1]; c += rows[0][0]",
    "two names": "one.append(i); c += two[-1]",
    "one that no one reads": "none.append(i * 2)",
    "ints among floats": "mixed.append(i * 0.5); s += mixed[-1]",
    "another kind": "ks[i % 3] = 0.5; c += 1",
    "functions": "v = twice(ks); c += total(v) + put(v, i) + put(ks, i) + ks[-1]",
    "functions and order": "v = [1]; w = [len(v), put(v, i), len(v)]; "
    "c += v[0] + put(v, 5) * len(v)",
    "attributes": "s += box.add(i) + box.items[-1]; box.left.append(i)",
    "a list goes through itself": "v = [1, 2]\nfor k in v:\n    c += k\n"
    "    if len(v) < 6: v.append(k)",
    "one shorter": "v = [1, 2, 3, 4]\nfor k in v:\n    c += k\n    if k == 2: v.pop()",
    "two lists in step": "v = [1, 2]\nfor a, b in zip(v, xs * 3):\n    s += a * b\n"
    "    if len(v) < 4: v.append(a)",
    "an index that there is not": "v = [1, 2]\nif i == 30: c += v[i]",
    "none to be taken": "if i == 30:\n    v = []\n    v.pop()",
    "an error later": "ks.append(i); xs.append(0.5); xs[0] = i; rows[0].append(i); c //= 35 - i",
    "an error in the middle": "ks.pop(0); ks.append(5); ks.append(6); ks.sort(); "
    "c //= 35 - i; ks[0] = 9",
    "an item that becomes another": "kept.append([i]); kept[0] = [i, 2]; w = [kept[0]]; "
    "c //= 35 - i",
    "nans": "v = [float(i)]\nif i == 30: v = [float('nan')] * 2\nw = v[0] in v",
    "zeros": "v = [0.0, -0.0]; v.sort(); w = sorted([0.0, -0.0, -1.0]); s += -0.0 in v",
    "large numbers": "v = [2**62]; v.append(v[0] * 2)",
    "in a list of its own": "v = []; v.append(v); c += len(v)",
    "texts": "v = ['a', 'b']; w = v[0]",
    "several kinds in turn": "v = []\nfor k in range(4): v.append(k if k % 2 else k * 0.5)\n"
    "c += len(v)",
    "a slice that is given": "ks[1:2] = [i]",
    "an item that goes": "del ks[0]; ks.append(i); ks.append(i)",
    "bools": "v = [k > 2 for k in range(5)]; c += sum(v); w = v[0]; z = [True] * 3; "
    "z[i % 3] = False",
    "removed": "ks.append(i + 50); ks.append(1); ks.remove(i + 50); ks.remove(1)",
    "removed, which it is not": "if i == 30: ks.remove(99)",
    "counted": "v = ks.count(3)",
    "an item that is deleted": "ks.append(i); del ks[1]; ks.append(5); del ks[-1], ks[0]; "
    "ks.append(i)",
    "numbered from one": "for n, k in enumerate(ks, 1): c += n * k",
    "many": "v = [k for k in range(300)]; c += len([v[j] for j in range(0, 300, 7)]) + v[-1]",
    "many rows": "v = [[j] for j in range(300)]; v[7].append(3); c += len(v[7]) + v[299][0]",
}
# No unit runs these.
OTHERS = frozenset(
    {
        "texts", "a slice that is given", "counted", "large numbers", "removed, which it is not",
        "in a list of its own", "a list goes through itself", "one shorter", "two lists in step",
        "kinds in one", "nans", "an item of a tuple", "and one that is written",
        # They leave at the error, before the first commit.
        "an index that there is not", "none to be taken", "an error later",
        "an error in the middle", "an item that becomes another",
    }
)  # fmt: skip


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def pictured(value: Any, known: dict[int, int]) -> Any:
    """What a value is, and which lists and arrays in it are the same objects."""
    if isinstance(value, (list, np.ndarray)):
        if id(value) in known:
            return known[id(value)]
        known[id(value)] = len(known)
    if isinstance(value, list):
        return [pictured(v, known) for v in value]
    if isinstance(value, np.ndarray):
        flags = value.flags["OWNDATA"], value.flags["WRITEABLE"]
        return value.dtype.str, value.shape, value.strides, value.tobytes(), flags
    if isinstance(value, tuple):
        return tuple(pictured(v, known) for v in value)
    return type(value), repr(value)


NAMES = (
    *("x", "m", "xs", "ks", "mixed", "none", "pair", "rows", "graph", "one", "two", "u", "v", "w"),
    *(
        "layers",
        "biases",
        "views",
        "others",
        "fixed",
        "moves",
        "s",
        "c",
        "said",
        "kept",
        "z",
        "a",
        "b",
        "k",
        "r",
        "n",
    ),
)


def state(names: dict[str, Any]) -> Any:
    box = names["box"]
    held = {name: names.get(name) for name in NAMES} | {"items": box.items, "left": box.left}
    known: dict[int, int] = {}
    return {name: pictured(value, known) for name, value in held.items()}


def text_of(statement: str) -> str:
    lines = statement.replace("\n", f"\n{' ' * 8}").replace("; ", "; ")
    loop = f"try:\n    for i in range(40):\n        {lines}"
    return f"{loop}\nexcept Exception as e:\n    said = repr(e)"


def agree(shell: Shell, statement: str) -> None:
    wanted = state(imperative(SETUP + text_of(statement))[0])
    shell.run(SETUP + text_of(statement))
    found = state(shell.ns)
    for name in ("said", *wanted):
        assert found[name] == wanted[name], name


@pytest.mark.parametrize("name", STATEMENTS)
def test_lists_are_python_s(shell: Shell, name: str) -> None:
    agree(shell, STATEMENTS[name])  # and what units foretell is compared: conftest


@pytest.mark.parametrize("name", STATEMENTS)
def test_lists_of_units_are_python_s(shell: Shell, steps: list[int], name: str) -> None:
    agree(shell, STATEMENTS[name])
    assert name in OTHERS or sum(steps) >= 19
