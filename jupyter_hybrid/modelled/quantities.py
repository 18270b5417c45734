"""Figures that describe a machine: numbers, or an error that says whose and which."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from ..base import MXNetError


def quantity(value: Any, of: str, what: str) -> float:
    """A finite number. Raises MXNetError, naming ``of`` and ``what``."""
    if type(value) is not bool and isinstance(value, Real) and math.isfinite(value):
        return float(value)
    raise MXNetError(f"virtual_gpus: the {what} of {of} is {value!r}, expected a number")


def capacity(value: Any, of: str) -> int:
    """Bytes of a memory: 1 to 2^63 - 1."""
    found = int(quantity(value, of, "memory"))
    if found == value and 0 < found < 2**63:
        return found
    raise MXNetError(f"virtual_gpus: the memory of {of} is {value!r}, expected 1 to 2^63 - 1 bytes")


def flag(value: Any, what: str) -> bool:
    """True or False, or 1 or 0. Raises MXNetError, naming ``what``."""
    if isinstance(value, (int, np.bool_)) and value in (0, 1):
        return bool(value)
    raise MXNetError(f"virtual_gpus: {what} is {value!r}, expected True or False")
