"""The iterator of a ``for`` that may become a node in one of its first steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import _core
from .. import loop_number
from ..loop_number import NotConvertible
from ..numpy_face import TracedArray

if TYPE_CHECKING:
    from .flow import ControlFlow
    from .slots import Slots

_MIN_STEPS = 8  # shorter counted loops are always unrolled


class Loop:
    """The iterator of a ``for``; offers each of the first steps to a node."""

    def __init__(self, flow: ControlFlow, statement: Any, values: Any, reason: str = ""):
        self.flow, self.statement, self.values = flow, statement, values
        self.reason = reason
        self.length = len(values) if not reason else 0
        self.attempts = 2 if not reason and self.length >= _MIN_STEPS else 0
        self.done = 0  # elements handed out
        self._inner: Iterator[Any] = iter(values)

    def __iter__(self) -> Loop:
        return self

    def __next__(self) -> Any:
        flow = self.flow
        if self.done and flow.recorder is not None and not self.attempts:
            why = f": {self.reason}" if self.reason else ""
            flow.pace(f"a `for` recorded many operators{why}")
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

    def target(self, slots: Slots) -> str:
        """Gives the target's name the value that every step gets anew; returns the name."""
        target = self.statement.node.target
        if not hasattr(target, "id"):
            raise NotConvertible("its target is not a single name")
        name = target.id
        values = self.values
        if type(values) is range:
            node = slots.parameter((), "int64", None, name)
            first, last = values[self.done - 1], values[-1]
            number = loop_number.carried(int, node, min(first, last), max(first, last))
            slots.step_value(name, number, node)
            return name
        handle = values.handle if type(values) is TracedArray else values
        node = slots.parameter(tuple(handle.shape)[1:], handle.dtype, handle.context, name)
        row: Any = node
        if type(values) is TracedArray:
            row = slots.proxy(node, not node.shape)
        slots.step_value(name, row, node)
        return name


def has_rows(values: Any) -> bool:
    """Can a node walk through it?"""
    if type(values) is TracedArray:
        return values.ndim >= 1
    # In MXNet a row of a 1-D array has shape (1,), which no row of a graph has.
    return type(values) is _core.NDArray and len(values.shape) >= 2
