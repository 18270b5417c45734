"""ReflectionPad2D: an image is mirrored at its borders."""

from __future__ import annotations

from typing import Any

from ..checks import CheckError
from ..hybrid_block import HybridBlock


class ReflectionPad2D(HybridBlock):
    """(n, c, h, w) with so many rows and columns more at each border, mirrored without the border's
    own.

    Args:
        padding: rows and columns at each border, or the eight numbers of ``nd.pad``.

    Raises:
        CheckError: it is neither one number nor eight.
    """

    def __init__(self, padding: Any = 0, **kwargs: Any):
        super().__init__(**kwargs)
        if not isinstance(padding, (tuple, list)):
            padding = (0, 0, 0, 0, padding, padding, padding, padding)
        if len(padding) != 8:
            raise CheckError(f"ReflectionPad2D: padding: expected 1 or 8 numbers, got {padding!r}")
        self._padding = tuple(padding)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.pad(x, mode="reflect", pad_width=self._padding)
