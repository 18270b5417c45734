"""Initializers of parameters; ``init`` in MXNet's words."""

from __future__ import annotations

from .base import InitDesc, Initializer, alias, create, register
from .drawn import MSRAPrelu, Normal, Orthogonal, Uniform, Xavier
from .fixed import Bilinear, Constant, Load, LSTMBias, Mixed, One, Zero
from .fused_rnn import FusedRNN

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]
