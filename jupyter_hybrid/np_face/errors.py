"""What the NumPy face raises and catches."""

from __future__ import annotations

from .. import _core


class NotCovered(Exception):
    """This use has no lowering; the message says which and why. It runs in real NumPy."""


_core.tell_not_covered(NotCovered)
# What NumPy raises for arguments that it refuses, and the core for those that it does.
LIKE_NUMPY = (TypeError, ValueError, IndexError, OverflowError, _core.MXNetError)
