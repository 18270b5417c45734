"""Outputs and gradients of symbols against what they should be, and against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import nd
from .. import sym as symbols
from ..nd import NDArray
from ..sym import Executor, Symbol
from .compare import assert_almost_equal
from .context import default_context
from .executors import DTYPE, as_arrays, check_dtype, states_of, to_array
from .tolerances import default_numeric_eps, get_tolerance

__all__ = [
    "check_numeric_gradient",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "numeric_grad",
]

_PROJECTION = "__random_proj"


def numeric_grad(
    executor: Executor,
    location: dict[str, Any],
    aux_states: dict[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = DTYPE,
) -> dict[str, np.ndarray]:
    """Gradients of the sum of the first output, by central differences of ``eps``.

    Args:
        location: NumPy arrays by the names of the arguments; integers have gradient 0.
        aux_states: what the auxiliary states hold before every run.
    """
    check_dtype(dtype, own=False)
    held = {name: np.asarray(value, order="C") for name, value in location.items()}
    for name, value in held.items():
        executor.arg_dict[name][:] = nd.array(value, dtype=dtype)

    def total(name: str, value: np.ndarray) -> np.ndarray:
        executor.arg_dict[name][:] = nd.array(value, dtype=dtype)
        for state, before in (aux_states or {}).items():
            executor.aux_dict[state][:] = before
        executor.forward(is_train=use_forward_train)
        return executor.outputs[0].asnumpy()

    found = {name: np.zeros(value.shape, dtype=dtype) for name, value in held.items()}
    for name, value in held.items():
        if value.dtype.kind != "f":
            continue
        for i in np.ndindex(value.shape):
            higher, lower = value.copy(), value.copy()
            higher[i] += eps / 2.0
            lower[i] = higher[i] - eps
            found[name][i] = (total(name, higher) - total(name, lower)).sum() / eps
        executor.arg_dict[name][:] = nd.array(value, dtype=dtype)
    return found


def check_numeric_gradient(
    sym: Symbol,
    location: Any,
    aux_states: Any = None,
    numeric_eps: Any = None,
    rtol: Any = None,
    atol: Any = None,
    grad_nodes: Any = None,
    use_forward_train: bool = True,
    ctx: Any = None,
    grad_stype_dict: dict[str, str] | None = None,
    dtype: Any = DTYPE,
) -> None:
    """Raises AssertionError where a symbol's gradients are not those of finite differences.

    The output is weighted with random numbers first, so that errors can't cancel.

    Args:
        location: NumPy arrays, by name or in the order of ``list_arguments()``.
        grad_nodes: names of the arguments to check, or a dict of their ``grad_req``; None: all.
        numeric_eps: the step; None: by dtype.
    """
    check_dtype(dtype, own=False)
    ctx = ctx or default_context()
    arrays = as_arrays(sym.list_arguments(), location, ctx, dtype)
    points = {name: a.asnumpy() for name, a in arrays.items()}
    states = states_of(sym, aux_states, ctx, dtype)
    state_points = states and {name: a.asnumpy() for name, a in states.items()}
    if grad_nodes is None:
        grad_nodes = sym.list_arguments()
    if isinstance(grad_nodes, dict):
        reqs = dict(grad_nodes)
    elif isinstance(grad_nodes, (list, tuple)):
        reqs = dict.fromkeys(grad_nodes, "write")
    else:
        raise ValueError(f"check_numeric_gradient: grad_nodes is a {type(grad_nodes).__name__}")
    _, shapes, _ = sym.infer_shape(**{name: a.shape for name, a in arrays.items()})
    weighted = symbols.make_loss(sym * symbols.var(_PROJECTION))
    arrays[_PROJECTION] = nd.array(np.random.rand(*shapes[0]) + 0.1, ctx=ctx, dtype=dtype)
    before = {n: np.random.normal(0, 0.01, size=arrays[n].shape) for n in [*reqs, _PROJECTION]}
    grads = {name: nd.array(value, ctx=ctx, dtype=dtype) for name, value in before.items()}
    executor = weighted.bind(ctx, arrays, grads, grad_req=reqs, aux_states=states)
    executor.forward(is_train=True)
    eps = get_tolerance(executor.outputs[0], numeric_eps, default_numeric_eps())
    assert eps >= 1e-5 or dtype == np.float64, "a step that small needs float64"
    executor.backward()
    numeric = numeric_grad(executor, points, state_points, eps, use_forward_train, dtype)
    for name, req in reqs.items():
        _compare(numeric[name], grads[name], before[name], req, name, "NUMERICAL", rtol, atol)


def check_symbolic_forward(
    sym: Symbol,
    location: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Any = None,
    ctx: Any = None,
    equal_nan: bool = False,
    dtype: Any = DTYPE,
) -> list[NDArray]:
    """Raises AssertionError where a symbol's outputs are not the expected ones; returns them.

    Args:
        location: NumPy arrays, by name or in the order of ``list_arguments()``.
        expected: NumPy arrays, by name or in the order of ``list_outputs()``.
        dtype: what the arrays become; "asnumpy": their own dtype.
    """
    check_dtype(dtype)
    ctx = ctx or default_context()
    arrays = as_arrays(sym.list_arguments(), location, ctx, dtype)
    states = states_of(sym, aux_states, ctx, dtype)
    names = sym.list_outputs()
    wanted = [expected[n] for n in names] if isinstance(expected, dict) else expected
    outputs = sym.bind(ctx, arrays, grad_req="null", aux_states=states).forward(is_train=False)
    for name, want, got in zip(names, wanted, outputs):
        titles = (f"EXPECTED_{name}", f"FORWARD_{name}")
        assert_almost_equal(want, got, rtol, atol, titles, equal_nan=equal_nan)
    return outputs


def check_symbolic_backward(
    sym: Symbol,
    location: Any,
    out_grads: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Any = None,
    grad_req: Any = "write",
    ctx: Any = None,
    grad_stypes: dict[str, str] | None = None,
    equal_nan: bool = False,
    dtype: Any = DTYPE,
) -> dict[str, NDArray]:
    """Raises AssertionError where a symbol's gradients are not the expected ones; returns them.

    Args:
        location: NumPy arrays, by name or in the order of ``list_arguments()``.
        out_grads: what flows into the outputs: arrays by name or in order; None: ones.
        expected: NumPy arrays likewise, of the arguments.
        grad_req: "write", "add" or "null": for all, by name or in order.
    """
    check_dtype(dtype)
    ctx = ctx or default_context()
    names = sym.list_arguments()
    arrays = as_arrays(names, location, ctx, dtype)
    states = states_of(sym, aux_states, ctx, dtype)
    if not isinstance(expected, dict):
        expected = dict(zip(names, expected))
    before = {name: np.random.normal(size=v.shape) for name, v in sorted(expected.items())}
    own = isinstance(dtype, str)
    grads = {
        name: nd.array(value, ctx=ctx, dtype=expected[name].dtype if own else dtype)
        for name, value in before.items()
    }
    if isinstance(grad_req, str):
        grad_req = dict.fromkeys(names, grad_req)
    elif not isinstance(grad_req, dict):
        grad_req = dict(zip(names, grad_req))
    executor = sym.bind(ctx, arrays, grads, grad_req=grad_req, aux_states=states)
    executor.forward(is_train=True)
    if isinstance(out_grads, dict):
        out_grads = [out_grads[name] for name in sym.list_outputs()]
    if out_grads is not None:
        out_grads = [to_array(grad, ctx, dtype) for grad in out_grads]
    executor.backward(out_grads)
    for name, want in expected.items():
        _compare(
            want, grads[name], before[name], grad_req[name], name, "EXPECTED", rtol, atol, equal_nan
        )
    return grads


def _compare(
    want: Any,
    got: NDArray,
    before: np.ndarray,
    req: str,
    name: str,
    title: str,
    rtol: Any,
    atol: Any,
    equal_nan: bool = False,
) -> None:
    """Compares a gradient array with what its ``grad_req`` should have made of it."""
    titles = (f"{title}_{name}", f"BACKWARD_{name}")
    found: Any = got
    if req == "add":
        found = got.asnumpy() - before
    elif req == "null":
        want = before
    elif req != "write":
        raise ValueError(f"Invalid grad_req {req} for argument {name}")
    assert_almost_equal(want, found, rtol, atol, titles, equal_nan=equal_nan)
