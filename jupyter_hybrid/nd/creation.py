"""Arrays from Python values and from nothing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import NDArray, array, empty

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
    "split_v2",
    "zeros",
]


def zeros(
    shape: Any, ctx: Any = None, dtype: Any = None, stype: str | None = None, out: Any = None
) -> NDArray:
    """An array of zeros, float32 unless ``dtype`` says otherwise; ``stype`` may be "default"."""
    if stype not in (None, "default"):
        raise _core.MXNetError(f"zeros: given stype {stype!r}, only dense arrays are supported")
    return _make("_zeros", {"shape": shape}, ctx, dtype, out)


def ones(shape: Any, ctx: Any = None, dtype: Any = None, out: Any = None) -> NDArray:
    """An array of ones, float32 unless ``dtype`` says otherwise."""
    return _make("_ones", {"shape": shape}, ctx, dtype, out)


def full(shape: Any, val: float, ctx: Any = None, dtype: Any = None, out: Any = None) -> NDArray:
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


def eye(N: int, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Ones on diagonal ``k``, zeros elsewhere; ``N`` rows and ``M`` (0: N) columns."""
    return _make("_eye", {"N": N, "M": M, "k": k}, ctx, dtype)


def from_numpy(ndarray: Any, zero_copy: bool = True) -> NDArray:
    """An array with the dtype of a NumPy array; with ``zero_copy`` both share the memory.

    Raises MXNetError for ``zero_copy`` of an ndarray that is not C-contiguous, as MXNet does.
    """
    if zero_copy and not ndarray.flags["C_CONTIGUOUS"]:
        raise _core.MXNetError(
            "from_numpy: given an ndarray that is not C-contiguous, expected one that is, "
            "or zero_copy=False"
        )
    return _core.from_numpy(ndarray, not zero_copy)


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
    order = [a for a in range(n) if a not in sources]
    for target, moved in sorted(zip(targets, sources)):
        order.insert(target, moved)
    return _core.invoke("transpose", [tensor], {"axes": order})


def split_v2(
    ary: NDArray,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
) -> list[NDArray]:
    """Parts of an array: that many of one size, or cut before the given indices."""
    size = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1 or size % indices_or_sections:
            raise ValueError(f"split_v2: {size} does not divide into {indices_or_sections} parts")
        width = size // indices_or_sections
        cuts = list(range(0, size + 1, width))
    else:
        cuts = [0, *indices_or_sections, size]
    parts = [
        _core.invoke("slice_axis", [ary], {"axis": axis, "begin": begin, "end": end})
        for begin, end in itertools.pairwise(cuts)
    ]
    if squeeze_axis:
        parts = [_core.invoke("squeeze", [p], {"axis": axis}) for p in parts]
    return parts


def _axis(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is outside an array of {ndim} dimensions")
    return axis % ndim


def _make(name: str, attrs: dict[str, Any], ctx: Any, dtype: Any, out: Any = None) -> NDArray:
    if dtype is not None:
        attrs["dtype"] = dtype
    return _core.invoke(name, [], attrs, out, ctx)
