"""Losses of numbers."""

from __future__ import annotations

import math
from typing import Any

from .. import own_nets
from .base import Loss


class L2Loss(Loss):
    """``weight / 2 * (pred - label) ** 2``, shape (batch,)."""

    def __init__(self, weight: float = 1.0, batch_axis: int = 0, **kwargs: Any):
        super().__init__(weight, batch_axis, **kwargs)

    def _factor(self) -> float | None:
        return self._weight / 2  # type: ignore[operator]

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(F.reshape_like(label, pred) - pred)
        return self._mean_of(F, loss, sample_weight)


class L1Loss(Loss):
    """``weight * |pred - label|``, shape (batch,)."""

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any):
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.abs(F.reshape_like(label, pred) - pred)
        return self._mean_of(F, loss, sample_weight)


class HuberLoss(Loss):
    """``(pred - label) ** 2 / (2 * rho)`` where they are at most ``rho`` apart, beyond that
    ``|pred - label| - rho / 2``; shape (batch,)."""

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        apart = F.abs(F.reshape_like(label, pred) - pred)
        near, far = (0.5 / self._rho) * F.square(apart), apart - 0.5 * self._rho
        return self._mean_of(F, F.where(apart > self._rho, far, near), sample_weight)


class PoissonNLLLoss(Loss):
    """Negative log-likelihood of counts under a Poisson distribution, the mean over all elements,
    of samples too.

    Args:
        from_logits: ``pred`` is the logarithm of the rate, else the rate.
        compute_full: with Stirling's approximation of the logarithm of ``target``'s factorial
            where that is above 1; else this constant is left out.
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ):
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._compute_full = from_logits, compute_full

    def hybrid_forward(
        self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-08
    ) -> Any:
        target = F.reshape_like(target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            stirling = target * F.log(target) - target + 0.5 * F.log(2 * target * math.pi)
            loss = loss + F.where(target > 1, stirling, F.zeros_like(stirling))
        return F.mean(self._weighted(F, loss, sample_weight))


own_nets.register(HuberLoss, L1Loss, L2Loss, PoissonNLLLoss, several=True)
