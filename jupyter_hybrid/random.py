"""The random state and the random functions: ``mx.random.seed``, ``mx.random.uniform``, ..."""

from __future__ import annotations

from typing import Any

from . import _core
from .nd.random import (
    exponential,
    gamma,
    generalized_negative_binomial,
    multinomial,
    negative_binomial,
    normal,
    poisson,
    randint,
    randn,
    shuffle,
    uniform,
)

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "get_state",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "seed",
    "set_state",
    "shuffle",
    "uniform",
]


def seed(seed_state: int, ctx: Any = "all") -> None:
    """Makes the draws that follow the same in every run, on every device."""
    _core.seed(seed_state)


def get_state() -> tuple[int, int]:
    """(seed, number of draws so far): all that the next draws depend on."""
    return _core.random_state()


def set_state(state: tuple[int, int]) -> None:
    """Goes back to a state from :func:`get_state`."""
    _core.set_random_state(state)
