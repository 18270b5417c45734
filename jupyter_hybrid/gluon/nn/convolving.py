"""What convolutions and transposed convolutions share: weight, bias, activation, printed form."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock
from .activations import Activation
from .windows import LAYOUTS, check_layout, sizes


class Convolving(HybridBlock):
    """A convolution; subclasses say along how many axes.

    Args:
        channels: number of outputs.
        kernel_size, strides, padding, dilation: a number, or one for each axis.
        groups: the channels are split into so many independent convolutions.
        layout: order of the axes of data and result; channels are first or last in weights, too.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        in_channels: 0 learns it from the first call.
    """

    _axes = 2
    _operator = "Convolution"

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
        axes, kind = self._axes, type(self).__name__
        check_layout(layout, LAYOUTS[axes][: 1 if axes == 1 else 2], kind)
        self._channels, self._in_channels = channels, in_channels
        self._kwargs: dict[str, Any] = {
            "kernel": sizes(kernel_size, axes, f"{kind}: kernel_size"),
            "stride": sizes(strides, axes, f"{kind}: strides"),
            "dilate": sizes(dilation, axes, f"{kind}: dilation"),
            "pad": sizes(padding, axes, f"{kind}: padding"),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
        }
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=self._weight_shape(),
                init=weight_initializer,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True
                )
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _weight_shape(self) -> tuple[int, ...]:
        groups, kernel = self._kwargs["num_group"], self._kwargs["kernel"]
        first, second = self._channels, self._in_channels // groups
        if self._operator == "Deconvolution":
            first, second = self._in_channels, self._channels // groups
        if self._kwargs["layout"][1] == "C":
            return (first, second, *kernel)
        return (first, *kernel, second)

    def _alias(self) -> str:
        return "conv"

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        given = [x, weight] if bias is None else [x, weight, bias]
        y = getattr(F, self._operator)(*given, name="fwd", **self._kwargs)
        return self.act(y) if self.act is not None else y

    def _inputs(self) -> int | None:
        """Channels of the input, of one group in a convolution, as MXNet prints them."""
        shape = self.weight.shape or (0,) * (self._axes + 2)
        if self._operator == "Deconvolution":
            return shape[0] or None
        return shape[1 if self._kwargs["layout"][1] == "C" else -1] or None

    def __repr__(self) -> str:
        o, ones = self._kwargs, (1,) * self._axes
        zeros = (0,) * self._axes
        parts = [f"{self._inputs()} -> {self._channels}"]
        parts += [f"kernel_size={o['kernel']}", f"stride={o['stride']}"]
        parts += [f"padding={o['pad']}"] if o["pad"] != zeros else []
        parts += [f"dilation={o['dilate']}"] if o["dilate"] != ones else []
        parts += [f"output_padding={o['adj']}"] if o.get("adj", zeros) != zeros else []
        parts += [f"groups={o['num_group']}"] if o["num_group"] != 1 else []
        parts += ["bias=False"] if self.bias is None else []
        parts += [str(self.act)] if self.act is not None else []
        return f"{type(self).__name__}({', '.join(parts)})"
