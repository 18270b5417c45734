"""Adam and its kin: moving averages of the gradient and of its square, with their corrections."""

from __future__ import annotations

import math
from typing import Any

from .base import blank, register
from .step import StepOptimizer
from .terms import clipped, decayed, mixed, over, positive, single, times


class _Moments(StepOptimizer):
    """State: (mean, variance), arrays like the weight. ``t`` counts a parameter's updates."""

    def create_state(self, index: Any, weight: Any) -> Any:
        return blank(weight), blank(weight)


@register
class Adam(_Moments):
    """Adam (Kingma and Ba, 2015): ``m = beta1 * m + (1 - beta1) * g``,
    ``v = beta2 * v + (1 - beta2) * g ** 2``,
    ``w -= lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * m / (sqrt(v) + epsilon)``, with
    ``g = clip(rescale_grad * grad + wd * w)``.

    Args:
        lazy_update: accepted; gradients are dense.
    """

    constants = ("beta1", "beta2", "epsilon", "clip_gradient")

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lazy_update = lazy_update

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        t = self._index_update_count[index]
        lr *= math.sqrt(1 - self.beta2**t) / (1 - self.beta1**t)
        return lr, wd or None, self.rescale_grad

    def number_names(self) -> tuple[str, ...]:
        return "corrected_learning_rate", *super().number_names()[1:]

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        mean, var = state
        grad = decayed(F, times(F, grad, rescale), weight, wd)
        grad = clipped(F, grad, positive(self.clip_gradient))
        mean = mixed(mean, grad, single(self.beta1))
        var = mixed(var, F.square(grad), single(self.beta2))
        step = times(F, mean, lr) / (F.sqrt(var) + self.epsilon)
        return weight - step, (mean, var)


@register
class Adamax(_Moments):
    """Adam's variant with the infinity norm: ``m = beta1 * m + (1 - beta1) * g``,
    ``u = max(beta2 * u, |g|)``, ``w -= lr / (1 - beta1 ** t) * m / u``, with
    ``g = clip(rescale_grad * grad + wd * w)``. Where every gradient so far was 0 the weight stays;
    MXNet divides 0 by 0 there and makes it nan."""

    constants = ("beta1", "beta2", "clip_gradient")

    def __init__(
        self, learning_rate: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, **kwargs: Any
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2 = beta1, beta2

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        return (
            lr / (1 - self.beta1 ** self._index_update_count[index]),
            wd or None,
            self.rescale_grad,
        )

    def number_names(self) -> tuple[str, ...]:
        return "corrected_learning_rate", *super().number_names()[1:]

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        mean, norm = state
        grad = clipped(F, decayed(F, times(F, grad, rescale), weight, wd), self.clip_gradient)
        mean = mixed(mean, grad, self.beta1)
        norm = F.broadcast_maximum(norm * self.beta2, F.abs(grad))
        return weight - times(F, mean, lr) / (norm + (norm == 0)), (mean, norm)


@register
class Nadam(_Moments):
    """Adam with Nesterov's momentum (Dozat, 2016), whose momentum grows by
    ``beta1 * (1 - 0.5 * 0.96 ** (t * schedule_decay))``.

    As in MXNet, the product of these is one for all parameters, and grows by each update. (In
    MXNet it is one for all devices as well, so that their parameters part.)
    """

    shares_numbers = False  # parameters' numbers differ until the product is near 0
    in_parts = False
    constants = ("beta1", "beta2", "epsilon", "clip_gradient")

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule: float

    def _of_device(self) -> dict[str, Any]:
        return {"m_schedule": 1.0}

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        t = self._index_update_count[index]
        now = self.beta1 * (1 - 0.5 * 0.96 ** (t * self.schedule_decay))
        following = self.beta1 * (1 - 0.5 * 0.96 ** ((t + 1) * self.schedule_decay))
        self.m_schedule *= now
        of_grad = (1 - now) / (1 - self.m_schedule)
        of_mean = following / (1 - self.m_schedule * following)
        return lr, wd or None, self.rescale_grad, of_grad, of_mean, 1 - self.beta2**t

    def number_names(self) -> tuple[str, ...]:
        return *super().number_names(), "factor_of_grad", "factor_of_mean", "correction_of_var"

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale, of_grad, of_mean, of_var = numbers
        mean, var = state
        grad = clipped(F, decayed(F, times(F, grad, rescale), weight, wd), self.clip_gradient)
        mean = mixed(mean, grad, self.beta1)
        var = mixed(var, F.square(grad), self.beta2)
        ahead = times(F, grad, of_grad) + times(F, mean, of_mean)
        step = times(F, ahead, lr) / (F.sqrt(over(F, var, of_var)) + self.epsilon)
        return weight - step, (mean, var)


@register
class FTML(StepOptimizer):
    """Follow the moving leader (Zheng and Kwok, 2017): ``v = beta2 * v + (1 - beta2) * g ** 2``,
    ``d' = (1 - beta1 ** t) / lr * (sqrt(v / (1 - beta2 ** t)) + epsilon)``,
    ``z = beta1 * z + (1 - beta1) * g - (d' - beta1 * d) * w``, ``w = -z / d'``, with
    ``g = clip(rescale_grad * grad + wd * w)``. State: (d, v, z)."""

    constants = ("beta1", "beta2", "epsilon", "clip_gradient")

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any
    ):
        super().__init__(**kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def create_state(self, index: Any, weight: Any) -> Any:
        return blank(weight), blank(weight), blank(weight)

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        t = self._index_update_count[index]
        return (
            (1 - single(self.beta1) ** t) / lr,
            wd or None,
            self.rescale_grad,
            1 - single(self.beta2) ** t,
        )

    def number_names(self) -> tuple[str, ...]:
        return "inverse_learning_rate", *super().number_names()[1:], "correction_of_var"

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        scale, wd, rescale, of_var = numbers
        d, v, z = state
        grad = decayed(F, times(F, grad, rescale), weight, wd)
        grad = clipped(F, grad, positive(self.clip_gradient))
        v = mixed(v, F.square(grad), single(self.beta2))
        new_d = times(F, F.sqrt(over(F, v, of_var)) + self.epsilon, scale)
        z = mixed(z, grad, single(self.beta1)) - (new_d - d * self.beta1) * weight
        return F.negative(z) / new_d, (new_d, v, z)


@register
class LAMB(_Moments):
    """Layer-wise adaptive moments for large batches (You and others, 2020): Adam's ``m``, ``v`` of
    ``g = clip(rescale_grad * grad)``, ``s = m' / (sqrt(v') + epsilon) + wd * w``,
    ``w -= lr * |w| / |s| * s``; the factor is 1 where a norm is 0.

    Args:
        lower_bound, upper_bound: of ``|w|``; None: none.
        bias_correction: divides m and v by ``1 - beta ** t``.
    """

    constants = (
        "beta1", "beta2", "epsilon", "lower_bound", "upper_bound", "bias_correction",
        "clip_gradient",
    )  # fmt: skip

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.bias_correction = bias_correction

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        t = self._index_update_count[index]
        return (
            lr,
            wd or None,
            self.rescale_grad,
            1 - single(self.beta1) ** t,
            1 - single(self.beta2) ** t,
        )

    def number_names(self) -> tuple[str, ...]:
        return *super().number_names(), "correction_of_mean", "correction_of_var"

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale, of_mean, of_var = numbers
        grad = clipped(F, times(F, grad, rescale), positive(self.clip_gradient))
        mean = mixed(state[0], grad, single(self.beta1))
        var = mixed(state[1], F.square(grad), single(self.beta2))
        if self.bias_correction:
            step = over(F, mean, of_mean) / (F.sqrt(over(F, var, of_var)) + self.epsilon)
        else:
            step = mean / (F.sqrt(var) + self.epsilon)
        step = decayed(F, step, weight, wd)
        norm = F.norm(weight)
        if self.lower_bound:
            norm = F.broadcast_maximum(norm, F.ones_like(norm) * self.lower_bound)
        if self.upper_bound:
            norm = F.broadcast_minimum(norm, F.ones_like(norm) * self.upper_bound)
        of_step = F.norm(step)
        ratio = F.where((norm > 0) * (of_step > 0), norm / of_step, F.ones_like(norm))
        return weight - times(F, times(F, step, ratio), lr), (mean, var)
