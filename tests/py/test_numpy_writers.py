"""Functions that write into an array, and products of vectors, against NumPy itself."""

from __future__ import annotations

import numpy as np
import pytest
from traced import check

X = np.arange(12.0).reshape(4, 3)
N = np.arange(12).reshape(4, 3)


def test_put():
    def written(np, x, n):
        np.put(x, [0, -1, 5], [1.5, 2.5, 3.5])
        np.put(n, [1, 2, 1], [7.9, 8, 9])  # cut to integers; the last of equal indices stays
        x.put(3, 50)
        np.put(x, [[6, 7], [8, 9]], [100, 200, 300])  # values start again
        np.put(n, [3, 4, 5], [1, 2, 3, 4, 5])
        np.put(x.T, [0, 1], [-1, -2])
        np.put(n, np.arange(2) * 2, n[0] * 5)
        part = x[:, ::2]
        part.put([0, 3], [77, 88])
        return x, n, part

    check(written, X, N)


def test_masks():
    def written(np, x, n):
        np.putmask(x, x > 5, [1, 2, 3])  # each element takes the value of its own place
        np.putmask(n, n > 5, n * 2)
        np.place(n, n < 2, -3)
        np.place(x, [[True, False, True]] * 4, 9)
        np.copyto(x, n, where=n > 3)
        return x, n

    check(written, X, N)


def test_partition_has_numpys_order():
    def orders(np, x):
        y = np.sin(x * 9).ravel()
        z = y.copy()
        z.partition(5)
        return z, np.partition(y, 3), np.partition(np.sin(x), 1, axis=0)

    check(orders, X, captured=False)


@pytest.mark.parametrize(
    "write",
    [
        lambda np, x, n: np.put(x, [99], 1),
        lambda np, x, n: np.put(x, [], 3),
        lambda np, x, n: np.put(x, [1], []),
        lambda np, x, n: np.put(x, [13], 1, mode="clip"),
        lambda np, x, n: np.put(x, [0], 1j),
        lambda np, x, n: np.put(x, [1.5], 1),
        lambda np, x, n: np.put(x, [True], 1),
        lambda np, x, n: np.place(x, x > 3, [1, 2]),
        lambda np, x, n: np.place(x, x > 3, []),
        lambda np, x, n: np.place(x, [[True, False, True]] * 4, [9, 8, 7]),
        lambda np, x, n: np.place(n, n > 5, [7.5, 8]),
        lambda np, x, n: np.putmask(n, n > 5, x),
        lambda np, x, n: np.putmask(n, n > 5, 7.5),
    ],
)
def test_what_is_numpys_own_is_numpys(write):
    check(write, X, N, captured=False)


def test_cross_products():
    a, b, m = np.array([1.0, 2, 3]), np.array([4.0, 5, 6]), np.cos(X)

    def products(np, a, b, m, n):
        turned = np.cross(m.T, n.T, axis=0), np.cross(m * 2, n.T, axisb=0, axisc=0)
        return np.cross(a, b), np.cross(m, n), np.cross(m, a), np.cross([1, 2, 3], a), turned

    check(products, a, b, m, N)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional")
def test_cross_products_in_the_plane():
    a = np.array([[1.0, 2], [3, 4]])
    check(lambda np, a: (np.cross(a, a[::-1]), np.cross(a[0], a[1]), np.cross(a, [1, 2, 3])), a)
