"""The family of an operator or fused kernel by the name that it has in the trace."""

from __future__ import annotations

from functools import cache

from .. import _core

# Of exchanges between devices: the keys follow.
_EXCHANGES = ("all-reduce ", "reduce ", "broadcast ")


@cache
def _families() -> dict[str, str]:
    return {op["name"]: op["family"] for op in _core.op_table()}


def family_named(name: str) -> str:
    """As the graph colours it. A kernel that is not of elementwise operators alone goes row by row
    (``reduce``); ``other``: not known, also of a kernel whose name was cut."""
    if name.startswith(("copy_", *_EXCHANGES)):
        return "copy"
    members = name.split("+")
    if len(members) == 1:
        return _families().get(name, "other")
    if any(_families().get(member) in ("reduce", "loss") for member in members):
        return "reduce"
    return "other" if members[-1] == "..." else "elementwise"
