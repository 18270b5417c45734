"""What a cell awaits step by step: code that nobody has seen runs at each."""

from __future__ import annotations

from typing import Any

from ... import _core
from ...reasons import Told

_guards = _core.guards


class Awaited:
    """An asynchronous iterator with a contact before each step."""

    def __init__(self, reason: Told, through: Any):
        self._reason = reason
        self._steps = type(through).__aiter__(through)

    def __aiter__(self) -> Awaited:
        return self

    def __anext__(self) -> Any:
        _guards.contact(self._reason)
        return self._steps.__anext__()


class Managed:
    """An asynchronous context manager with a contact before each end."""

    def __init__(self, reason: Told, entered: Any):
        self._reason, self._entered = reason, entered

    def __aenter__(self) -> Any:
        _guards.contact(self._reason)
        return type(self._entered).__aenter__(self._entered)

    def __aexit__(self, *error: Any) -> Any:
        _guards.contact(self._reason)
        return type(self._entered).__aexit__(self._entered, *error)
