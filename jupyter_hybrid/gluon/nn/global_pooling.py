"""Global pooling: the maximum or the mean of each channel, every other axis becomes 1."""

from __future__ import annotations

from typing import Any

from .pooling import Pooling


class _GlobalPooling(Pooling):
    def _make_global(self, layout: str) -> None:
        self._make(1, None, 0, layout, ceil_mode=True, global_pool=True)


class GlobalMaxPool1D(_GlobalPooling):
    """Maximum over the width: (n, c, 1)."""

    _axes = 1

    def __init__(self, layout: str = "NCW", **kwargs: Any):
        super().__init__(**kwargs)
        self._make_global(layout)


class GlobalMaxPool2D(_GlobalPooling):
    """Maximum over height and width: (n, c, 1, 1)."""

    def __init__(self, layout: str = "NCHW", **kwargs: Any):
        super().__init__(**kwargs)
        self._make_global(layout)


class GlobalMaxPool3D(_GlobalPooling):
    """Maximum over depth, height and width: (n, c, 1, 1, 1)."""

    _axes = 3

    def __init__(self, layout: str = "NCDHW", **kwargs: Any):
        super().__init__(**kwargs)
        self._make_global(layout)


class GlobalAvgPool1D(_GlobalPooling):
    """Mean over the width: (n, c, 1)."""

    _axes = 1
    _type = "avg"

    def __init__(self, layout: str = "NCW", **kwargs: Any):
        super().__init__(**kwargs)
        self._make_global(layout)


class GlobalAvgPool2D(_GlobalPooling):
    """Mean over height and width: (n, c, 1, 1)."""

    _type = "avg"

    def __init__(self, layout: str = "NCHW", **kwargs: Any):
        super().__init__(**kwargs)
        self._make_global(layout)


class GlobalAvgPool3D(_GlobalPooling):
    """Mean over depth, height and width: (n, c, 1, 1, 1)."""

    _axes = 3
    _type = "avg"

    def __init__(self, layout: str = "NCDHW", **kwargs: Any):
        super().__init__(**kwargs)
        self._make_global(layout)
