"""2-D convolution and pooling on (batch, channels, height, width)."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock
from .basic import Activation


def _pair(value: Any, what: str) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2:
        raise ValueError(f"{what}: expected a number or two numbers, got {value!r}")
    return pair


def _only_nchw(layout: str, kind: str) -> None:
    if layout != "NCHW":
        raise ValueError(f"{kind}: layout 'NCHW' is supported, got {layout!r}")


class _Convolving(HybridBlock):
    """Common to the convolutions: weight, bias and activation."""

    def _make(
        self,
        weight_shape: tuple[int, ...],
        weight_initializer: Any,
        biases: int | None,
        bias_initializer: Any,
        activation: str | None,
    ) -> None:
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=weight_shape, init=weight_initializer, allow_deferred_init=True
            )
            self.bias = (
                None
                if biases is None
                else self.params.get("bias", shape=(biases,), init=bias_initializer)
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _alias(self) -> str:
        return "conv"


class Conv2D(_Convolving):
    """2-D cross-correlation: (n, in_channels, h, w) to (n, channels, h', w').

    Args:
        channels: number of outputs.
        kernel_size, strides, padding, dilation: a number or (height, width).
        groups: the channels are split into so many independent convolutions.
        in_channels: 0 learns it from the first call.
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: Any = (0, 0),
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
        super().__init__(**kwargs)
        _only_nchw(layout, "Conv2D")
        self._channels, self._in_channels = channels, in_channels
        kernel = _pair(kernel_size, "kernel_size")
        self._options = {
            "kernel": kernel,
            "stride": _pair(strides, "strides"),
            "pad": _pair(padding, "padding"),
            "dilate": _pair(dilation, "dilation"),
            "num_filter": channels,
            "num_group": groups,
            "layout": layout,
        }
        self._make(
            (channels, in_channels // groups, *kernel),
            weight_initializer,
            channels if use_bias else None,
            bias_initializer,
            activation,
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        y = F.Convolution(
            x,
            weight,
            *([] if bias is None else [bias]),
            no_bias=bias is None,
            name="fwd",
            **self._options,
        )
        return self.act(y) if self.act is not None else y

    def __repr__(self) -> str:
        o = self._options
        return (
            f"Conv2D({(self.weight.shape or (0, 0))[1] or None} -> {self._channels}, "
            f"kernel_size={o['kernel']}, stride={o['stride']}, padding={o['pad']})"
        )


class Conv2DTranspose(_Convolving):
    """2-D transposed convolution: (n, in_channels, h, w) to (n, channels, h', w').

    ``h' = strides (h - 1) + dilation (kernel_size - 1) + 1 - 2 padding + output_padding``.

    Args:
        channels: number of outputs.
        kernel_size, strides, padding, output_padding, dilation: a number or (height, width).
        groups: the channels are split into so many independent convolutions.
        in_channels: 0 learns it from the first call.
    """

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
        super().__init__(**kwargs)
        _only_nchw(layout, "Conv2DTranspose")
        self._channels = channels
        kernel = _pair(kernel_size, "kernel_size")
        self._options = {
            "kernel": kernel,
            "stride": _pair(strides, "strides"),
            "pad": _pair(padding, "padding"),
            "adj": _pair(output_padding, "output_padding"),
            "dilate": _pair(dilation, "dilation"),
            "num_filter": channels,
            "num_group": groups,
            "layout": layout,
        }
        self._make(
            (in_channels, channels // groups, *kernel),
            weight_initializer,
            channels if use_bias else None,
            bias_initializer,
            activation,
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        given = [x, weight] if bias is None else [x, weight, bias]
        y = F.Deconvolution(*given, no_bias=bias is None, name="fwd", **self._options)
        return self.act(y) if self.act is not None else y

    def __repr__(self) -> str:
        o = self._options
        return (
            f"Conv2DTranspose({(self.weight.shape or (0,))[0] or None} -> {self._channels}, "
            f"kernel_size={o['kernel']}, stride={o['stride']}, padding={o['pad']})"
        )


class _Pooling(HybridBlock):
    """Common to the pooling layers."""

    _kind = "max"

    def __init__(self, **kwargs: Any):
        options = kwargs.pop("options")
        super().__init__(**kwargs)
        self._options = options

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Pooling(x, pool_type=self._kind, name="fwd", **self._options)

    def __repr__(self) -> str:
        o = self._options
        return (
            f"{type(self).__name__}(size={o['kernel']}, stride={o['stride']}, padding={o['pad']})"
        )


def _window(pool_size: Any, strides: Any, padding: Any, layout: str, ceil_mode: bool) -> dict:
    _only_nchw(layout, "pooling")
    kernel = _pair(pool_size, "pool_size")
    return {
        "kernel": kernel,
        "stride": kernel if strides is None else _pair(strides, "strides"),
        "pad": _pair(padding, "padding"),
        "global_pool": False,
        "pooling_convention": "full" if ceil_mode else "valid",
        "layout": layout,
    }


class MaxPool2D(_Pooling):
    """Maximum over windows; ``strides`` None means the window's size."""

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: Any = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ):
        super().__init__(options=_window(pool_size, strides, padding, layout, ceil_mode), **kwargs)


class AvgPool2D(_Pooling):
    """Mean over windows; ``count_include_pad`` counts the padding's zeros."""

    _kind = "avg"

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str = "NCHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ):
        options = _window(pool_size, strides, padding, layout, ceil_mode)
        super().__init__(options={**options, "count_include_pad": count_include_pad}, **kwargs)


class _Global(_Pooling):
    def __init__(self, layout: str = "NCHW", **kwargs: Any):
        options = {**_window((1, 1), None, 0, layout, False), "global_pool": True}
        super().__init__(options=options, **kwargs)


class GlobalMaxPool2D(_Global):
    """Maximum over height and width: (n, c, 1, 1)."""


class GlobalAvgPool2D(_Global):
    """Mean over height and width: (n, c, 1, 1)."""

    _kind = "avg"
