"""Control flow of a hybridized cell: what ``if``, ``while`` and ``for`` ask when they run.

The rewritten statements (:mod:`control_rewrite`) call :class:`ControlFlow` with what they know.
Concrete conditions are just followed. On a recorded one the branches or the body are traced and
become one node, when that gives what Python would give; otherwise the reason is kept and Python
goes on with the computed value.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .. import _core
from . import control_syntax as syntax
from . import loop_number
from .loop_number import LoopNumber, NotConvertible
from .numpy_face import TracedArray
from .trace_body import Body, Slots, constant_flag

_MIN_STEPS = 8  # shorter counted loops are always unrolled
_ATTEMPTS = 3  # a loop's types may settle in its first steps


class ControlFlow:
    """Mixed into the runtime: the functions that rewritten statements call."""

    recorder: Any

    def __init__(self) -> None:
        self.converted = False  # a node took the statement's place just now ...
        self._results: tuple = ()  # ... and these are what its names get
        self.loop_step: Loop | None = None  # the loop whose next element was just handed out

    @property
    def bodies(self) -> list[Body]:
        """The branches and bodies being traced, outermost first."""
        return self.recorder.bodies

    def flag(self, value: bool) -> Any:
        """A truth value that a loop carries because it may be left early."""
        return constant_flag(self.recorder, value)

    def results(self) -> tuple:
        """What the names of the statement are bound to after its node."""
        made, self._results, self.converted = self._results, (), False
        return made

    # if -------------------------------------------------------------------------------------------
    def branch(self, number: int, test: Any) -> bool:
        """The condition of an ``if``: whether Python runs the first branch.

        ``converted`` is True afterwards when a ``cond`` node took the place of both.
        """
        __tracebackhide__ = True
        self.converted = False
        if self.recorder is None or not pending(test):
            return bool(test)
        frame = sys._getframe(1)
        statement = syntax.statement(number)
        try:
            if statement is None or statement.reason:
                raise NotConvertible(statement.reason if statement else "its source is gone")
            self._results = self._cond(statement, test, frame)
        except NotConvertible as reason:
            return self._follow(test, "if", str(reason))
        finally:
            del frame
            self._settle()
        self.converted = True
        return False

    def _cond(self, statement: syntax.Statement, test: Any, frame: FrameType) -> tuple:
        slots = Slots(self.recorder, statement, frame, self.bodies)
        slots.refuse_writes()
        writes = slots.written_arrays()
        parameters = slots.parameters(statement.loaded)
        parts = [
            Body(self, slots, syntax.part(which, statement, parameters, frame.f_globals), writes)
            for which in ("body", "else")
        ]
        since = _core.trace_serial()
        ends = [part.run(slots.given(parameters)) for part in parts]
        return slots.join(test, ends, since)

    def _settle(self) -> None:
        """After an attempt that is not inside another."""
        if not self.bodies:
            self.recorder.may_be.clear()

    def _follow(self, test: Any, what: str, reason: str) -> bool:
        """Python follows the computed value; inside a traced body it can't."""
        if self.bodies:
            raise NotConvertible(reason)
        if type(test) is LoopNumber:
            raise NotConvertible(reason)
        note(self.recorder, test, f"`{what}` on an array value: {reason}")
        return bool(test)

    # while ----------------------------------------------------------------------------------------
    def test(self, number: int, test: Any) -> bool:
        """The condition of a ``while``, before each step: whether Python runs one."""
        __tracebackhide__ = True
        self.converted = False
        recorder = self.recorder
        if recorder is None:
            return bool(test)
        frame = sys._getframe(1)
        statement = syntax.statement(number)
        waits = pending(test)
        if statement is None or not (waits or (statement.breaks and test)):
            return bool(test)
        key = (number, id(frame))
        known = recorder.loop_tries
        tries = known.get(key, 0)
        try:
            if statement.reason:
                raise NotConvertible(statement.reason)
            if tries >= _ATTEMPTS:
                raise NotConvertible("its carried values do not settle")
            known[key] = tries + 1
            if not waits and not Slots(recorder, statement, frame, self.bodies).any_arrays():
                raise NotConvertible("it reads no array")
            self._results = self._while(statement, frame)
        except NotConvertible as reason:
            if not waits:
                self.pace(f"a `while` recorded many operators: {reason}")
                return bool(test)
            again = self._follow(test, "while", str(reason))
            if not again:
                known.pop(key, None)
            return again
        finally:
            del frame
            self._settle()
        known.pop(key, None)
        self.converted = True
        return False

    def _while(self, statement: syntax.Statement, frame: FrameType) -> tuple:
        slots = Slots(self.recorder, statement, frame, self.bodies)
        slots.require_bound("the loop may not run at all")
        since = _core.trace_serial()
        slots.begin_carrying()
        parameters = slots.parameters(statement.loaded)
        code = syntax.part("body", statement, parameters, frame.f_globals)
        end = Body(self, slots, code, slots.written_arrays()).run(slots.given(parameters))
        check = Body(self, slots, syntax.part("test", statement, parameters, frame.f_globals), ())
        again = check.value(slots.given(parameters))
        return slots.while_loop(again, end, since)

    # for ------------------------------------------------------------------------------------------
    def loop(self, number: int, iterable: Any) -> Any:
        """What a ``for`` walks through: the iterable itself where no node can come of it."""
        if self.recorder is None:
            return iterable
        kind = type(iterable)
        statement = syntax.statement(number)
        if statement is None or (kind is range and len(iterable) < 2):
            return iterable
        if kind is range or _has_rows(iterable):
            return Loop(self, statement, iterable)
        return Loop(self, statement, iterable, "it walks through " + kind.__name__)

    def take(self) -> bool:
        """At the start of a step: True when a node takes this and the remaining steps."""
        __tracebackhide__ = True
        loop, self.loop_step = self.loop_step, None
        if loop is None or self.recorder is None:
            return False
        frame = sys._getframe(1)
        try:
            made = self._foreach(loop, frame)
        except NotConvertible as reason:
            loop.failed(str(reason))
            return False
        finally:
            del frame
            self._settle()
        if made is None:
            return False
        self._results, self.converted = made, True
        return True

    def _foreach(self, loop: Loop, frame: FrameType) -> tuple | None:
        statement = loop.statement
        if statement.reason:
            raise NotConvertible(statement.reason)
        if statement.breaks:
            raise NotConvertible("it may be left early")
        slots = Slots(self.recorder, statement, frame, self.bodies)
        if not slots.any_arrays() and not _has_rows(loop.values):
            loop.attempts = 0
            return None
        since = _core.trace_serial()
        slots.begin_carrying()
        target = loop.target(slots)
        parameters = slots.parameters(statement.loaded)
        code = syntax.part("body", statement, parameters, frame.f_globals)
        end = Body(self, slots, code, slots.written_arrays()).run(slots.given(parameters))
        recorded = _core.trace_serial() - since - slots.parameters_made
        limit = self.recorder.options.loop_limit
        if recorded * loop.remaining <= limit:
            loop.attempts = 0
            return None
        return slots.foreach(loop, target, end, since)

    def pace(self, reason: str) -> None:
        """Computes what was recorded so far when a loop has recorded too much."""
        recorder = self.recorder
        serial = _core.trace_serial()
        if not recorder.segment_serial:
            recorder.segment_serial = serial
        if serial - recorder.segment_serial > recorder.options.loop_limit and not self.bodies:
            recorder.flush(reason)
            recorder.segment_serial = serial


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


def pending(test: Any) -> bool:
    """Is this condition a recorded value that is not computed yet?"""
    kind = type(test)
    if kind is TracedArray:
        return test.selected is None and test.handle._traced and not any(n != 1 for n in test.shape)
    if kind is _core.NDArray:
        return test._traced and test.size == 1
    return kind is LoopNumber


def note(recorder: Any, test: Any, reason: str) -> None:
    """Computes a condition, with this reason for the graph break."""
    recorder.sync([test.handle if type(test) is TracedArray else test], reason)


def _has_rows(values: Any) -> bool:
    if type(values) is TracedArray:
        return values.ndim >= 1
    # In MXNet a row of a 1-D array has shape (1,), which no row of a graph has.
    return type(values) is _core.NDArray and len(values.shape) >= 2
