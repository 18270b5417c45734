"""The same program on several devices and in several dtypes, and a block in both modes."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import autograd, nd
from ..sym import Executor, Symbol
from ..util import get_gpu_count
from .compare import assert_almost_equal, compare_ndarray_tuple
from .context import default_context
from .tolerances import get_tols

__all__ = [
    "check_consistency",
    "check_gluon_hybridize_consistency",
    "compare_optimizer",
    "list_gpus",
    "same_symbol_structure",
]


def list_gpus() -> range:
    """The numbers of the GPUs, virtual ones included."""
    return range(get_gpu_count())


def check_consistency(
    sym: Symbol | list[Symbol],
    ctx_list: list[dict[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: dict[str, Any] | None = None,
    aux_params: dict[str, Any] | None = None,
    rtol: Any = None,
    atol: Any = None,
    raise_on_err: bool = True,
    ground_truth: dict[str, Any] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> dict[str, Any]:
    """Raises AssertionError where a symbol gives other outputs or gradients elsewhere.

    Args:
        ctx_list: what :meth:`Symbol.simple_bind` takes, one dict a run: ``ctx``, shapes by name,
            ``type_dict``. The run with the most exact output is what others are compared with.
        scale: of the random arguments, where ``arg_params`` has none.
        ground_truth: outputs and gradients by name to compare with instead.

    Returns:
        What was compared with, by name.
    """
    assert len(ctx_list) > 1
    each = [sym] * len(ctx_list) if isinstance(sym, Symbol) else sym
    assert len(each) == len(ctx_list)
    outputs, names = each[0].list_outputs(), each[0].list_arguments()
    runs = [s.simple_bind(grad_req=grad_req, **ctx) for s, ctx in zip(each, ctx_list)]
    arguments = {} if arg_params is None else arg_params
    for name, held in sorted(runs[0].arg_dict.items()):
        if name not in arguments:
            drawn = (
                np.random.uniform(-0.92 * scale, 0.92 * scale, size=held.shape)
                if use_uniform
                else np.random.normal(size=held.shape, scale=scale)
            )
            arguments[name] = drawn.astype(rand_type)
    for run in runs:
        _fill(run, arguments, aux_params or {}, grad_req)
        run.forward(is_train=False)
    dtypes = [np.dtype(run.outputs[0].dtype) for run in runs]
    best = int(np.argmax([dtype.itemsize for dtype in dtypes]))
    truth = dict(ground_truth) if ground_truth is not None else dict(runs[best].output_dict)
    for i, run in enumerate(runs):
        if i != best or ground_truth is not None:
            for name, got in zip(outputs, run.outputs):
                _report(got, truth[name], rtol, atol, equal_nan, raise_on_err, i, best, name)
    if grad_req == "null":
        return truth
    for run in runs:
        run.forward(is_train=True)
    least = [min((np.dtype(r.outputs[i].dtype) for r in runs), key=lambda d: d.itemsize)
             for i in range(len(outputs))]  # fmt: skip
    flowing = [out.astype(d).asnumpy() for out, d in zip(runs[0].outputs, least)]
    for run in runs:
        ctx = run.outputs[0].context
        run.backward([nd.array(g, ctx=ctx, dtype=o.dtype) for g, o in zip(flowing, run.outputs)])
    if ground_truth is None:
        truth = {**runs[best].output_dict, **runs[best].grad_dict}
    for i, run in enumerate(runs):
        if i == best and ground_truth is None:
            continue
        for name, got in zip([*outputs, *names], [*run.outputs, *run.grad_arrays]):
            if truth.get(name) is None:
                continue
            pair = [(got, dtypes[i]), (truth[name], dtypes[best])]
            tols = (rtol, atol)
            least_exact = [min(np.dtype(a.dtype), d, key=lambda t: t.itemsize) for a, d in pair]
            if any(t != np.dtype(a.dtype) for t, (a, _) in zip(least_exact, pair)):
                rough = [a.astype(t) for t, (a, _) in zip(least_exact, pair)]
                tols = get_tols(rough[0], rough[1], rtol, atol)
            _report(got, truth[name], *tols, equal_nan, raise_on_err, i, best, name)
    return truth


def _fill(run: Executor, arguments: dict[str, Any], states: dict[str, Any], req: Any) -> None:
    for name, held in run.arg_dict.items():
        held[:] = arguments[name]
    for name, held in run.aux_dict.items():
        held[:] = states.get(name, 0)
    if req == "add":
        for grad in run.grad_arrays:
            if grad is not None:
                grad[:] = 0


def _report(
    got: Any,
    want: Any,
    rtol: Any,
    atol: Any,
    equal_nan: bool,
    raise_on_err: bool,
    run: int,
    best: int,
    name: str,
) -> None:
    try:
        assert_almost_equal(got, want, rtol=rtol, atol=atol, equal_nan=equal_nan)
    except AssertionError as error:
        print(f"check_consistency: run {run} differs from run {best} at {name}")
        if raise_on_err:
            raise
        traceback.print_exception(error)


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: list[Any],
    numpy_func: Callable[..., np.ndarray] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Raises AssertionError where a block gives other outputs or gradients hybridized.

    Args:
        net_builder: makes the block; called with ``prefix="net_"``.
        data_l: the inputs.
        numpy_func: what the outputs should be, as a function of NumPy arrays.
        test_grad: gradients of the inputs are compared, too.
    """
    held: dict[str, np.ndarray] = {}
    outputs: list[np.ndarray] = []
    gradients: list[list[np.ndarray]] = []
    for hybridize in (False, True):
        net = net_builder(prefix="net_")
        net.initialize()
        inputs = [array.copy() for array in data_l]
        if hybridize:
            net(*inputs)  # gives parameters their shapes
            for name, parameter in net.collect_params().items():
                parameter.set_data(nd.array(held[name], dtype=held[name].dtype))
            net.hybridize()
        outputs.append(net(*inputs).asnumpy())
        held = {n: p.data().asnumpy() for n, p in net.collect_params().items()}
        if test_grad:
            for array in inputs:
                array.attach_grad()
            with autograd.record():
                out = net(*inputs)
            out.backward(out)
            outputs.append(out.asnumpy())
            gradients.append([array.grad.asnumpy() for array in inputs])
    for other in outputs[1:]:
        assert_almost_equal(other, outputs[0], rtol=rtol, atol=atol)
    for first, second in zip(*gradients) if gradients else ():
        assert_almost_equal(second, first, rtol=rtol, atol=atol)
    if numpy_func is not None:
        wanted = numpy_func(*(array.asnumpy() for array in data_l))
        assert_almost_equal(outputs[0], wanted, rtol=rtol, atol=atol)


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,
) -> None:
    """Raises AssertionError where two optimizers make other weights or states of one step.

    Args:
        shape: the weight's shape; a list of them: ``opt2`` updates them all at once.
    """
    for stype in (w_stype, g_stype):
        if stype != "default":
            raise NotImplementedError(f"compare_optimizer: arrays of {stype} are not carried")
    several = isinstance(shape, list)
    shapes = shape if several else [shape]
    ctx = default_context()
    weights, grads = (
        [nd.random.uniform(shape=s, ctx=ctx, dtype=dtype) for s in shapes] for _ in range(2)
    )
    copies = [w.copy() for w in weights]
    others = [opt2.create_state_multi_precision(i, w) for i, w in enumerate(copies)]
    if several:
        opt2.update_multi_precision(
            list(range(ntensors)), copies, [g.copy() for g in grads], others
        )
    for i, (weight, grad) in enumerate(zip(weights, grads)):
        state = opt1.create_state_multi_precision(i, weight)
        if not several:
            if compare_states:
                compare_ndarray_tuple(state, others[i])
            opt2.update_multi_precision(i, copies[i], grad.copy(), others[i])
        opt1.update_multi_precision(i, weight, grad, state)
        if compare_states:
            compare_ndarray_tuple(state, others[i], rtol, atol)
        assert_almost_equal(weight, copies[i], rtol=rtol, atol=atol)


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """The nodes of two symbols have the same operators in the same order."""
    graphs = [[node["op"] for node in json.loads(s.tojson())["nodes"]] for s in (sym1, sym2)]
    return all(first == second for first, second in zip(*graphs))
