"""Arrays made from nothing (zeros, arange, eye, ...) and from other things (array, asarray)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge
from ..array import layouts
from ..bridge import array_of
from ..errors import NotCovered
from ..protocols import Recorder
from . import lowering
from .lowering import FLOAT64, cast, copied, core, dtype_of, filled, require_dtype
from .registry import MISSING, gives_arrays, lowers


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape argument as a tuple. Raises TypeError as NumPy does, NotCovered for sizes < 0."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    made = tuple(operator.index(s) for s in sizes)
    if type(shape) is bool or any(s < 0 for s in made) or len(made) > 8:
        raise NotCovered("an array of shape {made}", made=made)
    return made


def _plain(order: str, rest: dict) -> None:
    if order not in ("C", "K", "A") or any(v is not None for v in rest.values()):
        raise NotCovered("a new array with order=, device= or like=")


def zeros(shape, dtype=float, order="C", **rest):
    _plain(order, rest)
    kind = require_dtype(np.dtype(float if dtype is None else dtype), "np.zeros")
    return filled(shape_of(shape), 0, kind)


def empty(shape, dtype=float, order="C", **rest):
    """Zeros: any contents are right, and these are the same in every run."""
    return zeros(shape, dtype, order, **rest)


def ones(shape, dtype=None, order="C", **rest):
    _plain(order, rest)
    kind = require_dtype(np.dtype(float if dtype is None else dtype), "np.ones")
    return core("ones", [], shape=shape_of(shape), dtype=kind.name)


def full(shape, fill_value, dtype=None, order="C", **rest):
    _plain(order, rest)
    if bridge.has_traced(fill_value) or np.ndim(fill_value):
        raise NotCovered("np.full of an array")
    try:
        with np.errstate(all="raise"):
            value = np.array(fill_value, dtype=dtype)
    except FloatingPointError as error:
        raise NotCovered(str(error)) from None
    return filled(shape_of(shape), value.item(), require_dtype(value.dtype, "np.full"))


def arange(*args, dtype=None, device=None, like=None, **named):
    if device is not None or like is not None or named or not 1 <= len(args) <= 3:
        raise NotCovered("np.arange with start=, stop=, step=, device= or like=")
    numbers = [_number(a) for a in args]
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    default = FLOAT64 if any(isinstance(n, float) for n in numbers) else np.dtype(int)
    kind = require_dtype(np.dtype(default if dtype is None else dtype), "np.arange")
    if kind.kind not in "fi" or (kind.kind == "i" and default.kind == "f"):
        raise NotCovered("np.arange of {kind}", kind=kind)
    size = max(0, math.ceil((stop - start) / step))
    if kind.kind == "f":  # NumPy steps by the difference of the first two elements
        first, second = kind.type(start), kind.type(start + step)
        start, step = float(first), float(second - first)
        stop = start + step * (size - 0.5)
    elif kind.itemsize < 8 or abs(start) + abs(step) * size >= 2**53:
        raise NotCovered("np.arange of {kind} beyond what is exact", kind=kind)
    if not size:
        return filled((0,), 0, kind)
    node = core("arange", [], start=start, stop=stop, step=step, dtype=kind.name)
    if tuple(node.shape) != (size,):
        raise NotCovered("np.arange whose length rounding decides")
    return node


def _number(value: Any) -> Any:
    kind = type(value)  # a traced number says that it is one
    if issubclass(kind, (int, np.integer)) and kind is not bool:
        return int(value)
    if issubclass(kind, float):
        return float(value)
    raise NotCovered("np.arange of {kind}", kind=kind.__name__)


def eye(N, M=None, k=0, dtype=float, order="C", **rest):
    _plain(order, rest)
    kind = require_dtype(np.dtype(dtype), "np.eye")
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    if rows <= 0 or columns <= 0:
        raise NotCovered("np.eye without elements")
    return core("eye", [], N=rows, M=columns, k=operator.index(k), dtype=kind.name)


def identity(n, dtype=None, **rest):
    return eye(n, dtype=float if dtype is None else dtype, **rest)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    kinds = (int, float, np.integer, np.floating)
    plain = all(issubclass(type(v), kinds) and type(v) is not bool for v in (start, stop))
    if not plain or retstep or dtype is not None or axis or device is not None:
        raise NotCovered("np.linspace of arrays, or with retstep=, dtype=, axis= or device=")
    count = operator.index(num)
    kind = np.result_type(*(np.dtype(type(v)) for v in (start, stop)), float)
    if kind != FLOAT64 or count < 2:
        raise NotCovered("np.linspace of less than two numbers")
    divisions = count - 1 if endpoint else count
    delta = float(stop) * 1.0 - float(start) * 1.0
    step = delta / divisions
    if not step or not math.isfinite(step):
        raise NotCovered("np.linspace without a step")
    node = core("arange", [], start=0, stop=count, step=1, dtype="float64")
    node = core("mul_scalar", [node], scalar=step)
    node = core("add_scalar", [node], scalar=float(start))
    if not endpoint:
        return node
    return core(
        "slice_assign_scalar", [node], begin=(count - 1,), end=(count,), step=(1,),
        scalar=float(stop),
    )  # fmt: skip


# By the face: these don't go through NumPy's protocols, or have no array among their arguments.
CREATION: dict[str, Callable] = {
    "zeros": zeros, "ones": ones, "full": full, "empty": empty, "arange": arange, "eye": eye,
    "identity": identity, "linspace": linspace,
}  # fmt: skip


def _like(make: Callable) -> Callable:
    def lowered(to, a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        x = to(a)
        if type(subok) is not bool:
            raise NotCovered("subok={subok}", subok=repr(subok))
        wanted = dtype_of(x) if dtype is None else dtype
        size = tuple(x.shape) if shape is None else shape
        return make(size, wanted, order, device=device)

    return lowered


for _function, _make in (
    (np.zeros_like, zeros), (np.ones_like, ones), (np.empty_like, empty),
):  # fmt: skip
    gives_arrays(lowers(_function)(_like(_make)))


@gives_arrays
@lowers(np.full_like)
def full_like(to, a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    x = to(a)
    wanted = require_dtype(dtype_of(x) if dtype is None else np.dtype(dtype), "np.full_like")
    size = tuple(x.shape) if shape is None else shape_of(shape)
    if type(fill_value) is bridge.Traced:
        return full_of(to, size, fill_value, wanted)
    return full(size, fill_value, wanted)


@gives_arrays
@lowers(np.full)
def full_of(to, shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    if order != "C" or device is not None or like is not None:
        raise NotCovered("np.full with order=, device= or like=")
    value = to(fill_value)
    wanted = require_dtype(dtype_of(value) if dtype is None else np.dtype(dtype), "np.full")
    node = lowering.broadcast_to(cast(value, wanted), shape_of(shape))
    return copied(node) if node is value else node


# From other things --------------------------------------------------------------------------------
def asarray(
    recorder: Recorder, a: Any, dtype: Any = None, order: Any = None, copy: Any = None
) -> Any:
    """``np.asarray`` (``copy=None``) and ``np.array`` (``copy=True``) of something traced."""
    if type(a) is not bridge.Traced:
        made = array_of(recorder, a, dtype)
        return layouts.like_copy(made, made, order or "K")
    wanted = a.dtype if dtype is None else np.dtype(dtype)
    if order not in (None, "K") and not layouts.fits(a, order):
        copy = True
    if wanted == a.dtype and not copy and not a.is_scalar:
        return a
    if copy is False:
        raise NotCovered("an array with copy=False")
    require_dtype(wanted, "np.array")
    node = cast(a.handle, wanted)
    made = bridge.Traced.of_node(recorder, copied(node) if node is a.handle else node)
    return layouts.like_copy(made, a, order or "K")


def converted(
    recorder: Recorder, real: Callable, a: Any, dtype: Any = None, *, copy: Any = MISSING,
    order: Any = None, ndmin: int = 0, subok: bool = True,
) -> Any:  # fmt: skip
    """What ``real``, np.array or one of its kin, makes of something traced."""
    if real is not np.array and (ndmin or not subok):
        raise NotCovered("np.{real} with ndmin= or subok=", real=real.__name__)
    if copy is MISSING:
        copy = True if real is np.array else None
    if real is np.ascontiguousarray:
        order, ndmin = "C", 1
    made = asarray(recorder, a, dtype, order, copy)
    while made.ndim < ndmin:
        made = made[None]
    return made


@gives_arrays
@lowers(np.copy)
def copy(to, a, order="K", subok=False):
    return copied(to(a))


@lowers(np.meshgrid)
def meshgrid(to, *xi, copy=True, sparse=False, indexing="xy"):
    if sparse or not copy or indexing not in ("xy", "ij"):
        raise NotCovered("np.meshgrid with sparse= or copy=")
    parts = [lowering.reshape(to(x), (-1,)) for x in xi]
    axes = list(range(len(parts)))
    if indexing == "xy" and len(parts) > 1:
        axes[:2] = 1, 0
    shapes = [tuple(-1 if i == axis else 1 for i in range(len(parts))) for axis in axes]
    apart = [lowering.reshape(part, own) for part, own in zip(parts, shapes, strict=True)]
    shape = np.broadcast_shapes(*(tuple(a.shape) for a in apart))
    made = [lowering.broadcast_to(a, shape) for a in apart]
    return tuple(copied(m) if m is p else m for m, p in zip(made, parts, strict=True))
