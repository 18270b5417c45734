"""What several programs need: numbers, attributes of the core's types, what an error says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def attribute(owner: Any, name: str) -> Any:
    """An attribute whose reading is to be noted: those of types in C tell nobody."""
    return getattr(owner, name)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Multiples of 1/8 from -2 to 2."""
    drawn = np.random.RandomState(seed + sum(shape)).randint(-16, 17, shape)
    return (np.asarray(drawn) / 8).astype(np.float32)


def raised(run: Callable[[], Any], *kinds: type[Exception]) -> str:
    """The name of the kind of error that is raised."""
    try:
        run()
    except kinds as error:
        return next(k.__name__ for k in kinds if isinstance(error, k))
    return "nothing"


def statistics(drawn: np.ndarray) -> np.ndarray:
    """Mean and deviation."""
    wide = drawn.astype(np.float64)
    return np.array([wide.mean(), wide.std()])
