"""Gluon's contributed layers, cells and samplers."""

from __future__ import annotations

from . import data, nn, rnn

__all__ = ["data", "nn", "rnn"]
