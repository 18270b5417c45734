"""Random draws that take arrays, and functions of the standard library called with arrays."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative


def both(body: str) -> tuple[dict[str, Any], Shell]:
    """(names of the plain run, a shell in which the cell ran hybridized)."""
    body = f"import numpy as np\n{body}"
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--view none")
    shell.run("")
    return wanted, shell


def equal(wanted: Any, got: Any) -> None:
    if isinstance(wanted, (list, tuple, collections.deque)):
        assert type(got) is type(wanted) and len(got) == len(wanted)
        for w, g in zip(wanted, got, strict=True):
            equal(w, g)
    elif isinstance(wanted, dict):
        assert list(wanted) == list(got)
        equal(list(wanted.values()), list(got.values()))
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert np.asarray(got).dtype == wanted.dtype
        np.testing.assert_array_equal(np.asarray(got), wanted)
    elif isinstance(wanted, np.random.Generator):
        assert got.bit_generator.state == wanted.bit_generator.state
    else:
        assert got == wanted


SAME = {
    "legacy": """
np.random.seed(3)
x = np.arange(10.0) * 2
np.random.shuffle(x)
m = x.reshape(5, 2) + 1
np.random.shuffle(m)
p, p2 = np.random.permutation(m * 2), np.random.permutation(x + 1)
c = np.random.choice(x, (2, 3)), np.random.choice(x), np.random.choice(m[:, 0], 3, False)
c2 = np.random.choice(x, 4, False, np.full(10, 0.1))
w = np.random.normal(m, 1, (5, 2))
after = np.random.rand()
""",
    "generators": """
rng = np.random.default_rng(1)
x = np.arange(10.0) * 2
m = x.reshape(5, 2) + 1
rng.shuffle(x)
rng.shuffle(m)
rng.shuffle(m, axis=1)
p = rng.permutation(m), rng.permutation(x + 1), rng.permutation(m, axis=1)
c = rng.choice(x, 4), rng.choice(m, 3, replace=False), rng.choice(m, 2, axis=1)
c2 = rng.choice(m * 1, 3, p=np.full(5, 0.2), shuffle=False)
w = rng.normal(x, 2.0), rng.normal(x[0]), rng.normal(x, size=(2, 10))
after = rng.random()
""",
    "lists of arrays": """
import random
random.seed(5)
rng = np.random.default_rng(1)
x = np.arange(10.0) * 2
batches = [x[:3], x[3:5] + 1, x[5:]]
alias = batches
random.shuffle(batches)
rng.shuffle(batches)
np.random.RandomState(2).shuffle(batches)
one = random.choice(batches) + 1
two = random.sample(batches, 2)
first = alias[0].sum()
after = random.random(), rng.random()
""",
    "copies": """
import copy
x = np.arange(6.0).reshape(2, 3) * 2
d = copy.deepcopy(x)
d[0] = 99
c = copy.copy(x)
c[1] = 5
""",
}


@pytest.mark.parametrize("body", SAME.values(), ids=SAME.keys())
def test_captured_and_equal(body):
    wanted, shell = both(body)
    assert not shell.report.graph_breaks
    for name, value in wanted.items():
        if not callable(value) and not name.startswith("__"):
            equal(value, shell.ns[name])


# What others keep has its elements at once: such a call is a contact, and nothing else cuts.
KEPT_BY_OTHERS = {
    "copies of containers": """
import copy
x = np.arange(6.0).reshape(2, 3) * 2
d = copy.deepcopy({"a": x, "b": [x[0], x]})
d["a"][0] = 99
e = copy.copy([x, d["b"]])
""",
    "functools, itertools, collections": """
import collections, functools, itertools, operator
x = np.arange(10.0) * 2
d = collections.deque([x, x + 1], maxlen=2)
d.append(x * 3)
first = d.popleft()
total = functools.reduce(operator.add, [x, x, x])
peak = functools.reduce(np.maximum, [x, x[::-1]])
more = functools.partial(np.add, x)(1)
pairs = [a + b for a, b in itertools.combinations([x, x + 1, x + 2], 2)]
running = list(itertools.accumulate([x, x, x]))
counts = collections.defaultdict(list)
counts["x"].append(x + 1)
""",
}


@pytest.mark.parametrize("body", KEPT_BY_OTHERS.values(), ids=KEPT_BY_OTHERS.keys())
def test_contacts_and_equal(body):
    wanted, shell = both(body)
    for name, value in wanted.items():
        if not callable(value) and not name.startswith("__"):
            equal(value, shell.ns[name])
    for line, why in shell.report.graph_breaks:
        assert why.endswith("is not part of the graph") or why.startswith("a step through"), line


BREAKS = {
    "an empty axis": ("x = np.zeros((3, 0)) + 1\nnp.random.shuffle(x)", "no array"),
    "computed probabilities": (
        "rng = np.random.default_rng(0)\nx = rng.random(3)\ny = rng.choice(x, 2, p=x / x.sum())",
        "a draw with p= that is computed",
    ),
    "a computed scale": (
        "x = np.arange(3.0) + 1\ny = np.random.default_rng(0).normal(x, x * 2)",
        "this location and scale",
    ),
}


@pytest.mark.parametrize(("body", "reason"), BREAKS.values(), ids=BREAKS.keys())
def test_named_breaks(body, reason):
    wanted, shell = both(body)
    assert any(reason in why for _, why in shell.report.graph_breaks)
    for name in ("x", "y"):
        if name in wanted:
            equal(wanted[name], shell.ns[name])


def test_a_library_gets_the_list_itself():
    """It may change the list: a copy of it would be changed instead."""
    wanted, shell = both(
        "import heapq\nx = np.array([3.0, 1, 2]) * 2\nheap = list(x)\nheapq.heapify(heap)\n"
        "least = heapq.heappop(heap)"
    )
    equal(wanted["heap"], shell.ns["heap"])
    equal(wanted["least"], shell.ns["least"])


def test_a_cache_keeps_real_arrays():
    _, shell = both(
        "import functools\n@functools.lru_cache\ndef double(v):\n    return v * 2\n"
        "x = np.arange(3.0) + 1\ny = double(x[1])\nz = double(x[1])"
    )
    assert shell.ns["double"].cache_info().hits == 1
    assert type(shell.ns["y"]) is np.float64
