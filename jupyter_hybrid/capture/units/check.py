"""``--check``: every unit runs on copies, its loop as written, and both have to agree.

The unit says what the loop's next steps will do; when Python has taken them, the names and the
elements of all arrays and lists are compared, type by type and bit by bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .parts import Attr, Part
from .unit import Made, Outcome, Ready

ALWAYS = False  # tests check all
_CONTAINERS = (np.ndarray, list)


class UnitDiffers(AssertionError):
    """A unit and its loop as written disagree: a bug of ours."""


def copies(values: list[Any]) -> list[Any]:
    """The values with arrays and lists of their own, which overlap as these do."""
    made: dict[int, Any] = {}
    held = (i for v in values if type(v) is list for i in v)
    arrays = {id(v): v for v in (*values, *held) if type(v) is np.ndarray}
    bounds = sorted((*np.lib.array_utils.byte_bounds(a), k) for k, a in arrays.items())
    while bounds:
        low, high, _ = bounds[0]
        together: list[tuple[int, int]] = []
        while bounds and (not together or bounds[0][0] < high):
            first, last, key = bounds.pop(0)
            high = max(high, last)
            together.append((first, key))
        memory = np.empty(high - low, np.uint8)
        for _, key in together:
            old = arrays[key]
            offset = old.__array_interface__["data"][0] - low
            new = np.ndarray(old.shape, old.dtype, memory, offset, old.strides)
            new[...] = old
            new.flags.writeable = old.flags.writeable
            made[key] = new
    return [_copied(v, made) if type(v) is list else made.get(id(v), v) for v in values]


def _copied(items: list[Any], made: dict[int, Any]) -> list[Any]:
    """A list with lists of its own in it, each copied once."""
    found: list[Any] | None = made.get(id(items))
    if found is None:
        found = made[id(items)] = []
        found.extend(_copied(v, made) if type(v) is list else made.get(id(v), v) for v in items)
    return found


@contextmanager
def undrawn(made: Made, values: list[Any]) -> Iterator[None]:
    """What is drawn of random numbers in it, has not been."""
    streams = made.streams(values)
    before = streams.states() if streams else []
    try:
        yield
    finally:
        if streams:
            streams.go_back(before)


class Prediction:
    """What a loop will do, by its unit. Raises what has interrupted that.

    Attributes:
        outcome: how far the unit came.
        made: its code.
    """

    def __init__(self, ready: Ready, where: str):
        made, values, self._owners, _ = ready
        self._where, self._values, self.made = where, values, made
        self._names = list(made.loop.slots)
        self._bound, self._displays = made.loop.bound, made.loop.displays
        self._copies = copies(values)
        self._real = {id(c): v for c, v in zip(self._copies, values, strict=True)}
        for copy, real in zip(self._copies, values, strict=True):
            if type(real) is list:
                rows = zip(copy, real, strict=True)
                self._real |= {id(c): v for c, v in rows if isinstance(v, _CONTAINERS)}
        self._made: dict[int, Any] = {}  # of what the unit has made Python's
        # Python draws for a test of `while` before it can be asked.
        self._streams = made.streams(values) if made.loop.way else None
        with undrawn(made, values):
            self.outcome: Outcome = made.run(self._copies, self._owners)
            self._drawn = repr(self._streams and self._streams.states())
        if self.outcome.error is not None:
            raise self.outcome.error

    def compare(self, frame: Any) -> None:
        """Raises UnitDiffers unless the loop, in whose frame it is, has done that."""
        own, outer = frame.f_locals, frame.f_globals
        if repr(self._streams and self._streams.states()) != self._drawn:
            raise UnitDiffers(f"{self._where}: other random numbers were drawn")
        made = {(id(owner), name): value for owner, name, value in self.outcome.attributes}
        for name, before in zip(self._names[: self._bound], self._values, strict=False):
            if type(name) is Part:
                continue
            if type(name) is Attr:
                owner, name = self._owners[name.base], name.name
                wanted, names = made.get((id(owner), name), before), vars(owner)
            else:
                wanted = self.outcome.bound.get(name, before)
                names = own if name in own else outer  # declared global
            if name not in names:
                if name in self.outcome.bound:
                    raise UnitDiffers(f"{self._where}: {name} is not bound, not {wanted!r}")
                continue
            found = names[name]
            if not self._are_alike(found, wanted):
                raise UnitDiffers(f"{self._where}: {name} is {found!r}, the unit says {wanted!r}")
        for name in self._displays.keys() & self.outcome.bound.keys():
            found, wanted = (own if name in own else outer)[name], self.outcome.bound[name]
            parts = zip(_parts(found), _parts(wanted), strict=False)
            alike = all(self._are_alike(v, w) for v, w in parts)
            if not alike or type(found) is not type(wanted) or len(found) != len(wanted):
                raise UnitDiffers(f"{self._where}: {name} is {found!r}, the unit says {wanted!r}")
        for name, found, wanted in zip(self._names, self._values, self._copies, strict=False):
            if isinstance(found, _CONTAINERS) and not _alike(found, wanted):
                raise UnitDiffers(
                    f"{self._where}: {name} holds {found!r}, the unit says {wanted!r}"
                )

    def _are_alike(self, found: Any, wanted: Any) -> bool:
        """Is it the same, or new on both sides, and what is one object there, is one here?"""
        if not isinstance(found, _CONTAINERS):
            return type(found) is type(wanted) and repr(found) == repr(wanted)
        known = self._real.get(id(wanted), self._made.get(id(wanted)))
        if found is wanted or known is not None:
            return found is wanted or found is known
        self._made[id(wanted)] = found
        if type(found) is not list or type(wanted) is not list:
            is_old = any(found is old for old in self._real.values())
            return not is_old and _twins(found, wanted)
        alike = itertools.starmap(self._are_alike, zip(found, wanted, strict=False))
        return len(found) == len(wanted) and all(alike)


def _parts(display: Any) -> list[Any]:
    return [*display.keys(), *display.values()] if type(display) is dict else list(display)


def compare_lists(foretold: list[Any], found: list[Any], where: str) -> None:
    """Raises UnitDiffers unless a list begins with what a unit has foretold."""
    for wanted, item in itertools.zip_longest(foretold, found[: len(foretold)]):
        if type(item) is not type(wanted) or not (_twins(item, wanted) or _alike(item, wanted)):
            raise UnitDiffers(f"{where}: an item is {item!r}, the unit says {wanted!r}")


def _twins(found: Any, wanted: Any) -> bool:
    """Are two arrays, each made by one side, the same in all that can be seen?"""
    if type(found) is not np.ndarray or type(wanted) is not np.ndarray:
        return False
    same = all(
        getattr(found, what) == getattr(wanted, what) for what in ("dtype", "shape", "strides")
    )
    flags = all(found.flags[w] == wanted.flags[w] for w in ("OWNDATA", "WRITEABLE"))
    return same and flags and _alike(found, wanted)


def _alike(found: Any, wanted: Any) -> bool:
    if type(found) is np.ndarray:
        return type(wanted) is np.ndarray and bool(found.tobytes() == wanted.tobytes())
    if type(found) is list and any(type(v) is np.ndarray for v in found):
        return len(found) == len(wanted) and all(map(_alike, found, wanted))
    return repr(found) == repr(wanted)
