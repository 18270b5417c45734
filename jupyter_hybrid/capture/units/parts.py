"""The parts of a loop's blocks: their steps, hidden slots, elements, and what they read."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, NamedTuple

from ...reasons import Reason, Told
from ..source.nodes import placed, walk


@dataclass(eq=False)
class Block:
    """Steps, one after the other, and where to go then.

    Steps: (set, slot, expression), (update, slot, operation) of a name, (store, slot, indices,
    expression), (alter, slot, indices, operation) of an element, (is, slot, object),
    (range, first slot, expressions), (items, first slot, slots of what is gone through),
    (unpack, slot, rank) of a shape, (apart, slot, how many) of items, (unset, slot, how many),
    (append, slot, expression), (append_to, slot, indices, expression), (call, expression),
    (delete, slot, index), (several, slot) indices in one pair of brackets,
    (unchanged, first slot, slots of what is gone through).
    Ends: (jump, block), (branch, expression, then, otherwise), (next, first slot, slot, body, end),
    (exit, how), (leave, why).
    """

    number: int
    steps: list[tuple[Any, ...]] = field(default_factory=list)
    end: tuple[Any, ...] | None = None
    every: int = 0  # steps of the loop between two snapshots, where one begins; else 0

    def targets(self) -> list[Block]:
        return [part for part in self.end or () if isinstance(part, Block)]


class Leaves(Exception):
    """Not on the closed list: why, and the node."""

    def __init__(self, why: Told, node: Any):
        super().__init__(why, node)


class Refusal(NamedTuple):
    """What can't run compiled, and where it stands.

    Attributes:
        of: the function that it stands in, where the loop calls that.
    """

    why: Reason
    line: int
    of: CodeType | None = None

    @classmethod
    def at(cls, why: Told, node: Any) -> Refusal:
        return cls(Reason.of(why), node.lineno, getattr(node, "of", None))


def first_of(found: list[Refusal]) -> Refusal | None:
    """The first one in the text of the loop itself, else in that of a function."""
    return min(found, key=lambda r: (r.of is not None, r.line), default=None)


class Global(str):
    """A global's name where a variable of the loop's function has the same one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is Global and str.__eq__(self, other)

    def __hash__(self) -> int:
        return hash((Global, str(self)))


class Free(NamedTuple):
    """A variable of an outer function in one that the loop calls, by the names on the way there."""

    path: tuple[str, ...]
    name: str

    def __str__(self) -> str:
        return self.name


class Attr(NamedTuple):
    """An attribute of the instance that a name of the loop's holds."""

    base: str
    name: str

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


class Part(NamedTuple):
    """What a name holds under a key, where it holds nothing but tuples of one length, or dicts of
    the same keys, that the loop makes. Under None: whether it has made one.
    """

    name: str
    key: Any

    def __str__(self) -> str:
        return f"{self.name}[{self.key!r}]"


Used = dict[Attr, bool]  # attributes of names, and whether they are set
Shape = tuple[type, tuple[Any, ...]]  # tuple or dict, and the keys
Displays = dict[str, Shape]


def used_in(nodes: Iterable[Any]) -> Used:
    """The attributes of names in statements; no private ones, which mean others in a class."""
    used: Used = {}
    for n in (n for node in nodes for n in walk(node) if isinstance(n, ast.Attribute)):
        if isinstance(n.value, ast.Name) and not n.attr.startswith("__"):
            attr = Attr(n.value.id, n.attr)
            used[attr] = used.get(attr, False) or is_stored(n)
    return used


def displays_in(statement: Any, names: Iterable[str]) -> Displays:
    """Those among the names that a loop gives nothing but such tuples or dicts: their keys."""
    found: Displays = {}
    others = set()
    stores = Counter(n.id for n in walk(statement) if isinstance(n, ast.Name) and is_stored(n))
    for node in walk(statement):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, shape = node.targets[0].id, _shape(node.value)
            stores[name] -= 1
            if shape is None or len(node.targets) > 1 or found.setdefault(name, shape) != shape:
                others.add(name)
    return {n: s for n, s in found.items() if n in names and n not in others and not stores[n]}


def _shape(node: Any) -> Shape | None:
    if isinstance(node, ast.Tuple) and node.elts:
        starred = any(isinstance(e, ast.Starred) for e in node.elts)
        return None if starred else (tuple, tuple(range(len(node.elts))))
    if isinstance(node, ast.Dict) and node.keys:
        keys = tuple(k.value if isinstance(k, ast.Constant) else None for k in node.keys)
        known = all(type(k) in (str, int) for k in keys) and len(set(keys)) == len(keys)
        return (dict, keys) if known else None
    return None


def is_stored(node: Any) -> bool:
    """Is a name, an attribute or an element given a value there, or deleted?"""
    return not isinstance(node.ctx, ast.Load)


class Slot(ast.expr):
    """What a hidden slot has."""

    _fields = ()
    is_number = False  # as an index it has to be one

    def __init__(self, slot: int):
        super().__init__()
        self.slot = slot


class Element(ast.expr):
    """An array's element, or a part of it: (slot, indices and slices)."""

    _fields = ("indices",)

    def __init__(self, slot: int, indices: list[Any], at: Any):
        super().__init__()
        self.slot, self.indices = slot, indices
        placed(at, self)


class Passed(ast.expr):
    """A function that is an argument, and the names by which it is reached."""

    _fields = ()

    def __init__(self, callee: Any, path: tuple[str, ...]):
        super().__init__()
        self.callee, self.path = callee, path


def touched(block: Block, appends: bool = True) -> tuple[set[int], set[int]]:
    """The slots that a block reads before it sets them, and those that it sets. ``appends``: does
    it read what it appends to?
    """
    read: set[int] = set()
    made: set[int] = set()

    def look(*nodes: Any) -> None:
        for node in nodes:
            for n in walk(node):
                if isinstance(n, (Slot, Element)) and n.slot not in made:
                    read.add(n.slot)

    for kind, slot, *rest, _ in block.steps:
        if kind in ("set", "update"):
            look(rest[0])
            made.add(slot)
        elif kind == "call":
            look(slot)
        elif kind == "several":
            read |= {slot} - made
        elif kind == "delete":
            look(rest[0])
            read |= {slot} - made
        elif kind == "append":
            look(rest[0])
            read |= {slot} - made if appends else set()
        elif kind in ("store", "alter", "append_to"):
            look(*rest[0], rest[1])
            read.add(slot)
        elif kind == "range":
            look(*rest[0])
            made.update(range(slot, slot + 4))
        elif kind == "unset":
            made.update(range(slot, slot + rest[0]))
        elif kind == "unchanged":
            read |= {slot, slot + 1, *rest[0]} - made
        elif kind == "items":
            read.update(s for s in rest[0] if s not in made)
            made.update(range(slot, slot + 4))
    end: Any = block.end
    if end[0] == "branch":
        look(end[1])
    elif end[0] == "next":
        read.update(s for s in range(end[1], end[1] + 4) if s not in made)
        made.add(end[2])
    return read, made


def words(node: Any) -> Reason:
    """What a node is, for people."""
    if isinstance(node, ast.Call) and (name := _dotted(node.func)):
        return Reason("a call of {name}()", name=name)
    return Reason.of(_WORDS.get(type(node), type(node).__name__.lower()))


def _dotted(node: Any) -> str:
    """A name, or an attribute of one, as written; "": it is neither."""
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return base and f"{base}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


_WORDS = {
    ast.Return: "a return", ast.Call: "a call", ast.Raise: "a raise",
    ast.With: "a with statement", ast.Try: "a try statement", ast.Attribute: "an attribute",
    ast.List: "a list", ast.Dict: "a dict",
    ast.ListComp: "a comprehension", ast.Lambda: "a lambda", ast.JoinedStr: "an f-string",
    ast.FunctionDef: "a definition", ast.Import: "an import",
    ast.GeneratorExp: "a generator", ast.Slice: "a slice", ast.NamedExpr: "an assignment inside",
    ast.AnnAssign: "an annotation", ast.Yield: "a yield", ast.AsyncFor: "an async for",
    ast.AsyncWith: "an async with", ast.Await: "an await", ast.ClassDef: "a class",
    ast.Delete: "a del", ast.Global: "a global", ast.Match: "a match statement",
    ast.Nonlocal: "a nonlocal", ast.Starred: "a starred name", ast.YieldFrom: "a yield from",
}  # fmt: skip
