"""Where stand-ins live, and what everything else is given in their place.

A stand-in (:class:`~jupyter_hybrid.np_face.TracedArray`) has three homes: variables of running
code that is rewritten, the cell's own names, and tuples on their way. Whatever else keeps a value
keeps a real one, which rewritten code turns into the stand-in again where it loads it:

* An array's ndarray is *promised* (:mod:`..np_face.array.promises`): the object is made now, and
  has its contents before anybody can look.
* A NumPy scalar can't change afterwards. In an exact list or dict, or as an attribute that is set
  and read without code, its *place* is noted and filled at the next contact, or when the cell ends;
  anywhere else it is computed at once.
* A tuple with such members is one of them: it waits in its place, or is made again.
* A recorded number is a plain one.
"""

from __future__ import annotations

import operator
import types
import weakref
from contextlib import suppress
from typing import Any

from .. import _core
from ..base import MXNetError
from ..np_face import RESULTS, TracedArray
from ..np_face.array.methods import Method
from ..np_face.array.promises import can_wait, is_pending, promised
from .numbers import RecordedFloat, RecordedInt, plain
from .trace_state import is_rewritten

_guards = _core.guards
_METHODS = frozenset({Method, types.MethodType, types.MethodWrapperType})
#: Tuples that may hold, on their way, what variables alone may.
TUPLES = frozenset({tuple, *RESULTS})


class Homes:
    """The places of one recorder's stand-ins that wait in lists, dicts and attributes."""

    def __init__(self) -> None:
        self._places: dict[int, tuple[Any, set[Any]]] = {}  # by id of the container: it, its keys
        # By id of the owner: a weak reference, and its attributes. It dies as in plain Python.
        self._owners: dict[int, tuple[weakref.ref, set[str]]] = {}

    def __len__(self) -> int:
        return len(self._places) + len(self._owners)

    def note_attribute(self, owner: weakref.ref, name: str) -> None:
        """``owner().name`` is to be filled."""
        known = self._owners.get(id(owner()))
        if known is None or known[0]() is None:
            known = self._owners[id(owner())] = owner, set()
        known[1].add(name)

    def note(self, container: Any, key: Any) -> None:
        """``container[key]`` is to be filled."""
        self._places.setdefault(id(container), (container, set()))[1].add(key)

    def waiting(self) -> list[TracedArray]:
        """The stand-ins in those places."""
        found = [v for where, keys in self._places.values() for _, v in _found(where, keys)]
        found += [v for owner, names in self._owners.values() for _, v in _set(owner, names)]
        return [array for value in found for array in standing_in(value)]

    def fill(self) -> None:
        """Puts real values there; what they are made of has been computed."""
        made: dict[int, Any] = {}  # by id of a tuple: it may stand in several places
        places, self._places = self._places, {}
        owners, self._owners = self._owners, {}
        for container, keys in places.values():
            for key, value in _found(container, keys):
                with suppress(MXNetError):  # an operator's own error stays in the array
                    container[key] = opened(value, made)
        for owner, names in owners.values():
            for name, value in _set(owner, names):
                with suppress(MXNetError):
                    object.__setattr__(owner(), name, opened(value, made))


def _set(reference: weakref.ref, names: set[str]) -> list[tuple[str, Any]]:
    """(name, value) of what waits in an object's attributes."""
    owner, items = reference(), []
    if owner is None:
        return []
    for name in names:
        with suppress(AttributeError):  # deleted since
            items.append((name, object.__getattribute__(owner, name)))
    return [(name, value) for name, value in items if is_ours(value)]


def _found(container: Any, keys: set[Any]) -> list[tuple[Any, Any]]:
    """(key, value) of what waits there. Where something has moved, all of it is looked at: as many
    wait as there are keys, so one that has left its key to another is missed there."""
    items = []
    for key in keys:
        try:
            value = container[key]
        except (IndexError, KeyError, TypeError):
            value = None
        if not is_ours(value):
            return [(key, value) for key, value in _items(container) if is_ours(value)]
        items.append((key, value))
    return items


def _items(container: Any) -> list[tuple[Any, Any]]:
    return list(container.items() if type(container) is dict else enumerate(container))


def is_ours(value: Any) -> bool:
    """Is it, or does it hold, what only variables may hold?"""
    may = _guards.may_stand(value)  # long tuples are looked through there
    return may and (type(value) not in TUPLES or any(map(is_ours, value)))


def standing_in(value: Any) -> list[TracedArray]:
    """The stand-ins that a value is, or holds."""
    kind = type(value)
    if kind is TracedArray:
        return [value]
    if kind in TUPLES:
        return [array for member in value for array in standing_in(member)]
    return standing_in(value.__self__) if kind in _METHODS else []


# What is given ------------------------------------------------------------------------------------
def kept(value: Any) -> Any:
    """What something else than a variable keeps for ``value``, from here on."""
    return _made(value, promised, {})


def opened(value: Any, made: dict[int, Any] | None = None) -> Any:
    """The real value of ``value``, computed; containers are as real as they are.

    Args:
        made: the tuples that were opened before, where one stays one.
    """
    return _made(value, TracedArray.to_numpy, {} if made is None else made)


def opened_steps(value: Any) -> Any:
    """A rewritten generator expression, for others to go through; other values as they are."""
    return (opened(v) for v in value) if is_seen_steps(value) else value


def is_seen_steps(value: Any) -> bool:
    """Is it a rewritten generator expression?"""
    if type(value) is not types.GeneratorType or value.gi_code.co_name != "<genexpr>":
        return False
    return is_rewritten(value.gi_code)


def is_inside(array: TracedArray) -> bool:
    """Is it a value of a script that is traced, which has none of its own?"""
    return array.recorder.script


def root_of(value: Any) -> Any:
    """A view's base: the array whose memory is computed."""
    while type(value) is TracedArray and value.parent is not None:
        value = value.parent
    return value


def _made(value: Any, real: Any, made: dict[int, Any]) -> Any:
    kind = type(value)
    if kind is TracedArray:
        return value if is_inside(value) else real(value)
    if kind in TUPLES and is_ours(value):
        if id(value) not in made:
            members = (_made(v, real, made) for v in value)
            # With itself: while it is known by its `id`, nothing else has that.
            made[id(value)] = value, kind(*members) if kind in RESULTS else tuple(members)
        return made[id(value)][1]
    if kind in _METHODS and type(value.__self__) is TracedArray:
        return getattr(_made(value.__self__, real, made), value.__name__)
    return plain(value)


def held(container: Any, start: int = 0) -> Any:
    """Sees to what a list or dict holds, a list's from ``start`` on; returns it."""
    if type(container) is dict:
        _guards.ready(*container)  # its keys are hashed again
    for key, value in _items(container)[start:]:
        if is_ours(value):
            put(value, container, key)
    return container


def put(value: Any, container: Any, key: Any) -> None:
    """``container[key] = value``, or what is kept there for it."""
    key = kept(key)
    waits = _in_place(value)
    container[key] = kept(value) if waits is None else value
    if waits is None:
        return
    if type(key) is slice:
        held(container)
    else:
        if type(container) is list:
            key = operator.index(key)
            key += len(container) if key < 0 else 0
        waits.recorder.homes.note(container, key)


def put_attribute(value: Any, owner: Any, name: str) -> None:
    """``owner.name = value``, where that runs no code, or what is kept there for it."""
    waits, reference = _in_place(value), None
    if waits is not None:
        with suppress(TypeError):  # it has no room for weak references
            reference = weakref.ref(owner)
    if reference is None:
        setattr(owner, name, kept(value))
    else:
        object.__setattr__(owner, name, value)
        waits.recorder.homes.note_attribute(reference, name)


def _in_place(value: Any) -> Any:
    """A stand-in because of which the value has to wait in its place; None without one."""
    for array in standing_in(value):
        if is_inside(array):
            continue
        if not can_wait(array) or (type(value) in TUPLES and is_pending(root_of(array))):
            return array
    return None


# Types that variables alone may hold; tuples and bound methods of them aside.
STAND_INS = (TracedArray, RecordedInt, RecordedFloat, Method, *RESULTS)
_guards.homes(STAND_INS, kept, held, put, put_attribute)
