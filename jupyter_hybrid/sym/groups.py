"""Device groups: what ``AttrScope(ctx_group=...)`` and ``group2ctx`` say together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _core
from .._core import Context, Symbol

__all__ = ["check_groups", "input_devices"]


def check_groups(symbol: Symbol, group2ctx: Mapping[str, Context] | None) -> dict | None:
    """``group2ctx`` as a dict; None when there is none.

    Raises:
        TypeError: it is no mapping of names to devices.
        MXNetError: a group of the symbol is missing, or a device does not exist.
    """
    if not group2ctx:
        return None
    if not isinstance(group2ctx, Mapping):
        raise TypeError(f"group2ctx: expected a dict, got {type(group2ctx).__name__}")
    for group, ctx in group2ctx.items():
        if not isinstance(group, str) or not isinstance(ctx, Context):
            raise TypeError(
                f"group2ctx: expected names and devices, got {group!r}: {type(ctx).__name__}"
            )
    groups = dict(group2ctx)
    _core.input_devices(symbol.graph(), groups, None)  # every group has a device that exists
    return groups


def input_devices(symbol: Symbol, groups: dict | None, home: Any) -> dict[str, Context]:
    """Where arrays of the inputs belong: with their group, or with what reads them first."""
    names = symbol.list_inputs()
    if not groups:
        return dict.fromkeys(names, home)
    return dict(zip(names, _core.input_devices(symbol.graph(), groups, home), strict=True))
