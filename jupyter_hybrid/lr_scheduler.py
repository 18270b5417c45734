"""Learning rates that depend on the number of updates, each with a warm-up before it.

A scheduler is called with the number of updates so far, which counts from 1 and never goes back.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence


class LRScheduler:
    """Base class; write ``__call__(self, num_update)`` to make your own.

    Args:
        base_lr: the rate after the warm-up.
        warmup_steps: so many updates.
        warmup_begin_lr: the rate at their begin.
        warmup_mode: "linear": it grows evenly; "constant": it stays until they are over.

    Raises:
        ValueError: for numbers or a mode that make no sense.
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ):
        if warmup_steps < 0:
            raise ValueError(f"warmup_steps: expected 0 or more, got {warmup_steps}")
        if warmup_begin_lr > base_lr:
            raise ValueError(
                f"warmup_begin_lr: expected at most base_lr, {base_lr}, got {warmup_begin_lr}"
            )
        if warmup_mode not in ("linear", "constant"):
            raise ValueError(f"warmup_mode: expected 'linear' or 'constant', got {warmup_mode!r}")
        self.base_lr, self.warmup_final_lr = base_lr, base_lr
        self.warmup_steps, self.warmup_begin_lr = int(warmup_steps), warmup_begin_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """The rate of an update within the warm-up."""
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        share = num_update / self.warmup_steps
        return self.warmup_begin_lr + (self.warmup_final_lr - self.warmup_begin_lr) * share

    def __call__(self, num_update: int) -> float:
        """The rate of this update."""
        raise NotImplementedError


class FactorScheduler(LRScheduler):
    """The rate times ``factor`` after every ``step`` updates, down to ``stop_factor_lr``."""

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if step < 1:
            raise ValueError(f"step: expected 1 or more updates, got {step}")
        _check_factor(factor)
        self.step, self.factor, self.stop_factor_lr = step, factor, stop_factor_lr
        self.count = 0

    def __call__(self, num_update: int) -> float:
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr = max(self.base_lr * self.factor, self.stop_factor_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """The rate times ``factor`` after each of the numbers of updates in ``step``."""

    def __init__(
        self,
        step: Sequence[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        numbers = list(step)
        if not numbers or numbers[0] < 1 or any(b <= a for a, b in itertools.pairwise(numbers)):
            raise ValueError(f"step: expected ascending numbers from 1, got {step!r}")
        _check_factor(factor)
        self.step, self.factor = numbers, factor
        self.count, self.cur_step_ind = 0, 0

    def __call__(self, num_update: int) -> float:
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
        return self.base_lr


class _ToTheEnd(LRScheduler):
    """From ``base_lr`` to ``final_lr`` at ``max_update``, where it stays."""

    def __init__(
        self,
        max_update: int,
        base_lr: float,
        final_lr: float,
        warmup_steps: int,
        warmup_begin_lr: float,
        warmup_mode: str,
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(max_update, int) or max_update < 1:
            raise ValueError(f"max_update: expected 1 or more updates, got {max_update!r}")
        self.max_update, self.base_lr_orig, self.final_lr = max_update, base_lr, final_lr
        self.max_steps = max_update - self.warmup_steps

    def _left(self, share: float) -> float:
        """How much of the way is left after that share of the updates."""
        raise NotImplementedError

    def __call__(self, num_update: int) -> float:
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            left = self._left((num_update - self.warmup_steps) / self.max_steps)
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * left
        return self.base_lr


class PolyScheduler(_ToTheEnd):
    """By ``(1 - share of the updates) ** pwr`` to ``final_lr``."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: int = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ):
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _left(self, share: float) -> float:
        return float((1 - share) ** self.power)


class CosineScheduler(_ToTheEnd):
    """By half a wave of a cosine to ``final_lr`` (Loshchilov and Hutter, 2017)."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ):
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)

    def _left(self, share: float) -> float:
        return (1 + math.cos(math.pi * share)) / 2


def _check_factor(factor: float) -> None:
    if factor > 1.0:
        raise ValueError(f"factor: expected at most 1, or the rate would grow, got {factor}")
