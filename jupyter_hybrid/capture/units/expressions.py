"""A loop's expressions, each computed straight on.

What control flow inside them does (``a if c else b``, ``and``, ``min``) becomes blocks of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from ...reasons import Reason
from ..source.nodes import placed, walk
from . import draws, folds, lists
from .callees import Callee, Callees
from .instances import Instances
from .parts import Attr, Block, Displays, Element, Free, Leaves, Part, Passed, Slot, words

_MOST_CALLS = 64  # of functions, each with its own statements
_HOISTED = (ast.BoolOp, ast.IfExp)


class Expressions:
    """Mixed into the loop, whose block at work is ``now``."""

    blocks: list[Block]
    slots: dict[Any, int]
    inner: dict[int, str]
    now: Block
    size: int
    _node: Any
    _names: dict[str, int]
    _globals: dict[str, str]
    _called: Callees
    _outer: Callees
    _instances: Instances
    displays: Displays
    _tuples: dict[str, list[int]]  # of the function at work
    _passed: dict[str, Passed]
    _calls: list[Callee]
    _path: tuple[str, ...]  # the names by which the function at work is reached
    _self: tuple[str, str]  # a method's first parameter, and the loop's name of the instance
    _count: int
    _result: tuple[int, Block] | None
    _loops: list[tuple[Block, Block]]
    _statements: Callable[[list[Any]], None]

    # Making ---------------------------------------------------------------------------------------
    def _new(self) -> Block:
        self.blocks.append(Block(len(self.blocks)))
        return self.blocks[-1]

    def _hidden(self, count: int = 1) -> int:
        self.size += count
        return self.size - count

    def _add(self, *step: Any) -> None:
        self.now.steps.append((*step, self._here()))

    def _end(self, *end: Any) -> None:
        if self.now.end is None:
            self.now.end = (*end, self._here())

    def _here(self) -> Any:
        """What is at work; of a function that is called it knows that."""
        if self._calls:
            self._node.of = self._calls[-1].code
        return self._node

    def _go(self, block: Block) -> None:
        self.now = block

    # Functions of the user's ----------------------------------------------------------------------
    def _slot(self, name: str) -> int:
        """Of a name, as the statements at work mean it."""
        found = self._names.get(name)
        if found is not None:
            return found
        if self._calls and name in self._calls[-1].cells:
            return self.slots[Free(self._path, name)]
        return self.slots[self._globals[name]]

    def _attribute(self, node: Any) -> Attr | None:
        """An attribute of an instance of the loop's."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        name = node.value.id
        if self._calls:
            name = self._self[1] if name == self._self[0] else ""
        found = Attr(name, node.attr)
        return found if found in self._instances.used else None

    def _display(self, node: Any) -> list[int] | None:
        """The slots of the tuple or dict that a name holds."""
        if not isinstance(node, ast.Name):
            return None
        if self._calls:
            return self._tuples.get(node.id)
        keys = self.displays[node.id][1] if node.id in self.displays else None
        return None if keys is None else [self.slots[Part(node.id, key)] for key in keys]

    def _callee(self, node: ast.Call) -> Callee | None:
        attribute = self._attribute(node.func)
        if attribute is not None:
            return self._instances.methods.get(attribute)
        found = self._function(node.func)
        return None if found is None else found.callee

    def _function(self, node: Any) -> Passed | None:
        """The function of the user's that a name means."""
        if not isinstance(node, ast.Name):
            return None
        name = node.id
        if name in self._passed:
            return self._passed[name]
        if not self._calls:
            callee = self._called.get(name)
        elif name in self._names:
            return None
        else:
            here = self._calls[-1]
            callee = (here.inner if name in here.cells else self._outer).get(name)
        return None if callee is None else Passed(callee, (*self._path, name))

    def _writes(self, node: Any) -> bool:
        """May a function that is called in it write elements, or take items away?"""
        calls = [n for n in walk(node) if isinstance(n, ast.Call)]
        callees = map(self._callee, calls)
        return any(map(lists.pops, calls)) or any(c and c.definition.writes for c in callees)

    def _draws(self, node: Any) -> bool:
        """May something in it draw random numbers?"""
        calls = (n for n in walk(node) if isinstance(n, ast.Call))
        return any(draws.may_draw(n) or self._callee(n) is not None for n in calls)

    def _each(self, nodes: list[Any]) -> list[Any]:
        """The expressions, of which later ones may write what earlier ones read."""
        found = []
        for number, node in enumerate(nodes, 1):
            value = self._plain(node)
            if any(map(self._writes, nodes[number:])) and not isinstance(value, ast.Constant):
                value = self._read(self._kept(value))
            found.append(value)
        return found

    def _inlined(
        self, callee: Callee, args: list[Any], named: dict[str, Any], node: ast.Call
    ) -> Any:
        """The statements of a function that is called; what it returns."""
        definition, defaults = callee.definition, callee.defaults
        names = callee.parameters
        given = dict(zip(names, args, strict=False))
        if len(args) > len(names) or given.keys() & named or not named.keys() <= set(names):
            raise Leaves(Reason("{name}() with these arguments", name=callee.code.co_name), node)
        given |= named
        for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            given.setdefault(name, placed(node, ast.Constant(value)))
        if len(given) < len(names):
            raise Leaves(Reason("{name}() with these arguments", name=callee.code.co_name), node)
        if any(c.code is callee.code for c in self._calls) or self._count == _MOST_CALLS:
            raise Leaves("a function that calls itself, or too many", node)
        self._count += 1
        first = self._hidden(len(definition.variables))
        self._add("unset", first, len(definition.variables))
        slots = {name: first + k for k, name in enumerate(definition.variables)}
        self.inner |= {slot: name for name, slot in slots.items()}
        tuples: dict[str, list[int]] = {}
        passed: dict[str, Passed] = {}
        for name, value in given.items():
            if isinstance(value, Passed):
                if name in definition.stores:
                    raise Leaves("a function is passed on", node)
                passed[name] = value
            elif isinstance(value, ast.Tuple) and name not in definition.stores:
                tuples[name] = [self._kept(part) for part in value.elts]
            else:
                self._add("set", slots[name], value)
        count = definition.returns
        result, after = self._hidden(max(1, count)), self._new()
        outer = self._names, self._result, self._loops, self._node, self._path, self._self
        others = self._tuples, self._passed
        attribute, function = self._attribute(node.func), self._function(node.func)
        self._names, self._result, self._loops = slots, (result, after), []
        if function is not None:
            self._path = function.path
        self._tuples, self._passed = tuples, passed
        self._self = (callee.receiver, attribute.base) if attribute else ("", "")
        self._calls.append(callee)
        try:
            self._statements(definition.body)
            if self.now.end is None:
                if count:
                    self._end("leave", "one value or several")
                else:
                    self._add("set", result, placed(node, ast.Constant(None)))
                    self._end("jump", after)
        finally:
            self._calls.pop()
            self._names, self._result, self._loops, self._node, self._path, self._self = outer
            self._tuples, self._passed = others
        self._go(after)
        if not count:
            return self._read(result)
        parts: list[Any] = [self._read(result + k) for k in range(count)]
        return placed(node, ast.Tuple(parts, ast.Load()))

    # Expressions ----------------------------------------------------------------------------------
    def _kept(self, value: Any) -> int:
        """A hidden slot that has the value."""
        slot = self._hidden()
        self._add("set", slot, value)
        return slot

    def _read(self, slot: int) -> Slot:
        return Slot(slot)

    def _slot_of(self, node: Any) -> int:
        if isinstance(node, Slot):
            return node.slot
        if isinstance(node, ast.Name):
            if self._display(node) is not None:
                raise Leaves("a tuple or a dict is passed on", node)
            return self._slot(node.id)
        attribute = self._attribute(node)
        return self._kept(self._plain(node)) if attribute is None else self.slots[attribute]

    def _element(self, node: ast.Subscript) -> tuple[int, list[Any]]:
        """(slot, indices and slices) of an array's element; ``x[i][j]`` is ``x[i, j]``."""
        index = node.slice
        held = self._display(index)
        if held is not None:
            parts: list[Any] = [self._read(slot) for slot in held]
        else:
            parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        if any(isinstance(p, ast.Starred) for p in parts):
            raise Leaves("a starred index", node)
        if any(map(self._writes, parts)) and not isinstance(node.value, ast.Name):
            raise Leaves("a call in an index", node)
        if self._draws(index) and self._draws(node.value):
            raise Leaves("several draws of random numbers in an element", node)
        parts = self._each(parts)
        if isinstance(node.value, ast.Subscript):
            base, outer = self._element(node.value)
            if all(isinstance(p, (Slot, ast.BinOp)) or _is_int(p) for p in outer):
                return base, [*map(self._alone, outer), *parts]
            base = self._kept(Element(base, outer, node))
        else:
            base = self._slot_of(node.value)
        if len(parts) > 1:
            self._add("several", base)
        return base, parts

    def _named(self, node: ast.Name) -> Any:
        """What a name holds."""
        slots = self._display(node)
        if slots is None:
            return self._read(self._slot(node.id))
        if not self._calls and self.displays[node.id][0] is dict:
            raise Leaves("a dict is passed on", node)
        return placed(node, ast.Tuple([self._read(slot) for slot in slots], ast.Load()))

    def _under(self, node: ast.Subscript) -> Slot | None:
        """What a name's tuple or dict has under a constant key."""
        slots, key = self._display(node.value), node.slice
        if slots is None:
            return None
        keys: tuple[Any, ...] = tuple(range(len(slots)))
        if not self._calls and isinstance(node.value, ast.Name):
            keys = self.displays[node.value.id][1]
        if not isinstance(key, ast.Constant) or type(key.value) is bool or key.value not in keys:
            raise Leaves("an element of a tuple or a dict", node)
        return self._read(slots[keys.index(key.value)])

    def _of_several(self, node: ast.Subscript) -> Any:
        """``f(x)[0]``, of a function that returns several values."""
        callee = self._callee(node.value) if isinstance(node.value, ast.Call) else None
        count = callee.definition.returns if callee is not None else 0
        if not count:
            return None
        key: Any = node.slice
        if not _is_int(key) or not 0 <= key.value < count:
            raise Leaves("such an element of several values", node)
        return self._plain(node.value).elts[key.value]

    def _alone(self, part: Any) -> Any:
        """An index in brackets of its own: ``x[i][j]`` is ``x[i, j]`` for numbers alone."""
        if isinstance(part, ast.Constant):
            return part
        made = self._read(part.slot if isinstance(part, Slot) else self._kept(part))
        made.is_number = True
        return made

    def _sliced(self, node: ast.Slice) -> Any:
        given = [node.lower, node.upper, node.step]
        made = iter(self._each([b for b in given if b]))
        bounds = [b and next(made) for b in given]
        return placed(node, ast.Slice(*bounds))

    def _plain(self, node: Any) -> Any:
        """The expression without control flow, which goes into blocks before it."""
        if isinstance(node, (ast.Constant, Slot)):
            return node
        if isinstance(node, ast.Name):
            return self._named(node)
        if isinstance(node, ast.Slice):
            return self._sliced(node)
        if isinstance(node, ast.BinOp):
            left, right = self._each([node.left, node.right])
            return placed(node, ast.BinOp(left, node.op, right))
        if isinstance(node, ast.UnaryOp):
            return placed(node, ast.UnaryOp(node.op, self._plain(node.operand)))
        if isinstance(node, ast.Attribute) and (attribute := self._attribute(node)) is not None:
            return self._read(self.slots[attribute])
        if isinstance(node, ast.Subscript):
            if (part := self._under(node)) is not None:
                return part
            way = node.value
            if isinstance(way, ast.Attribute) and way.attr == "shape" and not self._attribute(way):
                value = placed(node, ast.Subscript(self._plain(node.value), node.slice, ast.Load()))
                return value
            if (part := self._of_several(node)) is not None:
                return part
            base, indices = self._element(node)
            return Element(base, indices, node)
        if isinstance(node, ast.Attribute):
            return placed(node, ast.Attribute(self._plain(node.value), node.attr, ast.Load()))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._each([node.left, node.comparators[0]])
            return placed(node, ast.Compare(left, node.ops, [right]))
        if isinstance(node, (*_HOISTED, ast.Compare)):
            return self._read(self._chosen(node))
        if isinstance(node, (ast.Tuple, ast.List)):
            return placed(node, type(node)(self._each(node.elts), ast.Load()))
        if isinstance(node, ast.Dict) and all(node.keys):
            return placed(node, ast.Dict(node.keys, self._each(node.values)))
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.ListComp):
            return folds.listed(self, node)
        raise Leaves(words(node), node)

    def _call(self, node: ast.Call) -> Any:
        if any(isinstance(a, ast.Starred) for a in node.args) or not all(
            k.arg for k in node.keywords
        ):
            raise Leaves("a call with starred arguments", node)
        callee = self._callee(node)
        if callee is None and folds.may_fold(node):
            return folds.fold(self, node)
        of = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        is_computed = callee is None and not isinstance(of, ast.Name)  # before the arguments
        if is_computed and any(self._writes(a) for a in (*node.args, *node.keywords)):
            raise Leaves("a call in an argument may write", node)
        given = self._each([*node.args, *(k.value for k in node.keywords)])
        args, rest = given[: len(node.args)], given[len(node.args) :]
        if callee is not None:
            several = (*node.args, *(k.value for k in node.keywords))
            given = [self._function(n) or v for n, v in zip(several, given, strict=True)]
            args, rest = given[: len(node.args)], given[len(node.args) :]
            named_args = {str(k.arg): v for k, v in zip(node.keywords, rest, strict=True)}
            return self._inlined(callee, args, named_args, node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("min", "max") and len(args) > 1 and not node.keywords:
            self._add("is", self._slot(name), min if name == "min" else max)
            return self._extreme(name, args, node)
        if self._writes(node.func):
            raise Leaves("a call of what a call gives", node)
        named = [
            placed(k.value, ast.keyword(k.arg, v)) for k, v in zip(node.keywords, rest, strict=True)
        ]
        made = placed(node, ast.Call(self._plain(node.func), args, named))
        if not draws.may_draw(node) and not lists.pops(node):
            return made
        made.is_kept = True  # one draw after the other
        return self._read(self._kept(made))

    def _extreme(self, name: str, args: list[Any], node: Any) -> Any:
        """``min`` and ``max`` keep the first of equal values, with its type."""
        found = self._hidden()
        slots = [self._kept(a) for a in args]
        self._add("set", found, self._read(slots[0]))
        for slot in slots[1:]:
            order = ast.Lt() if name == "min" else ast.Gt()
            test = placed(node, ast.Compare(self._read(slot), [order], [self._read(found)]))
            better, after = self._new(), self._new()
            self._end("branch", test, better, after)
            self._go(better)
            self._add("set", found, self._read(slot))
            self._end("jump", after)
            self._go(after)
        return self._read(found)

    def _chosen(self, node: Any) -> int:
        """The slot of an expression with control flow."""
        found = self._hidden()
        after = self._new()
        if isinstance(node, ast.IfExp):
            then, otherwise = self._new(), self._new()
            self._branch(node.test, then, otherwise)
            for block, value in ((then, node.body), (otherwise, node.orelse)):
                self._go(block)
                self._add("set", found, self._plain(value))
                self._end("jump", after)
        else:
            is_and = isinstance(node, ast.Compare) or isinstance(node.op, ast.And)
            for k, value in enumerate(_values(self, node)):
                if k:
                    more = self._new()
                    ways = (more, after) if is_and else (after, more)
                    self._end("branch", self._read(found), *ways)
                    self._go(more)
                self._add("set", found, self._plain(value() if callable(value) else value))
            self._end("jump", after)
        self._go(after)
        return found

    def _branch(self, test: Any, then: Block, otherwise: Block) -> None:
        """Ends a block by what a condition says."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._branch(test.operand, otherwise, then)
        elif isinstance(test, ast.BoolOp):
            is_and = isinstance(test.op, ast.And)
            for value in test.values[:-1]:
                more = self._new()
                self._branch(value, *((more, otherwise) if is_and else (then, more)))
                self._go(more)
            self._branch(test.values[-1], then, otherwise)
        elif isinstance(test, ast.Compare) and len(test.ops) > 1:
            try:
                for value in _values(self, test):
                    more = self._new()
                    self._branch(value(), more, otherwise)
                    self._go(more)
                self._end("jump", then)
            except Leaves as problem:
                self._end("leave", problem.args[0])
        else:
            try:
                self._end("branch", self._plain(test), then, otherwise)
            except Leaves as problem:
                self._end("leave", problem.args[0])


def _is_int(node: Any) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _values(loop: Expressions, node: Any) -> Iterable[Any]:
    """The operands of ``and`` and ``or``, or a chain's comparisons, each when it is its turn."""
    if isinstance(node, ast.BoolOp):
        return node.values
    left: list[Any] = [node.left]

    def compared(op: Any, right: Any) -> Callable[[], Any]:
        def made() -> Any:
            first = left.pop()
            value = loop._read(loop._kept(loop._plain(right)))
            left.append(value)
            return placed(node, ast.Compare(first, [op], [value]))

        return made

    left[0] = loop._read(loop._kept(loop._plain(node.left)))
    return [compared(o, r) for o, r in zip(node.ops, node.comparators, strict=True)]
