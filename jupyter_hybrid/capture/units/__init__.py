"""Loops compiled from their syntax: blocks, kinds of values, instructions, runs."""

from __future__ import annotations

from .blocks import may_run
from .unit import Outcome, Over, RanCompiled, Unit, rest_of

__all__ = ["Outcome", "Over", "RanCompiled", "Unit", "may_run", "rest_of"]
