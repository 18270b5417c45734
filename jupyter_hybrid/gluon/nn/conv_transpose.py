"""Transposed convolutions in one to three dimensions."""

from __future__ import annotations

from typing import Any

from ..defaults import with_defaults
from .convolving import Convolving
from .windows import sizes


class Transposed(Convolving):
    """What transposed convolutions share: ``output_padding``, a number, or one for each axis.

    ``w' = strides (w - 1) + dilation (kernel_size - 1) + 1 - 2 padding + output_padding``.
    See :class:`Convolving` for the other arguments."""

    _operator = "Deconvolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: Any = (0, 0),
        output_padding: Any = (0, 0),
        dilation: Any = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            in_channels,
            **kwargs,
        )
        where = f"{type(self).__name__}: output_padding"
        self._kwargs["adj"] = sizes(output_padding, self._axes, where)


class Conv1DTranspose(Transposed):
    """1-D transposed convolution: (n, in_channels, w) to (n, channels, w').
    See :class:`Transposed` for the arguments."""

    _axes = 1
    __init__ = with_defaults(
        Transposed.__init__, strides=1, padding=0, output_padding=0, dilation=1, layout="NCW"
    )


class Conv2DTranspose(Transposed):
    """2-D transposed convolution: (n, in_channels, h, w) to (n, channels, h', w').
    See :class:`Transposed` for the arguments."""


class Conv3DTranspose(Transposed):
    """3-D transposed convolution: (n, in_channels, d, h, w) to (n, channels, d', h', w').
    See :class:`Transposed` for the arguments."""

    _axes = 3
    __init__ = with_defaults(
        Transposed.__init__,
        strides=(1, 1, 1),
        padding=(0, 0, 0),
        output_padding=(0, 0, 0),
        dilation=(1, 1, 1),
        layout="NCDHW",
    )
