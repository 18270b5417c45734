"""What recorded NumPy functions give lies in memory as NumPy's own results: layout, flags, aliases.

Every function, ufunc and method with a lowering is called on arrays of several layouts. A new
lowering without a sample here fails `test_everything_with_a_lowering_has_a_sample`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy_samples import sample
from traced import Recorded, check

from jupyter_hybrid.np_face.array import methods
from jupyter_hybrid.np_face.lower import composed, followed, ufuncs
from jupyter_hybrid.np_face.lower.registry import FUNCTIONS, METHODS_OF_UFUNCS, VIEWS, WRITERS

LAYOUTS: dict[str, Callable[[Any], np.ndarray]] = {
    "C": lambda d: sample((3, 4), d),
    "F": lambda d: np.asfortranarray(sample((3, 4), d)),
    "strided": lambda d: sample((6, 8), d)[::2, ::2],
    "strided F": lambda d: sample((8, 6), d)[::2, ::2].T,
    "reversed": lambda d: sample((3, 4), d)[:, ::-1],
    "C of rank 3": lambda d: sample((2, 3, 4), d),
    "turned": lambda d: sample((2, 3, 4), d).transpose(2, 0, 1),
    "turned, an axis of 1": lambda d: sample((4, 1, 3), d).transpose(2, 1, 0),
    "repeated": lambda d: np.broadcast_to(sample((4,), d), (3, 4)),
    "square": lambda d: np.asfortranarray(sample((3, 3), d)),
    "column": lambda d: np.asfortranarray(sample((3, 1), d)),
    "row": lambda d: sample((1, 4), d),
    "empty": lambda d: np.asfortranarray(sample((0, 3), d)),
    "vector": lambda d: sample((4,), d),
    "every other": lambda d: sample((8,), d)[::2],
    "one": lambda d: sample((1,), d),
    "rank 0": lambda d: sample((), d),
    "cube": lambda d: sample((3, 3, 3), d).transpose(0, 2, 1),
}
SHORT = [
    ("C", "float64", False), ("turned", "float64", False), ("F", "int64", False),
    ("vector", "complex128", False), ("square", "float64", True), ("rank 0", "float64", False),
]  # fmt: skip
WRITING = {"put_along_axis", "fill_diagonal"}
# Of `x`; `y` has its shape in C order, `i` is an array of indices, `m` a mask of the first axis.
SAMPLES = """
np.all(x, 0) np.any(x, -1) np.any(x, 0, keepdims=True) np.argmax(x, 0) np.argmin(x, -1, keepdims=True)
np.argsort(x, 0) np.argsort(x) np.sort(x) np.sort(x, 0) np.partition(x, 1, 0) np.partition(x, 1)
np.max(x, 0) np.amax(x, -1) np.amin(x, 0) np.min(x, 1, keepdims=True) np.sum(x, 0) np.sum(x, -1)
np.sum(x, ()) np.sum(x, (0,1)) np.sum(x, 1, keepdims=True) np.prod(x, 0) np.mean(x, 0) np.mean(x, 1)
np.max(x, ()) np.std(x, 0) np.var(x, 1) np.std(x, 0, keepdims=True) np.ptp(x, 0) np.ptp(x, 1)
np.around(x) np.round(x, 1) np.round(x) np.clip(x, 0, 1) np.clip(x, 0, None) np.clip(x, None, y) np.clip(x, y, 3)
np.average(x, 0) np.average(x, 1, y) np.average(x, 0, keepdims=True) np.median(x, 0) np.median(x, 1, keepdims=True)
np.median(x, -1) np.quantile(x, 0.5, 0) np.quantile(x, [0.25, 0.5], 1) np.percentile(x, [10, 20], 0)
np.percentile(x, 10, -1, keepdims=True) np.can_cast(x.dtype, 'f4') np.result_type(x, y)
np.choose(x > 0, [x, y]) np.choose(x > 0, [y, y]) np.column_stack([x, x]) np.column_stack([x, y])
np.concatenate([x, x]) np.concatenate([x, x], 1) np.concatenate([x, y]) np.concatenate([y, x], -1)
np.concatenate([x, x], None) np.stack([x, x]) np.stack([x, y], 1) np.stack([x, x], -1) np.stack([x.T, x.T], 2)
np.vstack([x, x]) np.vstack([x.T, y.T]) np.hstack([x.T, x.T]) np.dstack([x, x]) np.convolve(x, x) np.correlate(x, x)
np.copy(x) np.copy(x, 'C') np.copy(x, 'A') np.copy(x, 'F') np.count_nonzero(x, 0) np.count_nonzero(x, -1, keepdims=True)
np.cumprod(x, 0) np.cumsum(x, 0) np.cumsum(x, -1) np.cumsum(x) np.cumsum(x, 1) np.dot(x, y.T) np.dot(x.T, x)
np.dot(x, 2) np.dot(x, np.ones(x.shape[-1:])) np.inner(x, x) np.inner(x, y) np.outer(x, y) np.vdot(x, y)
np.einsum('ij,ij->ji',x,y) np.einsum('ij,jk',x,y.T) np.einsum('ij->ji',x) np.einsum('ij->i',x) np.einsum('ij->j',x)
np.einsum('ij,ij->ij',x,y) np.einsum('ijk->kj',x) np.einsum('ijk,ijk->kij',x,x) np.einsum('...i,...i->...',x,y)
np.einsum('ii->i',x) np.einsum('ij,kj->ki',x,y) np.einsum('ij,j->ij',x,y[0]) np.einsum('ij,ij->ji',x,y,optimize=True)
np.empty_like(x) np.empty_like(x, order='C') np.empty_like(x, order='F') np.empty_like(x, shape=(3,2)) np.zeros_like(x) np.zeros_like(x, dtype='f4')
np.ones_like(x) np.ones_like(x, order='A') np.full_like(x, 1) np.full_like(x, x) np.full((2,*x.shape), x) np.full((2,3), 1)
np.full_like(x, 1, shape=(2,3,4)) np.histogram(x) np.interp(x, [0., 1.], [1., 2.]) np.isin(x, y) np.isin(x, [1, 2])
np.meshgrid(x, y) np.meshgrid(x, y, indexing='ij') np.meshgrid(x, y, copy=False) np.meshgrid(x, y, sparse=True) np.nan_to_num(x) np.nan_to_num(x, copy=False)
np.nanmax(x, 0) np.nanmin(x, 1) np.nanmean(x, 0) np.nanprod(x, -1) np.nansum(x, 0) np.nanstd(x, 0) np.nanvar(x, 1)
np.nansum(x, 1, keepdims=True) np.nancumsum(x) np.nancumprod(x, 0) np.pad(x, 1) np.pad(x, 1, 'edge') np.pad(x, 1, 'wrap') np.pad(x, ((1,0),(0,0))) np.pad(x, 0) np.pad(x, 0, 'edge')
np.repeat(x, 2) np.repeat(x, 2, 0) np.repeat(x, 2, -1) np.repeat(x, [1, 2, 1], 0) np.searchsorted(x, y) np.searchsorted([1., 2.], x)
np.select([x > 0, x < 0], [x, y]) np.select([y > 0], [x]) np.take(x, i) np.take(x, i, 0) np.take(x, i, -1) np.take(x, [0, 1], 1)
np.take_along_axis(x, np.argsort(x, 0), 0) np.take_along_axis(x, np.argsort(x), -1) np.tile(x, 2) np.tile(x, (2, 1)) np.tile(x, 1)
np.tile(x, (2, 1, 1)) np.trace(x) np.trace(x, axis1=1, axis2=2) np.where(x > 0, x, y) np.where(x > 0, y, 0) np.where(y > 0, x, 0)
np.broadcast_arrays(x, y) np.broadcast_arrays(x, y[None]) np.broadcast_arrays(x, x) np.broadcast_to(x, (2, *x.shape)) np.broadcast_to(x, x.shape) np.broadcast_arrays(x)
np.diag(x) np.diag(x, 1) np.diagonal(x) np.diagonal(x, 1, 1, 2) np.imag(x) np.real(x) np.ravel(x) np.ravel(x, 'F') np.ravel(x, 'K') np.ravel(x, 'A')
np.reshape(x, -1) np.reshape(x, (2, -1)) np.reshape(x, x.shape) np.reshape(x, (1, *x.shape)) np.reshape(x, (2, -1), order='F') np.reshape(x, (-1, 2), order='A')
np.reshape(x, -1, copy=True) np.reshape(x, (*x.shape, 1)) np.roll(x, 1) np.roll(x, 1, 0) np.roll(x, (1, 1), (0, 1)) np.roll(x, 0, 0)
np.lib.stride_tricks.sliding_window_view(x,2,0) np.lib.stride_tricks.sliding_window_view(x,1,-1)
np.squeeze(x) np.squeeze(x, ()) np.squeeze(x[None], 0) np.squeeze(x[:, None]) np.swapaxes(x, 0, 1) np.swapaxes(x, 0, 0) np.transpose(x)
np.transpose(x, (1, 0)) np.permute_dims(x, (1, 0, 2))
np.allclose(x, y) np.array_equal(x, y) np.isclose(x, y) np.angle(x) np.append(x, y) np.append(x, y, 0) np.append(x, x, 1) np.apply_over_axes(np.sum,x,0)
np.array_split(x, 2) np.split(x, [1]) np.split(x, 1, -1) np.hsplit(x, 2) np.vsplit(x, [1]) np.dsplit(x, [1]) np.unstack(x) np.astype(x, x.dtype) np.astype(x, x.dtype, copy=False)
np.astype(x, 'f4') np.atleast_1d(x) np.atleast_2d(x) np.atleast_3d(x) np.atleast_2d(x, y) np.block([[x, x], [y, x]]) np.block([x]) np.common_type(x) np.corrcoef(x) np.corrcoef(x, rowvar=False) np.cov(x) np.cov(x.T)
np.cross(x[..., :3], y[..., :3]) np.cumulative_prod(x, axis=0) np.cumulative_sum(x, axis=-1) np.cumulative_sum(x,axis=0,include_initial=True)
np.delete(x, 0, 0) np.delete(x, [0, 1], -1) np.delete(x, 1) np.diagflat(x) np.diff(x) np.diff(x, 0) np.diff(x, axis=0) np.diff(x, 2) np.diff(x, prepend=0) np.digitize(x, [0., 1.])
np.ediff1d(x) np.expand_dims(x, 0) np.expand_dims(x, (0, -1)) np.fix(x) np.flip(x) np.flip(x, 0) np.fliplr(x) np.flipud(x) np.geomspace(1, 2+abs(x), 3) np.gradient(x) np.gradient(x, axis=0) np.gradient(x, 2., axis=-1)
np.insert(x, 1, 0, 0) np.insert(x, 1, 0) np.insert(x, [0, 1], 2, -1) np.iscomplexobj(x) np.isrealobj(x) np.isneginf(x) np.isposinf(x) np.ix_(x, x) np.kron(x, y) np.kron(x, x[0])
np.linspace(x, y, 3) np.linspace(0, x, 3, axis=-1) np.logspace(x, y, 3) np.matrix_transpose(x) np.moveaxis(x, 0, -1) np.moveaxis(x, 0, 0) np.ndim(x) np.size(x) np.shape(x)
np.piecewise(x, [x > 0], [1, 2]) np.polyval(x, y) np.polyval([1., 2.], x) np.resize(x, (2, 5)) np.resize(x, x.shape) np.rollaxis(x, 1) np.rot90(x) np.rot90(x, 0) np.rot90(x, 2) np.sinc(x)
np.tensordot(x, y.T, 1) np.tensordot(x, y, ([0], [0])) np.tensordot(x, y, x.ndim) np.trapezoid(x) np.trapezoid(x, axis=0) np.tri(3) np.tril(x) np.triu(x, 1) np.unwrap(x) np.unwrap(x, axis=0) np.vander(x)
np.fft.fft(x) np.fft.fft(x, axis=0) np.fft.fft(x, 3) np.fft.ifft(x, axis=0) np.fft.rfft(x) np.fft.rfft(x, axis=0) np.fft.irfft(x) np.fft.irfft(x, axis=0) np.fft.hfft(x, axis=0) np.fft.ihfft(x, axis=0) np.fft.fft2(x) np.fft.ifft2(x) np.fft.rfft2(x) np.fft.irfft2(x)
np.fft.fftn(x) np.fft.ifftn(x, axes=(0,)) np.fft.rfftn(x) np.fft.irfftn(x) np.fft.fftshift(x) np.fft.ifftshift(x, 0)
np.linalg.cholesky(s) np.linalg.cholesky(s,upper=True) np.linalg.cond(s) np.linalg.cross(x[..., :3], y[..., :3]) np.linalg.det(s) np.linalg.diagonal(x) np.linalg.eigh(s) np.linalg.eigh(s, 'U') np.linalg.eigvalsh(s) np.linalg.inv(s) np.linalg.matmul(x, y.mT)
np.linalg.matrix_norm(x) np.linalg.matrix_norm(x,keepdims=True) np.linalg.matrix_power(s, 3) np.linalg.matrix_power(s, -1) np.linalg.matrix_power(s, 0) np.linalg.matrix_power(s, 1) np.linalg.matrix_rank(s) np.linalg.matrix_transpose(x) np.linalg.multi_dot([x, y.T, x])
np.linalg.norm(x) np.linalg.norm(x, axis=0) np.linalg.norm(x, axis=-1, keepdims=True) np.linalg.norm(x, 1, 0) np.linalg.outer(x, x) np.linalg.pinv(s) np.linalg.pinv(x) np.linalg.qr(x) np.linalg.qr(x, 'complete') np.linalg.qr(x.mT) np.linalg.qr(x, 'r')
np.linalg.slogdet(s) np.linalg.solve(s, s) np.linalg.solve(s, s[..., 0]) np.linalg.solve(s.mT, np.ones((3, 2))) np.linalg.svd(x) np.linalg.svd(x,full_matrices=False) np.linalg.svdvals(x) np.linalg.tensordot(x, y.T, 1) np.linalg.tensorinv(s, 1) np.linalg.tensorsolve(s, s[0])
np.linalg.trace(x) np.linalg.vector_norm(x, axis=0) np.linalg.vector_norm(x, axis=0, keepdims=True)
np.add(x, y, order='C') np.add(x, y, where=y > 0) np.add(x, y, dtype='c16') np.add(x, x[:1]) np.add(x[:1], x) x+1 x*y y-x x+x[...,:1] x[:1]+x[...,:1] x.T+x.T -x divmod(x, 2) divmod(y, x) x**2 x@x.T x.T@x np.matmul(x, x.mT) np.matmul(x[None], x.mT)
np.add.reduce(x) np.maximum.reduce(x, axis=-1) np.add.reduce(x, axis=1, keepdims=True) np.logical_or.reduce(x,1) np.add.accumulate(x) np.maximum.accumulate(x, axis=-1) np.logical_and.accumulate(x) np.multiply.outer(x, y) np.add.outer(x[0], x.T) np.add.outer(x, 1)
np.array(x) np.array(x, order='C') np.array(x, copy=False) np.array(x, ndmin=3) np.array([x, y]) np.array([x, x]) np.asarray(x) np.asarray(x, order='C') np.asarray(x, order='F') np.asarray(x, order='A') np.asarray(x, 'f4') np.asanyarray(x) np.ascontiguousarray(x) np.ascontiguousarray(x[None]) np.asfortranarray(x) np.require(x, None, 'F')
x.copy() x.copy('K') x.copy('F') x.copy('A') x.flatten() x.flatten('F') x.flatten('A') x.flatten('K') x.ravel() x.ravel('K') x.ravel('A') x.astype(x.dtype) x.astype('f4') x.astype('f4', order='C') x.astype(x.dtype, copy=False) x.astype(x.dtype, order='F', copy=False) x.astype('c16', order='A')
x.conj() x.conjugate() x.real x.imag x.T x.mT x.T.real x.real.T (x+1j).real (x+1j).T.real (x+1j).T.imag x.view() x.squeeze() x.squeeze(0) x.squeeze(()) x.reshape(-1) x.reshape(x.shape) x.reshape((-1, 1)) x.transpose() x.transpose(0, 1) x.transpose(1, 0, 2) x.swapaxes(0, 1)
x.sum(0) x.prod(-1) x.mean(0) x.max(1) x.min(0) x.argmax(0) x.argmin(1) x.any(0) x.all(-1) x.std(0) x.var(1) x.dot(x.T) x.clip(1) x.clip(0, 2) x.take([0, 1], -1) x.round() x.round(1) x.repeat(2, 0) x.cumsum(0) x.cumprod(1) x.diagonal() x.trace() x.argsort(0) (x>0).choose([x, y]) x[0].searchsorted(x)
x.to_device('cpu') x.base x.flat[:] x.flat[1:3] x.flat.copy() x.__copy__() x.__array__() abs(x) round(x) x.__deepcopy__({})
x[0] x[...] x[:] x[:, 0] x[::2] x[::-1] x[1:] x[None] x[..., None] x[1:2] x[:, 1:2] x[0:0] x[()] x[..., 0] x[:, None, 0] x[::-1, ::2]
x[i] x[:, i] x[1:, i] x[i, i] x[i, :, i] x[0, i] x[:, 0, i] x[..., i] x[i, ...] x[i][:, i] x[i[:, None], i] x[i[None]] x[:, i[None]] x[:, np.array([[0, 1], [1, 0], [0, 0]]).T] x[np.array([[0, 1], [1, 0], [0, 0]]).T] x[[0]] x[:, [0]] x[:, [0], :] x[:, [0, 1], [1, 0]] x[:, :, i] x[None, i] x[i, None] x[:, i, None] x[::2, i] x[i, ::-1] x[:, []]
x[m] x[x > 0] x[:, x[0] > 0] x[x[:, 0] > 0] x[x[..., 0] > 0] x[:, [True, False, True, False]] x[[True, False, True]] x[[True, False, True], 1:] x[:, [True, False, True, False]].T
""".replace("\n", " ")  # noqa: E501


def expressions() -> list[str]:
    """The samples; each ends where a blank follows outside of brackets."""
    found, depth, now = [], 0, ""
    for c in SAMPLES:
        depth += (c in "([{") - (c in ")]}")
        if c == " " and not depth:
            found, now = [*found, now] if now else found, ""
        else:
            now += c
    both = [f"np.{u.__name__}(x, y)" for u in {**ufuncs.BINARY, **composed.COMPOSED} if u.nin == 2]
    alone = [f"np.{u.__name__}(x)" for u in {**ufuncs.UNARY, **composed.COMPOSED} if u.nin == 1]
    return found + both + alone


def arguments(layout: str, dtype: str) -> dict[str, Any]:
    """The names of the samples: `s` holds symmetric matrices, the others are told of above."""
    x = LAYOUTS[layout](dtype)
    y = np.array(x[::-1] if x.ndim else x, order="C")
    s = np.asfortranarray(np.eye(3) * 4 + 1).astype(dtype)
    if x.ndim == 3:
        s = np.broadcast_to(s, (2, 3, 3)).copy("F")
    return {"x": x, "y": y, "i": np.array([0, 1, 1]), "s": s, "m": sample(x.shape[:1], "bool")}


def geometry(value: Any) -> Any:
    """What an array says of how it lies in memory, computed or not."""
    if isinstance(value, (list, tuple)):
        return [geometry(v) for v in value]
    if not isinstance(value, np.ndarray):
        return value.__class__.__name__
    strides = [s for n, s in zip(value.shape, value.strides, strict=True) if n > 1]
    flags = value.flags.c_contiguous, value.flags.f_contiguous
    return str(value.dtype), value.shape, strides if value.size else [], *flags


def aliases(value: Any, operands: dict[str, Any]) -> Any:
    """Whose memory an array shows, and who may write it."""
    if isinstance(value, (list, tuple)):
        return [aliases(v, operands) for v in value]
    if not isinstance(value, np.ndarray):
        return None
    same = [n for n, o in operands.items() if o is value]
    shared = [n for n, o in operands.items() if np.shares_memory(o, value)]
    return value.flags.writeable, value.flags.owndata, same, shared


def difference(text: str, layout: str, dtype: str, copied: bool) -> str:
    """What differs between the plain and the recorded result, of operands that are there or copied
    first; "" where NumPy raises."""
    code = compile(text, "<sample>", "eval")
    names = list(arguments(layout, dtype))
    seen = []

    def call(face: Any, *values: Any) -> Any:
        operands = [v.copy("K") for v in values] if copied else list(values)
        made = eval(code, {"np": face, **dict(zip(names, operands, strict=True))})
        seen.append(geometry(made))
        return made, operands

    def described(made: Any, operands: list[Any]) -> Any:
        return geometry(made), aliases(made, dict(zip(names, operands, strict=True)))

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = described(*call(np, *arguments(layout, dtype).values()))
        except Exception:
            return ""
        got = described(*Recorded(call, tuple(arguments(layout, dtype).values())).value)
    if seen[1] != seen[0]:
        return f"{text}: {seen[1]} before it is computed, {seen[0]} in NumPy\n"
    return "" if got == wanted else f"{text}: {got}, in NumPy {wanted}\n"


@pytest.mark.parametrize(("layout", "dtype", "copied"), SHORT)
def test_results_lie_as_numpys(layout, dtype, copied):
    assert not "".join(difference(text, layout, dtype, copied) for text in expressions())


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "bool"])
@pytest.mark.parametrize("copied", [False, True])
def test_results_of_every_layout_lie_as_numpys(layout, dtype, copied):
    assert not "".join(difference(text, layout, dtype, copied) for text in expressions())


def test_everything_with_a_lowering_has_a_sample():
    called = set(re.findall(r"\.(\w+)", " ".join(expressions())))
    named = [*FUNCTIONS, *VIEWS, *followed._followable(), *followed.REWRITTEN]
    wanted = {f.__name__ for f in named if f not in WRITERS} - WRITING
    assert wanted | {*METHODS_OF_UFUNCS} - {"at"} | {*methods._FUNCTIONS} <= called


@pytest.mark.parametrize(
    "body",
    [
        "x.conj()[0] = 99",
        "np.diff(x, 0)[0] = 99",
        "np.round(x.astype(int), 1)[0] = 99",
        "x.real[...] = x.squeeze() + 1",
        "z = x.T.copy('K') + 1j\nx = z.real\nx.flat[1] = 99\nx.ravel('K')[0] = 98",
        "v = x[x.argmin() % 2]\nv[...] = 7",
        "x.imag[0] = 5",
        "x.flat[100] = 1",
        "x.flat[100]",
        "np.diagonal(x).flat[1] = 3",
        "x = x[1:, [0, 2]]\nx.shape = (-1,)",
        "x = x[1:, [0, 2]].view('i4')",
        "a, b = np.meshgrid(x, x, copy=False)\nx = a",
    ],
)
def test_writes_and_views_are_numpys(body):
    code = compile(body, "<sample>", "exec")

    def call(face: Any, x: np.ndarray) -> np.ndarray:
        names = {"np": face, "x": x}
        exec(code, names)
        return names["x"]

    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # of what may not be written some day
        check(call, sample((3, 3), "float64"), captured=False)
