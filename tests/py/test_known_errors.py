"""Errors that shapes and dtypes decide: NumPy's own, at the user's line, without a read before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from cells import Shell, imperative
from traced import Recorded

X = np.arange(12.0).reshape(3, 4)
N = np.arange(12).reshape(3, 4)


def _write(array, key, value):
    array[key] = value


def _add(array, value):
    array += value


ERRORS: list[Callable] = [
    lambda np, y, k: y[0] + np.ones(3),
    lambda np, y, k: y + k[:2],
    lambda np, y, k: np.array([1, 2, 3]) + y[0],
    lambda np, y, k: y.reshape(5, 2),
    lambda np, y, k: np.reshape(y, (-1, 5)),
    lambda np, y, k: np.concatenate([y, k[:, :2]]),
    lambda np, y, k: np.stack([y, y[:2]]),
    lambda np, y, k: np.hstack([y, y[:2]]),
    lambda np, y, k: y @ y,
    lambda np, y, k: y @ k[0, :3],
    lambda np, y, k: np.dot(y, k[0, :2]),
    lambda np, y, k: np.tensordot(y, y, 1),
    lambda np, y, k: np.broadcast_to(y, (2, 4)),
    lambda np, y, k: np.where(y > 0, y, y[:2]),
    lambda np, y, k: y[5],
    lambda np, y, k: y[0, 9],
    lambda np, y, k: y[0, 0, 0],
    lambda np, y, k: y[0, 0][0],
    lambda np, y, k: y[[0, 7]],
    lambda np, y, k: y[:, [0, 1], [0, 1, 2]],
    lambda np, y, k: y[1.5],
    lambda np, y, k: y["a"],
    lambda np, y, k: np.take(y, [9], axis=1),
    lambda np, y, k: y.sum(axis=3),
    lambda np, y, k: y.mean(axis=(0, 0)),
    lambda np, y, k: np.max(y[:0]),
    lambda np, y, k: np.var(y, ddof=1, correction=1),
    lambda np, y, k: y.transpose(0, 0),
    lambda np, y, k: y.squeeze(0),
    lambda np, y, k: np.split(y, 5),
    lambda np, y, k: y & 1,
    lambda np, y, k: k**-1,
    lambda np, y, k: k + 2**70,
    lambda np, y, k: y + None,
    lambda np, y, k: y + "a",
    lambda np, y, k: np.add(y, k[0, :3], out=y),
    lambda np, y, k: np.add(y, y, out=y[0]),
    lambda np, y, k: np.exp(y, out=k),
    lambda np, y, k: _write(y, 0, [1, 2]),
    lambda np, y, k: _write(y, (0, 9), 1),
    lambda np, y, k: _write(y, slice(None), k[:2]),
    lambda np, y, k: _write(y, [0, 9], 1),
    lambda np, y, k: _write(y, 0, 1j),
    lambda np, y, k: _write(k, 0, 2**70),
    lambda np, y, k: _add(k, 0.5),
    lambda np, y, k: _add(y, np.ones(3)),
    lambda np, y, k: y.sum(foo=1),
    lambda np, y, k: np.sum(y, foo=1),
    lambda np, y, k: y.sum(0, axis=1),
    lambda np, y, k: y.max(1, 2, 3, 4, 5, 6),
    lambda np, y, k: y.dot(),
    lambda np, y, k: y.take(),
    lambda np, y, k: np.sort(y, kind="zz"),
]


@pytest.mark.parametrize("wrong", ERRORS)
def test_numpys_error_without_a_read(wrong):
    caught: list[list] = [[], []]

    def attempt(np, x, n, place=0):
        y, k = x * 2, n * 2
        try:
            wrong(np, y, k)
        except Exception as error:
            caught[place].append((type(error), str(error)))
        return y + 1, k + 1

    wanted = attempt(np, X, N)
    recorded = Recorded(lambda np, x, n: attempt(np, x, n, 1), (X.copy(), N.copy()))
    assert caught[0] and caught[1] == caught[0]
    assert not recorded.breaks
    for got, want in zip(recorded.value, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "wrong",
    ["np.add(a, x, out=a)", "a += x", "a += 1j", "np.sqrt(x, out=a)", "np.sum(x, out=a)",
     "np.add(x, np.ones(3), out=a)", "np.multiply(x, 'a', out=a)", "np.add(a, a, out=a)"],
)  # fmt: skip
def test_a_read_only_output_is_told_before_what_else_is_wrong(wrong):
    body = (
        "import numpy as np\nx = np.ones((4, 4)) * 2\na = np.ones(4)\na.flags.writeable = False\n"
        f"b = a + 1\ntry:\n    {wrong}\nexcept Exception as error:\n    told = repr(error)\n"
    )
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--force")
    assert shell.ns["told"] == wanted["told"] == "ValueError('output array is read-only')"


def test_the_cell_goes_on_in_one_graph():
    body = """
import numpy as np
x = np.arange(4.0) * 3
try:
    y = x + np.arange(3)
except ValueError as error:
    message = str(error)
z = x * 2
"""
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--view none")
    assert not shell.report.graph_breaks and len(shell.report.segments) == 1
    assert shell.ns["message"] == wanted["message"]
    np.testing.assert_array_equal(np.asarray(shell.ns["z"]), wanted["z"])


def test_an_operand_with_code_of_its_own_is_asked_once():
    calls = []

    class Operand:
        def __radd__(self, other):
            calls.append(other)
            raise ValueError("no")

    def add(np, x):
        with pytest.raises(ValueError, match="no"):
            x + Operand()
        return x * 2

    Recorded(add, (X.copy(),))
    here = len(calls)
    calls.clear()
    with pytest.raises(ValueError, match="no"):
        X + Operand()
    assert here == len(calls)


def test_an_operand_beside_a_number_of_another_class_is_asked_once():
    calls = []

    class Number(int):
        pass

    class Operand:
        def __array__(self, dtype=None, copy=None):
            calls.append(dtype)
            return np.arange(4.0)

    def chosen(np, x):
        return np.where(x > 3, Number(1), Operand())

    plain = chosen(np, X)
    asked = len(calls)
    np.testing.assert_array_equal(Recorded(chosen, (X.copy(),)).value, plain)
    assert len(calls) == 2 * asked


INDEXED = [
    "[1, 2][{}]", "(1, 2)[{}]", "'ab'[{}]", "b'ab'[{}]", "range(3)[{}]", "[1, 2][{}:]",
    "'ab'[:x.argmax():{} + 1]", "pair[{}]", "pair.pop({})", "del pair[{}]", "pair[{}] = 1",
]  # fmt: skip


@pytest.mark.parametrize("cell", INDEXED)
def test_pythons_own_error_names_the_number(cell):
    shell = Shell()
    shell.run("import numpy as np\nx = np.arange(3.0)")
    for index, fails in (("x.mean()", True), ("x.argmin()", False)):
        found = []
        for head in ("", "%%hybridize --view none\n"):
            shell.run("pair = [1, 2]")
            made = shell.run(head + cell.format(index), fails=fails)
            found.append((type(made.error), str(made.error), made.value, shell.ns["pair"]))
        assert found[0] == found[1]
        assert fails == (found[0][0] is TypeError)
