"""Lists that unpacking and patterns make: ``first, *rest = rows`` puts stand-ins into one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .nodes import placed, walk

_CALL = Callable[[str, list[ast.expr], ast.AST], ast.expr]


def starred_names(*targets: ast.expr | None) -> list[str]:
    """The names that unpacking binds to lists. Other starred targets see to it themselves."""
    several = [t for t in targets if isinstance(t, (ast.Tuple, ast.List))]
    stars = [n.value for t in several for n in walk(t) if isinstance(n, ast.Starred)]
    return [value.id for value in stars if isinstance(value, ast.Name)]


def held(names: list[str], at: Any, call: _CALL) -> list[ast.stmt]:
    """``R.held(name)`` for each."""
    loads = [placed(at, ast.Name(name, ast.Load())) for name in names]
    return [placed(at, ast.Expr(call("held", [load], at))) for load in loads]


def held_in_step(step: ast.comprehension, call: _CALL) -> None:
    """The same in a comprehension, where conditions alone can stand."""
    step.ifs[:0] = _asked(starred_names(step.target), step.target, call)


def held_in_case(case: Any, call: _CALL) -> None:
    """The same of what a pattern binds, before its condition."""
    kinds = {ast.MatchStar: "name", ast.MatchMapping: "rest"}
    found = (getattr(n, kinds.get(type(n), ""), None) for n in walk(case.pattern))
    asked = _asked([name for name in found if name], case.pattern, call)
    if asked:
        tests = [*asked, *filter(None, [case.guard])]
        both = placed(case.pattern, ast.BoolOp(ast.And(), tests))
        case.guard = both if len(tests) > 1 else tests[0]


def _asked(names: list[str], at: Any, call: _CALL) -> list[ast.expr]:
    return [call("unpacked", [placed(at, ast.Name(n, ast.Load()))], at) for n in names]
