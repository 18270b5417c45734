"""How long what one part of a cell has computed stays in memory while its later parts run."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Any

import numpy as np

from ..capture.cell import Cell
from ..capture.compute import Segment
from ..capture.values import Key, Value


@dataclass(frozen=True)
class Life:
    """Of a value that a part makes.

    Attributes:
        last: the last part during which it is in memory.
        sure: False where nothing tells who lets go of it, as of what a list holds: it counts as
            held to the end.
    """

    last: int
    sure: bool = True


def lives_of(
    cell: Cell,
    segments: Sequence[Segment],
    bound: dict[str, Key | None],
    namespace: Mapping[str, Any],
) -> list[list[Life]]:
    """For each part, of each of its outputs.

    Args:
        bound: what the names hold when the cell has ended.
        namespace: of the cell, by which its functions are known.
    """
    if len(segments) < 2:
        return [[Life(0)] * len(s.outputs) for s in segments]
    text, held, end = _Text(cell.tree, namespace), set(bound.values()) - {None}, len(segments) - 1
    read: dict[Key, int] = {}
    for part, segment in enumerate(segments):
        read |= {v.key: part for v in segment.inputs if v.key is not None}
    ends = [text.statement(s.line) for s in segments]
    known = list(accumulate((n or 0 for n in ends), max))  # else it ended in this one or later

    called: defaultdict[str, list[tuple[int, Key | None]]] = defaultdict(list)
    for part, segment in enumerate(segments):
        for index, value in enumerate(segment.outputs):
            if segment.updates[index : index + 1] in ((), (-1,)):  # else only its contents are new
                called[segment.names.get(value.entry, "")].append((part, value.key))

    def life(part: int, value: Value) -> Life:
        if value.key in held or part == end:
            return Life(end)
        name = segments[part].names.get(value.entry, "")
        if not name or not text.only_computes(name):
            return Life(end, sure=False)
        until = text.held_until(name, ends[part])
        lasts = [] if until is None else [bisect_right(known, until) - 1]
        # What a part calls by this name is another value: it was given that before.
        lasts += [p - 1 for p, key in called[name] if p > part and key != value.key][:1]
        if not lasts:
            return Life(end, sure=False)
        reader = part if value.key is None else read.get(value.key, part)
        return Life(max(part, reader, min(lasts)))

    return [[life(part, v) for v in s.outputs] for part, s in enumerate(segments)]


def lives_of_buffers(program: Any, lives: Sequence[Life]) -> dict[int, Life]:
    """The same of the buffers in which a part leaves its outputs, by their ids; several outputs
    may be views of one.

    Args:
        program: the part's, planned.
        lives: of its outputs.
    """
    plan, graph = program.plan, program.graph
    own = {b["id"] for b in plan.buffers if b["kind"] == "output"}
    copies = {b["index"]: b["id"] for b in plan.buffers if not b["entries"]}
    of = {n.id: buffers for n, buffers in zip(graph.nodes, plan.buffer_of, strict=True)}
    found: dict[int, Life] = {}
    for index, (life, (node, out)) in enumerate(zip(lives, graph.outputs, strict=False)):
        buffer = copies.get(index, of[node][out])
        if buffer in own:  # what it is given, or writes in place, is not
            other = found.get(buffer, life)
            found[buffer] = Life(max(life.last, other.last), life.sure and other.sure)
    return found


def made_before(
    segments: Sequence[Segment], lives: Sequence[Sequence[Life]]
) -> list[frozenset[int]]:
    """For each part the ids of its inputs that an earlier part of the cell has made."""
    keys: set[Key] = set()
    named: dict[str, tuple[Value, Life]] = {}
    found = []
    for part, (segment, own) in enumerate(zip(segments, lives, strict=True)):
        earlier = set()
        for value in segment.inputs:
            made, life = named.get(value.name, (None, Life(-1)))
            fits = made is not None and (made.shape, made.dtype) == (value.shape, value.dtype)
            # A program that ran at another place knows its inputs by their names alone.
            by_name = not value.known and fits and life.last >= part
            if by_name or value.key in keys:
                earlier.add(value.entry[0])
        found.append(frozenset(earlier))
        keys |= {v.key for v in segment.outputs if v.key is not None}
        for value, life in zip(segment.outputs, own, strict=True):
            if name := segment.names.get(value.entry):
                named[name] = value, life
    return found


class _Text:
    """Where a cell's statements give names something else. Statements are counted in the order in
    which they run; those of loops, branches and functions are one each."""

    def __init__(self, tree: ast.Module, namespace: Mapping[str, Any]):
        self._tree = tree
        self._names = {**vars(builtins), **namespace}
        self._computes: dict[str, bool] = {}
        self._statements = list(_in_order(tree.body))
        self._parents = {c: n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}

    def statement(self, line: int | None) -> int | None:
        """The number of the one at a line; without one, of the cell's end. None: it is code of a
        function, which nobody knows who has called."""
        if line is None:
            return len(self._statements)
        number = max(sum(s.lineno <= line for s in self._statements) - 1, 0)
        called = any(isinstance(n, _CALLED) for n in ast.walk(self._statements[number]))
        return None if called else number

    def held_until(self, name: str, start: int | None) -> int | None:
        """The number of the statement until whose end ``name`` holds what it held in ``start``;
        None: nothing tells."""
        if start is None:
            return None
        for statement, number in zip(self._statements[start:], count(start)):
            if name in _stored(statement) and not isinstance(statement, ast.AugAssign):
                simple = isinstance(statement, (ast.Assign, ast.Delete))
                return number if simple else None
        return None

    def only_computes(self, name: str) -> bool:
        """Nothing but its name holds the array, or a view of it."""
        if name not in self._computes:
            self._computes[name] = all(map(self._only_computes, self._loads(name)))
        return self._computes[name]

    def _loads(self, name: str) -> Iterator[ast.Name]:
        for node in self._parents:
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield node

    def _only_computes(self, node: ast.AST) -> bool:
        """Its array is used for its elements, here: nothing else holds it, or a view, for that."""
        above, parent = self._parents[self._parents[node]], self._parents[node]
        if self._in_function(node):
            return False
        if isinstance(parent, ast.Attribute):  # a.sum()
            called = isinstance(above, ast.Call) and above.func is parent
            return parent.attr in (_NUMBERS if called else _FACTS)
        if isinstance(parent, ast.Call):
            return node in parent.args and self._makes_anew(parent.func)
        return isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue))

    def _makes_anew(self, function: ast.expr) -> bool:
        """A call of it keeps no argument, nor returns a view of one."""
        if isinstance(function, ast.Name):
            return any(self._names.get(function.id) is known for known in _SHOWS)
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            return False
        ufunc = isinstance(getattr(np, function.attr, None), np.ufunc)
        return self._names.get(function.value.id) is np and (ufunc or function.attr in _NUMBERS)

    def _in_function(self, node: ast.AST) -> bool:
        while (node := self._parents.get(node, self._tree)) is not self._tree:
            if isinstance(node, _CALLED):
                return True
        return False


_CALLED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_FACTS = frozenset({"shape", "dtype", "size", "ndim"})
_NUMBERS = frozenset({"sum", "mean", "max", "min", "std", "var", "prod", "all", "any", "item"})
_SHOWS = (print, float, int, len, str, repr)


def _in_order(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement  # of a With-block what stands in its first line
        if isinstance(statement, ast.With):
            yield from _in_order(statement.body)


def _stored(statement: ast.stmt) -> set[str]:
    inner = statement.items if isinstance(statement, ast.With) else [statement]
    nodes = (n for part in inner for n in ast.walk(part))
    return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
