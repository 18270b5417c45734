"""The error of wrong arguments and files of Gluon's."""

from __future__ import annotations

from ..base import MXNetError


class CheckError(MXNetError, ValueError, AssertionError):
    """A wrong argument, shape or file. MXNet asserts such things, so that code which expects an
    AssertionError gets one."""


class InputError(TypeError, ValueError):
    """What a block was called with is not what it takes."""


__all__ = ["CheckError", "InputError"]
