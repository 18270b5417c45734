"""Arrays that the branches of an ``if`` write in place: each branch writes into a copy of its own.

The ``cond`` node gives their contents at the end of the branch that runs, and the array outside is
written once, after it. Whoever shares its memory must not have been read meanwhile.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ... import _core, autograd
from ...capture import numbers
from ...np_face import TracedArray
from .errors import NotConvertible
from .kinds import handle_of
from .returns import RETURN

if TYPE_CHECKING:
    from .slots import Slots


class BranchWrites:
    """The parameters of two branches, and what was written into them."""

    def __init__(self, slots: Slots):
        self.slots = slots
        self.nodes: dict[str, Any] = {}
        self.given: list[dict[str, Any]] = []  # what each branch got in the place of its arrays
        self.rebound: list[str] = []  # names that are written and then another array
        self._serial: list[int] = []  # when each branch began
        outer: list[Any] = []
        for name in sorted(slots.written_arrays()):
            value = slots.values.get(name)
            handle = handle_of(value)
            if handle is None:
                continue
            self._check(name, value, outer)
            outer.append(value)
            node = slots.parameter(tuple(handle.shape), handle.dtype, handle.context, name)
            self.nodes[name] = slots.carried[name] = node

    def _check(self, name: str, value: Any, others: list[Any]) -> None:
        if type(value) is TracedArray:
            if not value.writeable:
                raise NotConvertible(f"{name} is read-only")
            shared = any(_root(value) is _root(o) for o in others)
        else:
            if autograd.is_recording():
                raise NotConvertible(f"{name} may be written in place while gradients are recorded")
            families = _core.alias_groups(self.slots.recorder.live())
            shared = any(value is a for family in families for a in family)
        handles = [handle_of(o) for o in others]
        now = numbers.serial()
        if shared or any(_core.reads_window([handle_of(value)], h, now) for h in handles):
            raise NotConvertible(f"{name} may be the same memory as another array")

    def values(self) -> dict[str, Any]:
        """What the next branch gets in the place of the arrays outside."""
        made: dict[str, Any] = {}
        for name, node in self.nodes.items():
            if type(self.slots.values[name]) is TracedArray:
                made[name] = self.slots.proxy(node, False)
            else:
                made[name] = _core.invoke_core("identity", [node], {})
                self.slots.recorder.disown([made[name]])
                self.slots.stand_ins.setdefault(name, []).append(made[name])
        self.given.append(made)
        self._serial.append(numbers.serial())
        return made

    def settle(self, ends: list[dict[str, Any]]) -> list[str]:
        """Names that a branch wrote. Puts the arrays outside where the ends have their stand-ins.

        A name that is written and then another array gets a value of its own beside the array that
        is written.
        """
        written = []
        for name in self.nodes:
            made = [given[name] for given in self.given]
            if any(map(self._was_written, made, self._serial)):
                if any(end.get(name) is not m for end, m in zip(ends, made, strict=True)):
                    if not isinstance(self.slots.statement.node, ast.If):
                        raise NotConvertible(f"{name} is written in place and bound anew")
                    self.rebound.append(name)
                    for end, m in zip(ends, made, strict=True):
                        if end.get(name) is m:
                            end[name] = self._copy(m)
                written.append(name)
            for end, stand_in in zip(ends, made, strict=True):
                for other, value in end.items():
                    if value is not stand_in:
                        continue
                    if name in written and other.startswith(RETURN):
                        end[other] = self._as_it_is(name, stand_in)
                    else:
                        end[other] = self.slots.values[name]
        return written

    def _as_it_is(self, name: str, stand_in: Any) -> Any:
        """What a branch returns: the array with its contents there, known to be the same one."""
        made = self._copy(stand_in)
        known = [handle_of(self.slots.values[name])]
        self.slots.recorder.returning.append((handle_of(made), known))
        return made

    def _copy(self, stand_in: Any) -> Any:
        node = _core.invoke_core("identity", [handle_of(stand_in)], {})
        if type(stand_in) is TracedArray:
            return TracedArray.of_node(self.slots.recorder, node, scalar=False)
        return node

    def write(self, contents: dict[str, Any], results: dict[str, Any]) -> None:
        """Writes the arrays outside, and notes which of the results may be these."""
        for name, handle in contents.items():
            outer = self.slots.write(name, handle)
            if name not in self.rebound:
                results[name] = outer
        for name in self.rebound:
            result = handle_of(results.get(name))
            if result is not None:
                outer = self.slots.outer_array(self.slots.outer[name])
                self.slots.recorder.may_be.append((result, [handle_of(outer)]))

    def _was_written(self, made: Any, serial: int) -> bool:
        if type(made) is TracedArray:
            return made.version != 0
        return _core.count_recorded([made], serial) > 0

    def contents(self, name: str) -> list[Any]:
        """The nodes of what an array holds at the end of each branch."""
        return [handle_of(given[name]) for given in self.given]

    def check_reads(self, written: list[str], outputs: list[Any]) -> None:
        """Raises NotConvertible when the branches read a written array by another name."""
        slots = self.slots
        since = slots.aliases.serial
        for name in written:
            array = slots.outer_array(slots.outer[name])
            memory = [handle_of(array)]
            if type(array) is TracedArray:
                root = _root(array)
                if root.origin is not None and slots.shares_memory(root):
                    raise NotConvertible(f"{name} shares its memory with another array")
                alive = [p for p in (r() for r in slots.recorder.proxies) if p is not None]
                memory += [p._handle for p in alive if p is not array and _root(p) is root]
            else:
                for mine in self.contents(name):
                    others = [h for h in outputs if h is not mine]
                    families = _core.alias_groups([mine, *others])
                    if any(mine is h for family in families for h in family):
                        raise NotConvertible(f"a view of {name} stays")
            for handle in memory:
                if handle is not None and _core.reads_window(outputs, handle, since):
                    raise NotConvertible(f"{name} is written in place and read by another name")

    def forget(self, ends: list[dict[str, Any]]) -> None:
        """Nothing of the branches is alive any more when memory outside is written."""
        for values in (*ends, *self.given):
            values.clear()
        self.nodes.clear()
        self.slots.carried.clear()
        self.slots.stand_ins.clear()


def _root(array: Any) -> Any:
    while type(array) is TracedArray and array.parent is not None:
        array = array.parent
    return array
