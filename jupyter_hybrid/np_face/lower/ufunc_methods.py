"""``ufunc.reduce``, ``accumulate``, ``outer`` and ``at``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import bridge
from ..array import gather
from ..errors import NotCovered
from ..protocols import Recorder
from . import lowering, reductions, scans
from .lowering import cast, core, dtype_of, reshape
from .registry import METHODS_OF_UFUNCS, MISSING
from .ufuncs import ufunc_call

_REDUCTIONS: dict[Any, str] = {
    np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min",
    np.logical_and: "all", np.logical_or: "any",
}  # fmt: skip


def _reduce(
    recorder: Recorder, ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None,
    out: Any = None, keepdims: bool = False, initial: Any = MISSING, where: Any = True,
) -> Any:  # fmt: skip
    name = _REDUCTIONS.get(ufunc)
    if name is None:
        raise NotCovered("np.{ufunc}.reduce", ufunc=ufunc.__name__)
    if out is not None and (out[0] if isinstance(out, tuple) else out) is not None:
        raise NotCovered("np.{ufunc}.reduce with out=", ufunc=ufunc.__name__)
    if dtype is not None and name in ("any", "all") and np.dtype(dtype).kind != "b":
        raise NotCovered("np.{ufunc}.reduce with dtype=", ufunc=ufunc.__name__)
    x = bridge.handle_of(recorder, array)
    mask = None if where is True else reductions.mask_of(bridge.handle_of(recorder, where))
    node = reductions.reduce(
        name, x, axis, keepdims=bool(keepdims), dtype=dtype, initial=initial, where=mask
    )
    return bridge.Traced.of_node(recorder, node, scalar=not node.shape)


def _accumulate(
    recorder: Recorder,
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    name = _REDUCTIONS.get(ufunc)
    if name is None or axis is None or out is not None:
        raise NotCovered("np.{ufunc}.accumulate", ufunc=ufunc.__name__)
    x = bridge.handle_of(recorder, array)
    if not x.shape:
        raise NotCovered("np.{ufunc}.accumulate of a scalar", ufunc=ufunc.__name__)
    if name in ("any", "all"):
        if dtype is not None:
            raise NotCovered("np.{ufunc}.accumulate with dtype=", ufunc=ufunc.__name__)
        x, name = reductions.as_bool(x), "max" if name == "any" else "min"
    return bridge.Traced.of_node(recorder, scans.scan(name, x, axis, dtype))


def _outer(recorder: Recorder, ufunc: np.ufunc, a: Any, b: Any, /, **kwargs: Any) -> Any:
    if kwargs or ufunc is np.matmul:
        raise NotCovered("np.{ufunc}.outer with options", ufunc=ufunc.__name__)
    x, y = bridge.handle_of(recorder, a), bridge.handle_of(recorder, b)
    x = reshape(x, tuple(x.shape) + (1,) * len(y.shape))
    return bridge.wrapped(recorder, ufunc_call(ufunc, [x, y]))


def _at(
    recorder: Recorder, ufunc: np.ufunc, target: Any, indices: Any, value: Any = None, /
) -> None:
    """``np.add.at``: every index counts, repeated ones too."""
    if ufunc not in (np.add, np.subtract) or type(target) is not bridge.Traced:
        raise NotCovered("np.{ufunc}.at", ufunc=ufunc.__name__)
    if target.dtype.kind not in "fiu" or not target.writeable:
        raise NotCovered("np.{ufunc}.at on {dtype}", ufunc=ufunc.__name__, dtype=target.dtype)
    plan = gather.plan(target, indices)
    if not plan.window.full or plan.order != tuple(range(len(plan.order))):
        raise NotCovered("np.{ufunc}.at with slices", ufunc=ufunc.__name__)
    operand = bridge.operand_of(recorder, value)
    if type(operand) not in lowering.NUMBERS:
        if not np.can_cast(dtype_of(operand), target.dtype, "same_kind"):
            raise NotCovered(
                "np.{ufunc}.at of {dtype}", ufunc=ufunc.__name__, dtype=dtype_of(operand)
            )
        value = bridge.Node(cast(operand, target.dtype))
    added = core(
        "scatter_nd", [bridge.fitted(target, value, plan.shape), plan.places()],
        shape=tuple(target.shape), accumulate=True,
    )  # fmt: skip
    op = "add" if ufunc is np.add else "sub"
    target.assign(core(op, [target.handle, added]))


METHODS_OF_UFUNCS.update(reduce=_reduce, accumulate=_accumulate, outer=_outer, at=_at)
