"""Names without a value after a node: bound in one branch, or in a loop that may not run."""

from __future__ import annotations

from typing import Any

from .errors import NotConvertible


class Undefined:
    """What such a name is bound to; loading it raises."""

    def __init__(self, reason: str):
        self.reason = reason

    def refuse(self) -> Any:
        """Raises NotConvertible."""
        raise NotConvertible(self.reason)


def defined(values: dict[str, Any]) -> dict[str, Any]:
    """The names that have a value."""
    return {n: v for n, v in values.items() if type(v) is not Undefined}
