"""MXNet 1.x's ``nd.image``: pictures as arrays. Its functions come from the operator table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .image_operators import *  # noqa: F403

__all__: list[str] = []  # filled from the operator table
