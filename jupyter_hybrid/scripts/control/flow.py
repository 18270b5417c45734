"""Control flow of a hybridized cell: what ``if``, ``while`` and ``for`` ask when they run.

The rewritten statements (:mod:`.rewriter`) call :class:`ControlFlow` with what they know.
Concrete conditions are just followed. On a recorded one the branches or the body are traced and
become one node, when that gives what Python would give; otherwise the reason is kept and Python
goes on with the computed value.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from . import syntax
from .body import Body
from .branch_writes import BranchWrites
from .errors import NotConvertible
from .join import join
from .kinds import constant_flag
from .loop import CountedRange, Loop, has_rows
from .loop_node import LoopNode
from .loop_number import LoopNumber
from .parts import part
from .places import Place, place_of
from .slots import VALUE, Slots
from .truth import Truth

_ATTEMPTS = 3  # a loop's types may settle in its first steps


class ControlFlow(Truth):
    """Mixed into the runtime: the functions that rewritten statements call."""

    def __init__(self) -> None:
        super().__init__()
        self.converted = False  # a node took the statement's place just now ...
        self._results: tuple = ()  # ... and these are what its names get
        # The frame of the last loop that is no node, why, and where that is.
        self._loop_reason: tuple[int, str, Place | None] = (0, "", None)
        self.loop_step: Loop | None = None  # the loop whose next element was just handed out

    @property
    def bodies(self) -> list[Body]:
        """The branches and bodies being traced, outermost first."""
        return self.now.bodies

    def flag(self, value: bool) -> Any:
        """A truth value that a loop carries because it may be left early."""
        return constant_flag(self.now, value)

    def results(self) -> tuple:
        """What the names of the statement are bound to after its node."""
        made, self._results, self.converted = self._results, (), False
        return made

    def returned(self, value: Any) -> Any:
        """What a function with early returns gives: its caller may write it."""
        if self.recorder is not None:
            self.now.may_be += self.now.returning
            self.now.returning.clear()
        return value

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
            why = str(reason)
            frame_of_loop, of_loop, place = self._loop_reason
            of_loop = of_loop if frame_of_loop == id(frame) else ""
            if statement is not None and statement.breaks and why == statement.reason and of_loop:
                line = statement.node.lineno  # the user's line is that of the cause
                why = f"{of_loop}; so the loop that is left in line {line} can't be converted"
                raise NotConvertible(why, place) from None
            raise NotConvertible(why, reason.where) from None
        finally:
            del frame
        self.converted = True
        return False

    def _cond(self, statement: syntax.Statement, test: Any, frame: FrameType) -> tuple:
        slots = Slots(self.now, statement, frame)
        parameters = slots.parameters(statement.loaded)
        since = slots.aliases.serial = numbers.serial()
        writes = BranchWrites(slots)
        ends = []
        for which in ("body", "else"):
            code = part(which, statement, parameters, frame.f_globals)
            given = slots.given(parameters) | writes.values()
            ends.append(Body(self, slots, code, slots.written_arrays()).run(given))
        results, contents = join(slots, test, ends, since, writes)
        del given
        writes.forget(ends)
        writes.write(contents, results)
        return slots.in_order(results)

    def choose(self, node: Any, yes: Any, no: Any, frame: FrameType) -> Any:
        """The value of ``yes()`` or ``no()`` by a ``cond`` node."""
        slots = Slots(self.now, syntax.EXPRESSION, frame)
        slots.names.append(VALUE)
        since = slots.aliases.serial = numbers.serial()
        writes = BranchWrites(slots)
        ends = [{VALUE: Body(self, slots, code, ()).value({})} for code in (yes, no)]
        return slots.closed(VALUE, join(slots, LoopNumber(node, bool), ends, since, writes)[0])

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
        if not waits:
            test = bool(test)  # asked once, as written
        if not waits and test:
            recorder.check_size("a `while` whose condition is known")
        if statement is None or not (waits or (statement.flagged and test)):
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
            if not waits and not Slots(recorder, statement, frame).any_arrays():
                raise NotConvertible("it reads no array")
            self._results = self._while(statement, frame)
        except NotConvertible as reason:
            where = reason.where or place_of(reason.__traceback__)
            self._loop_reason = (id(frame), str(reason), where)
            if not waits:
                return bool(test)
            raise NotConvertible(str(reason), reason.where) from None
        finally:
            del frame
        known.pop(key, None)
        self.converted = True
        return False

    def _while(self, statement: syntax.Statement, frame: FrameType) -> tuple:
        slots = Slots(self.now, statement, frame)
        slots.require_bound("the loop may not run at all")
        since = slots.aliases.serial = numbers.serial()
        slots.begin_carrying()
        parameters = slots.parameters(statement.loaded)
        check = Body(self, slots, part("test", statement, parameters, frame.f_globals), ())
        again = check.value(slots.given(parameters))  # before the body, which may write in place
        code = part("body", statement, parameters, frame.f_globals)
        end = Body(self, slots, code, slots.written_arrays()).run(slots.given(parameters))
        return LoopNode(slots).while_loop(again, end, since)

    # for ------------------------------------------------------------------------------------------
    def loop(self, number: int, iterable: Any) -> Any:
        """What a ``for`` walks through: the iterable itself where no node can come of it."""
        if self.recorder is None:
            return iterable
        kind = type(iterable)
        statement = syntax.statement(number)
        leaves = statement is not None and statement.flagged
        if statement is None or (kind is range and len(iterable) < 2 and not leaves):
            return iterable
        if kind is CountedRange or kind is range or has_rows(iterable):
            return Loop(self, statement, iterable)
        return Loop(self, statement, iterable, "it walks through " + kind.__name__)

    @staticmethod
    def surely(left: Any) -> bool:
        """Has an unrolled loop been left, whatever the arrays hold?"""
        return type(left) is not LoopNumber and bool(left)

    def goes_on(self, left: Any) -> bool:
        """Has it surely not been left? Only then may a node take the remaining steps."""
        if left is False:
            return True
        self.loop_step = None
        return False

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
            if type(loop.values) is CountedRange:
                where = reason.where or place_of(reason.__traceback__)
                raise NotConvertible(str(reason), where) from None
            loop.failed(str(reason))
            where = reason.where or place_of(reason.__traceback__)
            self._loop_reason = (id(frame), str(reason), where)
            return False
        finally:
            del frame
        if made is None:
            return False
        self._results, self.converted = made, True
        return True

    def _foreach(self, loop: Loop, frame: FrameType) -> tuple | None:
        statement = loop.statement
        if statement.reason:
            raise NotConvertible(statement.reason)
        slots = Slots(self.now, statement, frame)
        counted = type(loop.values) is CountedRange
        if not counted and not slots.any_arrays() and not has_rows(loop.values):
            loop.attempts = 0
            return None
        if counted:
            slots.require_bound("the loop may not run at all", loop.name)
        since = slots.aliases.serial = numbers.serial()
        slots.begin_carrying()
        target = loop.target(slots)
        parameters = slots.parameters(statement.loaded)
        code = part("body", statement, parameters, frame.f_globals)
        end = Body(self, slots, code, slots.written_arrays()).run(slots.given(parameters))
        if statement.flagged or counted:
            return LoopNode(slots).left_early(loop, target, end, since)
        recorded = numbers.serial() - since - slots.parameters_made
        # With `continue` it could not decide, unrolled.
        if recorded * loop.remaining <= self.now.unroll and not statement.breaks:
            loop.attempts = 0
            return None
        return LoopNode(slots).foreach(loop, target, end, since)


def pending(test: Any) -> bool:
    """Is this condition a recorded value that is not computed yet?"""
    kind = type(test)
    if kind is TracedArray:
        return test.selected is None and test.handle._traced and not any(n != 1 for n in test.shape)
    if kind is _core.NDArray:
        return test._traced and test.size == 1
    return kind is LoopNumber
