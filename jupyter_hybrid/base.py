"""The error type."""

from __future__ import annotations

from ._core import MXNetError

__all__ = ["MXNetError"]
