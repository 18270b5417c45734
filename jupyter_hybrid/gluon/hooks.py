"""Hooks: functions that run around calls, each with a handle that takes it off again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref


class HookHandle:
    """Takes a hook off: by :meth:`detach`, or at the end of a ``with`` block."""

    def __init__(self) -> None:
        self._hooks: Any = None
        self._id: int | None = None

    def attach(self, hooks_dict: dict[int, Callable], hook: Callable) -> None:
        """Puts ``hook`` into the hooks (an ``OrderedDict``).

        Raises:
            RuntimeError: the handle has a hook already.
        """
        if self._hooks is not None:
            raise RuntimeError("HookHandle: it has a hook already")
        self._id = id(hook)
        hooks_dict[self._id] = hook
        self._hooks = ref(hooks_dict)

    def detach(self) -> None:
        """Takes the hook off; nothing happens when it is off already."""
        hooks = self._hooks() if self._hooks is not None else None
        if hooks is not None and self._id is not None:
            hooks.pop(self._id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.detach()
