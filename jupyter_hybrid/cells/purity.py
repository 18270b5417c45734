"""Is a cell free of effects? Decided from its syntax tree; the values it reads are guarded later.

Only what is listed here counts: assignments to names, arithmetic, comparisons, constant subscripts,
a few attributes and methods of arrays, and functions of NumPy and nd that are known to be pure.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import nd
from .._generate import faces

_ATTRIBUTES = frozenset({"T", "shape", "ndim", "size", "dtype"})
# Method of arrays -> most positional arguments before one could be an output
_METHODS = {
    **dict.fromkeys(("sum", "prod", "mean", "max", "min", "std", "var", "any", "all"), 1),
    **dict.fromkeys(("argmax", "argmin", "dot", "round"), 1),
    "clip": 2,
    **dict.fromkeys(("reshape", "transpose", "astype", "copy", "squeeze"), sys.maxsize),
    **dict.fromkeys(("ravel", "flatten"), sys.maxsize),
}
_KEYWORDS = frozenset({"axis", "keepdims", "dtype", "ddof", "shape", "fill_value"})
# Function -> the same; a function of nd that is made from the op table takes its output by name
_FUNCTIONS: dict[Any, int] = {
    **{getattr(np, n): 2 for n in ("sum", "prod", "mean", "max", "min", "std", "var", "argmax")},
    **{getattr(np, n): 2 for n in ("argmin", "any", "all", "dot", "concatenate", "stack")},
    **{getattr(np, n): 2 for n in ("reshape", "transpose", "expand_dims", "squeeze", "ravel")},
    **{getattr(np, n): 2 for n in ("zeros", "ones", "zeros_like", "ones_like")},
    **{getattr(np, n): 3 for n in ("where", "clip", "full")},
    **{getattr(nd, n): 2 for n in ("maximum", "minimum")},
    **{getattr(nd, face.name): sys.maxsize for face in faces()},
}


class NotSkipped(Exception):
    """Why a cell's body has to run; the message is a sentence's end."""


@dataclass
class Reads:
    """What an effect-free cell depends on."""

    names: dict[str, None] = field(default_factory=dict)  # read before they are bound
    functions: list[tuple[str, tuple[str, ...], int, bool]] = field(default_factory=list)
    values: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # np.pi, np.float32
    integers: set[str] = field(default_factory=set)  # must be Python integers: subscripts
    arrays: set[str] = field(default_factory=set)  # must not be modules: x.T, x.sum()


def reads_of(tree: ast.Module) -> Reads:
    """What the cell reads. Raises NotSkipped."""
    finder = _Finder()
    for statement in tree.body:
        finder.statement(statement, last=statement is tree.body[-1])
    return finder.reads


class _Finder:
    def __init__(self) -> None:
        self.reads = Reads()
        self.bound: set[str] = set()

    def statement(self, node: ast.stmt, last: bool) -> None:
        if isinstance(node, ast.Pass):
            return
        if isinstance(node, ast.Expr) and last:
            self.value(node.value)
        elif isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
            self.value(node.value)
            self.bound |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        else:
            raise NotSkipped(f"line {node.lineno} is more than an assignment to a name")

    def value(self, node: ast.expr) -> None:
        visit: Callable[[Any], None] | None = getattr(self, f"_{type(node).__name__}", None)
        if visit is None:
            raise NotSkipped(f"line {node.lineno} has a {type(node).__name__}")
        visit(node)

    def _Constant(self, node: ast.Constant) -> None:
        return

    def _Name(self, node: ast.Name) -> None:
        if node.id not in self.bound:
            self.reads.names[node.id] = None

    def _parts(self, node: ast.expr) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part)

    _BinOp = _Tuple = _List = _parts

    def _UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            raise NotSkipped(f"line {node.lineno} asks for a truth value")
        self.value(node.operand)

    def _Compare(self, node: ast.Compare) -> None:
        simple = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        if len(node.ops) != 1 or not isinstance(node.ops[0], simple):
            raise NotSkipped(f"line {node.lineno} asks for a truth value")
        self._parts(node)

    def _Subscript(self, node: ast.Subscript) -> None:
        self.value(node.value)
        self._index(node.slice)

    def _index(self, node: ast.expr) -> None:
        if isinstance(node, (ast.Tuple, ast.Slice)):
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr):
                    self._index(part)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self._index(node.operand)
        elif isinstance(node, ast.Name) and node.id not in self.bound:
            self.reads.names[node.id] = None
            self.reads.integers.add(node.id)
        elif not (isinstance(node, ast.Constant) and not isinstance(node.value, (str, float))):
            raise NotSkipped(f"line {node.lineno} has a computed index")

    def _path(self, node: ast.expr) -> tuple[str, tuple[str, ...]] | None:
        """(name, attributes) of ``name.attribute...`` with a name that is not the cell's own."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.bound or not attributes:
            return None
        return node.id, tuple(attributes)

    def _Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is not None and node.attr not in _ATTRIBUTES:
            self.reads.names[path[0]] = None
            self.reads.values.append(path)
        elif node.attr in _ATTRIBUTES:
            if path is not None:
                self.reads.arrays.add(path[0])
            self.value(node.value)
        else:
            raise NotSkipped(f"line {node.lineno} reads .{node.attr}")

    def _Call(self, node: ast.Call) -> None:
        function = node.func
        for keyword in node.keywords:
            if keyword.arg not in _KEYWORDS:
                raise NotSkipped(f"line {node.lineno} calls with {keyword.arg or '**'}=")
            self.value(keyword.value)
        for argument in node.args:
            self.value(argument)
        if not isinstance(function, ast.Attribute):
            raise NotSkipped(f"line {node.lineno} calls a function that is not known to be pure")
        path = self._path(function)
        is_method = len(node.args) <= _METHODS.get(function.attr, -1)
        if is_method and (path is None or len(path[1]) > 1):
            self.value(function.value)
        elif path is not None:
            # A method of an array that is read, or a function of a module: the value tells.
            self.reads.names[path[0]] = None
            method = is_method and len(path[1]) == 1
            self.reads.functions.append((*path, len(node.args), method))
        else:
            raise NotSkipped(f"line {node.lineno} calls .{function.attr}")


def is_pure(function: Any, arguments: int) -> bool:
    """True for a function of NumPy or nd that only computes, with that many positional ones."""
    if isinstance(function, np.ufunc):
        return arguments <= function.nin and getattr(np, function.__name__, None) is function
    try:
        return arguments <= _FUNCTIONS.get(function, -1)
    except TypeError:  # not hashable
        return False
