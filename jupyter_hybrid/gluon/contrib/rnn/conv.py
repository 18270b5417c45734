"""Convolutional cells in one to three dimensions; see :class:`ConvolvingCell` for arguments."""

from __future__ import annotations

from ...defaults import with_defaults
from .conv_steps import ConvGRU, ConvLSTM, ConvRNN
from .convolving import ConvolvingCell


class _Cell2D(ConvolvingCell):
    _axes = 2
    __init__ = with_defaults(
        ConvolvingCell.__init__,
        i2h_pad=(0, 0),
        i2h_dilate=(1, 1),
        h2h_dilate=(1, 1),
        conv_layout="NCHW",
    )


class _Cell3D(ConvolvingCell):
    _axes = 3
    __init__ = with_defaults(
        ConvolvingCell.__init__,
        i2h_pad=(0, 0, 0),
        i2h_dilate=(1, 1, 1),
        h2h_dilate=(1, 1, 1),
        conv_layout="NCDHW",
    )


class Conv1DRNNCell(ConvRNN):
    """RNN cell with convolutions along 1 axis."""


class Conv2DRNNCell(_Cell2D, ConvRNN):
    """RNN cell with convolutions along 2 axes."""


class Conv3DRNNCell(_Cell3D, ConvRNN):
    """RNN cell with convolutions along 3 axes."""


class Conv1DLSTMCell(ConvLSTM):
    """LSTM cell with convolutions along 1 axis."""


class Conv2DLSTMCell(_Cell2D, ConvLSTM):
    """LSTM cell with convolutions along 2 axes."""


class Conv3DLSTMCell(_Cell3D, ConvLSTM):
    """LSTM cell with convolutions along 3 axes."""


class Conv1DGRUCell(ConvGRU):
    """GRU cell with convolutions along 1 axis."""


class Conv2DGRUCell(_Cell2D, ConvGRU):
    """GRU cell with convolutions along 2 axes."""


class Conv3DGRUCell(_Cell3D, ConvGRU):
    """GRU cell with convolutions along 3 axes."""
