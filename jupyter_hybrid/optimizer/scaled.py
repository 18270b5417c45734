"""Steps scaled by the history of each weight's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import blank, register
from .step import StepOptimizer
from .terms import clipped, decayed, mixed, over, positive, single, times


def _history(weight: Any, shape: Any = None) -> Any:
    """Zeros of the weight's shape: float32, of a float64 weight float64."""
    dtype = np.float64 if weight.dtype == np.float64 else np.float32
    return blank(weight, shape, dtype)


@register
class AdaGrad(StepOptimizer):
    """AdaGrad (Duchi and others, 2011): ``h += g ** 2``,
    ``w -= lr * (g / sqrt(h + eps) + wd * w)``, with ``g = clip(rescale_grad * grad)``.
    State: h."""

    constants = ("float_stable_eps", "clip_gradient")

    def __init__(self, eps: float = 1e-7, **kwargs: Any):
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: Any) -> Any:
        return _history(weight)

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        grad = clipped(F, times(F, grad, rescale), self.clip_gradient)
        history = state + F.square(grad)
        step = decayed(F, grad / F.sqrt(history + self.float_stable_eps), weight, wd)
        return weight - times(F, step, lr), history


@register
class GroupAdaGrad(StepOptimizer):
    """AdaGrad with one rate a row: ``h += mean(g ** 2, axis=1, keepdims=True)``,
    ``w -= lr * g / sqrt(h + eps)``, with ``g = clip(rescale_grad * grad)``. Weights have two
    dimensions and no decay. State: h, of shape (rows, 1)."""

    constants = ("float_stable_eps", "clip_gradient")

    def __init__(self, eps: float = 1e-5, **kwargs: Any):
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: Any) -> Any:
        if len(weight.shape) != 2:
            raise AssertionError(
                f"GroupAdaGrad: expected a weight of 2 dimensions, got {weight.shape}"
            )
        return _history(weight, (weight.shape[0], 1))

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        if wd != 0:
            raise AssertionError(f"GroupAdaGrad has no weight decay, got wd {wd}")
        return lr, self.rescale_grad

    def number_names(self) -> tuple[str, ...]:
        return "learning_rate", "rescale_grad"

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, rescale = numbers
        grad = clipped(F, times(F, grad, rescale), self.clip_gradient)
        history = state + F.mean(F.square(grad), axis=1, keepdims=True)
        step = F.broadcast_div(times(F, grad, lr), F.sqrt(history + self.float_stable_eps))
        return weight - step, history


@register
class RMSProp(StepOptimizer):
    """RMSProp, with ``g = clip(rescale_grad * grad + wd * w)``.

    Not centered (Tieleman and Hinton, 2012): ``n = gamma1 * n + (1 - gamma1) * g ** 2``,
    ``w -= lr * g / sqrt(n + epsilon)``. Centered (Graves, 2013), too:
    ``m = gamma1 * m + (1 - gamma1) * g``,
    ``d = gamma2 * d - lr * g / sqrt(n - m ** 2 + epsilon)``, ``w += d``.
    State: (n,) or (n, m, d).

    Args:
        clip_weights: bound on the elements of the new weight; None: none.
    """

    constants = ("gamma1", "gamma2", "epsilon", "centered", "clip_gradient", "clip_weights")

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1, self.gamma2, self.epsilon = gamma1, gamma2, epsilon
        self.centered, self.clip_weights = centered, clip_weights

    def create_state(self, index: Any, weight: Any) -> Any:
        return tuple(_history(weight) for _ in range(3 if self.centered else 1))

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        grad = decayed(F, times(F, grad, rescale), weight, wd)
        grad = clipped(F, grad, positive(self.clip_gradient))
        square = mixed(state[0], F.square(grad), single(self.gamma1))
        if self.centered:
            mean = mixed(state[1], grad, single(self.gamma1))
            size = F.sqrt(square - F.square(mean) + self.epsilon)
            delta = state[2] * self.gamma2 - times(F, grad, lr) / size
            weight, state = weight + delta, (square, mean, delta)
        else:
            size = F.sqrt(square + self.epsilon)
            weight, state = weight - times(F, grad, lr) / size, (square,)
        return clipped(F, weight, positive(self.clip_weights)), state


@register
class AdaDelta(StepOptimizer):
    """AdaDelta (Zeiler, 2012): ``n = rho * n + (1 - rho) * g ** 2``,
    ``s = sqrt(d + epsilon) / sqrt(n + epsilon) * g``, ``d = rho * d + (1 - rho) * s ** 2``,
    ``w -= s + wd * w``, with ``g = clip(rescale_grad * grad)``. There is no learning rate.
    State: (n, d). MXNet writes the rescaled gradient back into ``grad``; here it stays."""

    constants = ("rho", "epsilon", "clip_gradient")

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any):
        super().__init__(**kwargs)
        self.rho, self.epsilon = rho, epsilon

    def create_state(self, index: Any, weight: Any) -> Any:
        return _history(weight), _history(weight)

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        return wd or None, self.rescale_grad

    def number_names(self) -> tuple[str, ...]:
        return "weight_decay", "rescale_grad"

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        wd, rescale = numbers
        square, deltas = state
        grad = clipped(F, times(F, grad, rescale), self.clip_gradient)
        square = mixed(square, F.square(grad), self.rho)
        step = F.sqrt(deltas + self.epsilon) / F.sqrt(square + self.epsilon) * grad
        deltas = mixed(deltas, F.square(step), self.rho)
        return weight - decayed(F, step, weight, wd), (square, deltas)


@register
class Ftrl(StepOptimizer):
    """Follow the regularized leader (McMahan and others, 2013):
    ``z += g - (sqrt(n + g ** 2) - sqrt(n)) * w / lr``, ``n += g ** 2``,
    ``w = (sign(z) * lamda1 - z) / ((beta + sqrt(n)) / lr + wd) * (|z| > lamda1)``, with
    ``g = clip(rescale_grad * grad)``. State: (z, n).

    Args:
        lamda1: L1 penalty.
    """

    constants = ("lamda1", "beta", "clip_gradient")

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any
    ):
        super().__init__(**kwargs)
        self.lamda1, self.beta, self.lr = lamda1, beta, learning_rate

    def create_state(self, index: Any, weight: Any) -> Any:
        return _history(weight), _history(weight)

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        z, n = state
        grad = clipped(F, times(F, grad, rescale), positive(self.clip_gradient))
        new_n = n + F.square(grad)
        z = z + grad - over(F, (F.sqrt(new_n) - F.sqrt(n)) * weight, lr)
        size = over(F, F.sqrt(new_n) + self.beta, lr)
        size = size if wd is None else F.broadcast_add(size, wd)
        new = (F.sign(z) * self.lamda1 - z) / size * (F.abs(z) > self.lamda1)
        return new, (z, new_n)
