"""Python's functions that go through all of something, as loops of a unit: ``sum(x)``, ``max(x)``,
``any(x > 1 for x in y)``; comprehensions that make lists.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from ..source.nodes import placed, walk
from .parts import Leaves

_MADE, _FIRST, _ITEM = "<made>", "<first>", "<item>"  # names of hidden slots
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp)
_FOLDS: dict[str, Any] = {
    "sum": sum, "min": min, "max": max, "any": any, "all": all, "list": list, "sorted": sorted,
}  # fmt: skip


def may_fold(node: ast.Call) -> bool:
    """Is it such a call?"""
    known = isinstance(node.func, ast.Name) and node.func.id in _FOLDS
    return known and len(node.args) == 1 and not node.keywords


def fold(loop: Any, node: Any) -> Any:
    """Its steps, in the blocks of a unit; what has the result."""
    function = _FOLDS[node.func.id]
    if function is sum and sys.version_info >= (3, 12):  # which adds floats in a way of its own
        raise Leaves("a call of sum()", node)
    return _gone_through(loop, node, function, node.args[0])


def listed(loop: Any, node: ast.ListComp) -> Any:
    """A comprehension that makes a list, in the same way."""
    return _gone_through(loop, node, None, node)


def _gone_through(loop: Any, node: Any, function: Any, given: Any) -> Any:
    if not isinstance(given, _COMPREHENSIONS):
        once = ast.comprehension(_name(_ITEM, ast.Store()), given, [], 0)
        given = ast.GeneratorExp(_name(_ITEM), [once])
    generators: Any = given.generators
    targets = {n.id for g in generators for n in walk(g.target) if isinstance(n, ast.Name)}
    if not _is_known(loop, generators, targets) or (len(generators) > 1 and function in (any, all)):
        raise Leaves("such a comprehension", node)
    if function is not None:
        loop._add("is", loop._slot(node.func.id), function)
    begin, body = _steps(function, given)
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(generator.target, generator.iter, body, [])]
    if function is sorted:
        body.append(_method("sort", []))
    if function in (min, max):  # of nothing: Python raises
        body.append(ast.Assert(ast.UnaryOp(ast.Not(), _name(_FIRST)), None))
    outside = loop._names
    hidden = sorted({*targets, _MADE, _FIRST, _ITEM})
    loop._names = {**outside, **{name: loop._hidden() for name in hidden}}
    try:
        loop._statements([_placed(node, statement) for statement in (*begin, *body)])
        made = loop._read(loop._names[_MADE])
    finally:
        loop._names = outside
    if loop.now.end is not None:  # nothing follows
        raise Leaves(loop.now.end[1], node)
    return made


def _is_known(loop: Any, generators: list[Any], targets: set[str]) -> bool:
    """Do its loops stand for those of a unit, with names that mean nothing else to that?"""
    used = {a.base for a in loop._instances.used}
    others = {*loop.displays, *loop._tuples, *loop._called, *loop._outer, *used}
    parts = (n for g in generators for n in walk(g.target))
    names = all(isinstance(n, (ast.Name, ast.Tuple, ast.Store)) for n in parts)
    return names and not any(g.is_async for g in generators) and others.isdisjoint(targets)


def _steps(function: Any, given: Any) -> tuple[list[Any], list[Any]]:
    """What it begins with, and what it does with each item of a comprehension."""
    item = given.elt
    if function in (None, list, sorted):
        return [_set(_MADE, ast.List([], ast.Load()))], [_method("append", [item])]
    if function is sum:
        added = ast.BinOp(_name(_MADE), ast.Add(), item)
        return [_set(_MADE, ast.Constant(0))], [_set(_MADE, added)]
    if function in (any, all):
        found = function is any
        test = item if found else ast.UnaryOp(ast.Not(), item)
        ends = [] if isinstance(given, ast.ListComp) else [ast.Break()]  # that is made whole
        known = ast.If(test, [_set(_MADE, ast.Constant(found)), *ends], [])
        return [_set(_MADE, ast.Constant(not found))], [known]
    order = ast.Lt() if function is min else ast.Gt()
    better = ast.Compare(_name(_ITEM), [order], [_name(_MADE)])
    taken = _set(_MADE, _name(_ITEM))
    choice = ast.If(
        _name(_FIRST),
        [_set(_MADE, _name(_ITEM)), _set(_FIRST, ast.Constant(False))],
        [ast.If(better, [taken], [])],
    )
    begin = [_set(_FIRST, ast.Constant(True))]
    return begin, [_set(_ITEM, item), choice]


def _name(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, ctx or ast.Load())


def _method(name: str, args: list[Any]) -> ast.Expr:
    return ast.Expr(ast.Call(ast.Attribute(_name(_MADE), name, ast.Load()), args, []))


def _set(name: str, value: Any) -> ast.Assign:
    return ast.Assign([_name(name, ast.Store())], value)


def _placed(where: Any, made: Any) -> Any:
    """What is new in it gets a place in the text."""
    for node in ast.walk(made):
        if isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno"):
            placed(where, node)
    return made
