"""What the NumPy face raises and catches."""

from __future__ import annotations

from .. import _core
from ..reasons import NONE, Reason, Reasoned


class NotCovered(Reasoned):
    """This use has no lowering; the reason says which and why. It runs in real NumPy."""


def why_not(problem: Exception) -> Reason:
    """Why there was no lowering; NONE: NumPy has an error of its own."""
    return problem.reason if isinstance(problem, NotCovered) else NONE


_core.tell_not_covered(NotCovered)
# What NumPy raises for arguments that it refuses, and the core for those that it does.
LIKE_NUMPY = (TypeError, ValueError, IndexError, OverflowError, _core.MXNetError)
