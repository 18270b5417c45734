"""Expressions of a loop's blocks as instructions, for the kinds at hand."""

from __future__ import annotations

import ast
from array import array
from contextlib import suppress
from types import ModuleType
from typing import Any

import numpy as np

from ... import _core
from ...reasons import Reason
from ..source.nodes import walk
from . import arithmetic, draws, functions, lists, new_arrays, picked, pure, whole
from .arithmetic import Value
from .kinds import (
    OTHER,
    TYPES,
    Stream,
    is_array,
    is_integer,
    is_list,
    is_sequence,
    kind_of,
    opened,
    tag_of,
)
from .parts import Element, Leaves, Slot

WIDTH = 6  # numbers of an instruction


class Values:
    """Mixed into the code that is made."""

    loop: Any
    watches: bool
    attributes: list[tuple[ModuleType, str, Any]]
    _code: array[int]
    _now: list[Any]  # kinds of the slots
    _next: int
    _add: Any
    emit: Any
    check: Any
    constant: Any
    constant_of: Any
    _temporary: Any
    consecutive: Any
    nodes: list[Any]
    computed_later: dict[int, int]
    appends: list[tuple[int, Any]]
    is_temporary: Any
    pinned: int  # a temporary that is read again
    taken: dict[int, int]  # the names' slots that have got hidden ones' arrays without axes

    # Indices -------------------------------------------------------------------------------------
    def _array_index(self, slot: int, indices: list[Any]) -> pure.Index | None:
        """The index of several elements, where a part of it is an array, a list or a range."""
        if not is_array(self._now[slot]):
            return None
        numbers = [i.slot for i in indices if isinstance(i, Slot) and i.is_number]
        if not all(is_integer(self._now[k]) for k in numbers):
            raise Leaves("an index of such a type", None)
        parts = [n for i in indices for n in walk(i)]
        if not any(
            isinstance(n, (ast.Call, ast.List))
            or (isinstance(n, (Slot, Element)) and self._may_be_several(n))
            for n in parts
        ):
            return None
        before = self._mark()
        with suppress(Leaves):  # the instructions for elements may know it
            index = pure.Index(self, indices)
            if index.is_fancy:
                return index
        self._back_to(before)
        return None

    def _may_be_several(self, part: Any) -> bool:
        kind = self._now[part.slot]
        several = isinstance(part, Slot) or any(isinstance(i, ast.Slice) for i in part.indices)
        return is_array(kind) or (is_sequence(kind) and several)

    def _mark(self) -> tuple[int, int, int]:
        return len(self._code), len(self.nodes), self._next

    def _back_to(self, mark: tuple[int, int, int]) -> None:
        """Takes back the instructions since then."""
        del self._code[mark[0] :], self.nodes[mark[1] :]
        self._next = mark[2]
        self.computed_later = {r: k for r, k in self.computed_later.items() if k < mark[1]}

    def _is_part(self, kind: Any, indices: list[Any]) -> bool:
        """Is it several elements of an array?"""
        simple = not any(
            isinstance(i, ast.Slice)
            or (isinstance(i, ast.Constant) and i.value in (None, ...))
            or (isinstance(i, ast.Attribute) and i.attr == "newaxis")
            for i in indices
        )
        return is_array(kind) and not (simple and len(indices) == kind[2])

    def _inner(self, slot: int, indices: list[Any]) -> tuple[Value, list[Any]]:
        """What the last indices are of: those before them are of lists in lists."""
        kind = self._now[slot]
        if type(kind) is not tuple or kind[0] == "is":
            raise Leaves(
                Reason("{name} is no array, list or text", name=self._words(Slot(slot))), None
            )
        base = kind, slot
        while is_sequence(base[0]) and base[0][2] == 1 and len(indices) > 1:
            if isinstance(indices[0], ast.Slice):
                raise Leaves("an item of a part of a list", None)
            base, indices = lists.item(self, base, indices[0]), indices[1:]
        return base, indices

    def _place(self, base: Value, indices: list[Any]) -> tuple[str, tuple[Any, ...]]:
        """(dtype's letter, (which instruction, operands)) of an element."""
        kind, _ = base
        if type(kind) is not tuple or kind[0] == "is":
            raise Leaves("an element of such a value", None)
        found = [self._value(i) for i in indices]
        if not all(is_integer(k) for k, _ in found):
            raise Leaves("an index of such a type", None)
        rank = 1 if kind[0] == "text" else kind[2]
        if len(found) != rank:
            raise Leaves("a part of an array", None)
        registers = [r for _, r in found]
        letter = kind[1] if kind[0] in ("array", "text") else "l"
        if rank == 1:
            return letter, (1, registers[0], 0)
        if rank == 2:
            return letter, (2, *registers)
        return letter, ("n", self.consecutive(registers), rank)

    # Expressions ----------------------------------------------------------------------------------
    def _value(self, node: Any) -> Value:
        """The kind and the register of an expression's value."""
        kind, register = self._held(node)
        return opened(kind), register

    def _held(self, node: Any) -> Value:
        """The same as a name holds it."""
        found: Any = _VALUES[type(node)]
        made: Value = found(self, node)
        return made

    def _once(self, slot: int, target: int) -> None:
        """What is held there becomes a name's: of one name only, since it is an object."""
        if slot < self.loop.named or self.taken.setdefault(slot, target) != target:
            raise Leaves("two names for an array without axes", None)

    def _of_slot(self, node: Slot) -> Value:
        return self._of(node.slot)

    def _of(self, slot: int) -> Value:
        kind = self._now[slot]
        if kind is None or kind == OTHER:
            name = self._words(Slot(slot))
            if kind is None:
                raise Leaves(Reason("{name} has no value", name=name), None)
            raise Leaves(
                Reason("{name} holds no number, array or list of numbers", name=name), None
            )
        return kind, slot

    def _of_constant(self, node: ast.Constant) -> Value:
        value: Any = node.value
        if type(value) is str and len(value) == 1:
            return "char", self.constant(ord(value))
        if value is None:
            return ("is", None), 0
        name = {int: "int", float: "float", bool: "bool", complex: "complex"}.get(type(value))
        if name is None or (name == "int" and not -(2**63) <= value < 2**63):
            raise Leaves("such a constant", None)
        return name, self.constant(value)

    def _of_binary(self, node: ast.BinOp) -> Value:
        left, right = self._value(node.left), self._value(node.right)
        if is_array(left[0]) or is_array(right[0]):
            left, right = lists.as_array(self, left), lists.as_array(self, right)
            try:
                return whole.binary(self, node.op, left, right)
            except Leaves:
                return pure.operated(self, node.op, left, right)
        if is_list(left[0]) or is_list(right[0]):
            return lists.binary(self, node.op, left, right)
        return arithmetic.binary(self, node.op, left, right)

    def _of_unary(self, node: ast.UnaryOp) -> Value:
        value = self._value(node.operand)
        if is_array(value[0]):
            return whole.unary(self, node.op, value)
        return arithmetic.unary(self, node.op, value)

    def _of_compare(self, node: ast.Compare) -> Value:
        left = self._value(node.left)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._contains(node.ops[0], left, node.comparators[0])
        right = self._value(node.comparators[0])
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            none = ("is", None)
            if none not in (left[0], right[0]):
                raise Leaves("identity of such values", None)
            same = left[0] == right[0]
            return "bool", self.constant(same == isinstance(node.ops[0], ast.Is))
        if is_array(left[0]) or is_array(right[0]):
            return whole.binary(self, node.ops[0], left, right)
        kind, name, x, y = arithmetic.compared(self, node.ops[0], left, right)
        return kind, self.emit(name, x, y)

    def _contains(self, op: Any, value: Value, given: Any) -> Value:
        """``value in given``, of a list or a tuple, or of several values that stand there."""
        if not isinstance(given, (ast.Tuple, ast.List)):
            return lists.contains(self, op, value, self._value(given))
        if value[0] in ("float", ".d", ".f"):  # a nan is in what has that very object
            self.check("number_f", value[1])
        found = self.constant(0)
        for one in given.elts:
            _, name, x, y = arithmetic.compared(self, ast.Eq(), value, self._value(one))
            found = self.emit("or_i", found, self.emit(name, x, y))
        return "bool", self.emit("not_i", found) if isinstance(op, ast.NotIn) else found

    def _of_display(self, node: Any) -> Value:
        what = "list" if isinstance(node, ast.List) else "tuple"
        return lists.display(self, what, [self._value(e) for e in node.elts])

    def _of_element(self, node: Element) -> Value:
        index = self._array_index(node.slot, node.indices)
        if index is not None:
            return picked.element(self, self._of(node.slot), index)
        base, indices = self._inner(node.slot, node.indices)
        kind = base[0]
        if self._is_part(kind, indices):
            return whole.view(self, base, indices, self._value)
        if is_sequence(kind) and kind[2] > len(indices):
            if isinstance(indices[0], ast.Slice):
                raise Leaves("a part of a list", None)
            whole_one = ("array", "", 2, True), base[1]
            _, row = whole.view(self, whole_one, indices, self._value)
            return (kind[0], kind[1], 1), row
        if is_sequence(kind) and kind[2] == 1 and len(indices) == 1:
            if isinstance(indices[0], ast.Slice):
                return lists.part(self, base, indices[0])
            return lists.item(self, base, indices[0])
        letter, at = self._place(base, indices)
        made = self._temporary()
        tag = tag_of(kind[1]) << 8 if is_sequence(kind) else 0  # of rows
        self._add(f"load_{at[0]}", made, base[1], *at[1:], TYPES.index(letter) + tag)
        if kind[0] == "array":
            return f".{letter}", made
        if kind[0] != "text":
            return kind[1], made
        return "char" if kind[2] else "int", made

    def _of_subscript(self, node: ast.Subscript) -> Value:
        """``x.shape[0]``."""
        way: Any = node.value
        axis: Any = node.slice
        is_back = isinstance(axis, ast.UnaryOp) and isinstance(axis.op, ast.USub)
        number = getattr(axis.operand if is_back else axis, "value", None)
        if way.attr != "shape" or type(number) is not int:
            raise Leaves("an element of an attribute", None)
        number = -number if is_back else number
        kind, slot = self._value(way.value)
        if type(kind) is not tuple or kind[0] != "array" or not -kind[2] <= number < kind[2]:
            raise Leaves("a shape of such a value", None)
        return "int", self.emit("length", slot, number % kind[2])

    def _of_attribute(self, node: ast.Attribute) -> Value:
        kind, register = self._value(node.value)
        name = node.attr
        if type(kind) is tuple and kind[0] == "is":
            if type(kind[1]) is Stream:
                return draws.method_of(kind[1], name)
            if isinstance(kind[1], np.ufunc) and name in pure.METHODS_OF_UFUNCS:
                return ("is", getattr(kind[1], name)), 0
            return self._of_module(kind[1], name)
        if is_array(kind) and name == "T":
            return whole.turned(self, (kind, register))
        if is_array(kind) and name == "dtype":
            return ("is", np.dtype(kind[1])), 0
        if is_array(kind) and name == "ndim":
            return "int", self.constant(kind[2])
        if is_array(kind) and name == "size":
            made = self.emit("length", register, 0)
            for axis in range(1, kind[2]):
                made = self.emit("mul_i", made, self.emit("length", register, axis))
            return "int", made
        if kind in ("complex", ".D") and name in ("real", "imag"):
            made = self.emit(f"{name}_c", register)
            return ("float" if kind == "complex" else ".d"), made
        raise Leaves(Reason("the attribute {name}", name=name), None)

    def _of_module(self, module: Any, name: str) -> Value:
        """A module's number, or what is called; it is looked at before each run."""
        if type(module) is not ModuleType or name not in vars(module):
            raise Leaves(Reason("the attribute {name}", name=name), None)
        value = vars(module)[name]
        self.attributes.append((module, name, value))
        if type(value) in (int, float) and kind_of(value, -1) != OTHER:
            return type(value).__name__, self.constant(value)
        kind = kind_of(value, -1)
        if type(kind) is not tuple or kind[0] != "is":
            raise Leaves(Reason("the attribute {name}", name=name), None)
        return kind, 0

    def _of_call(self, node: ast.Call) -> Value:
        values: list[Any] = []
        function: Any = None
        named = {str(k.arg): k.value for k in node.keywords}
        if isinstance(node.func, ast.Attribute):
            base = self._value(node.func.value)
            if is_sequence(base[0]):
                if named:
                    raise Leaves("a list's method with these arguments", None)
                return lists.gives(self, base, node.func.attr, [self._value(a) for a in node.args])
            if is_array(base[0]):
                name = node.func.attr
                if name in whole.METHODS:
                    found = self._tried(whole.METHODS[name], [base], node)
                    if found is not None:
                        return found
                if name == "astype" and not named:
                    before = self._mark()
                    with suppress(Leaves):
                        return new_arrays.as_type(self, base, node.args)
                    self._back_to(before)
                return pure.method(self, base, name, node.args, named)
        if function is None:
            function = self._called(node.func)
        found = self._tried(function, [], node)
        if found is not None:
            return found
        if draws.knows(function):
            return draws.call(self, function, node, named)
        if pure.knows(function) or (function is round and len(node.args) == 2):
            return pure.call(self, function, node.args, named)
        if node.keywords:
            raise Leaves(Reason("{name}() with these arguments", name=self._words(node.func)), None)
        values = [self._value(a) for a in node.args]
        if isinstance(function, np.ufunc) and function not in functions.FUNCTIONS:
            return whole.apply(self, function, values)
        if isinstance(function, np.ufunc) and any(is_array(k) for k, _ in values):
            return whole.apply(self, function, values)
        if function is np.absolute and any(k in ("complex", ".D") for k, _ in values):
            return whole.apply(self, function, values)  # by a root of its own
        if function is len and len(values) == 1:
            given, slot = values[0]
            if type(given) is tuple and given[0] != "is":
                return "int", self.emit("length", slot, 0)
        if function is abs and len(values) == 1 and is_array(values[0][0]):
            return whole.apply(self, np.absolute, values)
        return functions.called(self, function, values)

    def _called(self, node: Any) -> Any:
        """The object by itself that is called."""
        try:
            kind, _ = self._value(node)
        except Leaves:
            kind = OTHER
        if type(kind) is not tuple or kind[0] != "is" or kind[1].__hash__ is None:
            raise Leaves(Reason("a call of {name}()", name=self._words(node)), None)
        return kind[1]

    def _words(self, node: Any) -> str:
        """A name or an attribute of one, as the user has written it."""
        if isinstance(node, ast.Attribute):
            return f"{self._words(node.value)}.{node.attr}"
        slot = node.slot if isinstance(node, Slot) else -1
        return next(
            (str(n).strip("<>") for n, k in self.loop.slots.items() if k == slot), "a value"
        )

    def _tried(self, function: Any, given: list[Any], node: ast.Call) -> Value | None:
        """A call of a function that has instructions of its own, if it has for such arguments."""
        known = _FUNCTIONS.get(function)
        if known is None:
            return None
        before = self._mark()
        try:
            if function in lists.ARRAYS and len(node.args) == 1 and not node.keywords:
                value = self._argument(node.args[0])
                if type(value) is tuple and self._code[len(self._code) - WIDTH] == _GATHER:
                    return value
                self._back_to(before)
            values = [*given, *(self._argument(a) for a in node.args)]
            if function not in new_arrays.OF_LISTS and any(type(v) is list for v in values):
                raise Leaves("a list is given", None)
            named = {str(k.arg): self._argument(k.value) for k in node.keywords}
            made: Value | None = known(self, function, values, named) if values else None
        except Leaves:
            self._back_to(before)
            return None
        return made

    def _argument(self, node: Any) -> Any:
        """The value of an argument, or a tuple's."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self._argument(e) for e in node.elts]
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return self.shape_of(node)
        value = self._value(node)
        return lists.as_array(self, value)

    def shape_of(self, node: ast.Attribute) -> list[Value]:
        """The lengths of an array, for its ``shape``."""
        kind, register = self._value(node.value)
        if not is_array(kind):
            raise Leaves("a shape of such a value", None)
        return [("int", self.emit("length", register, axis)) for axis in range(kind[2])]

    def _of_others(self, node: Any) -> Value:
        raise Leaves("such an expression", None)


_GATHER = _core.units.OPCODES["gather"]  # makes an array of a list
_FUNCTIONS = {**whole.FUNCTIONS, **picked.FUNCTIONS, **new_arrays.FUNCTIONS}
_VALUES = {
    Slot: Values._of_slot, ast.Constant: Values._of_constant,
    ast.BinOp: Values._of_binary, ast.UnaryOp: Values._of_unary, ast.Compare: Values._of_compare,
    Element: Values._of_element, ast.Subscript: Values._of_subscript,
    ast.Attribute: Values._of_attribute, ast.Call: Values._of_call, ast.Tuple: Values._of_display,
    ast.List: Values._of_display, ast.Dict: Values._of_others, ast.Slice: Values._of_others,
}  # fmt: skip
