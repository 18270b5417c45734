"""Arrays that units pick from, make and put side by side: NumPy's values, dtypes and layouts."""

from __future__ import annotations

import ast
import sys
import warnings
from types import FrameType
from typing import Any

import numpy as np
import pytest

from jupyter_hybrid.capture.units import Unit
from jupyter_hybrid.capture.units.listing import listing

STEPS = 3
ORDERS = [  # the result's, of operands that lie otherwise
    "a = m + m[::-1].T.T",
    "a = m * w.T",
    "a = w.T * m",
    "a = w.T + w.T",
    "a = w.T * 1.5 + m",
    "a = wi.T * m",
    "a = m - wi.T",
    "a = wi.T * w.T",
    "a = wi.T + 0.5",
    "a = m + w.T[:, :1]",
    "a = m[:1] + w.T",
    "a = w.T[::-1] * m",
    "a = np.where(mt, m, w.T)",
    "a = m.T * w",
    "a = m.sum(axis=1, keepdims=True)",
    "a = np.mean(m, axis=0, keepdims=True)",
    "a = m / m.sum(axis=1, keepdims=True)",
    "a = w.T.max(axis=0, keepdims=True)",
    "a, s, u = x[:3]",
    "x[0], x[1] = x[1:3]",
    "a, u = m[:2]",
    "s = m.shape[-1] + x.shape[-1]",
    "a = w.T.copy()",
    "a = np.copy(w.T)",
    "a = (w.T + 1) * m.copy()",
    "a = np.diff(x)",
    "a = np.diff(x * 2)",
    "s = np.mean(t)",
    "s = np.inner(x, y)",
    "s = np.vdot(x, y)",
    "a = np.full(3, c)",
    "a = np.full((2, 2), i)",
    "a = np.full(2, x[0])",
    "a = t.astype(float)",
    "a = k.astype(float)",
    "a = m.astype(float)",
    "a = w.T.astype(float)",
    "a = (x > 1).astype(int)",
    "a = m.astype(complex)",
    "a = wi.T.astype(float)",
    "a = np.asarray(x)",
    "a = np.asarray(x); a[0] = c; s = a[1]",
    "a = x.conj(); a += 1",
    "a = (m.astype(complex) * 1j).conj()",
    "a = (m * 1j).conjugate().T",
    "s = np.abs(m[0, 0] + 1j)",
]
ONE = [  # of one element: complex numbers have the last bits of the loop that NumPy chooses
    f"a = {text}"
    for k in range(6)
    for text in (
        f"x[{k}:{k + 1}] * y[{k}:{k + 1}]", f"x[::-1][{k}:{k + 1}] * y[{k}:{k + 1}]",
        f"x[None, {k}:{k + 1}] * y[{k}:{k + 1}]", f"x[{k}:{k + 1}] * y[1] * y[{k}:{k + 1}]",
        f"x[{k}:{k + 1}] + 0; a *= y[{k}:{k + 1}]", f"x[{k}:{k + 1}] ** 2",
    )
]  # fmt: skip
PICKED = [
    "a = x[k]", "a = x[-k]", "a = x[k + 1]", "a = x[q]", "a = x[k2]", "a = m[j]", "a = m[k2]",
    "a = x[::2][j]", "a = x[x > 1]", "a = m[m > 1]", "a = m.T[(m > 1).T]", "a = x[t]", "a = m[mt]",
    "a = m[:, ::2][mt[:, ::2]]", "a = x[none]", "a = np.where(x > 1, x, y)",
    "a = np.where(t, x, 0)", "a = np.where(t, 1.5, x)", "a = np.where(t, 1, 0)",
    "a = np.where(t, 2.5, 1)", "a = np.where(mt, m, x[:4])", "a = np.where(mt[:, 0], x[:3], c)",
    "a = np.where(t, x, y[0])", "a = np.where(mt, m, m[0])", "a = np.where(t, True, False)",
    "a = np.where(c > 0, 1, -1)", "a = np.where(x[0] > x[1], 1.5, 2)",
    "a = np.where(True, y[1], i)", "a = np.where(c > 0, True, False)",
    "s = c - np.where(c > 9, x[0], i)",
    "a = np.where(s > 1, 2, 3); s = (a + 1) * c", "a = np.where(c > 0, 1, 0); s = a == 1; u = -a",
    "a = np.where(c > 0, 1, 0); x[a] = a; s = float(a); u = x * a",
    "s = np.argmax(x)", "s = x.argmin()", "s = np.argmax(t)", "s = np.argmin(m[:, 1])",
    "x[k] = 2", "x[k] = y[:3]", "x[k] += 1", "x[k] *= y[k]", "x[t] = 0", "x[t] -= 1", "m[mt] = c",
    "x[t] = y[t]", "x[q] = y[:1]", "x[::2][k[:2] // 3] = 5", "x[none] = 3",
]  # fmt: skip
MADE = [
    "s = np.dot(-x[:1] * 0, x[1:2])", "s = np.inner(-x[:1] * 0, x[1:2])",
    "s = (-x[:1] * 0).dot(x[1:2])", "s = np.vdot(-x[:1] * 0, x[1:2])", "s = -x[:1] * 0 @ x[1:2]",
    "a = np.zeros_like(x, dtype=int)", "a = np.array([[1, 2, 3], [3, 4, 5]]) + np.zeros((2, 3))",
    "a = np.array([s, c])", "a = np.array([1, 2, i])", "a = np.array([[c, s], [-s, c]])",
    "a = np.array([i, c])", "a = np.array([x[0], i])", "a = np.array([True, False])",
    "a = np.array([i, 2], dtype=float)", "a = np.array((1j, c))", "a = np.array([x, y])",
    "a = np.stack([x, y])", "a = np.column_stack((x, y))", "a = np.vstack((x[1:], y[1:]))",
    "a = np.array([x])",
    "a = np.concatenate((x, y))", "a = np.concatenate([x[::-1], y[2:], x[:0]])",
    "a = np.hstack((x, x * 2))", "a = np.append(x, y)", "a = np.arange(i)", "a = np.arange(2, 9)",
    "a = np.arange(9, 2, -2)", "a = np.arange(3, i)", "a = m.reshape(12)", "a = m.ravel()",
    "a = m.reshape((2, -1))", "a = np.reshape(x, (3, 2))", "a = x.reshape(2, 3, 1)",
    "a = np.ravel(y)", "a = np.flip(x)", "a = np.flip(m)", "a = np.flip(m, 1)",
    "a = np.flip(m, axis=-2)", "a = np.transpose(m)", "a = np.cumsum(x)", "a = np.cumprod(y[::2])",
    "a = k.cumsum()", "a = np.cumsum(t)", "s = np.std(x)", "s = x.var()", "s = np.std(m[:, 2])",
    "s = np.linalg.norm(x)", "s = np.linalg.norm(m[:, 0] - 1)", "m.ravel()[1] = 7",
    "np.reshape(m, (2, 6))[0, 1:3] = x[:2]",
]  # fmt: skip
LYING = ["x", "y[::-1]", "z", "m[:, 1]", "m[::-1, 2]", "m.T[3]"]  # some of it is copied first
COLUMNS = ["m", "m.T", "m[::-1]", "m[:, :1]", "m[::-1, :1]", "m[:, ::2]"]
CALLS = [  # that NumPy itself answers
    "a = np.concatenate((x, k))", "a = m[j, j]",
    "a = np.where(x, y, 0)", "a = np.argmax(m, axis=0)", "a = np.std(m, axis=0)",
    "a = np.column_stack((m, m))", "a = np.cumsum(m, axis=1)",
    "a = np.concatenate(([1, 2, 3], x))", "a = np.append(x, [1, 2, 3])", "s = np.sum([1, 2, 3])",
    "a = np.dot([1, 2, 3], x[:3])", "s = np.max([s, c, 1])",
    "s = np.linalg.norm([s, c, 1])",
]  # fmt: skip
REFUSED = [  # arrays without axes are objects
    "a = u = np.where(c > 0, 1, 2)", "a = np.where(c > 0, 1, 2); a += 1",
    "a = np.where(t[0], 1j, 2)", "a = np.where(c > 0, 1, 2); u = a", "a = np.where(c, 1, 2)",
    "a = np.where(c > 0, 1, 2).T", "a = np.where(t, [1, 2, 3, 4, 5, 6], 0)",
]  # fmt: skip
LEFT = [
    "a = x[k * 9]", "a = x[k - 9]", "x[k * 9] = 1", "a = x[t[:-1]]", "x[k] = y", "x[t] = y",
    "a = np.where(t[1:], x, y)", "a = m.T.reshape(12)", "a = x.reshape(4, 2)",
    "a = np.array([x, y[1:]])", "s = np.argmax(x[:0])", "a = m.T.ravel()",
]  # fmt: skip


def names(dtype: str = "d", order: str = "C") -> dict[str, Any]:
    rng = np.random.default_rng(3)
    m = np.asarray(rng.normal(1, 2, (3, 4)), dtype="d").astype(dtype, order=order)
    x, y = rng.normal(1, 2, 6).astype(dtype), rng.normal(3, 2, 6).astype(dtype)
    return {
        "np": np, "x": x, "y": y, "m": m, "k": np.array([0, 3, 1]), "j": np.array([0, -1, 1]),
        "k2": np.array([[0, 2], [1, 1]]), "q": np.array([4, 0], np.int32),
        "t": np.arange(6) % 2 == 0, "w": m.T.copy(), "wi": np.arange(12).reshape(4, 3).copy(),
        "mt": m > 1, "none": np.zeros(6, bool), "c": 0.25, "s": 1.5, "i": 5, "a": None,
        "u": None, "v": None,
    }  # fmt: skip


def frame_of(held: dict[str, Any]) -> FrameType:
    made: dict[str, Any] = {}
    exec(f"def held({', '.join(held)}):\n    return sys._getframe()", {"sys": sys}, made)
    frame: FrameType = made["held"](**held)
    return frame


def looks(value: Any) -> Any:
    """All that tells it from another one."""
    if type(value) is np.ndarray:
        flags = value.flags.writeable, value.flags.owndata
        return value.dtype, value.shape, value.strides, flags, value.tobytes()
    return type(value), value


def both_ways(statement: str, held: dict[str, Any]) -> Any:
    """The unit, after steps of it that left what Python's leave. Arrays that it makes then are
    in memory that nothing else has."""
    text = f"for i in range(2, {2 + STEPS}):\n    {statement}\n    u = x + y\n    v = x * y\n"
    (node,) = ast.parse(text).body
    written = {n for n, v in held.items() if type(v) is np.ndarray and v.flags.writeable}
    mine = {n: v.copy(order="K") if n in written else v for n, v in held.items()}
    frame = frame_of(mine)
    unit = Unit(node)
    ready = unit.ready(frame, range(2, 2 + STEPS))
    if ready is None:
        return None
    outcome = ready.run()
    if outcome.steps == STEPS:
        exec(text, held)
        changed = {**mine, **outcome.bound}
        for name in "xymaskuv":
            assert looks(changed[name]) == looks(held[name]), name
    assert [line.number for line in listing(ready.made)][-3:] == [2, 3, 4]  # each has its words
    return ready.made.code, outcome


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", ["d", "f", "l", "i", "B", "?", "D"])
@pytest.mark.parametrize("statement", [*PICKED, *MADE, *ORDERS])
def test_numpy_gives_the_same(statement, dtype, order):
    held = names(dtype, order)
    with np.errstate(all="ignore"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(f"i = 4\n{statement}", names(dtype, order))
        except (TypeError, ValueError, OverflowError, np.exceptions.ComplexWarning):
            pytest.skip("NumPy has none")
        made = both_ways(statement, held)
        assert made or dtype != "d"


@pytest.mark.parametrize("product", ["np.dot({}, {})", "{}.dot({})", "{} @ {}", "np.inner({}, {})"])
@pytest.mark.parametrize("one", LYING)
def test_products_are_numpys_to_the_bit(one, product):
    rng = np.random.default_rng(5)
    held = names() | {"x": rng.normal(size=33), "y": rng.normal(size=33)}
    held["z"] = np.broadcast_to(held["x"][:1], 33)
    held["m"] = rng.normal(size=(33, 33))
    for other in [*LYING, *COLUMNS]:
        if not (other in COLUMNS and "inner" in product):
            made = both_ways(f"s = {product.format(one, other)}", held)
            assert made and made[1].steps == STEPS, other


@pytest.mark.parametrize("statement", ONE)
def test_one_complex_number_is_computed_as_numpy_does_it(statement):
    rng = np.random.default_rng(5)
    x, y = (rng.normal(size=6) + 1j * rng.normal(size=6) for _ in "xy")
    made = both_ways(statement, names() | {"x": x, "y": y})
    assert made and made[1].steps == STEPS


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("one", LYING)
def test_norms_are_numpys_to_the_bit(one, dtype):
    rng = np.random.default_rng(5)
    x, y, m = (rng.normal(size=shape).astype(dtype) for shape in (60, 60, (60, 60)))
    held = names() | {"x": x, "y": y, "m": m, "z": np.broadcast_to(x[:1], 60)}
    made = both_ways(f"s = np.linalg.norm({one})", held)
    assert made and made[1].steps == STEPS


@pytest.mark.parametrize("statement", [*PICKED, *MADE])
def test_it_is_not_numpy_that_is_called(statement):
    code, outcome = both_ways(statement, names())
    assert outcome.steps == STEPS
    assert not code.calls


@pytest.mark.parametrize("statement", CALLS)
def test_the_rest_is_numpys(statement):
    code, outcome = both_ways(statement, names())
    assert outcome.steps == STEPS
    assert code.calls


@pytest.mark.parametrize("statement", REFUSED)
def test_python_keeps_its_objects(statement):
    assert both_ways(statement, names()) is None


@pytest.mark.parametrize("statement", LEFT)
def test_python_says_what_is_wrong(statement):
    held = names()
    mine = {n: v.copy(order="K") for n, v in held.items() if type(v) is np.ndarray}
    _, outcome = both_ways(statement, held)
    assert outcome.steps == 0
    assert all(looks(held[n]) == looks(v) for n, v in mine.items())


def test_a_list_gets_the_array_itself():
    (node,) = ast.parse("for i in range(9):\n    kept.append(np.where(c > 0, 1, -1))\n").body
    unit = Unit(node)
    ready = unit.ready(frame_of({**names(), "kept": []}), range(9))
    assert ready is None or ready.run().steps == 0
