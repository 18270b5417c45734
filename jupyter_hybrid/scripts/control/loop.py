"""The iterator of a ``for`` that may become a node in one of its first steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from . import loop_number
from .errors import NotConvertible
from .loop_number import LoopNumber
from .undefined import Undefined

if TYPE_CHECKING:
    from .flow import ControlFlow
    from .slots import Slots

_MIN_STEPS = 8  # shorter counted loops are always unrolled


class Loop:
    """The iterator of a ``for``; offers each of the first steps to a node."""

    def __init__(self, flow: ControlFlow, statement: Any, values: Any, reason: str = ""):
        self.flow, self.statement, self.values = flow, statement, values
        self.reason = reason
        self.length = len(values) if not reason and type(values) is not CountedRange else 0
        counted = type(values) is CountedRange
        self.attempts = 2 if not reason and not counted and self.length >= _MIN_STEPS else 0
        if not reason and statement.breaks:
            self.attempts = 2  # unrolled, a recorded condition could not leave it
        if counted:
            self.attempts = 1
        self.done = 0  # elements handed out
        self._inner: Iterator[Any] = values.first() if counted else iter(values)

    def __iter__(self) -> Loop:
        return self

    def __next__(self) -> Any:
        flow = self.flow
        if flow.recorder is not None:
            why = f" (no node: {self.reason})" if self.reason else ""
            flow.recorder.check_size(f"a `for` that is unrolled{why}")
        value = next(self._inner)
        self.done += 1
        if self.attempts and flow.recorder is not None:
            self.attempts -= 1
            flow.loop_step = self
        return value

    @property
    def remaining(self) -> int:
        """Steps still to make, the one that starts now among them."""
        return self.length - self.done + 1

    def failed(self, reason: str) -> None:
        self.reason = reason

    @property
    def name(self) -> str:
        """The target's. Raises NotConvertible when it is not a single name."""
        target = self.statement.node.target
        if not hasattr(target, "id"):
            raise NotConvertible("its target is not a single name")
        return target.id

    def target(self, slots: Slots) -> str:
        """Gives the target's name the value that every step gets anew; returns the name."""
        name = self.name
        values = self.values
        if type(values) in (range, CountedRange):
            node = slots.parameter((), "int64", None, name)
            slots.step_value(name, loop_number.carried(int, node, *_bounds(self.counts())), node)
            return name
        handle = values.handle if type(values) is TracedArray else values
        shape = tuple(handle.shape)[1:]
        if self.statement.flagged:  # left early: the row is taken with a counter
            node = slots.parameter((), "int64", None, name)
            row: Any = self._taken(handle, node)
            slots.recorder.disown([row])
        else:
            row = node = slots.parameter(shape, handle.dtype, handle.context, name)
        made = slots.proxy(row, not shape) if type(values) is TracedArray else row
        slots.step_value(name, made, node, row)
        return name

    def counts(self) -> Any:
        """What the counter of the steps still to make goes through."""
        if type(self.values) is CountedRange:
            return self.values
        rest = self.values if type(self.values) is range else range(self.length)
        return rest[self.done - 1 :]

    def after(self, slots: Slots, name: str, last: Any) -> Any:
        """What the target holds after a loop that may have been left; ``last`` counted last."""
        if type(self.values) is range:
            return LoopNumber(last, int, *_bounds(self.counts()))
        if type(self.values) is CountedRange:
            return Undefined(f"{name} is read after a loop that may not run at all")
        handle = self.values.handle if type(self.values) is TracedArray else self.values
        row = self._taken(handle, last)
        if type(self.values) is TracedArray:
            return TracedArray.of_node(slots.recorder, row, scalar=not row.shape)
        return row

    @staticmethod
    def _taken(handle: Any, counter: Any) -> Any:
        return _core.invoke_core("take", [handle, counter], {"axis": 0, "mode": "clip"})


class CountedRange:
    """``range`` of which a bound is known only when it runs."""

    def __init__(self, *bounds: Any):
        start, stop = (0, *bounds) if len(bounds) == 1 else bounds[:2]
        step = numbers.plain(bounds[2]) if len(bounds) > 2 else 1
        if type(step) is not int or not step:
            raise NotConvertible("range() needs a step that is known and not 0")
        found = [loop_number.of(start), loop_number.of(stop)]
        if any(b is None or b.kind is not int for b in found):
            raise NotConvertible("range() needs ints")
        self.start: Any = found[0]
        self.stop: Any = found[1]
        self.step = step

    def first(self) -> Iterator[Any]:
        """One step of a ``for``, in which a node takes the place of all."""
        return iter((self.start,))

    def _needs_bounds(self, *_: Any) -> Any:
        raise NotConvertible(
            "a range whose length is known only when it runs is walked through by a plain "
            "`for i in range(n):` alone; write that loop"
        )

    __iter__ = __len__ = __getitem__ = __reversed__ = __contains__ = _needs_bounds


def _bounds(counts: Any) -> tuple[int, int]:
    """The least and the greatest int that it may hand out."""
    if type(counts) is range:
        first, last = sorted((counts[0], counts[-1]))
        return first, last
    if counts.step > 0:
        return counts.start.lo, max(counts.start.hi, counts.stop.hi - 1)
    return min(counts.start.lo, counts.stop.lo + 1), counts.start.hi


def has_rows(values: Any) -> bool:
    """Can a node walk through it?"""
    if type(values) is TracedArray:
        return values.ndim >= 1
    # In MXNet a row of a 1-D array has shape (1,), which no row of a graph has.
    return type(values) is _core.NDArray and len(values.shape) >= 2
