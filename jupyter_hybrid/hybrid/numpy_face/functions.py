"""NumPy functions with a lowering, beside the ufuncs: reductions, shapes, joining, selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from . import lowering
from .lowering import NotCovered, cast, core, dtype_of, reshape

_NONE: Any = np._NoValue
# NumPy function -> function of (handle-taking) arguments; `to` turns arguments into handles.
FUNCTIONS: dict[Callable, Callable] = {}


def lowers(*functions: Callable) -> Callable[[Callable], Callable]:
    """Registers the decorated lowering for NumPy functions."""

    def register(lowered: Callable) -> Callable:
        for function in functions:
            FUNCTIONS[function] = lowered
        return lowered

    return register


def _reductions() -> None:
    def make(name: str) -> tuple[Callable, Callable]:
        def lowered(to, a, axis=None, dtype=None, out=None, keepdims=_NONE, **rest):
            if out is not None or any(v is not _NONE for v in rest.values()):
                raise NotCovered(f"np.{name} with out=, initial= or where=")
            keep = keepdims is not _NONE and bool(keepdims)
            return lowering.reduction(name, to(a), axis, keep, dtype)

        def without_dtype(to, a, axis=None, out=None, keepdims=_NONE, **rest):
            return lowered(to, a, axis, None, out, keepdims, **rest)

        return lowered, without_dtype

    for name in ("sum", "prod", "mean"):
        FUNCTIONS[getattr(np, name)] = make(name)[0]
    for name in ("max", "min", "argmax", "argmin", "any", "all"):
        FUNCTIONS[getattr(np, name)] = make(name)[1]
    FUNCTIONS[np.amax], FUNCTIONS[np.amin] = FUNCTIONS[np.max], FUNCTIONS[np.min]


_reductions()


def _spread(root: bool) -> Callable:
    def lowered(to, a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NONE, **rest):
        if dtype is not None or out is not None or any(v is not _NONE for v in rest.values()):
            raise NotCovered("np.std/np.var with dtype=, out=, where= or mean=")
        keep = keepdims is not _NONE and bool(keepdims)
        return lowering.variance(to(a), axis, keep, float(ddof), root)

    return lowered


FUNCTIONS[np.std], FUNCTIONS[np.var] = _spread(True), _spread(False)


@lowers(np.dot)
def _dot(to, a, b, out=None):
    if out is not None:
        raise NotCovered("np.dot with out=")
    return lowering.matmul(to(a), to(b))


@lowers(np.where)
def _where(to, condition, x=_NONE, y=_NONE):
    if x is _NONE or y is _NONE:
        raise NotCovered("np.where with one argument")
    parts = [v if type(v) in (bool, int, float) else to(v) for v in (x, y)]
    kinds = [type(p)(0) if type(p) in (bool, int, float) else dtype_of(p) for p in parts]
    dtype = np.result_type(*kinds)
    if dtype not in lowering.DTYPES:
        raise NotCovered(f"np.where of {dtype}")
    test = to(condition)
    if dtype_of(test).kind != "b":
        test = core("not_equal_scalar", [test], scalar=0)
    handles = [
        _core.trace_constant(lowering.scalar(p, dtype), dtype=dtype.name, text=repr(p))
        if type(p) in (bool, int, float)
        else cast(p, dtype)
        for p in parts
    ]
    return core("where", [test, *handles])


@lowers(np.clip)
def _clip(to, a, a_min=_NONE, a_max=_NONE, out=None, *, min=_NONE, max=_NONE, **rest):
    low = min if a_min is _NONE else a_min
    high = max if a_max is _NONE else a_max
    if out is not None or rest:
        raise NotCovered("np.clip with out=")
    result = to(a)
    for ufunc, bound in ((np.maximum, low), (np.minimum, high)):
        if bound is not _NONE and bound is not None:
            value = bound if type(bound) in (int, float) else to(bound)
            result = lowering.ufunc_call(ufunc, [result, value])
    return result


@lowers(np.reshape)
def _reshape(to, a, /, shape=None, order="C", **rest):
    if order != "C" or rest:
        raise NotCovered("np.reshape with order= or copy=")
    return reshape(to(a), (shape,) if isinstance(shape, int) else tuple(shape))


@lowers(np.ravel)
def _ravel(to, a, order="C"):
    if order != "C":
        raise NotCovered("np.ravel with order=")
    return reshape(to(a), (-1,))


@lowers(np.transpose)
def _transpose(to, a, axes=None):
    x = to(a)
    rank = len(x.shape)
    order = tuple(range(rank))[::-1] if axes is None else tuple(int(i) % rank for i in axes)
    if sorted(order) != list(range(rank)):
        raise NotCovered("np.transpose with repeated axes")
    return x if order == tuple(range(rank)) else lowering.transpose(x, order)


@lowers(np.expand_dims)
def _expand_dims(to, a, axis):
    x = to(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    rank = len(x.shape) + len(axes)
    places = {int(i) % rank for i in axes}
    dims = iter(x.shape)
    return reshape(x, tuple(1 if i in places else next(dims) for i in range(rank)))


@lowers(np.squeeze)
def _squeeze(to, a, axis=None):
    x = to(a)
    rank = len(x.shape)
    if axis is None:
        return reshape(x, tuple(d for d in x.shape if d != 1))
    places = {int(i) % rank for i in (axis if isinstance(axis, tuple) else (axis,))}
    if any(x.shape[i] != 1 for i in places):
        raise NotCovered("np.squeeze of an axis longer than 1")
    return reshape(x, tuple(d for i, d in enumerate(x.shape) if i not in places))


def _joined(to: Callable, arrays: Any) -> list[Any]:
    handles = [to(a) for a in arrays]
    dtype = np.result_type(*[dtype_of(h) for h in handles])
    if dtype not in lowering.DTYPES:
        raise NotCovered(f"joining arrays to {dtype}")
    return [cast(h, dtype) for h in handles]


@lowers(np.concatenate)
def _concatenate(to, arrays, /, axis=0, out=None, **rest):
    if out is not None or rest:
        raise NotCovered("np.concatenate with out= or dtype=")
    handles = _joined(to, arrays)
    if axis is None:
        handles, axis = [reshape(h, (-1,)) for h in handles], 0
    rank = len(handles[0].shape)
    return core("concat", handles, dim=int(axis) % max(rank, 1))


@lowers(np.stack)
def _stack(to, arrays, axis=0, out=None, **rest):
    if out is not None or rest:
        raise NotCovered("np.stack with out= or dtype=")
    handles = _joined(to, arrays)
    return core("stack", handles, axis=int(axis) % (len(handles[0].shape) + 1))


def _like(name: str) -> Callable:
    def lowered(to, a, dtype=None, order="K", subok=True, shape=None, **rest):
        x = to(a)
        if shape is not None or rest:
            raise NotCovered(f"np.{name}_like with shape=")
        wanted = np.dtype(dtype) if dtype is not None else dtype_of(x)
        return creation(name, tuple(x.shape), wanted)

    return lowered


FUNCTIONS[np.zeros_like], FUNCTIONS[np.ones_like] = _like("zeros"), _like("ones")


@lowers(np.take)
def _take(to, a, indices, axis=None, out=None, mode="raise"):
    if out is not None or mode != "raise":
        raise NotCovered("np.take with out= or mode=")
    x, where = to(a), to(indices)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    return take(x, where, int(axis) % len(x.shape))


def take(x: Any, where: Any, axis: int) -> Any:
    """``np.take(x, where, axis)`` for an integer index array."""
    if dtype_of(where).kind not in "iu":
        raise NotCovered(f"an index array of {dtype_of(where)}")
    return core("take", [x, where], axis=axis, mode="raise")


# Creation ---------------------------------------------------------------------------------------
def creation(name: str, shape: tuple[int, ...], dtype: Any, **attrs: Any) -> Any:
    """A ``zeros``/``ones``/``full`` node; shape sizes must be non-negative."""
    dtype = np.dtype(dtype)
    if dtype not in lowering.DTYPES:
        raise NotCovered(f"np.{name} of {dtype}")
    if any(s < 0 for s in shape):
        raise NotCovered(f"np.{name} of shape {shape}")
    return core(name, [], shape=tuple(int(s) for s in shape), dtype=dtype.name, **attrs)
