"""Steps of a loop's blocks as instructions, for the kinds at hand."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from ... import _core
from ...reasons import Reason
from . import arithmetic, lists, picked, pure, whole
from .arithmetic import Value
from .kinds import (
    OTHER,
    TYPES,
    Stream,
    is_array,
    is_integer,
    is_list,
    is_number,
    is_sequence,
    item_of,
    letter_of,
    opened,
)
from .parts import Leaves, Slot
from .values import WIDTH, Values


class Steps(Values):
    """Mixed into the code that is made."""

    def _set(self, slot: int, expression: Any) -> None:
        kind, register = self._held(expression)
        if opened(kind) is not kind and isinstance(expression, Slot):
            self._once(expression.slot, slot)
        if type(kind) is not tuple and kind == OTHER:
            raise Leaves("a value of such a type", None)
        is_stream = type(kind) is tuple and type(kind[1]) is Stream
        if is_stream and slot < self.loop.named and self._now[slot] != kind:
            raise Leaves("another name for a generator of random numbers", None)
        self._now[slot] = kind
        if letter_of(kind) == "-" or register == slot:
            return
        last = len(self._code) - WIDTH
        made_here = self.is_temporary(register)
        if made_here and last >= 0 and self._code[last + 1] == register and self._gives_result():
            self._code[last + 1] = slot
        else:
            self._add("move_c" if letter_of(kind) == "c" else "move", slot, register)

    def _gives_result(self) -> bool:
        return self._code[len(self._code) - WIDTH] in _GIVES

    def _update(self, slot: int, operation: ast.BinOp) -> None:
        """``name op= value``."""
        kind = self._now[slot]
        if opened(kind) is not kind:
            raise Leaves("an array without axes is updated", None)
        if is_array(kind):
            value = self._value(operation.right)
            whole.update(self, (kind, slot), operation.op, lists.as_array(self, value))
        elif is_list(kind):
            if not isinstance(operation.op, ast.Add) or not self.loop.lists_grow or kind[2] != 1:
                raise Leaves("a list is updated", None)
            self._now[slot] = lists.extend(self, (kind, slot), self._value(operation.right))[0]
        else:
            self._set(slot, operation)

    def _alter(self, slot: int, indices: list[Any], operation: ast.BinOp) -> None:
        """``name[indices] op= value``."""
        index = self._array_index(slot, indices)
        if index is not None:
            base = self._of(slot)
            self.pinned = index.alone[1] if index.alone else -1
            old = picked.element(self, base, index)
            made = whole.binary(self, operation.op, old, self._value(operation.right))
            if not is_array(made[0]) or made[0][1] != base[0][1]:
                raise Leaves("an array is updated with another dtype", None)
            self.pinned = -1
            picked.store(self, base, index, made)
            return
        mark = self._mark()
        base, rest = self._inner(slot, indices)
        if not self._is_part(base[0], rest):
            of = item_of(base[0]) if is_list(base[0]) and base[0][2] == 1 else None
            if is_array(of) and len(rest) == 1 and not isinstance(rest[0], ast.Slice):
                target = lists.item(self, base, rest[0])  # in place: it stays there
                self.pinned = target[1]
                value = lists.as_array(self, self._value(operation.right))
                whole.update(self, target, operation.op, value)
            elif type(of) is tuple:
                raise Leaves("a list in a list is updated", None)
            else:
                self._back_to(mark)
                self._store(slot, indices, operation)
            return
        value = self._value(operation.right)
        target = whole.view(self, base, rest, self._value)
        self.pinned = target[1]
        whole.update(self, target, operation.op, value)

    def assigned(self, target: Value, value: Value) -> None:
        """``target[...] = value`` of a whole array."""
        if is_array(value[0]) and value[0][1] != target[0][1]:
            raise Leaves("an array is given elements of another dtype", None)
        whole.assign(self, target, value)

    def _append(self, slot: int, expression: Any) -> None:
        """``name.append(value)`` of a list."""
        kind = self._now[slot]
        if is_list(kind):
            base = self._of(slot)
            self._now[slot] = lists.push(self, base, self._value(expression))[0]
            return
        if kind != ("is", ("grows", slot)):
            raise Leaves("an append to such a value", None)
        value = self._held(expression)
        is_object = is_array(value[0]) or is_sequence(value[0])
        if not (is_object or is_number(value[0])):
            raise Leaves("such a value is appended", None)
        if value[0] in ("float", ".d", ".f", "complex", ".D"):
            self._not_nan(value)  # `in` finds the very object that was appended
        self._add("append", value[1], len(self.appends), int(is_object))
        self.appends.append((slot, value[0]))

    def _append_to(self, slot: int, indices: list[Any], expression: Any) -> None:
        """``name[indices].append(value)`` of a list in a list."""
        base, rest = self._inner(slot, indices)
        if len(rest) != 1 or not is_list(base[0]) or not is_list(item_of(base[0])):
            raise Leaves("an append to such a value", None)
        row = lists.item(self, base, rest[0])
        kind = lists.push(self, row, self._value(expression))[0]
        for _ in indices:
            kind = ("list", kind, 1)
        self._now[slot] = kind

    def _not_nan(self, value: Value) -> None:
        if value[0] in ("complex", ".D"):
            self._add("nonzero_i", self.emit("eq_c", value[1], value[1]))
        else:
            self._add("number_f", value[1])

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            mark, base = self._mark(), None
            with suppress(Leaves):
                base = self._value(node.func.value)
            if base is not None and is_list(base[0]):
                self._change(node, base)
                return
            self._back_to(mark)
        pure.stands_alone(self, node)

    def _change(self, node: ast.Call, base: Value) -> None:
        """A list's method as a statement."""
        of: Any = node.func
        if node.keywords:
            raise Leaves("a list's method with these arguments", None)
        kind, _ = lists.changes(self, base, of.attr, [self._value(a) for a in node.args])
        if isinstance(of.value, Slot):
            self._now[of.value.slot] = kind

    def _delete(self, slot: int, index: Any) -> None:
        lists.delete(self, self._of(slot), self._value(index))

    def _unchanged(self, slot: int, items: list[int]) -> None:
        """Lists that a loop goes through have as many items as they had when it began."""
        if not any(is_list(self._now[item]) for item in items):
            return
        lengths = [self.emit("length", item, 0) for item in items]
        least = lengths[0]
        for length in lengths[1:]:
            least = self.emit("min_i", least, length)
        wanted = self.emit("add_i", slot, slot + 1)  # those taken, and those left
        self.check("nonzero_i", self.emit("eq_i", wanted, least))

    def _store(self, slot: int, indices: list[Any], expression: Any) -> None:
        value = self._value(expression)
        index = self._array_index(slot, indices)
        if index is not None:
            picked.store(self, self._of(slot), index, value)
            return
        base, indices = self._inner(slot, indices)
        if self._is_part(base[0], indices):
            whole.assign(self, whole.view(self, base, indices, self._value), value)
            return
        kind, tag = base[0], 0
        if is_sequence(kind) and isinstance(indices[0], ast.Slice):
            raise Leaves("a part of a list is given other items", None)
        letter, at = self._place(base, indices)
        if kind[0] == "array":
            if not kind[3]:
                raise Leaves("a read-only array is written", None)
            made = arithmetic.stored(self, value, letter)
        elif kind[0] == "list":
            made, tag = value[1], lists.item_tag(self, value) << 8
        else:
            raise Leaves("an item of a tuple or a text is given a value", None)
        self._add(f"store_{at[0]}", made, base[1], *at[1:], TYPES.index(letter) + tag)

    def _is(self, slot: int, wanted: Any) -> None:
        kind = self._now[slot]
        if type(kind) is not tuple or kind[0] != "is" or kind[1] is not wanted:
            raise Leaves(Reason("{name} is another function here", name=wanted.__name__), None)

    def _range(self, slot: int, expressions: list[Any]) -> None:
        found = [self._value(e) for e in expressions]
        if not 1 <= len(found) <= 3 or not all(is_integer(k) for k, _ in found):
            raise Leaves("range() of such values", None)
        start, stop, step = self.range_of([r for _, r in found])
        self._add("steps_of", slot + 1, start, stop, step)
        self._add("move", slot, start)
        self._add("move", slot + 2, step)
        self._now[slot : slot + 4] = ["int", "int", "int", None]

    def range_of(self, registers: list[int]) -> list[int]:
        """Of start, stop and step, for as many as are given."""
        if len(registers) == 1:
            registers = [self.constant(0), *registers]
        return registers if len(registers) == 3 else [*registers, self.constant(1)]

    def _items(self, slot: int, items: list[int]) -> None:
        for k, item in enumerate(items):
            kind = self._now[item]
            if type(kind) is not tuple or kind[0] == "is":
                raise Leaves("what a loop goes through", None)
            if k == 0:
                self._add("length", slot + 1, item, 0)
            else:
                self._add("min_i", slot + 1, slot + 1, self.emit("length", item, 0))
        self._add("move", slot, self.constant(0))
        self._add("move", slot + 2, self.constant(1))
        self._now[slot : slot + 4] = ["int", "int", "int", None]

    def _several(self, slot: int) -> None:
        """Indices in one pair of brackets, which lists don't take."""
        if is_sequence(self._now[slot]):
            raise Leaves("several indices of a list or tuple", None)

    def _unset(self, slot: int, count: int) -> None:
        self._now[slot : slot + count] = [None] * count

    def _unpack(self, slot: int, rank: int) -> None:
        kind = self._now[slot]
        if type(kind) is not tuple or kind[0] != "array" or kind[2] != rank:
            raise Leaves("a shape of another rank", None)

    def _apart(self, slot: int, count: int) -> None:
        """An array or a list has so many items."""
        kind = self._now[slot]
        if type(kind) is not tuple or kind[0] not in ("array", "list", "tuple"):
            raise Leaves("such a value is taken apart", None)
        length = self.emit("length", slot, 0)
        self.check("nonzero_i", self.emit("eq_i", length, self.constant(count)))


STEPS = {
    "set": Steps._set, "store": Steps._store, "is": Steps._is, "range": Steps._range,
    "items": Steps._items, "unpack": Steps._unpack, "apart": Steps._apart,
    "update": Steps._update, "alter": Steps._alter, "unset": Steps._unset,
    "append": Steps._append, "append_to": Steps._append_to, "call": Steps._call,
    "several": Steps._several, "unchanged": Steps._unchanged, "delete": Steps._delete,
}  # fmt: skip
# Instructions whose first operand is the register of a result.
_GIVES = frozenset(
    number
    for name, number in _core.units.OPCODES.items()
    if name.split("_")[0]
    not in ("commit", "exit", "leave", "jump", "back", "next", "if", "unless", "store")
    and name
    not in ("shift_fits", "fits", "exact_i", "nonzero_f", "nonzero_i", "number_f", "finite_f")
    and name not in ("assign", "fill", "put_at", "ordered", "append", "push", "insert", "extend")
    and name not in ("reverse", "sort", "is_like")
)
