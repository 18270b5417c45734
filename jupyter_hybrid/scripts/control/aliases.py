"""Which arrays a result of traced code may be, and who else could write or read them."""

from __future__ import annotations

import ast
import operator
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import _core
from ...np_face import TracedArray
from .errors import NotConvertible
from .kinds import handle_of, is_scalar
from .returns import RETURN

if TYPE_CHECKING:
    from .slots import Slots


class Aliases:
    """Asked for each result of a statement before its node is made."""

    def __init__(self, slots: Slots):
        self.slots: Slots = weakref.proxy(slots)  # no cycle: parameters are freed with their slots
        self.serial = 0  # what was recorded before is outside
        self.ends: list[dict[str, Any]] = []  # the names after a step, or after each branch
        self.stands_for: dict[str, list[Any]] = {}  # results that may be these arrays
        self.pairs: list[tuple[str, str]] = []  # names that may be one array in some case

    def check(self, name: str, value: Any, may_stay: bool = False) -> None:
        """A result may not be an array that another name could write to, or be written by.

        Args:
            may_stay: the name may keep what it is bound to (a loop that does not run).
        """
        if is_scalar(value):
            return
        # After an `if` a write to one of them is refused; in a loop it may be in the next step.
        # Nothing is written between an early return and the end.
        statement = self.slots.statement.node
        later = isinstance(statement, (ast.If, ast.Pass)) or name.startswith(RETURN)
        outside: list[Any] = []
        if type(value) is TracedArray and value.parent is not None:
            if not later:
                raise NotConvertible(f"{name} is a view")
            outside = [handle_of(a) for a in _parents(value)]
        owners = {name} if may_stay and name in self.slots.outer else set()
        for source in self._may_be(handle_of(value)):
            found = [n for n in self.slots.outer if _core.is_window_on(source, self._arrays_of(n))]
            owners.update(found)
            if not found and _core.is_outside(source, self.serial):
                outside.append(source)
        if (owners or outside) and self.slots.writing and not later:
            raise NotConvertible(f"{name} may be the same array as another")
        handles = [handle_of(self.slots.outer_array(self.slots.outer[n])) for n in owners]
        self.stands_for[name] = _each_once(outside + [h for h in handles if h is not None])

    def check_apart(
        self, bound: list[tuple[str, list[Any]]], left_alone: frozenset[str] = frozenset()
    ) -> None:
        """Two names may not be one array in one case only: they become arrays of their own.

        Args:
            bound: a name, and the arrays that it may be bound to.
            left_alone: names whose array stays the one outside.
        """
        arrays = []
        for name, values in bound:
            if name.startswith(RETURN):
                continue  # nothing is written once it is bound
            held = [v for v in values if handle_of(v) is not None and not is_scalar(v)]
            if held:
                arrays.append((name, held, [h for v in held for h in self._may_be(handle_of(v))]))
        for i, (name, values, sources) in enumerate(arrays):
            for other, others, theirs in arrays[:i]:
                alike = len(values) == len(others) and all(map(operator.is_, values, others))
                if alike and not left_alone & {name, other}:
                    continue  # always one array, and bound to one
                if any(_core.is_window_on(s, theirs) for s in sources) or any(
                    _core.is_window_on(t, sources) for t in theirs
                ):
                    if not self.slots.writing:
                        self.pairs.append((name, other))  # refused when one is written later
                        continue
                    raise NotConvertible(f"{name} may be the same array as {other}")

    def note_pairs(self, results: dict[str, Any]) -> None:
        """Notes which results may be one array, though they are two here."""
        for names in self.pairs:
            a, b = (handle_of(results.get(n)) for n in names)
            if a is not None and b is not None:
                self.slots.recorder.may_be.append((a, [b]))

    def _may_be(self, handle: Any) -> list[Any]:
        """The array, and those that it may be the same array as by a nested node."""
        known = [*self.slots.recorder.may_be, *self.slots.recorder.returning]
        found = {id(handle): handle}
        for made, sources in reversed(known):  # sources are older
            if any(_core.is_window_on(f, [made]) for f in found.values()):
                found |= {id(s): s for s in sources}
        return list(found.values())

    def _arrays_of(self, name: str) -> list[Any]:
        """What a name is inside and outside, as array handles."""
        pair = (
            self.slots.carried.get(name),
            handle_of(self.slots.outer_array(self.slots.outer[name])),
        )
        return [h for h in (*pair, *self.slots.stand_ins.get(name, ())) if h is not None]

    def note(self, name: str, handle: Any) -> None:
        sources = self.stands_for.get(name)
        if sources:
            recorder = self.slots.recorder
            into = recorder.returning if name.startswith(RETURN) else recorder.may_be
            into.append((handle, _each_once(sources)))


def _parents(view: TracedArray) -> Iterator[TracedArray]:
    while view.parent is not None:
        view = view.parent
        yield view


def _each_once(arrays: list[Any]) -> list[Any]:
    return list({id(a): a for a in arrays}.values())
