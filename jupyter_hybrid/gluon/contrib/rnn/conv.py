"""Convolutional cells in one to three dimensions; see :class:`ConvolvingCell` for arguments."""

from __future__ import annotations

from typing import Any

from .conv_steps import ConvGRU, ConvLSTM, ConvRNN
from .convolving import ConvolvingCell


class _Cell1D(ConvolvingCell):
    _axes = 1

    def __init__(
        self,
        input_shape: Any,
        hidden_channels: int,
        i2h_kernel: Any,
        h2h_kernel: Any,
        i2h_pad: Any = (0,),
        i2h_dilate: Any = (1,),
        h2h_dilate: Any = (1,),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str = "NCW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._make(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            (
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            conv_layout,
            activation,
        )


class _Cell2D(ConvolvingCell):
    _axes = 2

    def __init__(
        self,
        input_shape: Any,
        hidden_channels: int,
        i2h_kernel: Any,
        h2h_kernel: Any,
        i2h_pad: Any = (0, 0),
        i2h_dilate: Any = (1, 1),
        h2h_dilate: Any = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str = "NCHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._make(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            (
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            conv_layout,
            activation,
        )


class _Cell3D(ConvolvingCell):
    _axes = 3

    def __init__(
        self,
        input_shape: Any,
        hidden_channels: int,
        i2h_kernel: Any,
        h2h_kernel: Any,
        i2h_pad: Any = (0, 0, 0),
        i2h_dilate: Any = (1, 1, 1),
        h2h_dilate: Any = (1, 1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str = "NCDHW",
        activation: Any = "tanh",
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._make(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            (
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            conv_layout,
            activation,
        )


class Conv1DRNNCell(_Cell1D, ConvRNN):
    """RNN cell with convolutions along 1 axis."""


class Conv2DRNNCell(_Cell2D, ConvRNN):
    """RNN cell with convolutions along 2 axes."""


class Conv3DRNNCell(_Cell3D, ConvRNN):
    """RNN cell with convolutions along 3 axes."""


class Conv1DLSTMCell(_Cell1D, ConvLSTM):
    """LSTM cell with convolutions along 1 axis."""


class Conv2DLSTMCell(_Cell2D, ConvLSTM):
    """LSTM cell with convolutions along 2 axes."""


class Conv3DLSTMCell(_Cell3D, ConvLSTM):
    """LSTM cell with convolutions along 3 axes."""


class Conv1DGRUCell(_Cell1D, ConvGRU):
    """GRU cell with convolutions along 1 axis."""


class Conv2DGRUCell(_Cell2D, ConvGRU):
    """GRU cell with convolutions along 2 axes."""


class Conv3DGRUCell(_Cell3D, ConvGRU):
    """GRU cell with convolutions along 3 axes."""
