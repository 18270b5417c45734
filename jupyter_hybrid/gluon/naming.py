"""Names of blocks: counters per kind, prefixes, and ``with block.name_scope():``."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from .parameter_dict import ParameterDict


class _Global(threading.local):
    def __init__(self) -> None:
        self.counter: Counter[str] = Counter()
        self.scope: Scope | None = None


_state = _Global()


class Scope:
    """The naming scope of one block: children made inside get its prefix."""

    def __init__(self, block: Any):
        self._block = block
        self._counter: Counter[str] = Counter()
        self._outer: list[Scope | None] = []

    def __enter__(self) -> Scope:
        self._outer.append(_state.scope)
        _state.scope = self
        return self

    def __exit__(self, *exc: Any) -> None:
        _state.scope = self._outer.pop()

    def _child_prefix(self, hint: str) -> str:
        number = self._counter[hint]
        self._counter[hint] += 1
        return f"{self._block.prefix}{hint}{number}_"


def name_block(
    prefix: str | None, params: ParameterDict | None, hint: str
) -> tuple[str, ParameterDict]:
    """(prefix, parameters) of a new block whose class is ``hint`` in lower case."""
    scope = _state.scope
    if scope is None:
        if prefix is None:
            prefix = f"{hint}{_state.counter[hint]}_"
            _state.counter[hint] += 1
    elif prefix is None:
        prefix = scope._child_prefix(hint)
    else:
        prefix = scope._block.prefix + prefix
    shared = ParameterDict(params.prefix, params) if params is not None else ParameterDict(prefix)
    return prefix, shared
