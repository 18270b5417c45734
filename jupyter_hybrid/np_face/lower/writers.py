"""Functions that write into an array: copyto, put, putmask, place."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import bridge
from ..errors import NotCovered
from . import lowering
from .lowering import dtype_of
from .registry import views


@views(np.copyto)
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if not dst.writeable:
        raise NotCovered("np.copyto into a read-only array")
    operand = bridge.operand_of(dst.recorder, src)
    weak = {float: "iub", int: "b"}.get(type(operand), "")  # what NumPy does not cast it to
    if dst.dtype.kind in weak or casting not in ("same_kind", "unsafe"):
        raise NotCovered("np.copyto with this casting")
    if hasattr(operand, "shape") and not np.can_cast(dtype_of(operand), dst.dtype, casting):
        raise NotCovered(
            "{name} of {dtype} into {into}",
            name="np.copyto",
            dtype=dtype_of(operand),
            into=dst.dtype,
        )
    node = bridge.fitted(dst, src, dst.shape)
    if node is operand:  # each array has elements of its own
        node = lowering.copied(node)
    bridge.store_into(dst, node, "np.copyto", where, dst.recorder)


@views(np.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    whole = bridge.handle_of(a.recorder, mask)
    if tuple(whole.shape) != a.shape or not np.size(values):
        raise NotCovered("np.putmask with a mask of another shape, or without values")
    _require_safe(a, values, "np.putmask")
    if np.size(values) != 1:  # each element has the value of its own place
        values = np.resize(values, a.shape)
    copyto(a, values, "unsafe", bridge.Node(whole))


def _require_safe(array: Any, values: Any, name: str) -> None:
    """These two cast by the rule 'safe'."""
    kind = values.dtype if hasattr(values, "dtype") else np.asarray(values).dtype
    number = lowering.number_of(values) if not hasattr(values, "dtype") else None
    if number is not None and lowering.fits(number, array.dtype):
        return
    if not np.can_cast(kind, array.dtype, "safe"):
        raise NotCovered("{name} of {dtype} into {into}", name=name, dtype=kind, into=array.dtype)


@views(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    if np.size(vals) != 1:
        raise NotCovered("np.place of several values: which goes where, data decide")
    putmask(arr, mask, vals)


@views(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    where = ind if type(ind) is bridge.Traced else np.asarray(ind)
    if mode != "raise" or not a.writeable or where.dtype.kind not in "iu" or not np.size(v):
        raise NotCovered("np.put with mode=, of nothing, or into a read-only array")
    one = np.size(v) == 1 and not np.ndim(v)
    a.flat.elements()[where.reshape(-1)] = v if one else np.resize(v, where.size)
