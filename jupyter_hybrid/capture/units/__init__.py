"""Loops compiled from their syntax: blocks, kinds of values, instructions, runs."""

from __future__ import annotations

from .blocks import refused_at_sight
from .parts import Refusal
from .unit import Made, Outcome, Over, Unit, rest_of

__all__ = ["Made", "Outcome", "Over", "Refusal", "Unit", "refused_at_sight", "rest_of"]
