"""Nets that are ready to be used."""

from __future__ import annotations

from . import vision

__all__ = ["vision"]
