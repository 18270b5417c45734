"""MXNet 1.x's ``nd.image``: pictures as arrays."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .. import _core, _image_ops

if TYPE_CHECKING:
    from .image_operators import *  # noqa: F403

_MADE = _image_ops.make(
    sys.modules[__package__], lambda values, data: _core.array(values, data.context, "float32")
)
(
    to_tensor,
    normalize,
    flip_left_right,
    flip_top_bottom,
    random_flip_left_right,
    random_flip_top_bottom,
    crop,
) = _MADE

# The rest is filled in from the operator table.
__all__ = [function.__name__ for function in _MADE]
