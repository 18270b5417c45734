"""Arrays from Python values and from nothing."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import NDArray, array, empty
from ..base import ReshapeError
from .dlpack import writable

__all__ = [
    "arange",
    "array",
    "concatenate",
    "empty",
    "eye",
    "from_numpy",
    "full",
    "linspace",
    "moveaxis",
    "ones",
    "zeros",
]


def zeros(
    shape: Any,
    ctx: Any = None,
    dtype: Any = None,
    stype: str | None = None,
    out: Any = None,
    **kwargs: Any,
) -> NDArray:
    """An array of zeros, float32 unless ``dtype`` says otherwise; ``stype`` may be "default"."""
    if stype not in (None, "default"):
        raise _core.MXNetError(f"zeros: given stype {stype!r}, only dense arrays are supported")
    return _make("_zeros", {"shape": shape, **kwargs}, ctx, dtype, out)


def ones(shape: Any, ctx: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> NDArray:
    """An array of ones, float32 unless ``dtype`` says otherwise."""
    return _make("_ones", {"shape": shape, **kwargs}, ctx, dtype, out)


def full(
    shape: Any, val: float, ctx: Any = None, dtype: Any = "float32", out: Any = None
) -> NDArray:
    """An array filled with ``val``, float32 unless ``dtype`` says otherwise."""
    return _make("_full", {"shape": shape, "value": val}, ctx, dtype, out)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: Any = None,
    ctx: Any = None,
    dtype: Any = "float32",
) -> NDArray:
    """Numbers from ``start`` up to ``stop`` (excluded); with one argument from 0 to it.

    Each stands ``repeat`` times.
    """
    attrs = {"start": start, "stop": stop, "step": step, "repeat": repeat}
    return _make("_arange", attrs, ctx, dtype)


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Any = None,
    dtype: Any = "float32",
) -> NDArray:
    """``num`` numbers at equal distances from ``start`` to ``stop``."""
    attrs = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _make("_linspace", attrs, ctx, dtype)


def eye(
    N: int, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None, **kwargs: Any
) -> NDArray:
    """Ones on diagonal ``k``, zeros elsewhere; ``N`` rows and ``M`` (0: N) columns."""
    return _make("_eye", {"N": N, "M": M, "k": k, **kwargs}, ctx, dtype)


def from_numpy(ndarray: Any, zero_copy: bool = True, array_cls: Any = NDArray) -> NDArray:
    """An array with the dtype of a NumPy array; with ``zero_copy`` both share the memory.

    The ndarray becomes read-only then: the array is to be written in its place.

    Raises:
        ValueError: ``zero_copy`` of an ndarray that is not C-contiguous.
        NotImplementedError: ``array_cls`` is not NDArray (``mx.np`` is not carried).
    """
    if array_cls is not NDArray:
        raise NotImplementedError(f"from_numpy: given array_cls {array_cls!r}, expected NDArray")
    if zero_copy and not ndarray.flags["C_CONTIGUOUS"]:
        raise ReshapeError(
            "from_numpy: given an ndarray that is not C-contiguous, expected one that is, "
            "or zero_copy=False"
        )
    if not zero_copy or not ndarray.nbytes:
        return _core.from_numpy(ndarray, True)
    again = _shared.get(id(ndarray)) is ndarray
    made = _core.from_numpy(writable(ndarray) if again else ndarray, False)
    ndarray.flags["WRITEABLE"] = False
    _shared[id(ndarray)] = ndarray
    return made


#: Read-only since an array of ours is on their memory; other such memory may not be written.
_shared: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Arrays joined along an existing axis."""
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return _core.invoke("concat", list(arrays), {"dim": axis})


def moveaxis(
    tensor: NDArray, source: int | Sequence[int], destination: int | Sequence[int]
) -> NDArray:
    """Axes moved to new places, the others in their order."""
    n = tensor.ndim
    sources = [source] if isinstance(source, int) else list(source)
    targets = [destination] if isinstance(destination, int) else list(destination)
    if len(sources) != len(targets):
        raise ValueError(f"moveaxis: {len(sources)} sources and {len(targets)} destinations")
    sources, targets = [_axis(a, n) for a in sources], [_axis(a, n) for a in targets]
    if len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ValueError(f"moveaxis: an axis is named twice in {source} or {destination}")
    order = [a for a in range(n) if a not in sources]
    for target, moved in sorted(zip(targets, sources)):
        order.insert(target, moved)
    return _core.invoke("transpose", [tensor], {"axes": order})


def _axis(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is outside an array of {ndim} dimensions")
    return axis % ndim


def _make(name: str, attrs: dict[str, Any], ctx: Any, dtype: Any, out: Any = None) -> NDArray:
    attrs.pop("name", None)  # MXNet's operators take one; here it names nothing
    if dtype is not None:
        attrs["dtype"] = dtype
    return _core.invoke(name, [], attrs, out, ctx)
