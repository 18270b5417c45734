"""Replaces objects wherever they are held: containers, attributes, closures, defaults, classes.

Used at a cell's end for recorded numbers and traced arrays that the names alone do not reach. The
garbage collector knows who refers to an object, so this finds every holder that can be changed;
what a suspended generator or an iterator holds stays, and goes on answering as the value it is.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import types
from collections import OrderedDict, deque
from typing import Any

_ROUNDS = 6  # of tuples in tuples


def replace(swaps: list[tuple[Any, Any]], ours: list[Any]) -> None:
    """Puts ``new`` where ``old`` is, for every (old, new).

    Args:
        swaps: pairs; nothing is looked up by value, only by identity.
        ours: containers that must keep the old objects (this package's own).
    """
    keep = {id(o) for o in ours} | {id(swaps), id(ours)}
    for _ in range(_ROUNDS):
        if not swaps:
            return
        table = {id(old): (old, new) for old, new in swaps}
        keep |= {id(pair) for pair in swaps} | {id(pair) for pair in table.values()}
        keep |= {id(table), id(swaps)}
        olds = [old for old, _ in swaps]
        keep.add(id(olds))
        swaps = _round(olds, table, keep)
        keep.add(id(swaps))


def _round(olds: list[Any], table: dict[int, tuple], keep: set[int]) -> list[tuple[Any, Any]]:
    def new_of(value: Any) -> Any:
        pair = table.get(id(value))
        return value if pair is None else pair[1]

    rebuilt: list[tuple[Any, Any]] = []
    holders = [h for h in gc.get_referrers(*olds) if id(h) not in keep]
    dicts = [h for h in holders if isinstance(h, dict)]
    classes = _classes_of(dicts)
    for holder in holders:
        if isinstance(holder, (types.FrameType, types.GeneratorType, types.CoroutineType)):
            continue
        if isinstance(holder, list):
            for i, value in enumerate(holder):
                if id(value) in table:
                    list.__setitem__(holder, i, new_of(value))
        elif isinstance(holder, dict):
            owner = classes.get(id(holder))
            if owner is not None:
                for name, value in list(vars(owner).items()):
                    if id(value) in table:
                        type.__setattr__(owner, name, new_of(value))
            else:
                _in_dict(holder, table, new_of)
        elif isinstance(holder, (tuple, frozenset)):
            rebuilt.append((holder, _rebuilt(holder, new_of)))
        elif isinstance(holder, set):
            for value in [v for v in holder if id(v) in table]:
                set.discard(holder, value)
                set.add(holder, new_of(value))
        elif isinstance(holder, deque):
            for i, value in enumerate(holder):
                if id(value) in table:
                    holder[i] = new_of(value)
        elif isinstance(holder, types.CellType):
            holder.cell_contents = new_of(holder.cell_contents)
        elif isinstance(holder, types.FunctionType):
            holder.__defaults__ = new_of(holder.__defaults__)
            holder.__kwdefaults__ = new_of(holder.__kwdefaults__)
        elif isinstance(holder, functools.partial):
            state: Any = holder  # typeshed knows no __setstate__
            parts = (new_of(holder.func), new_of(holder.args), holder.keywords, vars(holder))
            state.__setstate__(parts)
        elif not isinstance(holder, type):
            _in_object(holder, table, new_of)
    return rebuilt


def _classes_of(dicts: list[dict]) -> dict[int, type]:
    """Which of these are namespaces of classes; they change through the class only."""
    if not dicts:
        return {}
    wanted = {id(d) for d in dicts}
    found = {}
    for owner in gc.get_referrers(*dicts):
        if isinstance(owner, type):
            for part in gc.get_referents(owner):
                if id(part) in wanted and isinstance(part, dict):
                    found[id(part)] = owner
    return found


def _in_dict(holder: dict, table: dict[int, tuple], new_of: Any) -> None:
    put = OrderedDict.__setitem__ if isinstance(holder, OrderedDict) else dict.__setitem__
    if any(id(key) in table for key in holder):
        items = list(holder.items())
        holder.clear()
        for key, value in items:
            put(holder, new_of(key), new_of(value))
    else:
        for key, value in list(holder.items()):
            if id(value) in table:
                put(holder, key, new_of(value))


def _rebuilt(holder: Any, new_of: Any) -> Any:
    kind = type(holder)
    values = [new_of(v) for v in holder]
    if isinstance(holder, tuple):
        return tuple.__new__(kind, values)
    return frozenset.__new__(kind, values)


def _in_object(holder: Any, table: dict[int, tuple], new_of: Any) -> None:
    """Attributes in an instance's dict or slots; the arguments of an exception."""
    if isinstance(holder, BaseException) and id(holder.args) in table:
        holder.args = new_of(holder.args)
    attributes = getattr(holder, "__dict__", None)
    if type(attributes) is dict:
        _in_dict(attributes, table, new_of)
    for base in type(holder).__mro__:
        for member in vars(base).values():
            if isinstance(member, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError, TypeError):
                    value = member.__get__(holder)
                    if id(value) in table:
                        member.__set__(holder, new_of(value))
