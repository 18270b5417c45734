"""What a program measures itself: domains, tasks, frames, events, counters and markers."""

from __future__ import annotations

import threading

from .._core import MXNetError
from .records import records

_REACHES = ("global", "marker", "process", "task", "thread")


class Domain:
    """A name that tasks, frames, counters and markers are grouped under."""

    def __init__(self, name: str):
        self.name = name

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> Task:
        """A :class:`Task` of this domain."""
        return Task(self, name)

    def new_frame(self, name: str) -> Frame:
        """A :class:`Frame` of this domain."""
        return Frame(self, name)

    def new_counter(self, name: str, value: float | None = None) -> Counter:
        """A :class:`Counter` of this domain."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> Marker:
        """A :class:`Marker` of this domain."""
        return Marker(self, name)


class _Stretch:
    """From ``start()`` to ``stop()``; recorded if the profiler runs at both ends.

    A stop without a start records nothing.
    """

    def __init__(self, category: str, name: str):
        self.name = name
        self._category = category
        self._began: float | None = None

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Begins; anew if it had begun."""
        self._began = records.now() if records.active else None

    def stop(self) -> None:
        """Ends."""
        began, self._began = self._began, None
        if began is not None and records.active:
            records.add_span(self._category, self.name, began)


class Task(_Stretch):
    """A piece of work; all its passes are counted together."""

    def __init__(self, domain: Domain, name: str):
        super().__init__(str(domain), name)


class Frame(_Stretch):
    """A pass of something that repeats."""

    def __init__(self, domain: Domain, name: str):
        super().__init__(f"{domain},frame", name)


class Event(_Stretch):
    """A stretch that belongs to no domain."""

    def __init__(self, name: str):
        super().__init__("event", name)


class Counter:
    """A number that changes over time: ``counter += 5``."""

    def __init__(self, domain: Domain, name: str, value: float | None = None):
        self.name = name
        self._category = str(domain)
        self._value = 0
        self._lock = threading.Lock()
        if value is not None:
            self.set_value(value)

    def __str__(self) -> str:
        return self.name

    def set_value(self, value: float) -> None:
        """Its value from now on, cut off to a whole number."""
        with self._lock:
            self._tell(int(value))

    def increment(self, delta: float = 1) -> None:
        """More by ``delta``."""
        with self._lock:
            self._tell(self._value + int(delta))

    def decrement(self, delta: float = 1) -> None:
        """Less by ``delta``."""
        self.increment(-int(delta))

    def _tell(self, value: int) -> None:
        self._value = value
        if records.active:
            records.add_point(self._category, self.name, value)

    def __iadd__(self, delta: float) -> Counter:
        self.increment(delta)
        return self

    def __isub__(self, delta: float) -> Counter:
        self.decrement(delta)
        return self


class Marker:
    """A moment."""

    def __init__(self, domain: Domain, name: str):
        self.name = name
        self._category = f"{domain},instant_marker"

    def mark(self, scope: str = "process") -> None:
        """Now.

        Args:
            scope: how far it is drawn: 'global', 'process', 'thread', 'task' or 'marker'.

        Raises:
            MXNetError: another scope.
        """
        if scope not in _REACHES:
            raise MXNetError(f"Marker.mark: given {scope!r}, expected one of {', '.join(_REACHES)}")
        if records.active:
            records.add_point(self._category, self.name, None, scope)
