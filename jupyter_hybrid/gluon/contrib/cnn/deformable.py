"""Deformable convolutions: a convolution of their own gives the places that they read."""

from __future__ import annotations

from typing import Any

from ...checks import CheckError
from ...hybrid_block import HybridBlock
from ...nn import Activation
from ...nn.windows import sizes


class DeformableConvolution(HybridBlock):
    """A convolution whose taps are moved by learned offsets (Dai et al. 2017).

    Args:
        channels: number of outputs.
        kernel_size, strides, padding, dilation: a number, or (height, width).
        groups: the channels are split into so many independent convolutions.
        num_deformable_group: groups of input channels with offsets of their own.
        layout: "NCHW".
        use_bias, offset_use_bias: whether the result, and the offsets, have a bias.
        in_channels: 0 learns it from the first call.
        activation: name of an activation, or None.
        op_name, adj: for MXNet's sake; without a meaning.

    Input: (n, in_channels, height, width). Output: (n, channels, out_height, out_width).

    Raises:
        CheckError: another layout, or sizes that are no one or two numbers.
    """

    _numbers = 2  # of the offsets, for each tap
    _offsets_first = True  # of its parameters, as in MXNet
    _operator = "DeformableConvolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Any = (1, 1),
        strides: Any = (1, 1),
        padding: Any = (0, 0),
        dilation: Any = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        offset_weight_initializer: Any = "zeros",
        offset_bias_initializer: Any = "zeros",
        offset_use_bias: bool = True,
        op_name: str = "DeformableConvolution",
        adj: Any = None,
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix=prefix, params=params)
        kind = type(self).__name__
        if layout != "NCHW":  # MXNet has no kernel for another one
            raise CheckError(f"{kind}: layout: expected NCHW, got {layout!r}")
        kernel = sizes(kernel_size, 2, f"{kind}: kernel_size")
        self._taps = num_deformable_group * kernel[0] * kernel[1]
        self._channels = channels
        self._window: dict[str, Any] = {
            "kernel": kernel,
            "stride": sizes(strides, 2, f"{kind}: strides"),
            "dilate": sizes(dilation, 2, f"{kind}: dilation"),
            "pad": sizes(padding, 2, f"{kind}: padding"),
            "num_group": groups,
            "layout": layout,
        }
        self._deformable_groups = num_deformable_group

        def parameter(name: str, shape: tuple[int, ...], init: Any) -> Any:
            return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

        inputs = in_channels // groups

        def offsets() -> None:
            shape = (self._numbers * self._taps, inputs, *kernel)
            self.offset_weight = parameter("offset_weight", shape, offset_weight_initializer)
            self.offset_bias = (
                parameter("offset_bias", shape[:1], offset_bias_initializer)
                if offset_use_bias
                else None
            )

        def weights() -> None:
            shape = (channels, inputs, *kernel)
            self.deformable_conv_weight = parameter(
                "deformable_conv_weight", shape, weight_initializer
            )
            self.deformable_conv_bias = (
                parameter("deformable_conv_bias", shape[:1], bias_initializer) if use_bias else None
            )

        with self.name_scope():
            for add in (offsets, weights) if self._offsets_first else (weights, offsets):
                add()
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _alias(self) -> str:
        return "deformable_conv"

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        given = [x, offset_weight, *([] if offset_bias is None else [offset_bias])]
        filters = self._numbers * self._taps
        offset = F.Convolution(
            *given, num_filter=filters, no_bias=offset_bias is None, name="offset", **self._window
        )
        bias = [] if deformable_conv_bias is None else [deformable_conv_bias]
        y = getattr(F.contrib, self._operator)(
            x,
            *self._moved(F, offset),
            deformable_conv_weight,
            *bias,
            num_filter=self._channels,
            num_deformable_group=self._deformable_groups,
            no_bias=not bias,
            name="fwd",
            **self._window,
        )
        return self.act(y) if self.act is not None else y

    def _moved(self, F: Any, offset: Any) -> list[Any]:
        """What the operator takes beside data and weight."""
        return [offset]

    def __repr__(self) -> str:
        o, shape = self._window, self.deformable_conv_weight.shape
        inputs = shape[1] if shape and shape[1] else None
        parts = [f"{inputs} -> {self._channels}", f"kernel_size={o['kernel']}"]
        parts += [f"stride={o['stride']}"]
        parts += [f"padding={o['pad']}"] if o["pad"] != (0, 0) else []
        parts += [f"dilation={o['dilate']}"] if o["dilate"] != (1, 1) else []
        parts += [f"groups={o['num_group']}"] if o["num_group"] != 1 else []
        parts += ["bias=False"] if self.deformable_conv_bias is None else []
        parts += [str(self.act)] if self.act is not None else []
        return f"{type(self).__name__}({', '.join(parts)})"


class ModulatedDeformableConvolution(DeformableConvolution):
    """A deformable convolution whose taps have learned weights, from 0 to 2 (Zhu et al. 2018).

    Args: those of :class:`DeformableConvolution`.
    """

    _numbers = 3
    _offsets_first = False
    _operator = "ModulatedDeformableConvolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Any = (1, 1),
        strides: Any = (1, 1),
        padding: Any = (0, 0),
        dilation: Any = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        offset_weight_initializer: Any = "zeros",
        offset_bias_initializer: Any = "zeros",
        offset_use_bias: bool = True,
        op_name: str = "ModulatedDeformableConvolution",
        adj: Any = None,
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(
            channels, kernel_size, strides, padding, dilation, groups, num_deformable_group,
            layout, use_bias, in_channels, activation, weight_initializer, bias_initializer,
            offset_weight_initializer, offset_bias_initializer, offset_use_bias, op_name, adj,
            prefix, params,
        )  # fmt: skip

    def _alias(self) -> str:
        return "modulated_deformable_conv"

    def _moved(self, F: Any, offset: Any) -> list[Any]:
        split = 2 * self._taps
        mask = F.slice_axis(offset, axis=1, begin=split, end=None)
        return [F.slice_axis(offset, axis=1, begin=0, end=split), F.sigmoid(mask) * 2]
