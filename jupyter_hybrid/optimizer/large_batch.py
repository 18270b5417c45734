"""Gradient descent for large batches: rates by layer, and gradients of several batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from .base import blank, register
from .sgd import SGD, direction, stepped
from .terms import decayed, times


@register
class LARS(SGD):
    """Layer-wise adaptive rates (You and others, 2017): SGD with
    ``lr * eta * |w| / (rescale_grad * |grad| + wd * |w| + eps)`` for a parameter's rate, unless a
    norm is 0 or the parameter's name ends in gamma, beta or bias.

    Args:
        momentum_correction: the momentum is multiplied by the rate over that of the step before.
            (MXNet does this for the first parameters of a step only.)
    """

    constants: ClassVar[tuple[str, ...]] = ("clip_gradient", "eta", "eps")
    in_parts = False  # the rate before is that of the call before

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ):
        super().__init__(momentum, lazy_update, **kwargs)
        self.eta, self.eps, self.momentum_correction = eta, eps, momentum_correction
        self.skip = 0
        self.last_lr: float | None
        self.cur_lr: float | None

    def _of_device(self) -> dict[str, Any]:
        return {"last_lr": None, "cur_lr": None}

    def set_wd_mult(self, args_wd_mult: Any) -> None:
        """As of Optimizer, but ``_gamma`` has no decay, too."""
        self.wd_mult = {
            **self._without_decay(("_weight",)),
            **self._given_by_symbol("__wd_mult__"),
            **args_wd_mult,
        }

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        lr = self.learning_rate
        self.last_lr = lr if self.cur_lr is None else self.cur_lr
        self.cur_lr = lr
        return super()._get_lrs(indices)

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        momentum = self.momentum
        if self.momentum_correction and self.last_lr and self.cur_lr is not None:
            momentum *= self.cur_lr / self.last_lr
        return lr, wd or None, self.rescale_grad, momentum

    def number_names(self) -> tuple[str, ...]:
        return "learning_rate", "weight_decay", "rescale_grad", "momentum"

    def variant(self, index: Any, weight: Any) -> Any:
        """Is its rate adapted?"""
        return not self.idx2name.get(index, str(index)).endswith(("gamma", "beta", "bias"))

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale, momentum = numbers
        if variant:
            size, of_grad = F.norm(weight), F.norm(grad)
            below = decayed(F, of_grad * rescale, size, wd) + self.eps
            adapted = lr * size * self.eta / below
            lr = F.where((size > 0) * (of_grad > 0), adapted, lr)
        step = times(F, direction(F, weight, grad, wd, rescale, self.clip_gradient), lr)
        return stepped(weight, None if state is None else times(F, state, momentum), step)


@register
class LBSGD(SGD):
    """SGD for large batches: a step for every ``batch_scale`` gradients, with their mean, and a
    rate that grows to ``batch_scale`` times the given one during the warm-up. (MXNet's adds up
    gradients that Trainer's next backward overwrites.)

    Args:
        warmup_strategy: how it grows: "linear", "power2" or "sqrt"; "lars": the rate is multiplied
            by ``sqrt(|w| ** 2 / (|g| ** 2 + wd * |w| ** 2))``, at least 0.01 and at most 100.
        warmup_epochs, updates_per_epoch: how long the warm-up takes.
        batch_scale: gradients of a step.
        begin_epoch: the epoch that training begins with.
        num_epochs: accepted; nothing depends on it.
    """

    constants: ClassVar[tuple[str, ...]] = (
        "momentum",
        "clip_gradient",
        "batch_scale",
        "warmup_strategy",
    )
    copy_last = False
    in_parts = False  # the schedule goes on with the first parameter

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ):
        super().__init__(momentum, multi_precision=multi_precision, **kwargs)
        self.warmup_strategy, self.warmup_epochs = warmup_strategy, warmup_epochs
        self.batch_scale, self.updates_per_epoch = batch_scale, updates_per_epoch
        self.init_updates, self.num_epochs = begin_epoch * updates_per_epoch, num_epochs
        self._seen: dict[Any, int]  # gradients, by parameter
        self._rates: dict[Any, tuple[int, float]] = {}  # of its last update

    def _of_device(self) -> dict[str, Any]:
        return {"_seen": {}}

    def create_state(self, index: Any, weight: Any) -> Any:
        """(momentum, sum of the gradients of a step): of one gradient there is no sum."""
        mom = super().create_state(index, weight)
        if self.batch_scale == 1:
            return mom
        return mom, blank(weight)

    def _get_lbmult(self, nup: int) -> float:
        """The rate's factor after so many gradients."""
        steps, most = self.warmup_epochs * self.updates_per_epoch, float(self.batch_scale)
        if nup >= steps:
            return most
        if steps <= 1:
            return 1.0
        share = nup / steps
        grown = {"linear": share, "power2": share * share, "sqrt": math.sqrt(share)}
        return 1.0 + (most - 1) * grown.get(self.warmup_strategy, 0.0)

    def _numbers_of(self, indices: Sequence[Any]) -> list[tuple[float | None, ...]]:
        made = []
        for index in indices:  # as MXNet does: the rate is that before the update is counted
            lr, wd = self._get_lr(index), self._get_wd(index)
            self._update_count([index])
            count = self._index_update_count[index]
            # Where another device has made this update the schedule has gone on since.
            of_count, known = self._rates.get(index, (0, lr))
            lr = known if of_count == count else lr
            self._rates[index] = (count, lr)
            made.append(self.numbers(index, lr, wd))
        return made

    def numbers(self, index: Any, lr: float, wd: float) -> tuple[float | None, ...]:
        seen = self._seen[index] = self._seen.get(index, self.init_updates) + 1
        if self.warmup_strategy != "lars":
            lr *= self._get_lbmult(seen)
        return lr, wd or None, self.rescale_grad

    def number_names(self) -> tuple[str, ...]:
        return "learning_rate", "weight_decay", "rescale_grad"

    def variant(self, index: Any, weight: Any) -> Any:
        """Is it time for a step?"""
        return self._seen[index] % self.batch_scale == 0

    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        if self.batch_scale == 1:
            return self._stepped(F, weight, grad, state, numbers)
        mom, total = state
        total = total + grad
        if not variant:
            return weight, (mom, total)
        new, mom = self._stepped(F, weight, total / self.batch_scale, mom, numbers)
        return new, (mom, F.zeros_like(total))

    def _stepped(self, F: Any, weight: Any, grad: Any, mom: Any, numbers: Any) -> Any:
        lr, wd, rescale = numbers
        if self.warmup_strategy == "lars":
            size, of_grad = F.sum(F.square(weight)), F.sum(F.square(grad))
            factor = F.sqrt(size / (decayed(F, of_grad, size, wd) + 1e-18))
            lr = lr * F.clip(factor, a_min=0.01, a_max=100)
        step = times(F, direction(F, weight, grad, wd, rescale, self.clip_gradient), lr)
        return stepped(weight, None if mom is None else mom * self.momentum, step)
