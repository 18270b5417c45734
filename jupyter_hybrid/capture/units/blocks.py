"""A loop's statements as blocks of simple steps, before anything is known of types.

What control flow inside expressions does (``a if c else b``, ``and``, ``min``) becomes blocks, too,
so that each expression left is computed straight on. Whatever is not on the closed list
*leaves*: there the unit ends, and Python goes on from the last commit.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...reasons import Reason
from ..source.nodes import placed, walk
from . import lists
from .callees import Callee, Callees, called_names
from .expressions import Expressions
from .instances import Instances
from .parts import (
    Block,
    Element,
    Global,
    Leaves,
    Part,
    Passed,
    Refusal,
    Slot,
    displays_in,
    first_of,
    touched,
    words,
)

RANGE, ITEMS = "range", "items"  # what the outermost `for` goes through


class Loop(Expressions):
    """The blocks of one loop.

    Attributes:
        slots: of names, first those that the loop binds, then those that it only reads; behind them
            are hidden ones.
        bound: how many of these are bound.
        names_alone: are all of these plain names?
        way: how the outermost `for` goes on: RANGE, ITEMS or a function's name; "": a `while`.
        callees: the functions that it calls.
        refused: why no step of it can be taken; None where one may.
        test_writes: may what a `while` asks write elements or attributes?
    """

    def __init__(
        self,
        node: Any,
        through: str = "",
        functions: tuple[Callees, Callees] = ({}, {}),
        local: frozenset[str] = frozenset(),
        instances: Instances | None = None,
    ):
        self.node, self.way, self.callees = node, through, functions
        names = [n for n in walk(node) if isinstance(n, ast.Name)]
        stored: dict[Any, None]
        stored = dict.fromkeys(n.id for n in names if not isinstance(n.ctx, ast.Load))
        read: dict[Any, None] = dict.fromkeys(n.id for n in names if n.id not in stored)
        own, outer = ({n: c for n, c in known.items() if n not in stored} for known in functions)
        free = {n: list(c.reads((n,))) for n, c in own.items()}
        # What an outer function's loop binds may be what its inner functions read.
        own = {n: c for n, c in own.items() if all(f.name not in stored for f in free[n])}
        read.update(dict.fromkeys(f for n in own for f in free[n]))
        self._instances = instances or Instances()
        self.methods = self._instances.methods
        # A global that the loop's function has a variable for goes by another name.
        callees = [*own.values(), *outer.values(), *self._instances.methods.values()]
        callees += [c for callee in callees for c in callee.all_inner()]
        outside = dict.fromkeys(
            name for c in callees for name in c.definition.reads if name not in c.cells
        )
        self._globals = {n: (Global(n) if n in local else n) for n in outside}
        read.update(dict.fromkeys(n for n in self._globals.values() if n not in stored))
        for attribute, is_set in self._instances.used.items():
            (stored if is_set else read)[attribute] = None
        self.displays = displays_in(node, stored)
        for name, (_, keys) in self.displays.items():
            del stored[name]
            stored.update(dict.fromkeys(Part(name, key) for key in (*keys, None)))
        self.bound = len(stored)
        self.slots: dict[Any, int] = {name: k for k, name in enumerate((*stored, *read))}
        self.named = len(self.slots)
        self.names_alone = all(type(name) is str for name in self.slots)
        self._names: dict[str, int] = self.slots  # where the statements at work find theirs
        self._called, self._outer = own, outer
        self._calls: list[Callee] = []  # at work
        self._path: tuple[str, ...] = ()
        self._self = "", ""
        self._tuples: dict[str, list[int]] = {}
        self._passed: dict[str, Passed] = {}
        self._count = 0
        self._result: tuple[int, Block] | None = None  # what returns set, and where they lead
        self.inner: dict[int, str] = {}  # names of hidden slots, for people
        self.grown: set[int] = set()  # slots of lists that are appended to, and not read
        statements = [node, *(s for c in callees for s in c.definition.body)]
        self.lists_grow = lists.change_length(statements)
        self.rows_change = lists.change_rows(statements)
        self.size = self.named
        self.blocks: list[Block] = []
        self._loops: list[tuple[Block, Block]] = []  # where `continue` and `break` lead
        self._node: Any = node  # what is at work, for its line
        self.first = self.now = self._new()
        self.first.every = _MOST_STEPS
        over, broke = self._new(), self._new()
        over.end, broke.end = ("exit", 0), ("exit", 1)
        body = self._new()
        # Of a `for`: value, steps left, step, then all that it goes through.
        self.sources = int(through[-1]) if through[-1:].isdigit() else 1
        self.hidden = self._hidden(3 + self.sources)
        self.test_writes = isinstance(node, ast.While) and self._writes(node.test)
        if isinstance(node, ast.While):
            self._branch(node.test, body, over)
        else:
            sources = list(range(self.hidden + 3, self.hidden + 3 + self.sources))
            called = through.rstrip("0123456789")
            items = sources if through != RANGE else []
            self._step_of(node.target, self.hidden, body, over, items, called)
        self._body(node.body, body, self.first, broke)
        for block in self.blocks:
            if block.end is None:  # after something that leaves
                block.end = ("leave", "", node)
        self.refused = self._refused()
        self._live()
        self.grown -= set().union(*(touched(b, appends=False)[0] for b in self.blocks))

    # Statements -----------------------------------------------------------------------------------
    def _body(self, body: list[Any], begin: Block, again: Block, broken: Block) -> None:
        self._loops.append((again, broken))
        self._go(begin)
        self._statements(body)
        self._end("jump", again)
        self._loops.pop()

    def _statements(self, body: list[Any]) -> None:
        for node in body:
            if self.now.end is not None:
                return
            self._node = node
            try:
                visit = _STATEMENTS.get(type(node))
                if visit is None:
                    raise Leaves(words(node), node)
                visit(self, node)
            except Leaves as problem:
                self._node = problem.args[1]
                self._end("leave", problem.args[0])
                self._node = node

    def _assign(self, node: ast.Assign) -> None:
        value = self._plain(node.value)
        if any(map(self._writes, node.targets)):
            raise Leaves("a call in a target", node)
        if len(node.targets) > 1:
            slot = self._kept(value)
            value = self._read(slot)
        for target in node.targets:
            self._bind(target, value)

    def _bind(self, target: Any, value: Any) -> None:
        if isinstance(target, ast.Name) and self._display(target) is not None:
            self._make(target.id, value)
        elif isinstance(target, ast.Name):
            self._add("set", self._slot(target.id), value)
        elif isinstance(target, ast.Subscript):
            base, indices = self._element(target)
            self._add("store", base, indices, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif (attribute := self._attribute(target)) is not None:
            self._add("set", self.slots[attribute], value)
        else:
            raise Leaves(Reason("{what} is given a value", what=words(target)), target)

    def _make(self, name: str, value: Any) -> None:
        """Gives a name a tuple or a dict."""
        parts = value.elts if isinstance(value, ast.Tuple) else value.values
        kept = [self._kept(part) for part in parts]
        for slot, key in zip(kept, self.displays[name][1], strict=True):
            self._add("set", self.slots[Part(name, key)], self._read(slot))
        self._add("set", self.slots[Part(name, None)], placed(value, ast.Constant(True)))

    def _unpack(self, target: Any, value: Any) -> None:
        parts = target.elts
        if any(isinstance(part, ast.Starred) for part in parts):
            raise Leaves("a starred target", target)
        if isinstance(value, ast.Tuple):
            if len(value.elts) != len(parts):
                raise Leaves("another number of values", target)
            kept = [self._read(self._kept(v)) for v in value.elts]
        elif isinstance(value, ast.Attribute) and value.attr == "shape":
            slot = self._slot_of(value.value)
            self._add("unpack", slot, len(parts))
            index = [placed(value, ast.Constant(k)) for k in range(len(parts))]
            kept = [placed(value, ast.Subscript(value, k, ast.Load())) for k in index]
        else:
            slot = self._kept(value)
            self._add("apart", slot, len(parts))
            index = [placed(target, ast.Constant(k)) for k in range(len(parts))]
            kept = [self._read(self._kept(Element(slot, [k], target))) for k in index]
        for part, found in zip(parts, kept, strict=True):
            self._bind(part, found)

    def _augment(self, node: ast.AugAssign) -> None:
        target = node.target
        attribute = self._attribute(target)
        if self._writes(node.value) and not isinstance(target, ast.Name):
            raise Leaves("what is updated may be written by a call", node)
        if isinstance(target, ast.Name) or attribute is not None:
            slot = self._slot_of(target)
            value = self._plain(node.value)
            made = placed(node, ast.BinOp(self._read(slot), node.op, value))
            self._add("update", slot, made)
        elif isinstance(target, ast.Subscript):
            base, indices = self._element(target)
            simple = (ast.Name, ast.Constant, Slot, ast.Slice, ast.List)
            indices = [
                i if isinstance(i, simple) or self._is_range(i) else self._read(self._kept(i))
                for i in indices
            ]
            old = Element(base, indices, target)
            value = self._plain(node.value)
            self._add("alter", base, indices, placed(node, ast.BinOp(old, node.op, value)))
        else:
            raise Leaves(Reason("{what} is updated", what=words(target)), target)

    def _is_range(self, node: Any) -> bool:
        if not isinstance(node, ast.Call) or not isinstance(node.func, Slot):
            return False
        return any(name == "range" for name, s in self.slots.items() if s == node.func.slot)

    def _expression(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Constant):
            return
        if not isinstance(value, ast.Call):
            raise Leaves(Reason("{what} stands alone", what=words(value)), node)
        function = value.func
        if self._callee(value) is not None:
            self._plain(value)
        elif isinstance(function, ast.Attribute) and function.attr == "append":
            self._append(function.value, value)
        elif isinstance(function, ast.Attribute) or called_names([value]):
            made = self._plain(value)
            if not isinstance(made, Slot):  # whose value is not needed
                self._add("call", made)
        else:
            raise Leaves(words(value), node)

    def _append(self, of: Any, node: ast.Call) -> None:
        if len(node.args) != 1 or node.keywords:
            raise Leaves("append() with these arguments", node)
        if isinstance(of, ast.Subscript) and self._under(of) is None:
            base, indices = self._element(of)
            self._add("append_to", base, indices, self._plain(node.args[0]))
            return
        slot = self._slot_of(of)
        if self.bound <= slot < self.named:
            self.grown.add(slot)
        self._add("append", slot, self._plain(node.args[0]))

    def _return(self, node: ast.Return) -> None:
        if self._result is None:
            raise Leaves("a return", node)
        first, after = self._result
        value: Any = node.value or placed(node, ast.Constant(None))
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        if isinstance(value, ast.Tuple) and not parts:
            raise Leaves("an empty tuple", node)
        for slot, part in enumerate(self._each(parts), first):
            self._add("set", slot, part)
        self._end("jump", after)

    def _if(self, node: ast.If) -> None:
        then, otherwise, after = self._new(), self._new(), self._new()
        self._branch(node.test, then, otherwise)
        for block, body in ((then, node.body), (otherwise, node.orelse)):
            self._go(block)
            self._statements(body)
            self._end("jump", after)
        self._go(after)

    def _while(self, node: ast.While) -> None:
        head, body, over, after = (self._new() for _ in range(4))
        self._end("jump", head)
        self._go(head)
        self._branch(node.test, body, over)
        self._body(node.body, body, head, after)
        self._go(over)
        self._statements(node.orelse)
        self._end("jump", after)
        self._go(after)

    def _for(self, node: ast.For) -> None:
        way: Any = node.iter
        if isinstance(way, (ast.Tuple, ast.List)):
            self._unrolled(node, way.elts)
            return
        at = self._hidden(4)
        if isinstance(node.target, ast.Name):
            ways = ("next", "left", "step")
            self.inner |= {at + k: f"{node.target.id}.{way}" for k, way in enumerate(ways)}
        called = way.func.id if isinstance(way, ast.Call) and isinstance(way.func, ast.Name) else ""
        start = 0
        if called:
            if way.keywords or any(isinstance(a, ast.Starred) for a in way.args) or not way.args:
                raise Leaves(Reason("{name}() with these arguments", name=called), way)
            known: Any = _LOOPED.get(called)
            if known is None:
                raise Leaves(Reason("{name}() is gone through", name=called), way)
            self._add("is", self._slot(called), known)
        if called == "range":
            self._add("range", at, self._each(way.args))
            items: list[int] = []
        elif called:
            given = way.args
            if called == "enumerate":
                given, start = given[:1], self._start(way)
            items = [self._kept(self._plain(a)) for a in given]
            self._add("items", at, items)
        else:
            items = [self._kept(self._plain(way))]
            self._add("items", at, items)
        head, body, over, after = (self._new() for _ in range(4))
        self._end("jump", head)
        self._go(head)
        self._step_of(node.target, at, body, over, items, called, start)
        self._body(node.body, body, head, after)
        self._go(over)
        self._statements(node.orelse)
        self._end("jump", after)
        self._go(after)

    def _start(self, way: ast.Call) -> int:
        """The first number of ``enumerate(x, 1)``."""
        given = way.args[1:]
        if not given:
            return 0
        first: Any = given[0]
        if len(given) > 1 or not isinstance(first, ast.Constant) or type(first.value) is not int:
            raise Leaves("enumerate() with such a start", way)
        return int(first.value)

    def _unrolled(self, node: ast.For, values: list[Any]) -> None:
        """A loop through what stands there: its body for each."""
        if len(values) > _MOST_UNROLLED or any(isinstance(v, ast.Starred) for v in values):
            raise Leaves("so many values are gone through", node)
        kept = [self._kept_parts(value) for value in self._each(values)]
        after = self._new()
        for value in kept:
            body, then = self._new(), self._new()
            self._bind(node.target, value)
            self._end("jump", body)
            self._body(node.body, body, then, after)
            self._go(then)
        self._statements(node.orelse)
        self._end("jump", after)
        self._go(after)

    def _kept_parts(self, value: Any) -> Any:
        if isinstance(value, ast.Tuple):
            return placed(value, ast.Tuple([self._kept_parts(e) for e in value.elts], ast.Load()))
        return value if isinstance(value, ast.Constant) else self._read(self._kept(value))

    def _step_of(
        self,
        target: Any,
        at: int,
        body: Block,
        over: Block,
        items: list[int],
        called: str = "",
        start: int = 0,
    ) -> None:
        """The end of a loop's head: another step, or none."""
        if items and self.lists_grow:
            self._add("unchanged", at, items)
        if not items and isinstance(target, ast.Name):
            self._end("next", at, self._slot(target.id), body, over)
            return
        number = self._hidden()
        begin = self._new()
        self._end("next", at, number, begin, over)
        self._go(begin)
        try:
            if not items:
                raise Leaves("a number is taken apart", target)
            read: list[Any] = [Element(s, [self._read(number)], target) for s in items]
            if called == "enumerate":
                first = placed(target, ast.Constant(start))
                counted = placed(target, ast.BinOp(self._read(number), ast.Add(), first))
                read.insert(0, counted if start else self._read(number))
            several = placed(target, ast.Tuple(read, ast.Load()))
            self._bind(target, several if called in ("enumerate", "zip") else read[0])
        except Leaves as problem:
            self._end("leave", problem.args[0])
        self._end("jump", body)

    def _delete(self, node: ast.Delete) -> None:
        """``del x[i]`` of a list."""
        for target in node.targets:
            if not isinstance(target, ast.Subscript) or isinstance(target.slice, _SEVERAL):
                raise Leaves("a del", node)
            slot = self._slot_of(target.value)
            self._add("delete", slot, self._plain(target.slice))

    def _break(self, node: Any) -> None:
        self._end("jump", self._loops[-1][1])

    def _continue(self, node: Any) -> None:
        self._end("jump", self._loops[-1][0])

    def _pass(self, node: Any) -> None:
        pass

    def _assert(self, node: ast.Assert) -> None:
        holds, fails = self._new(), self._new()
        self._branch(node.test, holds, fails)
        fails.end = ("leave", "an assertion fails", self._here())
        self._go(holds)

    # What is known of all of it -------------------------------------------------------------------
    def _refused(self) -> Refusal | None:
        """What no step can be taken without."""
        begin = [b for b in self.first.targets() if b.end != ("exit", 0)]
        seen = {self.first.number}
        found: list[Refusal] = []
        stack = list(begin) if self.first.end and self.first.end[0] != "leave" else [self.first]
        while stack:
            block = stack.pop()
            if block is self.first and block.end and block.end[0] != "leave":
                return None
            end: Any = block.end
            if end[0] == "exit" and end[1] == 1:
                return None
            if end[0] == "leave" and end[1]:
                found.append(Refusal.at(end[1], end[2]))
            for target in block.targets():
                if target is self.first:
                    return None
                if target.number not in seen:
                    seen.add(target.number)
                    stack.append(target)
        return first_of(found) or Refusal.at("it takes no step", self.node)

    def _live(self) -> None:
        """For each block the hidden slots whose values it, or what follows, still reads."""
        uses: list[tuple[set[int], set[int]]] = [touched(b) for b in self.blocks]
        self.live = [set(read) for read, _ in uses]
        changed = True
        while changed:
            changed = False
            for block in reversed(self.blocks):
                wanted: set[int] = set().union(*(self.live[t.number] for t in block.targets()))
                new = uses[block.number][0] | (wanted - uses[block.number][1])
                if new - self.live[block.number]:
                    self.live[block.number] |= new
                    changed = True
        held = set(range(self.hidden, self.hidden + 3 + self.sources))  # by whom it was started
        for live in self.live:
            live |= held


_MOST_UNROLLED = 16
_SEVERAL = (ast.Slice, ast.Tuple)  # indices
_MOST_STEPS = 64  # between two snapshots
_LOOPED = {"range": range, "enumerate": enumerate, "zip": zip}
_STATEMENTS: dict[type, Callable[[Loop, Any], None]] = {
    ast.Assign: Loop._assign, ast.AugAssign: Loop._augment, ast.Expr: Loop._expression,
    ast.If: Loop._if, ast.While: Loop._while, ast.For: Loop._for, ast.Break: Loop._break,
    ast.Continue: Loop._continue, ast.Pass: Loop._pass, ast.Assert: Loop._assert,
    ast.Return: Loop._return, ast.Delete: Loop._delete,
}  # fmt: skip


def _may_stand_alone(value: Any) -> bool:
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.Constant)
    return isinstance(value.func, ast.Attribute) or bool(called_names([value]))


def refused_at_sight(node: Any) -> Refusal | None:
    """What of a loop's own statements can't be compiled, as far as one look tells."""
    for statement in node.body:
        if type(statement) not in _STATEMENTS:
            return Refusal.at(words(statement), statement)
        if type(statement) is ast.Expr and not _may_stand_alone(statement.value):
            return Refusal.at(words(statement.value), statement)
    return None
