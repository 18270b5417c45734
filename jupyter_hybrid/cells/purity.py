"""Is code free of effects that nobody records? Decided from its syntax tree.

Only what is listed here counts: assignments, arithmetic, conditions and loops, subscripts, a few
attributes and methods of arrays, calls. What the names that it reads mean is looked at elsewhere
(:mod:`.reads`): each has to be a number, an array, or a function that is as closed as this.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..capture.source.scopes import bound_names, stored_names
from ..capture.units.parts import words
from ..reasons import Reason, Reasoned

ATTRIBUTES = frozenset({"T", "shape", "ndim", "size", "dtype", "real", "imag", "itemsize"})
#: Methods of arrays, which compute or write them, and of lists and dicts that change those alone.
METHODS = frozenset(
    {
        "sum", "prod", "mean", "max", "min", "std", "var", "any", "all", "argmax", "argmin", "dot",
        "round", "clip", "reshape", "transpose", "astype", "copy", "squeeze", "ravel", "flatten",
        "cumsum", "cumprod", "swapaxes", "repeat", "take", "trace", "diagonal", "conj", "fill",
        "append", "extend", "items", "keys", "values",
    }
)  # fmt: skip
_IN_NOTES = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp,
    ast.BitOr, ast.expr_context,
)  # fmt: skip
_NOTHING = (ast.Pass, ast.Break, ast.Continue, ast.Raise)  # a run that raises is not repeated


class NotSkipped(Reasoned):
    """Why a cell's body has to run."""


@dataclass
class Reads:
    """What closed code reads that is not its own.

    Attributes:
        loads: names; the cell's own names that are bound for certain where each is read first.
        bare: those that are read as values, not for an attribute or to be called.
        paths: (name, attributes, is it called): ``np.linalg.norm``, ``x.T``.
        prologue: of a cell, how many statements at its beginning import or define functions.
        bound: of a cell, the names that it binds for certain.
    """

    loads: dict[str, frozenset[str]] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)
    paths: dict[tuple[str, tuple[str, ...], bool], None] = field(default_factory=dict)
    prologue: int = 0
    bound: frozenset[str] = frozenset()


def reads_of(tree: ast.Module) -> Reads:
    """What the cell reads. Raises NotSkipped."""
    finder = _Finder(frozenset())
    for statement in tree.body:
        made = made_by(statement)
        if not made:
            break
        finder.given |= made
        finder.reads.prologue += 1
    finder.statements(tree.body[finder.reads.prologue :])
    finder.reads.bound = finder.own
    return finder.reads


@lru_cache(maxsize=1000)
def reads_of_function(node: Any) -> Reads:
    """What a function reads. Raises NotSkipped."""
    finder = _Finder(bound_names(node))
    if isinstance(node, ast.Lambda):
        finder.value(node.body)
    else:
        finder.statements(node.body)
    return finder.reads


def made_by(statement: ast.stmt) -> set[str]:
    """The names that an import or a plain definition binds: it may run twice."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        names = {(a.asname or a.name).partition(".")[0] for a in statement.names}
        return set() if "*" in names else names
    if not isinstance(statement, ast.FunctionDef) or statement.decorator_list:
        return set()
    a = statement.args
    defaults = [*a.defaults, *filter(None, a.kw_defaults)]
    every = (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg)))
    notes = [n for n in (*(arg.annotation for arg in every), statement.returns) if n]
    plain = all(isinstance(d, ast.Constant) for d in defaults)
    named = all(isinstance(n, _IN_NOTES) for note in notes for n in ast.walk(note))
    return {statement.name} if plain and named else set()


class _Finder:
    """
    Args:
        own: a function's variables; of a cell, the names bound so far grow in it.
    """

    def __init__(self, own: frozenset[str]):
        self.reads = Reads()
        self.own = own
        self.given: set[str] = set()  # by the cell's prologue
        self.inner: frozenset[str] = frozenset()  # variables of functions and comprehensions around

    # Statements -----------------------------------------------------------------------------------
    def statements(self, nodes: list[Any]) -> None:
        for node in nodes:
            visit: Callable[[Any], None] | None = getattr(self, f"_{type(node).__name__}", None)
            if isinstance(node, _NOTHING):
                continue
            if visit is None or not isinstance(node, ast.stmt):
                raise NotSkipped("line {line} has {what}", line=node.lineno, what=words(node))
            visit(node)

    def _Expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.value(node.value)

    def _Assert(self, node: ast.Assert) -> None:
        self.value(node.test)

    def _Assign(self, node: ast.Assign) -> None:
        self.value(node.value)
        for target in node.targets:
            self._bind(target)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise NotSkipped("line {line} has an annotation", line=node.lineno)
        self.value(node.value)
        self._bind(node.target)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._Name(node.target)
        self.value(node.value)
        self._bind(node.target)

    def _For(self, node: ast.For) -> None:
        self.value(node.iter)
        with self._perhaps():
            self._bind(node.target)
            self.statements(node.body)
        with self._perhaps():
            self.statements(node.orelse)

    def _While(self, node: ast.While) -> None:
        self.value(node.test)
        with self._perhaps():
            self.statements(node.body)
        with self._perhaps():
            self.statements(node.orelse)

    def _If(self, node: ast.If) -> None:
        self.value(node.test)
        with self._perhaps():
            self.statements(node.body)
            then = self.own
        with self._perhaps():
            self.statements(node.orelse)
            otherwise = self.own
        self.own = then & otherwise

    def _FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function inside: what it reads is read here, whenever it is called."""
        if node.decorator_list:
            raise NotSkipped("line {line} has a decorator", line=node.lineno)
        self._inner(node)
        self._bind(ast.copy_location(ast.Name(node.name, ast.Store()), node))

    def _inner(self, node: Any) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.value(default)
        before = self.inner
        self.inner |= bound_names(node)
        with self._perhaps():
            if isinstance(node, ast.Lambda):
                self.value(node.body)
            else:
                self.statements(node.body)
        self.inner = before

    @contextmanager
    def _perhaps(self) -> Iterator[None]:
        """What is bound in the block may not be afterwards."""
        before = self.own
        try:
            yield
        finally:
            self.own = before

    def _bind(self, target: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._bind(part)
        elif isinstance(target, ast.Subscript):
            self.value(target.value)
            self.value(target.slice)
        elif isinstance(target, ast.Name) and target.id not in self.given:
            if target.id not in self.inner:
                self.own |= {target.id}
        elif isinstance(target, ast.Name):
            raise NotSkipped("line {line} binds {name} again", line=target.lineno, name=target.id)
        else:
            raise NotSkipped("line {line} binds {what}", line=target.lineno, what=words(target))

    # Expressions ----------------------------------------------------------------------------------
    def value(self, node: Any) -> None:
        visit: Callable[[Any], None] | None = getattr(self, f"_{type(node).__name__}", None)
        if visit is None or not isinstance(node, ast.expr):
            raise NotSkipped("line {line} has {what}", line=node.lineno, what=words(node))
        visit(node)

    def _parts(self, node: ast.expr) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part)

    _Constant = _BinOp = _UnaryOp = _BoolOp = _IfExp = _parts
    _Tuple = _List = _Dict = _Slice = _Subscript = _Starred = _JoinedStr = _FormattedValue = _parts

    def _Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for before, operator, after in zip(sides, node.ops, node.comparators, strict=False):
            of_none = any(isinstance(n, ast.Constant) and n.value is None for n in (before, after))
            if isinstance(operator, (ast.Is, ast.IsNot)) and not of_none:
                raise NotSkipped(
                    "line {line} asks whether two objects are the same", line=node.lineno
                )
        self._parts(node)

    def _read(self, name: str) -> bool:
        """Is the name, which is read here, not its own?"""
        if name in self.own or name in self.inner:
            return False
        known = self.reads.loads.setdefault(name, self.own)
        self.reads.loads[name] = known & self.own
        return True

    def _Name(self, node: ast.Name) -> None:
        if self._read(node.id):
            self.reads.bare.add(node.id)

    def _path(self, node: ast.expr) -> tuple[str, tuple[str, ...]] | None:
        """(name, attributes) of ``name.attribute...`` with a name that is not its own."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or not attributes or not self._read(node.id):
            return None
        return node.id, tuple(attributes)

    def _Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is not None:
            self.reads.paths[path[0], path[1], False] = None
        elif node.attr in ATTRIBUTES:
            self.value(node.value)
        else:
            raise NotSkipped("line {line} reads .{attr}", line=node.lineno, attr=node.attr)

    def _Call(self, node: ast.Call) -> None:
        for argument in (*node.args, *(k.value for k in node.keywords)):
            self.value(argument)
        function = node.func
        if any(k.arg is None for k in node.keywords):
            raise NotSkipped("line {line} calls with **", line=node.lineno)
        if isinstance(function, ast.Name):
            self._read(function.id)
            return
        path = self._path(function)
        if path is not None:
            self.reads.paths[path[0], path[1], True] = None
        elif isinstance(function, ast.Attribute) and function.attr in METHODS:
            self.value(function.value)
        else:
            a_method = f".{function.attr}" if isinstance(function, ast.Attribute) else None
            what = a_method or Reason("a result")
            raise NotSkipped("line {line} calls {what}", line=node.lineno, what=what)

    def _ListComp(self, node: ast.ListComp) -> None:
        before = self.inner
        for part in node.generators:
            self.value(part.iter)
            self.inner |= set(stored_names(part.target))
            for test in part.ifs:
                self.value(test)
        self.value(node.elt)
        self.inner = before

    _GeneratorExp = _ListComp

    def _Lambda(self, node: ast.Lambda) -> None:
        self._inner(node)
