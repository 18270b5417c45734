"""Pooling in one to three dimensions: the maximum or the mean of windows, or of everything."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock
from .windows import LAYOUTS, check_layout, sizes


class Pooling(HybridBlock):
    """Common to the pooling layers.

    Args of its layers:
        pool_size, strides, padding: a number, or one for each axis; strides None is the
            window's size.
        layout: order of the axes.
        ceil_mode: a last window that reaches beyond the padded input counts, too.
        count_include_pad: whether a mean counts the padding's zeros.
    """

    _axes = 2
    _type = "max"

    def _make(
        self,
        pool_size: Any,
        strides: Any,
        padding: Any,
        layout: str,
        ceil_mode: bool,
        global_pool: bool = False,
        **options: Any,
    ) -> None:
        axes, kind = self._axes, type(self).__name__
        check_layout(layout, LAYOUTS[axes], kind)
        kernel = sizes(pool_size, axes, f"{kind}: pool_size")
        self._kwargs = {
            "kernel": kernel,
            "stride": kernel if strides is None else sizes(strides, axes, f"{kind}: strides"),
            "pad": sizes(padding, axes, f"{kind}: padding"),
            "global_pool": global_pool,
            "pool_type": self._type,
            "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid",
            **options,
        }

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        o = self._kwargs
        return (
            f"{type(self).__name__}(size={o['kernel']}, stride={o['stride']}, padding={o['pad']}, "
            f"ceil_mode={o['pooling_convention'] == 'full'}, global_pool={o['global_pool']}, "
            f"pool_type={o['pool_type']}, layout={o['layout']})"
        )


class MaxPool1D(Pooling):
    """Maximum over windows of (n, c, w)."""

    _axes = 1

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._make(pool_size, strides, padding, layout, ceil_mode)


class MaxPool2D(Pooling):
    """Maximum over windows of (n, c, h, w)."""

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: Any = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._make(pool_size, strides, padding, layout, ceil_mode)


class MaxPool3D(Pooling):
    """Maximum over windows of (n, c, d, h, w)."""

    _axes = 3

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._make(pool_size, strides, padding, layout, ceil_mode)


class AvgPool1D(Pooling):
    """Mean over windows of (n, c, w)."""

    _axes = 1
    _type = "avg"

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        counted = {"count_include_pad": count_include_pad}
        self._make(pool_size, strides, padding, layout, ceil_mode, **counted)


class AvgPool2D(Pooling):
    """Mean over windows of (n, c, h, w)."""

    _type = "avg"

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
        super().__init__(**kwargs)
        counted = {"count_include_pad": count_include_pad}
        self._make(pool_size, strides, padding, layout, ceil_mode, **counted)


class AvgPool3D(Pooling):
    """Mean over windows of (n, c, d, h, w)."""

    _axes = 3
    _type = "avg"

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        counted = {"count_include_pad": count_include_pad}
        self._make(pool_size, strides, padding, layout, ceil_mode, **counted)
