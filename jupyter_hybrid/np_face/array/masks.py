"""``x[mask]`` that is not computed: what follows works on all of x, and a write puts it back.

``x[mask] *= 2`` and ``x[mask] = f(x[mask])`` need no list of the selected elements: the operation
runs on every element, and the write takes it where the mask is true.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from .. import bridge
from ..errors import NotCovered
from ..float_errors import SILENT
from ..lower import reductions
from ..lower.lowering import NUMBERS, cast, dtype_of
from ..lower.ufuncs import ufunc_call
from ..protocols import Recorder


def select(array: Any, mask: Any) -> Any:
    """``array[mask]`` for a mask of the array's own shape."""
    made = bridge.Traced(array.recorder, None)
    made.selected = (mask, array.handle)
    return made


def pending(proxies: list[Any]) -> list[Any]:
    """Of weak references to arrays the selections that nobody has needed yet: they read their
    arrays' memory when somebody does."""
    alive = (r() for r in proxies)
    return [a for a in alive if a is not None and a.selected is not None]


def operate(recorder: Recorder, ufunc: np.ufunc, operands: tuple) -> Any:
    """An elementwise ufunc on selections of one mask and numbers; others compute the selection."""
    masks = [o.selected for o in operands if type(o) is bridge.Traced and o.selected is not None]
    mask = masks[0][0]
    together = all(equal(m[0], mask) and m[1].shape == masks[0][1].shape for m in masks)
    given: list[Any] = []
    for o in operands:
        if type(o) is bridge.Traced and o.selected is not None:
            given.append(o.selected[1])
            continue
        made = bridge.operand_of(recorder, o)
        together = together and (type(made) in NUMBERS or not made.shape)
        given.append(made)
    if not together or ufunc is np.matmul:
        given = [bridge.operand_of(recorder, o) for o in operands]
        return bridge.wrapped(recorder, ufunc_call(ufunc, given))
    with SILENT:  # it computes what is not selected too
        node = ufunc_call(ufunc, given)
    if type(node) is tuple:
        raise NotCovered("np.{ufunc} of a selection", ufunc=ufunc.__name__)
    made = bridge.Traced(recorder, None)
    made.selected = (mask, node)
    return made


def equal(a: Any, b: Any) -> bool:
    """True for masks computed alike from the same arrays: ``x < 0`` written twice."""
    if a is b:
        return True
    if tuple(a.shape) != tuple(b.shape) or not (a._traced and b._traced):
        return False
    first, second = (_core.traced_graph([m], [], [""]) for m in (a, b))
    return (
        first[0].hash == second[0].hash
        and len(first[1]) == len(second[1])
        and all(x is y for x, y in zip(first[1], second[1], strict=True))
        and list(first[2]) == list(second[2])
    )


def reduced(name: str, selection: Any, rest: bool) -> Any | None:
    """The sum, product, any, all or mean of a selection without its elements; None for others."""
    mask, values = selection.selected
    if rest or name not in ("sum", "prod", "any", "all", "mean") or mask.shape != values.shape:
        return None
    if name in ("any", "all"):
        values = reductions.as_bool(values)
    return reductions.reduce(name, values, None, where=mask)


def assign(selection: Any, made: Any) -> Any:
    """``selection += 1``: the selection itself takes the new values, in its own dtype."""
    mask, values = selection.selected
    if made.selected is None or not equal(made.selected[0], mask):
        raise NotCovered("an in-place operation on a selection")
    new, dtype = made.selected[1], dtype_of(values)
    if not np.can_cast(dtype_of(new), dtype, "same_kind"):
        raise NotCovered("{dtype} into {into}", dtype=dtype_of(new), into=dtype)
    selection.selected = (mask, cast(new, dtype))
    return selection
