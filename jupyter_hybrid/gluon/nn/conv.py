"""Convolutions in one to three dimensions."""

from __future__ import annotations

from ..defaults import with_defaults
from .convolving import Convolving


class Conv1D(Convolving):
    """1-D cross-correlation: (n, in_channels, w) to (n, channels, w').
    See :class:`Convolving` for the arguments."""

    _axes = 1
    __init__ = with_defaults(Convolving.__init__, strides=1, padding=0, dilation=1, layout="NCW")


class Conv2D(Convolving):
    """2-D cross-correlation: (n, in_channels, h, w) to (n, channels, h', w').
    See :class:`Convolving` for the arguments."""


class Conv3D(Convolving):
    """3-D cross-correlation: (n, in_channels, d, h, w) to (n, channels, d', h', w').
    See :class:`Convolving` for the arguments."""

    _axes = 3
    __init__ = with_defaults(
        Convolving.__init__,
        strides=(1, 1, 1),
        padding=(0, 0, 0),
        dilation=(1, 1, 1),
        layout="NCDHW",
    )
