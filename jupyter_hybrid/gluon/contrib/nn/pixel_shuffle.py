"""Pixel shuffling: channels become pixels (Shi et al. 2016)."""

from __future__ import annotations

from typing import Any

from ...checks import CheckError
from ...hybrid_block import HybridBlock


def _factors(factor: Any, axes: int) -> tuple[int, ...]:
    if not isinstance(factor, (tuple, list)):
        return (int(factor),) * axes
    if len(factor) != axes:
        raise CheckError(f"PixelShuffle{axes}D: factor: expected {axes} numbers, got {factor!r}")
    return tuple(int(f) for f in factor)


class PixelShuffle1D(HybridBlock):
    """(n, f c, w) to (n, c, f w)."""

    def __init__(self, factor: int):
        super().__init__()
        self._factor = int(factor)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = F.reshape(x, shape=(0, -4, -1, self._factor, 0))  # n, c, f, w
        x = F.transpose(x, axes=(0, 1, 3, 2))
        return F.reshape(x, shape=(0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factor})"


class PixelShuffle2D(HybridBlock):
    """(n, f1 f2 c, h, w) to (n, c, f1 h, f2 w); ``factor`` is a number or (f1, f2)."""

    def __init__(self, factor: Any):
        super().__init__()
        self._factors = _factors(factor, 2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        first, second = self._factors
        x = F.reshape(x, shape=(0, -4, -1, first * second, 0, 0))
        x = F.reshape(x, shape=(0, 0, -4, first, second, 0, 0))  # n, c, f1, f2, h, w
        x = F.transpose(x, axes=(0, 1, 4, 2, 5, 3))
        return F.reshape(x, shape=(0, 0, -3, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"


class PixelShuffle3D(HybridBlock):
    """(n, f1 f2 f3 c, d, h, w) to (n, c, f1 d, f2 h, f3 w); ``factor`` is a number or all three."""

    def __init__(self, factor: Any):
        super().__init__()
        self._factors = _factors(factor, 3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        # MXNet's transpose has at most 6 axes, so that a net for both moves one factor at a time.
        first, second, third = self._factors
        x = F.reshape(x, shape=(0, -4, -1, first * second * third, 0, 0, 0))
        x = F.swapaxes(x, dim1=2, dim2=3)  # n, c, d, f1 f2 f3, h, w
        x = F.reshape(x, shape=(0, 0, 0, -4, first, second * third, 0, 0))
        x = F.reshape(x, shape=(0, 0, -3, 0, 0, 0))
        x = F.swapaxes(x, dim1=3, dim2=4)  # n, c, f1 d, h, f2 f3, w
        x = F.reshape(x, shape=(0, 0, 0, 0, -4, second, third, 0))
        x = F.reshape(x, shape=(0, 0, 0, -3, 0, 0))
        x = F.swapaxes(x, dim1=4, dim2=5)  # n, c, f1 d, f2 h, w, f3
        return F.reshape(x, shape=(0, 0, 0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"
