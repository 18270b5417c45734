"""NumPy's functions on traced arrays against NumPy itself, over dtypes and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy_samples import DTYPES, FLOATS, NUMBERS, SHAPES, sample
from traced import Recorded, check

WITH_AXES = SHAPES[1:]
LOOSE = {"ulp": 16, "scale": 1e-4}  # sums: the order of addition is free
TABLE: dict[str, tuple[Callable, list, list, dict]] = {}


def case(
    name: str, shapes: list, dtypes: list | None = None, loose: bool = False, **options: Any
) -> Callable:
    """Registers a function of (np, array) for these shapes and dtypes."""

    def register(function: Callable) -> Callable:
        TABLE[name] = (function, shapes, dtypes or DTYPES, (LOOSE if loose else {}) | options)
        return function

    return register


for _name in (
    "sum", "prod", "mean", "max", "min", "argmax", "argmin", "any", "all", "std", "var", "ptp",
):  # fmt: skip
    # Without an element there is no degree of freedom, of which NumPy warns.
    _some = [s for s in SHAPES if _name not in ("std", "var") or 0 not in s]
    case(_name, _some, loose=True)(lambda np, x, n=_name: getattr(np, n)(x))
    case(f"{_name} of the last axis", [s for s in _some if s], loose=True)(
        lambda np, x, n=_name: getattr(np, n)(x, axis=-1)
    )
    case(f"{_name} with keepdims", [s for s in _some if s], loose=True)(
        lambda np, x, n=_name: getattr(np, n)(x, axis=0, keepdims=True)
    )
    if _name not in ("argmax", "argmin"):
        case(f"{_name} over two axes", [(3, 4), (2, 3, 4)], loose=True)(
            lambda np, x, n=_name: (getattr(np, n)(x, axis=(0, 1)), getattr(np, n)(x, axis=()))
        )


@case("reductions with where, out", [(3, 4)], ["float32", "float64", "int64"], loose=True)
def _(np, x):
    out = np.zeros(4, x.dtype)
    np.sum(x, axis=0, out=out)
    whole = x.sum(dtype=np.float64), np.sum(x, initial=3), np.max(x, initial=3)
    masked = np.sum(x, where=x > 0), np.mean(x, axis=0, where=x > -9)
    return out, whole, masked, np.max(x, initial=0, where=x > 1, axis=0), np.var(x, ddof=1)


@case("reductions of nothing with initial", [(0,)], NUMBERS)
def _(np, x):
    return np.max(x, initial=3), np.sum(x, initial=2), np.min(x[None], axis=1, initial=1)


@case("nan reductions", [(3, 4)], FLOATS, loose=True)
def _(np, x):
    x[0, 1] = np.nan
    x[:, 2] = np.nan
    return (
        np.nansum(x), np.nanprod(x), np.max(x), x.argmax(), np.median(x), np.nancumsum(x),
        np.nancumprod(x, axis=1),
    )  # fmt: skip


@case("nan reductions that warn", [(3, 4)], FLOATS, loose=True, captured=False)
def _(np, x):
    x[0, 1] = np.nan
    x[:, 2] = np.nan
    return (
        np.nanmean(x, axis=0), np.nanmax(x, axis=0), np.nanmin(x, axis=1), np.nanstd(x),
        np.nanvar(x, axis=0), np.nanvar(x, correction=1), np.std(x[:0]), np.var(x[:1], ddof=1),
    )  # fmt: skip


@case("counts, means, differences", [(3, 4)])
def _(np, x):
    return np.count_nonzero(x, axis=0), np.diff(x), np.diff(x, axis=0), np.diff(x, n=2)


@case("running sums", [(3, 4)], NUMBERS, loose=True, captured=False)
def _(np, x):
    return np.cumsum(x), x.cumsum(axis=0), np.cumprod(x, axis=1), np.add.accumulate(x)


@case("views of the shape", SHAPES)
def _(np, x):
    return (
        x.reshape(-1), np.reshape(x, (x.size, 1)), x.ravel(), x.flatten(), x.T, np.transpose(x),
        np.squeeze(x[None]), np.expand_dims(x, 0), x[..., None], np.swapaxes(x[None], 0, -1),
    )  # fmt: skip


@case("orders of axes", [(2, 3, 4), (2, 0, 3)])
def _(np, x):
    return (
        np.moveaxis(x, 0, -1), np.moveaxis(x, [0, 1], [-1, 0]), np.rollaxis(x, 2),
        np.permute_dims(x, (2, 0, 1)), x.transpose(1, 0, 2), x.mT,
    )  # fmt: skip


@case("reshape in Fortran order", [(3, 4)])
def _(np, x):
    return x.reshape(4, 3, order="F"), np.ravel(x, order="F")


@case("flips and rolls", [(3, 4), (2, 0, 3)])
def _(np, x):
    return (
        np.flip(x), np.flip(x, 0), np.fliplr(x), np.flipud(x), np.rot90(x), np.rot90(x, 2),
        np.roll(x, 1), np.roll(x, -1, axis=1), np.roll(x, (1, 2), axis=(0, 1)),
    )  # fmt: skip


@case("joining", [(5,), (0,), (3, 4), (2, 0, 3)])
def _(np, x):
    columns = np.column_stack([x, x]) if x.ndim < 3 else 0
    return (
        np.concatenate([x, x]), np.concatenate([x, x + x], axis=None), np.stack([x, x]),
        np.stack([x, x], axis=-1), np.hstack([x, x]), np.vstack([x, x]), np.dstack([x, x]),
        columns, np.append(x, x), np.concatenate([x.ravel(), np.ones(2)]),
    )  # fmt: skip


@case("splitting", [(3, 4)])
def _(np, x):
    return (
        np.split(x, 3), np.array_split(x, 2), np.array_split(x, [1, 2]), np.hsplit(x, 2),
        np.vsplit(x, 3), np.block([[x, x], [x, x]]),
    )  # fmt: skip


@case("repeating", [(), (5,), (3, 4), (0,)])
def _(np, x):
    return (
        np.tile(x, 2), np.tile(x, (2, 1, 3)), np.tile(x, (2,) * 5), np.repeat(x, 2),
        np.atleast_1d(x), np.atleast_2d(x), np.atleast_3d(x), np.broadcast_arrays(x, x[None]),
    )  # fmt: skip


@case("padding", [(3, 4)])
def _(np, x):
    modes = [np.pad(x, 2, mode=m) for m in ("edge", "reflect", "wrap", "symmetric")]
    return np.pad(x, 1), np.pad(x, ((1, 0), (2, 3)), constant_values=1), modes


@case("diagonals of matrices in a stack", [(2, 3, 4)])
def _(np, x):
    return np.linalg.diagonal(x), np.linalg.diagonal(x, offset=1), np.diagonal(x)


@case("a vector seen as a matrix in Fortran order", [(12,)])
def _(np, x):
    seen = x.reshape(3, 4, order="F")
    seen[0] = 0
    x.ravel(order="F")[-1] = 7
    return x + 0, seen + 0


@case("differences with something at the ends", WITH_AXES)
def _(np, x):
    return np.diff(x, prepend=x[..., :1]), np.diff(x, append=x[..., :1]), np.diff(x, n=0)


@case("what shapes and dtypes tell", SHAPES)
def _(np, x):
    types = np.result_type(x, np.float32), np.can_cast(x, np.float32), np.iscomplexobj(x)
    return np.ndim(x), np.shape(x), np.size(x), np.isrealobj(x), str(types)


@case("diagonals", [(3, 4), (4, 3)])
def _(np, x):
    return (
        np.diag(x), np.diag(x, 1), np.diag(x, -1), np.diag(x[0]), np.diag(x[0], -2),
        np.tril(x), np.triu(x, 1), x.diagonal(), np.diagonal(x, 1),
    )  # fmt: skip


@case("arrays like others", SHAPES)
def _(np, x):
    return (
        np.zeros_like(x), np.ones_like(x), np.full_like(x, 1), np.empty_like(x).shape,
        np.zeros_like(x, dtype=float), x.copy(), np.copy(x), np.array(x), np.asarray(x),
    )  # fmt: skip


@case("choosing", SHAPES)
def _(np, x):
    return (
        np.where(x > 0, x, 0), np.where(x > 1, 1, x), np.where(x, x, x), np.where(x > 0, 1.5, 2),
        np.select([x > 1, x > 0], [x, x], 0),
    )  # fmt: skip


@case("limits and rounding", SHAPES, NUMBERS)
def _(np, x):
    return (
        np.clip(x, 0, 2), x.clip(1), np.clip(x, None, 1), np.clip(x, x * 0, x),
        np.nan_to_num(x), np.round(x, 1), x.round(), np.fix(x),
    )  # fmt: skip


@case("nan and infinities replaced by one another", [(3, 4)], FLOATS)
def _(np, x):
    x[0, :3] = np.nan, np.inf, -np.inf
    return np.nan_to_num(x, nan=np.inf, posinf=5.0), np.nan_to_num(x, posinf=-np.inf, neginf=0.0)


@case("taking", [(3, 4)])
def _(np, x):
    places = np.array([[0, 1], [1, 0], [2, 2]])
    return (
        np.take(x, [0, -1]), np.take(x, 1), x.take([[0, 1], [1, 0]], axis=0),
        np.take_along_axis(x, places, axis=1),
    )  # fmt: skip


@case("order", [(3, 4), (1, 1)])
def _(np, x):
    x.sort(axis=0)
    return (
        np.sort(x), np.sort(x, axis=None), np.argsort(x, kind="stable"), np.median(x),
        np.median(x, axis=0), x,
    )  # fmt: skip


@case("quantiles", [(3, 4)], ["float64", "int64"])
def _(np, x):
    return np.percentile(x, 30), np.quantile(x, 0.75, axis=0), np.percentile(x, 100)


@case("searchsorted", [(5,)], ["int32", "int64"])
def _(np, x):
    return np.searchsorted(np.sort(x), x), np.searchsorted(np.sort(x), 2, side="right")


@case("products", [(3, 3)], NUMBERS, loose=True)
def _(np, x):
    return (
        np.cross(x, x[::-1]), np.outer(x[0], x[1]), np.inner(x, x), np.vdot(x, x),
        np.dot(x, x.T), np.tensordot(x, x, axes=([0], [0])), np.tensordot(x, x, 1), x @ x.T,
        x[0] @ x[1], np.trace(x), x.trace(1),
    )  # fmt: skip


@case("products of many axes", [(2, 3, 4)], NUMBERS, loose=True)
def _(np, x):
    return (
        x @ x.mT, np.dot(x, x.mT), x @ x[0].T, np.linalg.norm(x), np.linalg.norm(x, axis=1),
        np.linalg.norm(x[0], ord=1),
    )  # fmt: skip


SUBSCRIPTS = [
    "ij,jk->ik", "ij,kj", "ij,ij->i", "ij,ij", "...j,...j->...", "i...,i...->...", "ij,jk,kl->il",
]  # fmt: skip


@case("einsum", [(3, 3)], NUMBERS, ulp=64, scale=1e-3)
def _(np, x):
    several = [np.einsum(s, *[x] * (s.count(",") + 1)) for s in SUBSCRIPTS]
    one = [np.einsum(s, x) for s in ("ii", "ij->j", "ij->ji", "ij->", "Ab->A", "...->...")]
    return several, one, np.einsum("i,j->ij", x[0], x[1]), np.einsum("i,i", x[0], x[1])


@case("NumPy's own Python code", [(3, 4)], FLOATS, loose=True)
def _(np, x):
    return (
        np.gradient(x), np.gradient(x, 2.0, axis=0), np.kron(x, x[:2, :2]), np.trapezoid(x),
        np.polyval([1, 2, 3], x), np.isclose(x, x + 1), np.ediff1d(x), np.sinc(x), np.cov(x),
        x.real, x.imag, np.average(x, axis=0),
    )  # fmt: skip


@case("arrays from others", [(3, 4)], NUMBERS, loose=True)
def _(np, x):
    return (
        np.array([x.sum(), x.mean(), 1]), np.array([x[0], x[1]]), np.ascontiguousarray(x.T),
        np.array(x, dtype=float), np.meshgrid(x[0], x[1]), np.meshgrid(x[0], x[1], indexing="ij"),
    )  # fmt: skip


@case("casts", SHAPES, captured=False)
def _(np, x):
    return [x.astype(d) for d in DTYPES], x.astype(int, copy=False), x.tolist()


@case("writers", [(3, 4)], NUMBERS)
def _(np, x):
    np.copyto(x, 1, where=x > 0)
    np.putmask(x, x < 0, 0)
    np.fill_diagonal(x, 0)
    x[0].fill(3)
    return x


@pytest.mark.parametrize("name", TABLE)
def test_function(name):
    function, shapes, dtypes, options = TABLE[name]
    for dtype in dtypes:
        small_sums = dtype == "uint8" and name.startswith(("sum", "prod"))  # to uint64
        captured = options.get("captured", not small_sums)
        for shape in shapes:
            check(function, sample(shape, dtype), **{**options, "captured": captured})


def test_creation_equals_numpy_bit_for_bit():
    check(
        lambda np: [
            np.zeros(3), np.zeros((2, 3), int), np.ones(2, np.float32), np.full((2,), 7),
            np.full(2, 1.5), np.full(2, True), np.arange(5), np.arange(2, 9, 3),
            np.arange(0, 1, 0.1), np.arange(5.0), np.arange(10, 0, -2), np.linspace(0, 1, 7),
            np.linspace(-2, 5, 11, endpoint=False), np.eye(3), np.eye(3, 4, k=1), np.identity(2),
            np.zeros(()), np.zeros((0, 3)), np.arange(0), np.linspace(0, 1, 1), np.tri(3),
            np.indices((2, 2)), np.zeros(3, "int8"), np.full((2, 2), [1, 2]), np.empty(3).shape,
        ],
        ulp=0,
    )  # fmt: skip


def test_ranges_equal_numpy_bit_for_bit():
    rng = np.random.default_rng(3)
    for _ in range(100):
        a, b = rng.normal(size=2) * 10.0 ** rng.integers(-3, 4)
        n, step = int(rng.integers(2, 50)), float(abs(rng.normal())) + 0.01
        check(
            lambda np, a=float(a), b=float(b), n=n, step=step: [
                np.linspace(a, b, n), np.arange(a, a + step * n, step),
                np.linspace(a, b, n, endpoint=False),
            ],
            ulp=0,
        )  # fmt: skip


def test_random_draws_are_inputs_of_numpys_own_stream():
    def function(np, rng):
        np.random.seed(3)
        x = np.asarray(rng.normal(size=4))
        return x * 2, np.random.rand(3) + 1, np.random.default_rng(1).integers(0, 9, 5) * 2

    wanted = function(np, np.random.default_rng(7))
    recorded = Recorded(function, (np.random.default_rng(7),))
    assert not recorded.breaks
    for got, own in zip(recorded.value, wanted, strict=True):
        np.testing.assert_array_equal(got, own)


def test_errors_are_numpys():
    for function in (
        lambda np, x: x.reshape(5, 5),
        lambda np, x: x.sum(axis=5),
        lambda np, x: np.concatenate([x, x[0]]),
        lambda np, x: x @ x,
        lambda np, x: np.max(x[:0]),
        lambda np, x: np.argmax(x[:0]),
        lambda np, x: np.stack([x, x[0]]),
        lambda np, x: np.squeeze(x, 0),
        lambda np, x: np.einsum("ij,jk", x, x),
        lambda np, x: np.einsum("ijk->i", x),
        lambda np, x: np.einsum("ij->ijj", x),
        lambda np, x: np.einsum("...ijk->i", x),
        lambda np, x: x.nothing,
        lambda np, x: len(x.sum()),
    ):
        check(function, sample((3, 4), "float64"), captured=False)
