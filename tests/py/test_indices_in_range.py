"""An index out of bounds raises at its line; one that is surely in range is not looked at."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx

SETUP = """
import numpy as np
x = np.random.default_rng(3).random((5, 7))
rows = np.array([3, 1, 2])
small = np.arange(5, dtype="uint8")
"""
PROVED = [
    "x[x.argmax(0)]",
    "x[:, x.argmin(1)]",
    "x.ravel()[x.argmax()]",
    "x[np.argsort(x[:, 0], kind='stable')[::-1][:2]]",
    "x[np.arange(4) % 5]",
    "x[np.arange(5)[::2] * 2 - 4]",
    "x[(rows * 100) % 5]",
    "x[np.clip(rows * 1000, 0, 4)]",
    "x[np.minimum(np.maximum(rows - 2, 0), 4)]",
    "x[rows - 1]",
    "x[abs(rows - 4)]",
    "x[-rows]",
    "x[rows * 5 // 4]",
    "x[rows & 3]",
    "x[np.where(x[:, 0] > 0.5, 1, -5)]",
    "x[(x[:, 0] > 0.5).astype(int)]",
    "x[np.concatenate([rows + 1, np.zeros(2, int)])]",
    "x[rows[rows * 1 - 1] + 1]",
    "np.arange(300.0)[small * 51]",
    "np.arange(6.0)[np.searchsorted(np.sort(x[:, 0]), x[0])]",
    "np.take(x, rows + 1, axis=0)",
    "np.take_along_axis(x, x.argsort(1, kind='stable'), 1)",
]
OUTSIDE = [
    "x[rows + 2]",
    "x[rows * 2 - 11]",
    "x[(x[:, 0] * 100).astype(int) + 5]",
    "x[rows.sum()]",
    "x[0, rows * 3]",
    "x[rows * 1, rows * 3]",
    "np.take(x, rows + 2, axis=0)",
    "np.take(x, rows * 20)",
    "np.take_along_axis(x, x.argmax(1)[:, None] + 7, 1)",
    "np.delete(x, rows + 2, axis=0)",
    "np.insert(x, rows * 2, 1.0, axis=0)",
    "np.arange(5)[small + 1]",
]
WRITES = [
    "x[rows + 2] = 1",
    "x[rows + 2] += 1",
    "x[rows.sum(), 0] = 1",
    "np.put(x, rows * 20, 1)",
    "np.put_along_axis(x, x.argmax(1)[:, None] + 7, 1, 1)",
    "np.add.at(x, rows + 2, 1)",
]


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run(SETUP)
    return made


@pytest.mark.parametrize("text", PROVED)
def test_what_is_proved_is_not_looked_at(text: str, shell: Shell):
    shell.run(f"%%hybridize --view none\nfound = {text} * 1\n")
    report = mx.report()
    assert not report.cuts and not report.graph_breaks
    shell.run(f"plain = {text} * 1\n")
    assert np.array_equal(shell.ns["found"], shell.ns["plain"])


@pytest.mark.parametrize("text", [*OUTSIDE, *WRITES])
def test_the_error_is_at_its_line(text: str, shell: Shell):
    body = f"""
y = x * 2
try:
    {text if text in WRITES else "z = " + text}
    reached = True
except IndexError as error:
    said, reached = str(error), False
w = y + x
"""
    shell.run(body)
    names = ("said", "reached", "w", "x")
    expected = [np.copy(shell.ns[n]) for n in names]
    assert not shell.ns["reached"]
    for _ in range(2):
        shell.run(SETUP)
        shell.run("%%hybridize --view none" + body)
        for name, value in zip(names, expected, strict=True):
            assert np.array_equal(shell.ns[name], value), name


def test_an_index_that_is_looked_at_leaves_the_graph_whole(shell: Shell):
    shell.run("%%hybridize --view none\nat = (x[:, 0] * 5).astype(int)\nz = x[at] + 1\n")
    report = mx.report()
    assert len(report.cuts) == 1 and not report.graph_breaks
    assert "out of bounds" in report.cuts[0][1]


def test_numbers_that_wrap_around_prove_nothing(shell: Shell):
    shell.run("tiny = np.array([100, 27], dtype='int8')")
    shell.run("%%hybridize --view none\nz = np.arange(8)[(tiny * 2 + 54) * 1]\n", fails=True)
    shell.run("%%hybridize --view none\nz = np.arange(300)[tiny + tiny]\n")
    assert shell.ns["z"].tolist() == [300 - 56, 54]
