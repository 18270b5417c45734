"""The ``while_loop`` or ``foreach`` node of a traced body, and what names hold after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from . import loop_number
from .errors import NotConvertible
from .kinds import (
    UNBOUND,
    common_kind,
    handle_of,
    is_numpy_scalar,
    is_plain,
    loop_invariant,
    was_written,
)
from .loop_number import LoopNumber
from .returns import RETURN
from .syntax import BREAK
from .undefined import Undefined

if TYPE_CHECKING:
    from .slots import Slots

_DRIFT = 64  # what an int may grow by in a step: even 53 bits last for weeks


class _Carried:
    """A name that a loop changes: how, by which nodes."""

    def __init__(self, name: str, how: str, value: Any, out: Any = None, node: Any = None):
        self.name, self.how, self.value, self.out, self.node = name, how, value, out, node


class LoopNode:
    """Made of the names at the end of one step."""

    def __init__(self, slots: Slots):
        self.slots, self.aliases = slots, slots.aliases

    def _carried_ends(
        self, end: dict[str, Any], steps: int | None, test: Any = None
    ) -> list[_Carried]:
        """What each name is after a step, and what that means after the loop.

        Args:
            test: the node that the loop's condition reads, if any.
        """
        found: list[_Carried] = []
        kept: list[_Carried] = []  # left alone
        self.slots.open([end])
        self.aliases.ends = [end]
        owners = {id(v): n for n, v in self.slots.values.items() if handle_of(v) is not None}
        for name in list(self.slots.names):
            if name not in end:
                reason = f"{name} is not bound in every step"
                if name in self.slots.values:
                    raise NotConvertible(reason)
                self.slots.undefined[name] = Undefined(reason)
                self.slots.names.remove(name)
                continue
            value = numbers.plain(end[name])
            before = self.slots.values.get(name, UNBOUND)
            node = self.slots.carried.get(name)
            written = was_written(before, *self.slots.rows.get(name, (node, 0)))
            if written and (value is not before or name in self.slots.step):
                raise NotConvertible(f"{name} is written in place and bound anew")
            if value is before and not written:
                if node is not None:
                    kept.append(_Carried(name, "kept", value, node, node))
                continue  # the loop leaves it alone
            same = loop_invariant(value, self.slots.outer.get(name, UNBOUND))
            fixed = is_plain(value) or type(value) is np.ndarray or is_numpy_scalar(value)
            if same or (fixed and before is UNBOUND):
                if steps is None and before is UNBOUND and not name.startswith(RETURN):
                    raise NotConvertible(f"{name} is bound only when the loop runs")
                found.append(_Carried(name, "constant", value))
                if node is not None:
                    kept.append(
                        _Carried(name, "kept", value, self.slots.out_node(name, value), node)
                    )
                continue
            if value is before:
                found.append(_Carried(name, "written", value, handle_of(value), node))
                continue
            owner = owners.get(id(value))
            if owner is not None and was_written(value, self.slots.carried.get(owner)):
                raise NotConvertible(f"{name} is {owner}, which is written in place")
            if type(value) is LoopNumber:
                value = self._checked(value, node)
            out = self.slots.out_node(name, value)
            if before is not UNBOUND and name not in self.slots.step:
                common_kind(name, before, value, "before a step and after it")
            if handle_of(value) is not None:
                self.aliases.check(name, value, may_stay=steps is None)
            found.append(_Carried(name, "rebound", value, out, node))
        reads = [c.out for c in found if c.out is not None] + [test] * (test is not None)
        found += self._read(kept, reads)
        self._check_written(found)
        changed = {c.name for c in found if c.how == "rebound"}
        bound = [(n, [end[n]]) for n in self.slots.names]
        self.aliases.check_apart(bound, frozenset(self.slots.names) - changed)
        return found

    def _read(self, kept: list[_Carried], outputs: list[Any]) -> list[_Carried]:
        """Those of the names that a step leaves alone whose parameter it reads."""
        found: list[_Carried] = []
        while True:
            read = [
                c
                for c in kept
                if c not in found and _core.reads_window(outputs, c.node, self.slots.entered)
            ]
            if not read:
                return found
            found += read
            outputs = [c.out for c in read]

    def _checked(self, value: LoopNumber, node: Any) -> LoopNumber:
        """An int that may leave its bounds step by step: an error when it does."""
        most = 2 * loop_number.STEPS
        counts = value.base is not None and value.base is node and abs(value.offset) <= _DRIFT
        if value.kind is not int or counts or -most <= value.lo <= value.hi <= most:
            return value
        self.slots.recorder.checks += 1
        made = _core.invoke_core("exact_int", [value.node], {"limit": most})
        return LoopNumber(made, int, -most, most)

    def _check_written(self, found: list[_Carried]) -> None:
        written = [c for c in found if c.how == "written"]
        if not written:
            return
        outputs = [c.out for c in found if c.out is not None]
        for c in written:
            outer = self.slots.outer_array(self.slots.outer[c.name])
            handle = handle_of(outer)
            if type(outer) is TracedArray:
                if outer.parent is not None:
                    raise NotConvertible(f"{c.name} is a view that is written in place")
                if outer.origin is not None and self.slots.shares_memory(outer):
                    raise NotConvertible(f"{c.name} shares its memory with another array")
            if _core.reads_window(outputs, handle, self.aliases.serial):
                raise NotConvertible(f"{c.name} is written in place and read by another name")
            for other in found:
                if other.how == "rebound" and self._is_view_on(other.name, outer):
                    raise NotConvertible(f"{other.name} is a view of {c.name}, which is written")
        seen: set[int] = set()
        for c in found:
            if c.value is not None and handle_of(c.value) is not None:
                if id(c.value) in seen:
                    raise NotConvertible(f"{c.name} is the same array as another name")
                seen.add(id(c.value))

    def _is_view_on(self, name: str, written: Any) -> bool:
        """Did a name enter the loop as a view that sees what is written there?"""
        value: Any = self.slots.outer.get(name)
        if handle_of(value) is None or value is written:
            return False
        if type(value) is TracedArray:
            root = value
            while root.parent is not None:
                root = root.parent
            return root is written
        return bool(_core.reads_window([value], handle_of(written), self.aliases.serial))

    def while_loop(self, again: Any, end: dict[str, Any], since: int) -> tuple:
        """The ``while_loop`` node; returns what each name is bound to."""
        self.aliases.serial = since
        test = again.node if type(again) is LoopNumber else handle_of(again)
        found = self._carried_ends(end, None, test)
        slots = [c for c in found if c.how != "constant"]
        if BREAK in self.slots.carried:
            left = self.slots.carried[BREAK]
            stay = _core.invoke_core("logical_not", [left], {})
            if test is None:
                if not again:
                    raise NotConvertible("its condition is false")
                test = stay
            else:
                truth = _core.invoke_core("cast", [test], {"dtype": "bool"})
                test = _core.invoke_core("logical_and", [stay, truth], {})
        elif test is None:
            raise NotConvertible("its condition does not depend on a recorded value")
        self._complete(slots)
        operands = [self._operand(c) for c in slots]
        nodes = [c.node for c in slots]
        labels = [c.name for c in slots]
        parts = [([test], nodes, [""]), ([c.out for c in slots], nodes, labels)]
        options = {"carried": len(slots)} | self._limit()
        made = self.slots.control("while_loop", parts, operands, since, options)
        return self.slots.in_order(self._bind(found, slots, made, None))

    def _limit(self) -> dict[str, Any]:
        """Options of a loop that may never end."""
        most = self.slots.recorder.max_iterations
        return {} if most is None else {"max_iterations": most, "must_end": True}

    def _complete(self, carried: list[_Carried]) -> None:
        """Parameters for names that the first step binds: what they are before does not matter."""
        for c in carried:
            if c.node is None:
                c.node = self.slots.parameter(
                    tuple(c.out.shape), c.out.dtype, c.out.context, c.name
                )

    def foreach(self, loop: Any, target: str, end: dict[str, Any], since: int) -> tuple:
        """The ``foreach`` node of the loop's remaining steps."""
        self.aliases.serial = since
        steps = loop.remaining
        found = self._carried_ends(end, steps)
        slots = [c for c in found if c.how != "constant"]
        if not slots:
            raise NotConvertible("its steps leave no array behind")
        self._complete(slots)
        options: dict[str, Any] = {"carried": len(slots)}
        operands: list[Any] = []
        values = loop.values
        if type(values) is range:
            first = values[loop.done - 1]
            options |= {"counter": True, "start": first, "step": values.step, "steps": steps}
        else:
            if type(values) is TracedArray:
                rest = values[loop.done - 1 :] if loop.done > 1 else values
                operands.append(rest.handle)
            else:
                operands.append(values[loop.done - 1 :] if loop.done > 1 else values)
            options |= {"data": 1}
        parameters = [self.slots.step[target], *(c.node for c in slots)]
        operands += [self._operand(c) for c in slots]
        parts = [([c.out for c in slots], parameters, [c.name for c in slots])]
        made = self.slots.control("foreach", parts, operands, since, options)
        results = self._bind(found, slots, made, steps)
        if target not in [c.name for c in found]:
            results[target] = self._last(values)
        return self.slots.in_order(results)

    def left_early(self, loop: Any, target: str, end: dict[str, Any], since: int) -> tuple:
        """The ``while_loop`` node of a counted loop's remaining steps: one with ``break``, or of
        recorded bounds."""
        slots = self.slots
        counts = loop.counts()
        self.aliases.serial = since
        if BREAK in slots.carried and type(counts) is range:
            flag = handle_of(end[BREAK])
            if not _core.count_recorded([flag], since):
                raise NotConvertible("when it is left does not depend on an array")
        found = self._carried_ends(end, loop.remaining if type(counts) is range else None)
        carried = [c for c in found if c.how != "constant"]
        self._complete(carried)
        counter = slots.step[target]
        step = _constant(counts.step)
        if type(counts) is range:
            first = _constant(counts[0])
            stop = _constant(counts[0] + counts.step * len(counts))
        else:
            first, stop = counts.start.node, counts.stop.node
        compare = "lesser" if counts.step > 0 else "greater"
        test = _core.invoke_core(compare, [counter, stop], {})
        if BREAK in slots.carried:
            left = _core.invoke_core("logical_not", [slots.carried[BREAK]], {})
            test = _core.invoke_core("logical_and", [left, test], {})
        after = _core.invoke_core("add", [counter, step], {})
        nodes = [counter, *(c.node for c in carried)]
        labels = ["", *(c.name for c in carried)]
        parts = [([test], nodes, [""]), ([after, *(c.out for c in carried)], nodes, labels)]
        operands = [first, *map(self._operand, carried)]
        options = {"carried": len(nodes)}
        made = slots.control("while_loop", parts, operands, since, options)
        last = _core.invoke_core("sub", [made[0], step], {})
        results = self._bind(found, carried, made[1:], None)
        if target not in [c.name for c in found] and target in slots.statement.outside:
            results[target] = loop.after(slots, target, last)
        return slots.in_order(results)

    def _last(self, values: Any) -> Any:
        return values[-1]

    def _operand(self, c: _Carried) -> Any:
        """The carried value before the first step."""
        if c.name == BREAK:
            return _core.trace_constant(False, "bool", "False")
        value = self.slots.outer.get(c.name, UNBOUND)
        if value is UNBOUND:
            attrs = {"shape": tuple(c.out.shape), "dtype": np.dtype(c.out.dtype).name}
            return _core.invoke_core("zeros", [], attrs)
        return self.slots.out_node(c.name, self.slots.entering(c.name, value))

    def _bind(
        self, found: list[_Carried], slots: list[_Carried], made: list[Any], steps: int | None
    ) -> dict[str, Any]:
        handles = dict(zip([c.name for c in slots], made, strict=True))
        results = dict(self.slots.outer)
        shared: dict[int, Any] = {}
        # Numbers may still be refused: nothing is written before.
        for c in sorted(found, key=lambda c: c.how == "written"):
            if c.how == "constant":
                results[c.name] = c.value
            elif c.how == "kept":
                continue
            elif c.how == "written":
                results[c.name] = self.slots.write(c.name, handles[c.name])
            elif handle_of(c.value) is not None:
                known = shared.get(id(c.value))
                results[c.name] = known if known is not None else self._array(c, handles[c.name])
                self.aliases.note(c.name, handles[c.name])
                shared[id(c.value)] = results[c.name]
            else:
                results[c.name] = self._number(c, handles[c.name], steps)
        self.aliases.note_pairs(results)
        return results

    def _array(self, c: _Carried, handle: Any) -> Any:
        if type(c.value) is TracedArray:
            return TracedArray.of_node(self.slots.recorder, handle, scalar=c.value.is_scalar)
        return handle

    def _number(self, c: _Carried, handle: Any, steps: int | None) -> Any:
        value = loop_number.of(c.value)
        assert value is not None
        before = self.slots.values.get(c.name)
        if type(before) is LoopNumber and before.kind is not value.kind:
            raise NotConvertible(f"{c.name} changes from {before.kind.__name__}")
        outer = numbers.plain(self.slots.outer.get(c.name))
        most = 0
        if value.kind is int:
            most = 2 * loop_number.STEPS
            if value.base is not None and value.base is c.node:
                if steps is not None and type(outer) is int:
                    return outer + steps * value.offset  # counts: known without running
                if abs(value.offset) > _DRIFT:
                    raise NotConvertible(f"{c.name} is an int that may leave 64 bits")
                most = loop_number.EXACT
            elif not -2 * loop_number.STEPS <= value.lo <= value.hi <= 2 * loop_number.STEPS:
                raise NotConvertible(f"{c.name} is an int that may leave 64 bits")
        return LoopNumber(handle, value.kind, -most, most)


def _constant(value: int) -> Any:
    return _core.trace_constant(value, "int64", repr(value))
