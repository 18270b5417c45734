"""Gradient descent: plain, with momentum, Nesterov's, by signs, with noise, delay-compensated."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from .base import Optimizer, blank, register
from .step import StepOptimizer
from .terms import clipped, decayed, positive, times


class _WithMomentum(StepOptimizer):
    """State: one array like the weight, or None while the momentum is 0."""

    momentum: float

    def create_state(self, index: Any, weight: Any) -> Any:
        if self.momentum == 0:
            return None
        return blank(weight)


def direction(F: Any, weight: Any, grad: Any, wd: Any, rescale: Any, bound: float | None) -> Any:
    """``clip(rescale * grad) + wd * weight``."""
    return decayed(F, clipped(F, times(F, grad, rescale), positive(bound)), weight, wd)


def stepped(weight: Any, state: Any, step: Any) -> tuple[Any, Any]:
    """The weight after a step, and the momentum, which is None or what of it is left."""
    if state is None:
        return weight - step, None
    state = state - step
    return weight + state, state


@register
class SGD(_WithMomentum):
    """Stochastic gradient descent: ``m = momentum * m - lr * (g + wd * w)``; ``w += m``, with
    ``g = clip(rescale_grad * grad)``.

    Args:
        momentum: 0: none.
        lazy_update: accepted; gradients are dense.
    """

    constants: ClassVar[tuple[str, ...]] = ("momentum", "clip_gradient")
    copy_last = True

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any):
        super().__init__(**kwargs)
        self.momentum, self.lazy_update = momentum, lazy_update

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        if positive(self.clip_gradient) is None:
            return lr * self.rescale_grad, lr * wd or None, None
        return lr, lr * wd or None, self.rescale_grad

    def number_names(self) -> tuple[str, ...]:
        return (
            "learning_rate" if positive(self.clip_gradient) else "scaled_learning_rate",
            "scaled_weight_decay",
            "rescale_grad",
        )

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, lr_wd, rescale = numbers
        if rescale is not None:
            grad = clipped(F, times(F, grad, rescale), self.clip_gradient)
        step = decayed(F, times(F, grad, lr), weight, lr_wd)
        return stepped(weight, None if state is None else state * self.momentum, step)


@register
class ccSGD(SGD):
    """The same as :class:`SGD`, by its former name."""


@register
class NAG(_WithMomentum):
    """Nesterov's accelerated gradient: ``m = momentum * m - lr * (g + wd * w)``;
    ``w += momentum * m - lr * (g + wd * w)``, with ``g = clip(rescale_grad * grad)``.
    (MXNet's m takes the decay of the new w, which is written before.)"""

    constants: ClassVar[tuple[str, ...]] = ("momentum", "clip_gradient")
    copy_last = True

    def __init__(self, momentum: float = 0.0, **kwargs: Any):
        super().__init__(**kwargs)
        self.momentum = momentum

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        step = times(F, direction(F, weight, grad, wd, rescale, self.clip_gradient), lr)
        if state is None:
            return weight - step, None
        state = state * self.momentum - step
        return weight + state * self.momentum - step, state


@register
class Signum(_WithMomentum):
    """Signs of the momentum (Bernstein and others, 2018): ``m = momentum * m - (1 - momentum) *
    (g + wd * w)``; ``w = (1 - lr * wd_lh) * w + lr * sign(m)``, with
    ``g = clip(rescale_grad * grad)``. Without momentum ``w = (1 - lr * wd) * w - lr * sign(g)``.

    Args:
        momentum: 0: none.
        wd_lh: decay of the weights that the gradient has no part in.
    """

    constants: ClassVar[tuple[str, ...]] = ("momentum", "wd_lh", "clip_gradient")

    def __init__(
        self, learning_rate: float = 0.01, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum, self.wd_lh = momentum, wd_lh

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        if state is None:
            grad = clipped(F, times(F, grad, rescale), positive(self.clip_gradient))
            return weight - times(F, decayed(F, F.sign(grad), weight, wd), lr), None
        grad = direction(F, weight, grad, wd, rescale, self.clip_gradient)
        state = state * self.momentum - grad * (1 - self.momentum)
        step = F.sign(state) - weight * self.wd_lh if self.wd_lh else F.sign(state)
        return weight + times(F, step, lr), state


@register
class SGLD(StepOptimizer):
    """Stochastic gradient Langevin dynamics (Patterson and Teh, 2013):
    ``w -= lr / 2 * (g + wd * w)``; ``w += normal(0, sqrt(lr))``. Devices draw their own: several
    stay equal where the store updates (``Trainer(update_on_kvstore=True)``)."""

    in_parts = False  # draws in the order of the parameters
    constants: ClassVar[tuple[str, ...]] = ("clip_gradient",)

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        return lr / 2, wd or None, self.rescale_grad, math.sqrt(lr)

    def number_names(self) -> tuple[str, ...]:
        return "half_learning_rate", "weight_decay", "rescale_grad", "noise_deviation"

    def variant(self, index: Any, weight: Any) -> Any:
        return weight.shape, "float64" if weight.dtype == np.float64 else "float32"

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        half, wd, rescale, deviation = numbers
        shape, dtype = variant
        grad = decayed(F, clipped(F, times(F, grad, rescale), self.clip_gradient), weight, wd)
        noise = F.random.normal(0, 1, shape=shape, dtype=dtype)
        return weight - times(F, grad, half) + times(F, noise, deviation), None


@register
class DCASGD(StepOptimizer):
    """Delay-compensated gradient descent (Zheng and others, 2017):
    ``m = momentum * m - lr * (g + wd * w + lamda * g ** 2 * (w - old))``; ``w += m``, where ``old``
    is the weight before the last step and ``g = clip(rescale_grad * grad)``.
    (With momentum MXNet's raises an error.)"""

    constants: ClassVar[tuple[str, ...]] = ("momentum", "lamda", "clip_gradient")

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any):
        super().__init__(**kwargs)
        self.momentum, self.lamda = momentum, lamda
        self.weight_previous: dict[Any, Any] = {}

    def create_state(self, index: Any, weight: Any) -> Any:
        mom = None
        if self.momentum != 0:
            mom = blank(weight)
        return mom, weight.copy()

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        mom, old = state
        grad = clipped(F, times(F, grad, rescale), self.clip_gradient)
        grad = decayed(F, grad, weight, wd) + grad * grad * (weight - old) * self.lamda
        step = times(F, grad, lr)
        if mom is None:
            return weight - step, (None, weight)
        mom = mom * self.momentum - step
        return weight + mom, (mom, weight)


@register
class Test(Optimizer):
    """For tests: ``w += rescale_grad * grad``; the state is the weight."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)

    def create_state(self, index: Any, weight: Any) -> Any:
        return blank(weight, dtype=np.float32)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        weight[:] += grad * self.rescale_grad
        state[:] = weight
