"""Functions that write into an array: copyto, putmask, place, and convolve beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dispatch
from .lowering import NotCovered, dtype_of
from .registry import views


@views(np.copyto)
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    from .items import fitted

    if not dst.writeable:
        raise NotCovered("np.copyto into a read-only array")
    operand = dispatch.operand_of(dst.recorder, src)
    fraction = type(operand) is float and dst.dtype.kind in "iub"
    if fraction or casting not in ("same_kind", "unsafe"):
        raise NotCovered("np.copyto with this casting")
    if hasattr(operand, "shape") and not np.can_cast(dtype_of(operand), dst.dtype, casting):
        raise NotCovered(f"np.copyto of {dtype_of(operand)} into {dst.dtype}")
    node = fitted(dst, src, dst.shape)
    dispatch.store_into(dst, node, "np.copyto", where, dst.recorder)


@views(np.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    if np.size(values) != 1 or not a.writeable:
        raise NotCovered("np.putmask with several values")
    whole = dispatch.handle_of(a.recorder, mask)
    if tuple(whole.shape) != a.shape:
        raise NotCovered("np.putmask with a mask of another shape")
    copyto(a, values, "unsafe", dispatch.Node(whole))


@views(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    if isinstance(vals, (list, tuple)) and len(vals) == 1:
        vals = vals[0]
    putmask(arr, mask, vals)
