"""Indexing of traced arrays against NumPy: reads, writes, masks, aliases."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell
from numpy_samples import DTYPES, NUMBERS, sample
from traced import Recorded, check

s_ = np.s_
KEYS = [
    1, -1, s_[1:], s_[::-1], s_[::2, 1:3], s_[:, 1], s_[..., 0], None, s_[:, None, 1], s_[2:1],
    s_[1, 2], (), ..., s_[::-2, ::-1], [0, 2], np.array([2, 0, -1]), s_[[0, 1], [1, 2]],
    s_[:, [0, 0, 3]], s_[[0, 2], 1:3], s_[[[0], [2]], [1, 3]], s_[1, [0, 2]],
    s_[[0, 2], None, [1, 3]], np.array([True, False, True]),
    s_[np.array([True, False, True]), 1], np.ix_([0, 2], [1, 3]), np.array([], int),
    np.array(1), np.int64(1), s_[::2, [0, 1]], s_[[-1], ::-1],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(KEYS)))
def test_keys(number):
    key = KEYS[number]

    def written(np, x):
        x[key] = 1
        y = x.copy()
        y[key] = x[key]
        y[key] = x[key] + x[key]
        return x, y

    for dtype in DTYPES:
        check(lambda np, x: x[key], sample((3, 4), dtype))
        check(written, sample((3, 4), dtype))


def test_traced_indices():
    def function(np, x):
        return (
            x[np.argmax(x, axis=0), np.arange(4)], x[x.argmin(axis=0)[0]],
            x[np.arange(3), x.argmax(axis=1)], np.sort(x[:, x.argmax() % 4]),
        )  # fmt: skip

    for dtype in DTYPES:
        check(function, sample((3, 4), dtype))


def test_writes_by_a_mask():
    def function(np, x):
        x[x > 1] *= 2
        x[x < 0] += 1
        x[x == 0] = x[x == 0] - 3
        x[x > 5] = 0
        x[x[:, 0] > 0] = 1
        x[x[:, 1] > 0] = x[0] * 1
        return x, x[x > 0].sum(), x[x > 0].mean()

    for dtype in NUMBERS:
        check(function, sample((3, 4), dtype), ulp=16)


def test_reading_by_a_mask_breaks_the_graph_by_name():
    recorded = Recorded(lambda np, x: x[x > 0], (np.arange(-2.0, 3),))
    np.testing.assert_array_equal(recorded.value, [1, 2])
    assert any("mask" in reason for reason in recorded.reasons)
    for dtype in DTYPES:
        check(lambda np, x: [x[x > 0], x[x[:, 0] > 0]], sample((3, 4), dtype), captured=False)


def test_a_selection_keeps_its_values():
    def function(np, x):
        chosen = x[x > 0]
        x[0] = 100
        return chosen, chosen + 1, x

    check(function, sample((3, 4), "float64"), captured=False)


def test_aliases():
    def function(np, x):
        v = x[1:]
        w, r, rt, f = v.T, x.reshape(-1), x.T.reshape(-1), x.flatten()
        w[0], r[0], rt[1], f[0] = 7, 5, 9, 8
        x[2] = 1
        d, b = x.diagonal(), np.broadcast_to(x[0], (2, 4))
        x[0, 0] = 3
        x.T[1] += 1
        x.flat[2] = 4
        return x, v, w, r, rt, f, d, b, np.swapaxes(x, 0, 1)[::-1], x[::-1].copy()

    for dtype in NUMBERS:
        check(function, sample((3, 4), dtype))


def test_overlapping_copies_read_before_they_write():
    def function(np, x):
        x[1:] = x[:-1]
        x[:, ::-1] += x
        return x

    check(function, sample((3, 4), "float64"))


def test_pending_reads_are_computed_before_the_memory_changes():
    def function(np, x):
        y = x * 2
        x[0] = 5
        text = str(x)
        return y, text

    check(function, sample((3, 4), "float64"), captured=False)


def test_real_numpy_in_between_writes_the_same_array():
    def function(np, x):
        y = x + 1
        z = y * 2
        y.partition(1)  # not covered: real NumPy writes y
        w = y[0] * 1
        np.put(y, [0], 9)
        return y, z, w, y + 0

    check(function, sample((2, 5), "float64"), captured=False)


def test_flat_and_iteration():
    def function(np, x):
        x.flat[0:3] = 1
        x.flat[4] = 2
        return x.flat[1], x.flat[2:4], list(x.flat), [row * 2 for row in x], len(x), x

    for dtype in NUMBERS:
        check(function, sample((3, 4), dtype))


@pytest.mark.parametrize(
    "layout",
    [
        lambda x: x[::2], lambda x: x.T, lambda x: x[::-1, ::-1], lambda x: x[:, 1:3],
        np.asfortranarray,
    ],
)  # fmt: skip
def test_strided_inputs(layout):
    base = sample((4, 6), "float64")
    strided = layout(base)
    wanted = layout(sample((4, 6), "float64"))

    def function(np, x):
        y = x * 2 + x.sum()
        x[0] = 5
        return y, x.ravel(), x.reshape(-1)[::2]

    own = function(np, wanted)
    recorded = Recorded(function, (strided,))
    assert not recorded.breaks
    for got, theirs in zip(recorded.value, own, strict=True):
        np.testing.assert_allclose(got, theirs, rtol=1e-13, atol=1e-12)
    np.testing.assert_array_equal(strided, wanted)


def test_strided_inputs_are_read_again_after_a_write():
    def function(np, x):
        x[0] = 5
        text = str(x)  # the memory is written here
        y = x + 1
        np.put(x, [1], 9)
        return text, y, x * 2

    base, own = sample((4, 6), "float64"), sample((4, 6), "float64")
    wanted = function(np, own[::2, 1:])
    recorded = Recorded(function, (base[::2, 1:],))
    assert recorded.value[0] == wanted[0]
    np.testing.assert_array_equal(recorded.value[1], wanted[1])
    np.testing.assert_array_equal(recorded.value[2], wanted[2])
    np.testing.assert_array_equal(base, own)


def test_read_only_inputs():
    x = np.arange(4.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(Recorded(lambda np, x: x * 2, (x,)).value, x * 2)

    def write(np, x):
        x[0] = 1

    with pytest.raises(ValueError, match="assignment destination is read-only"):
        Recorded(write, (x,))


def test_errors_are_numpys():
    for function in (
        lambda np, x: x[5],
        lambda np, x: x[[0, 9]],
        lambda np, x: x[0, 0, 0],
        lambda np, x: x[..., ...],
        lambda np, x: x["a"],
        lambda np, x: x[1.5],
        lambda np, x: x.__setitem__(0, np.ones(7)),
        lambda np, x: x[[0, 1], [0, 1, 2]],
        lambda np, x: np.broadcast_to(x, (2, 3, 4)).__setitem__(0, 1),
    ):
        check(function, sample((3, 4), "float64"), captured=False)


def test_the_namespace_of_a_traced_array_records():
    def function(np, x):
        xp = x.__array_namespace__()
        return xp.sum(xp.zeros(3) + x)

    check(function, sample((3,), "float64"))


@pytest.mark.parametrize(
    "make",
    [
        lambda np, x: x[:, ::2] * 2,
        lambda np, x: x.T * 2,
        lambda np, x: x[::-1] + 1,
        lambda np, x: x.T + x.reshape(6, 4),
        lambda np, x: np.broadcast_to(x[0], (3, 6)) * 2,
        lambda np, x: np.where(x.T > 3, x.T, 0),
        lambda np, x: np.copy(x.T),
        lambda np, x: x.T.copy(),
        lambda np, x: x.T.astype("f"),
        lambda np, x: np.zeros_like(x.T),
        lambda np, x: np.array(x.T),
    ],
)
def test_a_result_is_flattened_as_its_layout_says(make):
    """Results are laid out as their operands, so ``ravel`` is a view of some, a copy of others."""

    def flattened(np, x):
        made = make(np, x)
        flat, column = made.ravel(), made.reshape(-1, 1)
        flat[0], column[1] = 50, 51
        return made, flat, column

    check(flattened, np.arange(24.0).reshape(4, 6))


def test_sliding_windows():
    from numpy.lib.stride_tricks import sliding_window_view as windows

    def looked_at(np, x):
        wide, square = windows(x, 3, axis=1), windows(x, (2, 3))
        y = x[0] * 2
        pairs = windows(y, 2)
        y[0], x[1] = 9, 5  # a view: it shows what is written
        reduced = wide.mean(axis=-1), square.max(axis=(2, 3))
        return wide, square, pairs, reduced, windows(x, (2, 2), axis=(1, 0))

    check(looked_at, np.arange(24.0).reshape(4, 6))


@pytest.mark.parametrize("window", [7, (2, 2, 2), -1])
def test_sliding_windows_that_do_not_fit(window):
    from numpy.lib.stride_tricks import sliding_window_view as windows

    check(lambda np, x: windows(x, window), np.arange(24.0).reshape(4, 6), captured=False)


def test_read_only_views_refuse_at_once():
    def write(np, x):
        view = np.broadcast_to(x * 2, (2, 4, 6))
        with pytest.raises(ValueError, match="read-only"):
            view[0, 0] = 1
        return view

    check(write, np.arange(24.0).reshape(4, 6))


@pytest.mark.parametrize(
    "write", ["b[:] = r", "b[1] = r", "b[...] = r", "b[b > 1] = r", "b.fill(r)"]
)
@pytest.mark.parametrize(
    "number", ["a.sum() + 139", "a.mean() * 1000", "a.sum() * np.nan", "-a.sum()", "a.max()"]
)
def test_numbers_that_an_array_of_integers_does_not_hold(write, number):
    """NumPy looks at a scalar of its own that it stores, and so does a cell."""
    start = "import numpy as np\na = np.arange(14)\nb = np.arange(4, dtype=np.int8)"
    body = f"r = {number}\n{write}"
    plain = {}
    exec(start, plain)
    try:
        exec(body, plain)
        error = None
    except (OverflowError, ValueError) as raised:
        error = raised
    shell = Shell()
    shell.run(start)
    found = shell.hybridize(body, "--force --view none", fails=error is not None).error
    assert (type(found), str(found)) == (type(error), str(error))
    assert shell.ns["b"].tolist() == plain["b"].tolist()
