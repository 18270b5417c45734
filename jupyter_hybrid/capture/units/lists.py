"""Lists that a unit makes, reads and changes.

What an item is, is kept beside it: a list's kind says only what its next item read is expected to
be, and an instruction that finds another one leaves.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...reasons import Reason
from ..source.nodes import walk
from .arithmetic import Value
from .kinds import (
    TYPES,
    Mixed,
    is_array,
    is_integer,
    is_list,
    is_number,
    is_sequence,
    item_of,
    items_as,
    tag_of,
)
from .parts import Leaves
from .whole import view

_CHANGE_LENGTH = frozenset({"append", "pop", "insert", "extend", "clear", "remove"})
_MOST_DEEP = 3  # lists in lists
_DISPLAYS = (ast.List, ast.ListComp)


def change_length(nodes: list[Any]) -> bool:
    """May lists get longer or shorter there?"""
    return any(
        n.attr in _CHANGE_LENGTH
        if isinstance(n, ast.Attribute)
        else isinstance(n, ast.Delete)
        or (isinstance(n, ast.AugAssign) and isinstance(n.value, _DISPLAYS))
        for node in nodes
        for n in walk(node)
    )


def change_rows(nodes: list[Any]) -> bool:
    """May a list in a list become longer, shorter or another one there?"""
    stores = (n for node in nodes for n in walk(node) if isinstance(n, ast.Assign))
    targets = (t for n in stores for t in n.targets)
    others = (
        isinstance(t, ast.Subscript) and not isinstance(t.value, ast.Subscript) for t in targets
    )
    return any(others) or change_length(nodes)


def pops(node: ast.Call) -> bool:
    """Is it called like what takes an item away?"""
    return isinstance(node.func, ast.Attribute) and node.func.attr == "pop"


def _depth(kind: Any) -> int:
    return 1 + _depth(item_of(kind)) if is_sequence(kind) else 0


def item_tag(code: Any, value: Value) -> int:
    """The tag of what a list is given. No nan: ``in`` finds the very object that was given."""
    kind, register = value
    tag = tag_of(kind)
    if not tag or _depth(kind) == _MOST_DEEP or (is_sequence(kind) and kind[2] != 1):
        raise Leaves("a list is given such an item", None)
    if kind in ("float", ".d", ".f") and code.constant_of(register) is None:
        code.check("number_f", register)
    return tag


def display(code: Any, what: str, values: list[Value]) -> Value:
    """``[a, b, ...]``, or a tuple."""
    made = code.emit("new_list", len(values), int(what == "tuple"))
    for value in values:
        tag = item_tag(code, value)
        code.check("push", value[1], made, tag)
    return items_as(what, [kind for kind, _ in values]), made


def push(code: Any, base: Value, value: Value) -> Value:
    """``base.append(value)``; the list as it is then."""
    tag = item_tag(code, value)
    code.check("push", value[1], base[1], tag)
    return _ending_with(base[0], value[0]), base[1]


def _ending_with(kind: Any, last: Any) -> Any:
    """The kind of a list whose last item is that."""
    items = kind[1]
    return "list", Mixed(items.first, last) if type(items) is Mixed else last, 1


def item(code: Any, base: Value, index: Any) -> Value:
    """``base[index]`` of a list whose items may be lists or arrays."""
    register = index_of(code, index)
    return item_at(code, base, register, code.small(register))


def item_at(code: Any, base: Value, at: int, number: int | None = None) -> Value:
    """The same of a register's index; the number that this always has."""
    kind = item_of(base[0], number)
    if kind is None:
        raise Leaves("an item of an empty list", None)
    return checked(code, kind, code.emit("load_1", base[1], at, 0, tagged(kind)))


def checked(code: Any, kind: Any, register: int) -> Value:
    """What was an item of a list, as that kind."""
    if is_array(kind):
        code.check("is_like", register, TYPES.index(kind[1]), kind[2])
    return kind, register


def tagged(kind: Any) -> int:
    """The last operand of what reads or writes an item."""
    return TYPES.index("l") + (tag_of(kind) << 8)


def index_of(code: Any, node: Any) -> int:
    """The register of an index."""
    kind, register = code._value(node)
    if not is_integer(kind):
        raise Leaves("an index of such a type", None)
    return int(register)


def part(code: Any, base: Value, index: ast.Slice) -> Value:
    """``base[a:b:c]``, a new list."""
    if base[0][0] != "list" or base[0][2] != 1:
        raise Leaves("a part of a tuple, or of rows", None)
    seen = ("array", "l", 1, True), base[1]
    return base[0], code.emit("listed", view(code, seen, [index], code._value)[1])


def binary(code: Any, op: Any, left: Value, right: Value) -> Value:
    """``a + b``, ``a * 3``."""
    if isinstance(op, ast.Mult) and is_list(right[0]):
        left, right = right, left
    if not is_list(left[0]) or left[0][2] != 1:
        raise Leaves("an operator of such values", None)
    if isinstance(op, ast.Mult) and right[0] == "int":
        return left[0], code.emit("repeat", left[1], right[1])
    if not isinstance(op, ast.Add) or not is_list(right[0]) or right[0][2] != 1:
        raise Leaves("an operator of such values", None)
    made = code.emit("listed", left[1])
    return extend(code, (left[0], made), right)


def extend(code: Any, base: Value, more: Value) -> Value:
    """``base.extend(more)``; the list as it is then."""
    if not is_sequence(more[0]) or more[0][2] != 1:
        raise Leaves("a list is extended by such a value", None)
    code.check("extend", base[1], more[1])
    last = item_of(more[0])
    return base[0] if last is None else _ending_with(base[0], last), base[1]


def as_array(code: Any, value: Value) -> Value:
    """What NumPy makes of a list, a tuple, or lists in a list, that it is given."""
    kind, register = value
    if not is_sequence(kind):
        return value
    of = item_of(kind)
    letter = {"int": "l", "float": "d", "bool": "?"}.get(of) if type(of) is str else None
    if letter is None and is_number(of) and tag_of(of):
        letter = of[1]
    if letter is None:
        raise Leaves("an array is made of such items", None)
    return ("array", letter, kind[2], True), code.emit("gather", register, tag_of(of))


def contains(code: Any, op: Any, value: Value, given: Value) -> Value:
    """``value in given``"""
    if not is_sequence(given[0]) or given[0][2] != 1 or not is_number(value[0]):
        raise Leaves("such values are looked for", None)
    found = code.emit("find", given[1], value[1], item_tag(code, value))
    nowhere = code.emit("lt_i", found, code.constant(0))
    return "bool", nowhere if isinstance(op, ast.NotIn) else code.emit("not_i", nowhere)


# Methods ------------------------------------------------------------------------------------------
def _pop(code: Any, base: Value, args: list[Value]) -> Value:
    kind = item_of(base[0])
    at = args[0] if args else ("int", code.constant(-1))
    if kind is None or not is_integer(at[0]):
        raise Leaves("an item is taken from such a list", None)
    return checked(code, kind, code.emit("pop", base[1], at[1], tag_of(kind)))


def _copy(code: Any, base: Value, args: list[Value]) -> Value:
    return base[0], code.emit("listed", base[1])


def _index(code: Any, base: Value, args: list[Value]) -> Value:
    if not is_number(args[0][0]):
        raise Leaves("such a value is looked for", None)
    found = code.emit("find", base[1], args[0][1], item_tag(code, args[0]))
    code.check("nonzero_i", code.emit("not_i", code.emit("lt_i", found, code.constant(0))))
    return "int", found


def _insert(code: Any, base: Value, args: list[Value]) -> Value:
    if not is_integer(args[0][0]):
        raise Leaves("an index of such a type", None)
    tag = item_tag(code, args[1])
    code.check("insert", args[1][1], base[1], args[0][1], tag)
    return _ending_with(base[0], args[1][0]), base[1]


def _extend(code: Any, base: Value, args: list[Value]) -> Value:
    return extend(code, base, args[0])


def _remove(code: Any, base: Value, args: list[Value]) -> Value:
    _, at = _index(code, base, args)
    code.emit("pop", base[1], at, tag_of(args[0][0]))  # what is found is of that kind
    return base


def delete(code: Any, base: Value, at: Value) -> None:
    """``del base[at]``"""
    if not is_list(base[0]) or base[0][2] != 1:
        raise Leaves("a del of such a value", None)
    _pop(code, base, [at])


def _reverse(code: Any, base: Value, args: list[Value]) -> Value:
    code.check("reverse", base[1])
    return base


def _sort(code: Any, base: Value, args: list[Value]) -> Value:
    kind = item_of(base[0])
    if kind is not None:
        code.check("sort", base[1], tag_of(kind))
    else:  # nothing to be sorted
        length = code.emit("length", base[1], 0)
        code.check("nonzero_i", code.emit("eq_i", length, code.constant(0)))
    return base


#: Methods that give a value, and how many arguments they have.
_GIVE: dict[str, tuple[Any, tuple[int, ...]]] = {
    "pop": (_pop, (0, 1)), "copy": (_copy, (0,)), "index": (_index, (1,)),
}  # fmt: skip
#: Methods that change a list and give None.
_CHANGE: dict[str, tuple[Any, tuple[int, ...]]] = {
    "insert": (_insert, (2,)), "extend": (_extend, (1,)),
    "reverse": (_reverse, (0,)), "sort": (_sort, (0,)), "remove": (_remove, (1,)),
}  # fmt: skip


def _known(methods: dict[str, Any], base: Value, name: str, count: int) -> Any:
    found, counts = methods.get(name, (None, ()))
    if base[0][0] != "list" or base[0][2] != 1 or count not in counts:
        raise Leaves(Reason("{name}() of such a value", name=name), None)
    return found


def gives(code: Any, base: Value, name: str, args: list[Value]) -> Value:
    """What a method gives."""
    made: Value = _known(_GIVE, base, name, len(args))(code, base, args)
    return made


def changes(code: Any, base: Value, name: str, args: list[Value]) -> Value:
    """A method whose result nobody needs; the list as it is then."""
    if name in _GIVE:
        gives(code, base, name, args)
        return base
    made: Value = _known(_CHANGE, base, name, len(args))(code, base, args)
    return made


#: What NumPy's functions make of a list is an array already.
ARRAYS = (np.array, np.asarray, np.asanyarray)
