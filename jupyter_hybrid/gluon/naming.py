"""Names of blocks: counters per kind, prefixes, and ``with block.name_scope():``."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from ..sym.names import Prefix
from .parameter_dict import ParameterDict


class _Global(threading.local):
    def __init__(self) -> None:
        self.counter: Counter[str] = Counter()
        self.scope: Scope | None = None


_state = _Global()


class Scope:
    """The naming scope of one block: children and symbols made inside get its prefix."""

    def __init__(self, block: Any, named: bool = True):
        self._block, self._named = block, named
        self._counter: Counter[str] = Counter()
        self._outer: list[tuple[Scope | None, Prefix]] = []

    def __enter__(self) -> Scope:
        names = Prefix(self._block.prefix)
        self._outer.append((_state.scope, names))
        if self._named:  # a block of prefix "" leaves names to the scope around it
            _state.scope = self
            names.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        _state.scope, names = self._outer.pop()
        if self._named:
            names.__exit__(None, None, None)

    @staticmethod
    def create(prefix: str | None, params: Any, hint: str) -> tuple[str, ParameterDict]:
        """:func:`name_block`."""
        return name_block(prefix, params, hint)

    def child(self, prefix: str | None, hint: str) -> str:
        """The part of a new child's names that comes after this block's prefix."""
        if prefix is not None:
            return prefix
        number = self._counter[hint]
        self._counter[hint] += 1
        return f"{hint}{number}_"

    @property
    def block(self) -> Any:
        return self._block


def name_block(
    prefix: str | None, params: ParameterDict | None, hint: str
) -> tuple[str, ParameterDict]:
    """(prefix, parameters) of a new block whose class is ``hint`` in lower case.

    A child of a block that shares parameters shares them, too, by the same names.
    """
    scope = _state.scope
    if scope is None:
        if prefix is None:
            prefix = f"{hint}{_state.counter[hint]}_"
            _state.counter[hint] += 1
        own = ParameterDict(prefix)
    else:
        part, parent = scope.child(prefix, hint), scope.block
        prefix = parent.prefix + part
        own = ParameterDict(parent.params.prefix + part, parent.params.shared)
    return prefix, own if params is None else ParameterDict(params.prefix, params)
