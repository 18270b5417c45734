"""Instances of the user's classes in a loop: their attributes are variables of its unit, and their
methods are functions that it has in its own statements.

Only plain ones: what an attribute is, the instance's own dict says, and no code runs where it is
read or set. That is looked at before each run, as are the functions that methods stand for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from .callees import Callee, callee_of, method_of
from .kinds import NOTHING, is_stream
from .parts import Attr, Used

_HEAP_TYPE = 1 << 9  # a flag of classes that are made by a class statement


@dataclass(eq=False)
class Instances:
    """The plain instances that a loop's names hold, and the methods of theirs that it calls.

    Attributes:
        used: by the loop and these methods.
    """

    types: dict[str, type] = field(default_factory=dict)
    methods: dict[Attr, Callee] = field(default_factory=dict)
    used: Used = field(default_factory=dict)

    def is_like(self, other: Instances) -> bool:
        """Are they of the same classes, with like methods?"""
        if not self.types and not other.types:
            return True
        mine, others = self.methods, other.methods
        return (
            self.types == other.types
            and mine.keys() == others.keys()
            and all(mine[attr].is_like(others[attr]) for attr in mine)
        )


NO_INSTANCES = Instances()


def instances_of(values: dict[str, Any], used: Used, outer: dict[str, Any]) -> Instances:
    """Those among the values of names, of which a loop uses these attributes."""
    types = {name: type(v) for name, v in values.items() if _is_plain(type(v))}
    if not types:
        return NO_INSTANCES
    found = Instances(types)
    waiting = [(a, is_set) for a, is_set in used.items() if a.base in found.types]
    while waiting:
        attr, is_set = waiting.pop()
        known = found.used.get(attr)
        found.used[attr] = bool(known) or is_set
        if known is not None:
            continue
        method = _method(values[attr.base], attr.name, outer)
        if method is not None:
            found.methods[attr] = method
            own, within = method.receiver, method.definition.attributes.items()
            waiting += [(Attr(attr.base, a.name), s) for a, s in within if a.base == own]
    return found


def _is_plain(kind: type) -> bool:
    if type(kind) is not type or not kind.__flags__ & _HEAP_TYPE or not kind.__dictoffset__:
        return False  # no class statement has made it
    if is_stream(kind):
        return False
    ways: Any = kind.__getattribute__, kind.__setattr__
    return bool(ways == (object.__getattribute__, object.__setattr__))


def _in_class(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        found = base.__dict__.get(name, NOTHING)
        if found is not NOTHING:
            return found
    return NOTHING


def _method(owner: Any, name: str, outer: dict[str, Any]) -> Callee | None:
    if name in vars(owner):
        return None
    found = _in_class(type(owner), name)
    if type(found) is staticmethod:
        callee = callee_of(found.__func__, outer)
        return None if callee is None or callee.cells else callee
    return method_of(found, outer) if type(found) is FunctionType else None


def attribute_of(owner: Any, name: str, is_set: bool) -> Any:
    """What an instance has there; NOTHING where its own dict doesn't say it, and a class' number or
    the like, where that is only read, does neither."""
    of_class = _in_class(type(owner), name)
    if of_class is NOTHING:
        return vars(owner).get(name, NOTHING)
    kind = type(of_class)
    if hasattr(kind, "__set__") or hasattr(kind, "__delete__"):
        return NOTHING
    value = vars(owner).get(name, NOTHING)
    if value is NOTHING and not is_set and not hasattr(kind, "__get__"):
        return of_class
    return value
