"""Recurrent layers and cells."""

from __future__ import annotations

from .bidirectional import BidirectionalCell
from .cell import HybridRecurrentCell, RecurrentCell
from .cells import GRUCell, LSTMCell, RNNCell
from .fused import GRU, LSTM, RNN
from .modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from .sequential import HybridSequentialRNNCell, SequentialRNNCell

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
