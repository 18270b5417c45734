"""Functions of MXNet's ``nd`` that are more than an operator."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import NDArray
from ..image_files import codec

__all__ = [
    "all_finite",
    "histogram",
    "imdecode",
    "multi_all_finite",
    "onehot_encode",
    "reset_arrays",
    "split_v2",
]


def histogram(
    a: NDArray, bins: int | NDArray = 10, range: tuple[float, float] | None = None
) -> list[NDArray]:
    """[how many elements lie in each bin, the bins' edges]; int64 counts, a's dtype of edges.

    Args:
        bins: a number of bins of equal width, or the increasing edges of all bins.
        range: lowest and highest edge; without it NumPy's histogram, in float32.
    """
    if isinstance(bins, NDArray):
        return _core.invoke("_histogram", [a, bins], {})
    if not isinstance(bins, int):
        raise ValueError(f"histogram: given bins {bins!r}, expected an integer or an NDArray")
    if range is None:
        warnings.warn("histogram: without a range the result is NumPy's", stacklevel=2)
        counts, edges = np.histogram(a.asnumpy(), bins=bins)
        return [_core.array(counts, dtype="float32"), _core.array(edges, dtype="float32")]
    ends = str(tuple(float(x) for x in range))
    return _core.invoke("_histogram", [a], {"bin_cnt": bins, "range": ends, "no_bins": True})


def split_v2(
    ary: NDArray,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
) -> Any:
    """Parts of an array: that many of one size, or cut before the given indices."""
    if isinstance(indices_or_sections, int):
        size = ary.shape[axis]
        if indices_or_sections < 1 or size % indices_or_sections:
            raise ValueError(
                f"split_v2: given {indices_or_sections} sections for an axis of size {size}: "
                "array split does not result in an equal division"
            )
        attrs: dict[str, Any] = {"sections": indices_or_sections}
    elif isinstance(indices_or_sections, (tuple, list)):
        attrs = {"indices": (0, *indices_or_sections)}
    else:
        raise ValueError("split_v2: indices_or_sections must either int or tuple of ints")
    attrs |= {"axis": axis, "squeeze_axis": squeeze_axis}
    return _core.invoke("_split_v2", [ary], attrs)


def imdecode(
    str_img: bytes,
    clip_rect: Sequence[int] = (0, 0, 0, 0),
    out: NDArray | None = None,
    index: int = 0,
    channels: int = 3,
    mean: NDArray | None = None,
) -> NDArray:
    """An image file's pixels, float32 (channels, height, width), red to blue; use mx.image instead.

    (In MXNet 1.9.1 it fails for every file; this is what its documentation says.)

    Args:
        clip_rect: the part (left, top, right, bottom) that is taken; all 0: the whole.
        out: where the pixels go; of (images, channels, height, width) into image ``index``.
        channels: 3, or 1 for grey.
        mean: subtracted from the pixels.

    Raises:
        MXNetError: it is no image that can be read, or ``clip_rect`` is no part of it.
        ImportError: OpenCV is not installed.
    """
    if channels not in (1, 3):
        raise _core.MXNetError(f"imdecode: given {channels} channels, expected 1 or 3")
    pixels = codec.decode(str_img, int(channels == 3))
    left, top, right, bottom = clip_rect
    if any(clip_rect):
        height, width = pixels.shape[:2]
        if not (0 <= left < right <= width and 0 <= top < bottom <= height):
            raise _core.MXNetError(
                f"imdecode: given clip_rect {tuple(clip_rect)}, expected a part of the image of "
                f"{width} x {height} pixels"
            )
        pixels = pixels[top:bottom, left:right]
    planes = pixels[None] if channels == 1 else pixels[:, :, ::-1].transpose(2, 0, 1)
    made = _core.array(np.ascontiguousarray(planes, np.float32))
    if mean is not None:
        made = made - mean
    if out is None:
        return made
    target = out[index] if len(out.shape) == 4 else out
    target[:] = made.astype(target.dtype)
    return out


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Writes rows that are 1 at ``indices`` and 0 elsewhere to ``out``; use one_hot instead."""
    made = _core.invoke("one_hot", [indices], {"depth": out.shape[1], "dtype": out.dtype})
    out[:] = made
    return out


def reset_arrays(*data: NDArray, num_arrays: int | None = None, out: Any = None) -> None:
    """Sets all elements of arrays to 0; ``out`` is MXNet's, an empty list.

    Raises MXNetError if ``num_arrays`` is given and is not their number.
    """
    if num_arrays not in (None, len(data)):
        raise _core.MXNetError(
            f"reset_arrays: given {len(data)} arrays and num_arrays {num_arrays}, "
            "expected as many arrays"
        )
    for array in data:
        array[:] = 0


def all_finite(
    data: NDArray, init_output: bool = True, out: NDArray | None = None, name: str | None = None
) -> Any:
    """1 if all elements are finite, else 0; shape (1,).

    Without ``init_output`` the result is 1 only if ``out`` was 1 before, too.
    """
    return _finite("all_finite", [data], {}, init_output, out)


def multi_all_finite(
    *data: NDArray,
    num_arrays: int = 1,
    init_output: bool = True,
    out: NDArray | None = None,
    name: str | None = None,
) -> Any:
    """1 if all elements of ``num_arrays`` arrays are finite, else 0; see :func:`all_finite`."""
    return _finite("multi_all_finite", data, {"num_arrays": num_arrays}, init_output, out)


def _finite(
    op: str, data: Sequence[NDArray], attrs: dict[str, Any], init: bool, out: NDArray | None
) -> Any:
    if init or out is None:
        return _core.invoke(op, data, attrs, out)
    out[:] = out * _core.invoke(op, data, attrs)
    return out
