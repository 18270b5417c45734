"""What convolutional cells share: weights, shapes of states, the two convolutions of a step."""

from __future__ import annotations

from typing import Any

from ...checks import CheckError
from ...nn.windows import LAYOUTS, check_layout, sizes
from ...rnn import HybridRecurrentCell


class ConvolvingCell(HybridRecurrentCell):
    """A cell whose products are convolutions. Shi et al. (2015).

    Args:
        input_shape: shape of a sample, in the layout without the batch.
        hidden_channels: channels of the state and of the output.
        i2h_kernel, h2h_kernel: windows on the input and on the state; the latter has odd sizes, so
            that it can be padded to leave the state's size.
        i2h_pad, i2h_dilate, h2h_dilate: a number, or one for each axis.
        conv_layout: order of the axes; channels first or last.
        activation: a name or a function.
    """

    _axes = 1
    _gates = 1
    _states = 1

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
        axes, kind = self._axes, type(self).__name__
        check_layout(conv_layout, LAYOUTS[axes], kind)
        self._hidden_channels, self._activation = hidden_channels, activation
        self._conv_layout = conv_layout
        self._channel_axis = conv_layout.find("C")
        self._i2h = {
            "kernel": sizes(i2h_kernel, axes, f"{kind}: i2h_kernel"),
            "pad": sizes(i2h_pad, axes, f"{kind}: i2h_pad"),
            "dilate": sizes(i2h_dilate, axes, f"{kind}: i2h_dilate"),
        }
        kernel = sizes(h2h_kernel, axes, f"{kind}: h2h_kernel")
        if not all(size % 2 for size in kernel):
            raise CheckError(f"{kind}: h2h_kernel: expected odd numbers, got {h2h_kernel!r}")
        dilate = sizes(h2h_dilate, axes, f"{kind}: h2h_dilate")
        pad = tuple(d * (k - 1) // 2 for d, k in zip(dilate, kernel, strict=True))
        self._h2h = {"kernel": kernel, "pad": pad, "dilate": dilate}
        if len(input_shape) != axes + 1:
            raise CheckError(f"{kind}: input_shape: expected {axes + 1} sizes, got {input_shape!r}")
        initializers = (
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
        )
        self._set_shapes(tuple(input_shape), initializers)

    def _set_shapes(self, input_shape: tuple[int, ...], initializers: tuple) -> None:
        first = self._channel_axis == 1
        inside = input_shape[1:] if first else input_shape[:-1]
        channels = input_shape[0] if first else input_shape[-1]
        options = zip(inside, *(self._i2h[k] for k in ("kernel", "pad", "dilate")), strict=True)
        outside = tuple(x + 2 * p - d * (k - 1) if x else 0 for x, k, p, d in options)

        def ordered(channels: int, rest: tuple[int, ...]) -> tuple[int, ...]:
            return (channels, *rest) if first else (*rest, channels)

        self._state_shape = ordered(self._hidden_channels, outside)
        rows = self._gates * self._hidden_channels
        shapes = (
            ("i2h_weight", (rows, *ordered(channels, self._i2h["kernel"]))),
            ("h2h_weight", (rows, *ordered(self._hidden_channels, self._h2h["kernel"]))),
            ("i2h_bias", (rows,)),
            ("h2h_bias", (rows,)),
        )
        for (name, shape), init in zip(shapes, initializers, strict=True):
            param = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
            setattr(self, name, param)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        shape = (batch_size, *self._state_shape)
        return [{"shape": shape, "__layout__": self._conv_layout} for _ in range(self._states)]

    def _products(self, F: Any, inputs: Any, states: Any, weights: dict[str, Any]) -> Any:
        """Input and state, each convolved with its weights plus its bias."""
        shared = {
            "num_filter": self._gates * self._hidden_channels,
            "stride": (1,) * self._axes,
            "layout": self._conv_layout,
        }
        return [
            F.Convolution(
                given,
                weights[f"{part}_weight"],
                weights[f"{part}_bias"],
                name=f"t{self._counter}_{part}",
                **options,
                **shared,
            )
            for part, given, options in (
                ("i2h", inputs, self._i2h),
                ("h2h", states[0], self._h2h),
            )
        ]

    def __repr__(self) -> str:
        shape: Any = self.params.get("i2h_weight").shape
        channels = shape[1 if self._channel_axis == 1 else -1] or None
        return (
            f"{type(self).__name__}({channels} -> {shape[0]}, {self._activation}, "
            f"{self._conv_layout})"
        )
