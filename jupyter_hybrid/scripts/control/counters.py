"""Local names that only ever hold Python numbers: ``+=`` does not write these in place."""

from __future__ import annotations

import ast

from ...capture.source.nodes import walk

_COUNTING = (ast.Add, ast.Sub, ast.Mult)


def number_names(function: ast.AST) -> frozenset[str]:
    """Names all of whose bindings in the function are numbers by their form alone."""
    if not isinstance(function, ast.FunctionDef):
        return frozenset()
    a = function.args
    given = {g.arg for g in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    given |= {g.arg for g in (a.vararg, a.kwarg) if g is not None}
    bindings: dict[str, list[ast.expr | None]] = {}  # None: something else
    for node in walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            _bind(node.targets[0], node.value, bindings)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            counts = isinstance(node.op, _COUNTING)
            bindings.setdefault(node.target.id, []).append(node.value if counts else None)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and _is_range(node):
            bindings.setdefault(node.target.id, [])
        else:
            for target in _other_targets(node):
                bindings.setdefault(target, []).append(None)
    found = {n for n, values in bindings.items() if n not in given and None not in values}
    while True:
        wrong = {n for n in found if not all(_is_number(v, found) for v in bindings[n])}
        if not wrong:
            return frozenset(found)
        found -= wrong


def _bind(target: ast.expr, value: ast.expr, into: dict[str, list[ast.expr | None]]) -> None:
    if isinstance(target, ast.Name):
        into.setdefault(target.id, []).append(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        pairs = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for i, part in enumerate(target.elts):
            if pairs and isinstance(part, ast.Name):
                _bind(part, value.elts[i], into)  # type: ignore[attr-defined]
            else:
                for name in _names(part):
                    into.setdefault(name, []).append(None)


def _names(node: ast.AST) -> list[str]:
    return [n.id for n in walk(node) if isinstance(n, ast.Name)]


def _other_targets(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Assign):
        return [n for t in node.targets for n in _names(t)]
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension, ast.AnnAssign, ast.NamedExpr)):
        return _names(node.target)
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return _names(node.optional_vars)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return list(node.names)
    names = (getattr(node, "name", None), getattr(node, "rest", None))
    aliases = [n.asname or n.name for n in getattr(node, "names", ()) if isinstance(n, ast.alias)]
    return [n for n in names if isinstance(n, str)] + aliases


def _is_range(loop: ast.For) -> bool:
    call = loop.iter
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "range"


def _is_number(value: ast.expr | None, known: set[str]) -> bool:
    if isinstance(value, ast.Constant):
        return type(value.value) in (int, float)
    if isinstance(value, ast.Name):
        return value.id in known
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, (ast.USub, ast.UAdd)) and _is_number(value.operand, known)
    if isinstance(value, ast.BinOp):
        counts = isinstance(value.op, _COUNTING)
        return counts and _is_number(value.left, known) and _is_number(value.right, known)
    return False
