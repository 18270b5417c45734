"""MXNet 1.x's ``sym.contrib``: loops and conditions as nodes with graphs of their own.

The functions are called once, with variables; what else they read becomes an input of the node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import Symbol
from ..attribute import count_subgraph
from ..nesting import flatten, listed_like
from . import random
from .names import choose_name
from .random import uniform
from .refusals import DynamicShapeError

if TYPE_CHECKING:
    from .contrib_operators import *  # noqa: F403


def _like(values: list[Any], given: Any) -> Any:
    return listed_like(given, iter(values))


def _arguments(values: list[Any], given: Any) -> list[Any]:
    """What a loop's functions get: one for each of ``given``, or it alone."""
    found = _like(values, given)
    return found if isinstance(given, (list, tuple)) else [found]


def _variables(values: list[Any], what: str) -> list[Symbol]:
    return [_core.sym_var(f"{what}{i}") for i in range(len(values))]


def foreach(body: Callable, data: Any, init_states: Any, name: str = "foreach") -> tuple[Any, Any]:
    """The node that runs ``body(row, states)`` for each row of ``data``.

    As :func:`jupyter_hybrid.nd.contrib.foreach`; shapes and dtypes of the states must not change
    from step to step. Differentiable once: the gradient runs the steps again, then backward.
    """
    count_subgraph(name)
    since = _core.trace_serial()
    arrays, states = flatten(data), flatten(init_states)
    rows, carried = _variables(arrays, "row"), _variables(states, "state")
    output, new = body(_like(rows, data), _like(carried, init_states))
    outputs, after = flatten(output), flatten(new)
    if len(after) != len(states):
        raise ValueError(f"foreach: {len(states)} states before a step, {len(after)} after it")
    node = _core.sym_control(
        "foreach",
        [([*outputs, *after], [*rows, *carried])],
        [*arrays, *states],
        since,
        {"data": len(arrays), "carried": len(states), "nd_rows": True},
        choose_name(None, "_foreach"),
    )
    made = [node[i] for i in range(len(outputs) + len(states))]
    return _like(made[: len(outputs)], output), _like(made[len(outputs) :], init_states)


def while_loop(
    cond: Callable,
    func: Callable,
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """The node that runs ``func(*loop_vars)`` while ``cond(*loop_vars)`` holds.

    As :func:`jupyter_hybrid.nd.contrib.while_loop`; outputs always have ``max_iterations`` rows.
    Differentiable once, by the steps that were made.
    """
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    values = flatten(loop_vars)
    if not values:
        raise ValueError("loop_vars should contain at least one element")
    for part in ("cond", "func"):
        count_subgraph(f"{name}_{part}")
    since = _core.trace_serial()
    carried = _variables(values, "var")
    test = cond(*_arguments(carried, loop_vars))
    output, new = func(*_arguments(carried, loop_vars))
    outputs = [] if output is None else flatten(output)
    after = flatten(new)
    if len(after) != len(values):
        raise ValueError(
            f"while_loop: {len(values)} loop_vars before a step, {len(after)} after it"
        )
    node = _core.sym_control(
        "while_loop",
        [([test], carried), ([*outputs, *after], carried)],
        values,
        since,
        {"carried": len(values), "max_iterations": int(max_iterations)},
        choose_name(None, "_while_loop"),
    )
    made = [node[i] for i in range(len(outputs) + len(values))]
    first = _like(made[: len(outputs)], output) if outputs else []
    return first, _like(made[len(outputs) :], loop_vars)


def cond(pred: Symbol, then_func: Callable, else_func: Callable, name: str = "cond") -> Any:
    """The node that gives ``then_func()`` when ``pred`` holds, else ``else_func()``.

    Both must give as many symbols, of the same shapes and dtypes. Differentiable.
    """
    for part in ("pred", "then", "else"):
        count_subgraph(f"{name}_{part}")
    since = _core.trace_serial()
    yes, no = then_func(), else_func()
    outputs, others = flatten(yes), flatten(no)
    if len(outputs) != len(others):
        raise ValueError(f"cond: {len(outputs)} outputs in one branch, {len(others)} in the other")
    node = _core.sym_control(
        "cond", [(outputs, []), (others, [])], [pred], since, {}, choose_name(None, "_cond")
    )
    return _like([node[i] for i in range(len(outputs))], yes)


def isnan(data: Symbol) -> Symbol:
    """1 where data is nan, else 0, in its dtype."""
    return data != data


def isinf(data: Symbol) -> Symbol:
    """1 where data is infinite, else 0, in its dtype."""
    return _unary("abs", data) == math.inf


def isfinite(data: Symbol) -> Symbol:
    """1 where data is neither infinite nor nan, else 0, in its dtype."""
    return (data == data) * (_unary("abs", data) != math.inf)


def boolean_mask(data: Symbol, index: Symbol, axis: int = 0, **kwargs: Any) -> Symbol:
    """Refused: the shape of the result is known only when the graph runs.

    A hybridized block that calls it runs imperatively. Raises DynamicShapeError, always.
    """
    raise DynamicShapeError(
        "boolean_mask: its shape depends on the values of index, and a graph's shapes are known "
        "before it runs: use where() or SequenceMask, or nd.contrib.boolean_mask outside the graph"
    )


def rand_zipfian(
    true_classes: Symbol, num_sampled: int, range_max: int
) -> tuple[Symbol, Symbol, Symbol]:
    """Classes drawn from the log-uniform distribution; see nd.contrib.rand_zipfian."""
    total = math.log(range_max + 1)
    drawn = random.uniform(0, total, (num_sampled,), "float64")
    sampled = _cast(_unary("exp", drawn) - 1, "int64") % range_max

    def expected(classes: Symbol) -> Symbol:
        wide = _cast(classes, "float64")
        return _unary("log", (wide + 2.0) / (wide + 1.0)) / total * num_sampled

    return sampled, expected(true_classes), expected(sampled)


def adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    rescale_grad: float | Symbol,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """As nd.contrib.adamw_update; mean and var are auxiliary states."""
    attrs = {"lr": lr, "eta": eta, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd}
    attrs |= {"clip_gradient": clip_gradient, **kwargs}
    inputs = (weight, grad, mean, var, _factor(rescale_grad))
    return _core.sym_apply("_adamw_update", inputs, attrs, choose_name(name, "_adamw_update"))


def mp_adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    weight32: Symbol,
    rescale_grad: float | Symbol,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """As nd.contrib.mp_adamw_update; mean, var and weight32 are auxiliary states."""
    attrs = {"lr": lr, "eta": eta, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd}
    attrs |= {"clip_gradient": clip_gradient, **kwargs}
    inputs = (weight, grad, mean, var, weight32, _factor(rescale_grad))
    return _core.sym_apply("_mp_adamw_update", inputs, attrs, choose_name(name, "_mp_adamw_update"))


def _factor(rescale_grad: float | Symbol) -> Symbol:
    if isinstance(rescale_grad, Symbol):
        return rescale_grad
    attrs = {"shape": (1,), "value": float(rescale_grad)}
    return _core.sym_apply("_full", (), attrs, choose_name(None, "_full"))


def _cast(data: Symbol, dtype: str) -> Symbol:
    return _core.sym_apply("cast", (data,), {"dtype": dtype}, choose_name(None, "cast"))


def _unary(op: str, data: Symbol) -> Symbol:
    return _core.sym_apply(op, (data,), {}, choose_name(None, op))


__all__ = [
    "adamw_update",
    "boolean_mask",
    "cond",
    "foreach",
    "isfinite",
    "isinf",
    "isnan",
    "mp_adamw_update",
    "rand_zipfian",
    "uniform",
    "while_loop",
]
