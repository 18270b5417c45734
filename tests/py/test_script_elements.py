"""script(): elements at recorded indices, arrays written in place, and who may see it."""

from __future__ import annotations

import numpy as np
import pytest
from test_script_loops import FACES, VALUES, agrees

import jupyter_hybrid as mx
from jupyter_hybrid import nd


# At an index that is known only when it runs ------------------------------------------------------
def squares(a, b):
    out = a * 1
    for i in range(int(b.sum()) % 3):
        out[i] = i * i
    return out


def in_a_while(a, b):
    out = a * 1
    i = 0
    while out.sum() < 20:
        out[i % 2] = out[i % 2] * 2 + 7
        i += 1
    return out


def updated(a, b):
    out = a * 1
    j = int(b.sum()) % 2
    out[j] += b[0]
    out[j - 2] *= 3
    out[-1] = int(b.max()) * 2
    return out


def rows(a, b):
    m = a.reshape((1, 2)) * b.reshape((2, 1))
    i = int(b.sum()) % 2
    m[i, 1 - i] = 7
    m[i] += 1
    return m


def swapped(a, b):
    x = b * 1
    for i in range(1):
        for j in range(1 - i):
            if x[j] > x[j + 1]:
                t = x[j].copy()
                x[j] = x[j + 1]
                x[j + 1] = t
    return x


def sorted_copies(a, b):
    x = b
    for _ in range(2):
        if x[0] > x[1]:
            t = x[0]
            y = x.copy()
            y[0] = x[1]
            y[1] = t
            x = y
    return x


@pytest.mark.parametrize(
    "function", [squares, in_a_while, updated, rows, swapped, sorted_copies],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_elements(function):
    agrees(function)


def test_an_index_beyond_is_an_error_when_it_runs():
    def f(a, i):
        b = a * 1
        b[int(i)] = 5
        return b

    scripted = mx.script(f)
    a = nd.array([1.0, 2.0])
    assert scripted(a, nd.array([-2.0])).asnumpy().tolist() == [5, 2]
    for i in (2.0, -3.0):
        with pytest.raises(mx.MXNetError, match=r"out of|index"):
            scripted(a, nd.array([i])).asnumpy()


# Written in place -------------------------------------------------------------------------------
def in_branches(a, b):
    b = b * 1
    if a.sum() > 0:
        b[1] *= 0.25
        b *= b[0]
    else:
        b[:] -= a
    return b


def in_a_loop(a, b):
    b = b * 1
    while b.sum() < 30:
        b += 1
        b[0] += 2
    return b


def copied_in_a_branch(a, b):
    if a.sum() > 0:
        b = b * 2
        b[0] += 5
    return b


def returned_and_written(a, b):
    b = b * 1
    for i in range(3):
        if a.sum() + i > 1:
            return b
        b[0] += 3
    return b * 2


def returned_or_copied(a, b):
    if a.sum() > 0:
        return b
    b = b * 1
    b[0] = 3
    return b


# An array that may have two names: never written wrongly ------------------------------------------
def other_or_same(x, y):
    if x.sum() > 0:
        return y
    return y * 2


def slice_or_product(x, y):
    return y[0:1] if x.sum() > 0 else y[0:1] * 2


def written_in_a_branch(x, y):
    y = y * 1
    z = other_or_same(x, y)
    if x.sum() > -9:
        z += 1
    return y + z


def written_in_a_loop(x, y):
    y = y * 1
    z = other_or_same(x, y)
    while z.sum() < 30:
        z += 1
    return y + z


def the_other_is_written(x, y):
    y = y * 1
    z = y if x.sum() > 0 else x
    if x.sum() > -9:
        y[0] = 1
    return y + z


def in_a_tuple(x, y):
    y = y * 1
    t = (y, other_or_same(x, y))
    if x.sum() > -9:
        y[0] = 1
    return t[0] + t[1]


def through_two(x, y):
    y = y * 1
    w = other_or_same(x, y)
    z = other_or_same(x, w)
    if x.sum() > -9:
        y[0] = 1
    return y + z + w


def a_slice(x, y):
    y = y * 1
    z = slice_or_product(x, y)
    if x.sum() > -9:
        y += 1
    return y + z


def in_nested_branches(x, y):
    y = y * 1
    z = y * 1
    if x.sum() > 0:
        if x.max() > 1:
            z = y
    else:
        y[1] = 3
    y[0] = 5
    return y + z


def written_and_bound_anew(x, y):
    y = y * 1
    c = y
    if x.sum() > 0:
        y[0] = 9
        y = y * 2
    else:
        y[1] = 3
    return y + c


def then_written_again(x, y):
    y = y * 1
    c = y
    if x.sum() > 0:
        y[0] = 9
        y = y * 2
        y[1] = -5
    c[0] += 1
    return y + c


@pytest.mark.parametrize(
    "function",
    [
        written_and_bound_anew,
        in_branches,
        in_a_loop,
        copied_in_a_branch,
        returned_and_written,
        returned_or_copied,
    ],
    ids=lambda f: f.__name__,
)
def test_arrays_written_in_place(function):
    agrees(function)


ALIASES = [
    written_and_bound_anew, then_written_again,
    written_in_a_branch, written_in_a_loop, the_other_is_written, in_a_tuple, through_two, a_slice,
    in_nested_branches,
]  # fmt: skip


@pytest.mark.parametrize("function", ALIASES, ids=lambda f: f.__name__)
def test_what_may_be_one_array_is_written_right_or_refused(function):
    for face in FACES:
        scripted = mx.script(function)
        for one in VALUES:
            wanted = function(face(one), face([3.0, -2.0]))
            try:
                made = scripted(face(one), face([3.0, -2.0]))
            except mx.ScriptError as error:
                assert "may be the same" in error.reason
                break
            np.testing.assert_array_equal(np.array(made[:]), np.array(wanted[:]))
