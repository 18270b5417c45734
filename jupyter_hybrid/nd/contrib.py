"""MXNet 1.x's ``nd.contrib``: loops and conditions as functions, run by Python step by step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import NDArray
from ..base import MXNetError
from ..nesting import flatten, listed_like
from . import random
from .contrib_updates import *  # noqa: F403
from .contrib_updates import __all__ as _updates
from .random import uniform

if TYPE_CHECKING:
    from .contrib_operators import *  # noqa: F403


def _like(values: list[Any], given: Any) -> Any:
    return listed_like(given, iter(values))


def _arguments(values: list[Any], given: Any) -> list[Any]:
    """What a loop's functions get: one for each of ``given``, or it alone."""
    found = _like(values, given)
    return found if isinstance(given, (list, tuple)) else [found]


def _stack(rows: list[NDArray]) -> NDArray:
    return _core.invoke("stack", rows, {"axis": 0})


def foreach(body: Callable, data: Any, init_states: Any) -> tuple[Any, Any]:
    """Runs ``body(row, states)`` for each row of ``data`` (along axis 0).

    Args:
        body: gives ``(output, states)``; each may be an array or a list of arrays.
        data: one array or a list of arrays with equal first dimension.
        init_states: what the first step gets as ``states``.

    Returns:
        (outputs stacked along axis 0, the last states). Raises MXNetError without rows.
    """
    arrays = flatten(data)
    length = arrays[0].shape[0]
    if not length:
        raise MXNetError("foreach: expected at least one row")
    states = init_states
    rows: list[list[NDArray]] = []
    shape_of: Any = None
    for i in range(length):
        # a[i] of a 1-D array would have shape (1,): a row of it has rank 0 only symbolically.
        step = [_core.invoke("squeeze", [a[i : i + 1]], {"axis": 0}) for a in arrays]
        shape_of, states = body(_like(step, data), states)
        rows.append(flatten(shape_of))
    return _like([_stack(list(column)) for column in zip(*rows, strict=True)], shape_of), states


def while_loop(
    cond: Callable, func: Callable, loop_vars: Any, max_iterations: int | None = None
) -> tuple[Any, Any]:
    """Runs ``func(*loop_vars)`` while ``cond(*loop_vars)`` holds, at most ``max_iterations`` times.

    Args:
        cond: gives an array of one element, or a number.
        func: gives ``(step output, new loop_vars)``.
        loop_vars: an array or a list of arrays.

    Returns:
        (outputs, loop_vars): the step outputs stacked to ``max_iterations`` rows, zeros where no
        step was made ([] without any step), and the last loop_vars.
    """
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    values = flatten(loop_vars)
    if not values:
        raise ValueError("loop_vars should contain at least one element")
    rows: list[list[NDArray]] = []
    output: Any = []
    while len(rows) < max_iterations and _holds(cond(*_arguments(values, loop_vars))):
        output, new = func(*_arguments(values, loop_vars))
        output = [] if output is None else output
        new = flatten(new)
        if len(new) != len(values):
            raise ValueError(
                f"The length of loop_vars should be consistent during the loop: {len(values)} "
                f"before, {len(new)} after a step"
            )
        values = new
        rows.append(flatten(output))
    stacked = []
    for column in zip(*rows, strict=True):
        filled = [*column] + [_core.invoke("zeros_like", [column[0]], {})] * (
            max_iterations - len(rows)
        )
        stacked.append(_stack(filled))
    return (_like(stacked, output) if stacked else []), _like(values, loop_vars)


def cond(pred: Any, then_func: Callable, else_func: Callable) -> Any:
    """``then_func()`` when ``pred`` (an array of one element, or a number) holds, else
    ``else_func()``."""
    return then_func() if _holds(pred) else else_func()


def isnan(data: NDArray) -> NDArray:
    """1 where data is nan, else 0, in its dtype."""
    return data != data


def isinf(data: NDArray) -> NDArray:
    """1 where data is infinite, else 0, in its dtype."""
    return data.abs() == math.inf


def isfinite(data: NDArray) -> NDArray:
    """1 where data is neither infinite nor nan, else 0, in its dtype."""
    return (data == data) * (data.abs() != math.inf)


def boolean_mask(data: NDArray, index: NDArray, axis: int = 0) -> NDArray:
    """The slices of data along an axis where ``index`` is not 0; waits for ``index``.

    Raises MXNetError when ``index`` is not as long as the axis.
    """
    mask = index.asnumpy()
    if mask.ndim != 1 or mask.shape[0] != data.shape[axis]:
        raise MXNetError(
            f"boolean_mask: given index of shape {mask.shape} for data of shape {data.shape}, "
            f"expected ({data.shape[axis]},)"
        )
    places = _core.from_numpy(np.flatnonzero(mask), True, data.context)
    return _core.invoke("take", [data, places], {"axis": axis})


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Any = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Classes drawn from the log-uniform distribution, for sampled softmax.

    Class k of ``range_max`` has the probability log((k + 2) / (k + 1)) / log(range_max + 1).

    Returns:
        (``num_sampled`` classes in int64, how often each of ``true_classes`` and each drawn one is
        to be expected among so many, in float64).
    """
    if ctx is None:
        ctx = true_classes.context
    total = math.log(range_max + 1)
    drawn = random.uniform(0, total, (num_sampled,), "float64", ctx)
    sampled = (drawn.exp() - 1).astype("int64") % range_max

    def expected(classes: NDArray) -> NDArray:
        wide = classes.as_in_context(ctx).astype("float64")
        return ((wide + 2.0) / (wide + 1.0)).log() / total * num_sampled

    return sampled, expected(true_classes), expected(sampled)


def _holds(value: Any) -> bool:
    return bool(value.asscalar()) if isinstance(value, NDArray) else bool(value)


__all__ = [
    "boolean_mask",
    "cond",
    "foreach",
    "isfinite",
    "isinf",
    "isnan",
    "rand_zipfian",
    "uniform",
    "while_loop",
    *_updates,
]
