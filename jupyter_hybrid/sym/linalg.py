"""MXNet 1.x's ``sym.linalg``: linear algebra of stacked matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .linalg_operators import *  # noqa: F403

__all__: list[str] = []  # filled from the operator table
