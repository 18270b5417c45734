"""MXNet's ``name``: how operators of symbols are called that are given no name."""

from __future__ import annotations

from .sym.names import NameManager, Prefix

__all__ = ["NameManager", "Prefix"]
