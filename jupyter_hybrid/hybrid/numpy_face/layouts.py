"""In which order NumPy lays out a result of operands that are not in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dispatch

_CENTRE = 64
# Functions whose result follows the order of the array they are given, as ufuncs' do.
FOLLOWING = frozenset(
    {
        np.where, np.clip, np.round, np.around, np.copy, np.nan_to_num, np.diff, np.roll, np.sort,
        np.zeros_like, np.ones_like, np.empty_like, np.full_like,
    }
)  # fmt: skip


def follow(made: Any, operands: tuple) -> Any:
    """``made``, a traced array, with the layout that NumPy gives it."""
    fresh = type(made) is dispatch.Traced and made.parent is None
    if fresh and any(type(o) is dispatch.Traced and o.layout is not None for o in operands):
        made._layout = of_result(operands, made.handle)
    return made


def of_result(operands: tuple, node: Any) -> tuple[int, ...] | None:
    """The layout of an elementwise result: None for C order, ``()`` for any other.

    NumPy follows its operands' strides (order K). It is asked itself, with stand-ins of the same
    geometry: per axis two elements and the rank of its stride.
    """
    shape = tuple(node.shape)
    if len(shape) < 2 or 0 in shape:
        return None
    stand_ins: Any = [_stand_in(o) for o in operands if type(o) is dispatch.Traced]
    how: Any = [["readonly"] for _ in stand_ins] + [["writeonly", "allocate"]]
    made = np.nditer([*stand_ins, None], [], how).operands[-1]
    return None if made.flags.c_contiguous else ()


def _stand_in(array: Any) -> np.ndarray:
    strides = array.strides
    if array.layout == () and array.ndim > 1:  # not known: surely not C order
        strides = strides[::-1]
    ranks = {s: i for i, s in enumerate(sorted({abs(s) for s in strides} - {0}), 1)}
    small = [ranks.get(abs(s), 0) * (1 if s >= 0 else -1) for s in strides]
    shape = tuple(min(d, 2) for d in array.shape)
    memory = np.zeros(2 * _CENTRE, "u1")[_CENTRE:]
    return np.lib.stride_tricks.as_strided(memory, shape, small)
