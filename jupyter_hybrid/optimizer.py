"""Optimizers: what Trainer does to a weight with its gradient."""

from __future__ import annotations

from typing import Any

from . import nd


class Optimizer:
    """Base class. ``update`` writes the new weight in place; the state is per weight and device.

    Args:
        learning_rate: step size.
        wd: weight decay, added to the gradient as ``wd * weight``.
        rescale_grad: the gradient is multiplied by this first (Trainer: 1 / batch_size).
        clip_gradient: bound on the rescaled gradient's elements; None for none.
    """

    def __init__(
        self,
        learning_rate: float = 0.01,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float | None = None,
    ):
        self.lr, self.wd = float(learning_rate), float(wd)
        self.rescale_grad, self.clip_gradient = rescale_grad, clip_gradient

    def create_state(self, weight: Any) -> Any:
        """The optimizer's own arrays for one weight; None when it keeps none."""
        return None

    def update(self, weight: Any, grad: Any, state: Any, lr_mult: float, wd_mult: float) -> None:
        """Writes the next value into ``weight``."""
        raise NotImplementedError


class SGD(Optimizer):
    """Stochastic gradient descent: ``m = momentum * m - lr * (g + wd * w)``; ``w += m``."""

    def __init__(self, momentum: float = 0.0, **kwargs: Any):
        super().__init__(**kwargs)
        self.momentum = float(momentum)

    def create_state(self, weight: Any) -> Any:
        if not self.momentum:
            return None
        return nd.zeros(weight.shape, ctx=weight.context, dtype=weight.dtype)

    def update(self, weight: Any, grad: Any, state: Any, lr_mult: float, wd_mult: float) -> None:
        options: dict[str, Any] = {
            "lr": self.lr * lr_mult,
            "wd": self.wd * wd_mult,
            "rescale_grad": self.rescale_grad,
            "clip_gradient": -1.0 if self.clip_gradient is None else self.clip_gradient,
        }
        if state is None:
            nd.sgd_update(weight, grad, out=weight, **options)
        else:
            nd.sgd_mom_update(
                weight, grad, state, out=[weight, state], momentum=self.momentum, **options
            )


_OPTIMIZERS: dict[str, type[Optimizer]] = {"sgd": SGD}


def create(optimizer: Any, **params: Any) -> Optimizer:
    """An optimizer from an instance or a name."""
    if isinstance(optimizer, Optimizer):
        return optimizer
    kind = _OPTIMIZERS.get(str(optimizer).lower())
    if kind is None:
        raise ValueError(f"unknown optimizer {optimizer!r}; known: {', '.join(_OPTIMIZERS)}")
    return kind(**params)
