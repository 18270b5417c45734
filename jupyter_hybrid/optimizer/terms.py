"""Terms that formulas share."""

from __future__ import annotations

from typing import Any

import numpy as np


def times(F: Any, array: Any, number: Any) -> Any:
    """The array times a number, which is an array of shape (1,)."""
    return F.broadcast_mul(array, number)


def over(F: Any, array: Any, number: Any) -> Any:
    """The array divided by a number."""
    return F.broadcast_div(array, number)


def decayed(F: Any, array: Any, weight: Any, wd: Any) -> Any:
    """``array + wd * weight``; None: no decay."""
    return array if wd is None else array + times(F, weight, wd)


def clipped(F: Any, array: Any, bound: float | None) -> Any:
    """The array cut to [-bound, bound]; None: as it is."""
    return array if bound is None else F.clip(array, a_min=-bound, a_max=bound)


def positive(bound: float | None) -> float | None:
    """A bound that MXNet's update operators take: 0 and less are none."""
    return bound if bound is not None and bound > 0 else None


def mixed(old: Any, new: Any, share: float) -> Any:
    """The moving average: ``share * old + (1 - share) * new``."""
    return old * share + new * (1.0 - share)


def single(number: float) -> float:
    """As MXNet's update operators have their attributes: of single precision."""
    return float(np.float32(number))
