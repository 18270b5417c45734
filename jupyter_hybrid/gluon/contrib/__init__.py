"""Gluon's contributed layers and cells."""

from __future__ import annotations

from . import nn, rnn

__all__ = ["nn", "rnn"]
