"""Attributes of symbols by region of code: MXNet's ``AttrScope``."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Any, ClassVar

from . import _core

__all__ = ["AttrScope"]

#: MXNet keeps these with underscores around them.
_HIDDEN = frozenset(
    {"ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage", "profiler_scope"}
)


def attribute_names(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes by the names that nodes keep them under: ``__ctx_group__``.

    Raises:
        ValueError: a value is no string.
    """
    named = {}
    for key, value in attributes.items():
        if not isinstance(value, str):
            raise ValueError(f"attribute {key!r}: expected a string, got {type(value).__name__}")
        named[f"__{key}__" if key in _HIDDEN else key] = value
    return named


def split_attributes(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Keyword arguments of an operator: its own, and attributes of the node (``lr_mult=1``)."""
    named = {k: str(v) for k, v in given.items() if k in _HIDDEN or _is_hidden(k)}
    return {k: v for k, v in given.items() if k not in named}, attribute_names(named)


def _is_hidden(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def with_short_names(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes, those that MXNet hides by their short names, too: ``wd_mult``."""
    short = {k[2:-2]: v for k, v in attributes.items() if _is_hidden(k) and k[2:-2] in _HIDDEN}
    return {**attributes, **short}


class _Current(type):
    """``AttrScope.current``: the attributes that symbols made now on this thread get."""

    @property
    def current(cls) -> AttrScope:
        scope = AttrScope()
        scope._attributes = _core.set_symbol_attributes({})
        _core.set_symbol_attributes(scope._attributes)
        return scope

    @current.setter
    def current(cls, scope: AttrScope) -> None:
        _core.set_symbol_attributes(scope._attributes)


class AttrScope(metaclass=_Current):
    """Symbols made inside have these attributes; an inner scope adds its own to the outer's.

    ``with AttrScope(ctx_group="dev1"):`` names the device group that ``group2ctx`` of ``bind``,
    ``simple_bind`` and ``compile`` gives a device. The attributes are kept in symbol.json.

    Raises:
        ValueError: an attribute has no string as its value.
    """

    #: How often a graph of that name was made inside another one: MXNet's count.
    _subgraph_names: ClassVar[Counter[str]] = Counter()

    def __init__(self, **attributes: str):
        self._attributes = attribute_names(attributes)
        self._outer: list[Any] = []

    @property
    def _attr(self) -> dict[str, str]:
        """MXNet's name for the scope's attributes."""
        return self._attributes

    def get(self, attr: dict[str, str] | None) -> dict[str, str]:
        """These attributes with those of ``attr``, which come first."""
        return {**self._attributes, **(attr or {})}

    def __enter__(self) -> AttrScope:
        outer = _core.set_symbol_attributes({})
        self._outer.append(outer)
        _core.set_symbol_attributes({**outer, **self._attributes})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _core.set_symbol_attributes(self._outer.pop())


def count_subgraph(name: str) -> None:
    """One more graph of that name was made inside another one."""
    AttrScope._subgraph_names[name] += 1
