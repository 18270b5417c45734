"""nd.contrib's updates of optimizers whose operators take the gradients' factor as an array, or the
arrays of several weights in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import NDArray

__all__ = [
    "adamw_update",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
]


def _factor(rescale_grad: float | NDArray, context: Any) -> NDArray:
    if isinstance(rescale_grad, NDArray):
        return rescale_grad.as_in_context(context)
    return _core.array([float(rescale_grad)], ctx=context, dtype="float32")


def _in_turn(*lists: Sequence[NDArray]) -> list[NDArray]:
    return [array for of_weight in zip(*lists, strict=True) for array in of_weight]


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: float | NDArray,
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
) -> Any:
    """One step of Adam with decoupled weight decay (Loshchilov and Hutter, 2019).

    With ``g = clip(rescale_grad * grad)``, mean and var, which are written, gives ``weight - eta *
    (lr * mean / (sqrt(var) + epsilon) + wd * weight)``; give the weight as ``out`` to change it.
    Nothing changes where ``rescale_grad`` is 0 or not finite.
    """
    attrs = {"lr": lr, "eta": eta, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd}
    attrs |= {"clip_gradient": clip_gradient, **kwargs}
    arrays = (weight, grad, mean, var, _factor(rescale_grad, weight.context))
    return _core.invoke("_adamw_update", arrays, attrs, out)


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: float | NDArray,
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
) -> Any:
    """:func:`adamw_update` of a float16 weight by its float32 copy, which is written, too."""
    attrs = {"lr": lr, "eta": eta, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd}
    attrs |= {"clip_gradient": clip_gradient, **kwargs}
    arrays = (weight, grad, mean, var, weight32, _factor(rescale_grad, weight.context))
    return _core.invoke("_mp_adamw_update", arrays, attrs, out)


def multi_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    rescale_grad: float | NDArray,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """:func:`adamw_update` of several weights, by lists of their arrays and numbers."""
    arrays = [*_in_turn(weights, grads, mean, var), _factor(rescale_grad, weights[0].context)]
    attrs = {"num_weights": size or len(weights), "lrs": lrs, "wds": wds, "etas": etas, **kwargs}
    return _core.invoke("_multi_adamw_update", arrays, attrs, out)


def multi_mp_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    rescale_grad: float | NDArray,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """:func:`mp_adamw_update` of several weights, by lists of their arrays and numbers."""
    arrays = _in_turn(weights, grads, mean, var, weights32)
    arrays.append(_factor(rescale_grad, weights[0].context))
    attrs = {"num_weights": size or len(weights), "lrs": lrs, "wds": wds, "etas": etas, **kwargs}
    return _core.invoke("_multi_mp_adamw_update", arrays, attrs, out)


def multi_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """A step of LAMB (You and others, 2020) of several weights: see nd.lamb_update_phase1 and 2.

    Args:
        step_count: numbers of the steps, from 1, one a weight.
        lrs, wds: learning rates and weight decays, one a weight.
    """
    arrays = _in_turn(weights, grads, mean, var)
    attrs = {"num_tensors": num_tensors or len(weights), "step_count": step_count, **kwargs}
    attrs |= {"learning_rates": lrs, "wds": wds}
    return _core.invoke("_multi_lamb_update", arrays, attrs, out)


def multi_mp_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """:func:`multi_lamb_update` of float16 weights by their float32 copies, written, too."""
    arrays = _in_turn(weights, grads, mean, var, weights32)
    attrs = {"num_tensors": num_tensors or len(weights), "step_count": step_count, **kwargs}
    attrs |= {"learning_rates": lrs, "wds": wds}
    return _core.invoke("_multi_mp_lamb_update", arrays, attrs, out)
