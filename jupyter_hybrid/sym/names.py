"""Names of operators that are given none: MXNet's ``name``, and prefixes of blocks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

__all__ = ["NameManager", "Prefix", "choose_name", "in_block", "name_prefix"]


class _Stack(threading.local):
    def __init__(self) -> None:
        self.managers: list[NameManager] = []
        self.blocks = 0


_stack = _Stack()


class _Current(type):
    """``NameManager.current``: the manager that names operators now on this thread."""

    @property
    def current(cls) -> NameManager:
        if not _stack.managers:
            _stack.managers.append(NameManager())
        return _stack.managers[-1]

    @current.setter
    def current(cls, manager: NameManager) -> None:
        _stack.managers[-1:] = [manager]


class NameManager(metaclass=_Current):
    """Names operators made inside ``with``: by their own name, or their kind and a number from 0.

    Subclasses change :meth:`get`. Managers do not add up: the innermost one counts.
    """

    def __init__(self) -> None:
        self._counter: Counter[str] = Counter()

    def get(self, name: str | None, hint: str) -> str:
        """The name of an operator.

        Args:
            name: what it was given, or None.
            hint: what it is called after otherwise: its kind in small letters.
        """
        if name:
            return name
        number = self._counter[hint]
        self._counter[hint] += 1
        return f"{hint}{number}"

    def __enter__(self) -> NameManager:
        _stack.managers.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _stack.managers.pop()


class Prefix(NameManager):
    """A manager that puts a prefix before every name.

    >>> with mx.name.Prefix("mynet_"):
    ...     net = mx.sym.FullyConnected(data, num_hidden=10, name="fc1")
    >>> net.list_arguments()
    ['data', 'mynet_fc1_weight', 'mynet_fc1_bias']
    """

    def __init__(self, prefix: str):
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The prefix and the name that a plain manager would choose."""
        return self._prefix + super().get(name, hint)


@contextmanager
def name_prefix(prefix: str) -> Iterator[None]:
    """A block's operators are called ``prefix + name``; unnamed ones count from 0 in it."""
    _stack.blocks += 1
    try:
        with Prefix(prefix):
            yield
    finally:
        _stack.blocks -= 1


def in_block() -> bool:
    """Whether a block is being expressed as a graph on this thread."""
    return _stack.blocks > 0


def choose_name(name: str | None, op: str) -> str:
    """The node's name; empty: the core counts it ("dot0")."""
    if not _stack.managers:
        return name or ""
    return _stack.managers[-1].get(name, op.lower())
