"""Kinds of values, as exact as their types: what a unit is compiled for.

Python's are ``"int"``, ``"float"``, ``"bool"``, ``"complex"``; NumPy's scalars have a dot and
their dtype's letter (``".d"``), since they compute and warn in other ways; arrays without axes,
which only names hold, have a zero (``"0d"``); a character of a text is ``"char"``. Other arrays,
lists (with the kind that their next item is expected to have; those of lists of one length have
two axes), tuples and texts are tuples themselves; ``("is", x)`` is an
object by itself (a function, a module, None); None is a name that is not bound, ``"other"``
whatever a unit can't work with. The core knows those of numbers and NumPy's arrays.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...np_face import TracedArray

TYPES = "?bhilBHILfdD"  # letters of dtypes, in the order of the machine's
INTEGERS = "bhilBHIL"
OTHER = "other"
NOTHING: Any = object()  # no value
MOST_RANK = 8
_BITS = {"b": 8, "h": 16, "i": 32, "l": 64, "B": 8, "H": 16, "I": 32, "L": 64}
_NUMBERS = {int: "int", float: "float", bool: "bool", complex: "complex"}
PLAIN = frozenset(_NUMBERS.values())  # Python's numbers
_SCALARS = {np.dtype(c).type: f".{c}" for c in TYPES}
_BY_ITSELF = frozenset(
    {types.ModuleType, types.BuiltinFunctionType, type, np.ufunc, type(None), type(np.sum)}
)
_written_in_python: set[Any] = {np.ones, np.full}  # functions of NumPy's
_of_items, _of_rows = _core.units.tag_of_items, _core.units.tag_of_rows
_of_lists = _core.units.tag_of_lists
_width = _core.units.width_of
_WIDTHS = {1: "B", 2: "H", 4: "I"}  # letters of a text's characters, by their bytes
_TAGS = {"int": ord("i"), "float": ord("f"), "bool": ord("b")}  # of items, in the machine
_TAGS |= {f".{letter}": 1 + k for k, letter in enumerate(TYPES) if letter != "D"}
_ITEMS = {tag: kind for kind, tag in _TAGS.items()}
MANY = 256  # times as many items as steps are not worth looking at


class Stream(NamedTuple):
    """A generator of random numbers: its type, and the slot that holds it in code."""

    kind: type
    slot: int = -1


class Mixed(NamedTuple):
    """What the first items of a list or a tuple are expected to be, and its last one."""

    first: tuple[Any, ...]
    last: Any


_MOST_MIXED = 8
_MOST_ARRAYS = 64  # in a list
_streams: dict[type, Any] = {}
_draws: list[Callable[[Any], bool]] = []


def tell_streams(generators: Iterable[type], draws: Callable[[Any], bool]) -> None:
    """The types of generators, and which methods of theirs draw."""
    _streams.update((kind, ("is", Stream(kind))) for kind in generators)
    _draws.append(draws)


def is_stream(kind: type) -> bool:
    """Is it a type of generators of random numbers?"""
    return kind in _streams


def bits(letter: str) -> int:
    """Of an integer of this dtype."""
    return _BITS[letter]


def tell_known(functions: tuple[Any, ...]) -> None:
    """Those of NumPy's that units call are objects by themselves."""
    _written_in_python.update(f for f in functions if type(f) is types.FunctionType)


def _kind_of_others(value: Any, steps: int) -> Any:
    """The kind of what the core does not know."""
    kind = type(value)
    if kind is TracedArray:
        if value.selected is not None:
            return OTHER
        if value.is_scalar:
            return _SCALARS.get(value.dtype.type, OTHER)
        return _of_array(value.dtype, value.ndim, value.writeable)
    if kind is list or kind is tuple:
        if steps >= 0 and MANY * (steps + 4) < len(value):
            return OTHER
        if kind is list and not value:
            return "list", None, 1
        inner = type(value[0]) if value else kind
        rows = bool(value) and (inner is list or inner is tuple)
        tag = _of_rows(value) if rows else _of_items(value)
        if not tag and kind is inner is list and (tag := _of_lists(value)):
            return "list", ("list", _ITEMS.get(tag), 1), 1
        if not tag:
            return _kind_of_arrays(value) if kind is list and inner is np.ndarray else OTHER
        if kind is tuple and not rows and len(value) <= _MOST_MIXED:  # no other lengths follow
            return items_as("tuple", [kind_of(v, -1) for v in value])
        return (inner if rows else kind).__name__, _ITEMS[tag], 1 + rows
    if kind is str:
        return ("text", _WIDTHS[_width(value)], 1)
    if kind is bytes:
        return ("text", "B", 0)
    if kind is types.FunctionType:
        return ("is", value) if value in _written_in_python else OTHER
    if kind is types.MethodType:
        return ("is", value) if _draws[0](value) else OTHER
    return _streams.get(kind, OTHER)


def _kind_of_arrays(values: list[Any]) -> Any:
    """The kind of a list of them."""
    if len(values) > _MOST_ARRAYS or any(type(v) is not np.ndarray for v in values):
        return OTHER
    kinds = [kind_of(v, -1) for v in values]
    return ("list", kinds[-1], 1) if all(map(is_array, kinds)) else OTHER


def _of_array(dtype: np.dtype, rank: int, writeable: bool) -> Any:
    known = dtype.isnative and dtype.char in TYPES and 0 < rank <= MOST_RANK
    return ("array", dtype.char, rank, bool(writeable)) if known else OTHER


_core.units.tell_kinds(
    {**_NUMBERS, **_SCALARS}, _BY_ITSELF, np.ndarray, np.ulong, NOTHING, OTHER, _kind_of_others
)
kind_of = _core.units.kind_of  # of a value; how many steps the loop takes, or -1


def is_number(kind: Any) -> bool:
    return type(kind) is str and kind not in (OTHER, "char") and kind[0] != "0"


def opened(kind: Any) -> Any:
    """What an array without axes is to everything that computes with it: its element."""
    return f".{kind[1]}" if type(kind) is str and kind[0] == "0" else kind


def is_array(kind: Any) -> bool:
    return type(kind) is tuple and kind[0] == "array"


def is_list(kind: Any) -> bool:
    return type(kind) is tuple and kind[0] == "list"


def is_sequence(kind: Any) -> bool:
    """Is it a list or a tuple?"""
    return type(kind) is tuple and kind[0] in ("list", "tuple")


def items_as(what: str, kinds: list[Any]) -> Any:
    """The kind of a list or a tuple of such items."""
    if len(set(kinds)) < 2 or len(kinds) > _MOST_MIXED:
        return what, kinds[-1] if kinds else None, 1
    return what, Mixed(tuple(kinds), kinds[-1]), 1


def item_of(kind: Any, at: Any = None) -> Any:
    """What an item of a list or a tuple is expected to be; None: there is none."""
    items = kind[1]
    if type(items) is not Mixed:
        return items
    return items.first[at] if at in range(len(items.first)) else items.last


def each_alone(kind: Any, value: Any) -> Any:
    """The kind of lists or tuples in a list, where others may come or their lengths change."""
    rows = type(value) is list and is_sequence(kind) and kind[2] == 2
    return ("list", (kind[0], kind[1], 1), 1) if rows else kind


def tag_of(kind: Any) -> int:
    """What tells the machine that an item of a list is of that kind; 0: no unit's list has such."""
    if is_sequence(kind):
        return ord("a" if is_list(kind) else "t")
    if is_array(kind):
        return ord("r" if kind[3] else "R")
    return _TAGS.get(kind, 0) if type(kind) is str else 0


def is_integer(kind: Any) -> bool:
    """Can it be an index?"""
    return kind == "int" or (type(kind) is str and kind[0] == "." and kind[1] in INTEGERS)


def letter_of(kind: Any) -> str:
    """How the machine keeps a value: as i, b, f, c or a; "-": not at all."""
    if type(kind) is str:
        found = _LETTERS.get(opened(kind))
        if found is not None:
            return found
        return "-" if kind == OTHER else "i"
    return "a" if type(kind) is tuple and kind[0] != "is" else "-"


def input_letter(kind: Any) -> str:
    """How the machine is given a value: as it keeps it, or as l, a list of lists."""
    return "l" if is_list(kind) and type(item_of(kind)) is tuple else letter_of(kind)


_LETTERS = {
    "int": "i", "char": "i", "bool": "b", ".?": "b", "float": "f", ".f": "f", ".d": "f",
    "complex": "c", ".D": "c",
}  # fmt: skip


def as_object(kind: Any, value: Any) -> Any:
    """What a variable of that kind is given, of what the machine gives back."""
    if type(kind) is str:
        if kind[0] == ".":
            return _TYPES[kind](value)
        if kind[0] == "0":
            return np.array(value, kind[1])
        if kind == "char":
            return chr(value)
    return value


_TYPES = {kind: scalar for scalar, kind in _SCALARS.items()}


def kind_words(kind: Any) -> str:
    """A kind for people: ``int``, ``float64``, ``float64 array, 2-D``, ``list of int``."""
    if kind is None:
        return "not set"
    if opened(kind) is not kind:
        return f"{np.dtype(kind[1]).name} array, 0-D"
    if type(kind) is not tuple:
        name = "str of one character" if kind == "char" else kind
        return _TYPES[name].__name__ if name in _TYPES else str(name)
    what, *rest = kind
    if what == "array":
        letter, rank, writeable = rest
        return f"{np.dtype(letter).name} array, {rank}-D{'' if writeable else ', read-only'}"
    if what == "text":
        return "str" if rest[1] else "bytes"
    if what == "is":
        given = rest[0]
        if type(given) is Stream:
            return f"a {given.kind.__name__} of random numbers"
        grows = type(given) is tuple and given[0] == "grows"
        return "list that grows" if grows else str(getattr(given, "__name__", given))
    if rest[0] is None:
        return f"empty {what}"
    if type(rest[0]) is Mixed:
        return f"{what} of {', '.join(map(kind_words, rest[0].first))}"
    items = kind_words(rest[0])
    if type(rest[0]) is tuple:
        items = " ".join((f"{(words := items.split(' '))[0]}s", *words[1:]))
    return f"{what if rest[1] == 1 else f'list of {what}s'} of {items}"
