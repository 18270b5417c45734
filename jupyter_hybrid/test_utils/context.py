"""The device and dtype that tests use when nobody says otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..context import Context, current_context

__all__ = ["Context", "current_context", "default_context", "default_dtype", "set_default_context"]

_entered: list[Context] = []


def default_context() -> Context:
    """The device that arrays are made on: the current one."""
    return current_context()


def set_default_context(ctx: Context) -> None:
    """Makes ``ctx`` the device that arrays are made on, on this thread, from now on."""
    if _entered:
        _entered.pop().__exit__(None, None, None)
    ctx.__enter__()
    _entered.append(ctx)


def default_dtype() -> Any:
    """float32."""
    return np.float32
