"""Random loops whose names are attributes of an instance, and whose functions are its methods."""

from __future__ import annotations

import ast

from hypothesis import strategies as st
from random_loops import FUNCTIONS, HELD, MADE, NAMES, Trial, trials


@st.composite
def trials_with_instances(draw: st.DrawFn) -> Trial:
    """Such a trial; where its names are few, loops work with both."""
    trial: Trial = draw(trials())
    names = frozenset(n for n in (*NAMES, *HELD, *MADE) if draw(st.booleans()))
    loop = ast.unparse(_Within("o", names).visit(ast.parse(trial.loop)))
    made = ast.parse(trial.functions).body
    is_static = [draw(st.integers(0, 4)) == 0 for _ in made]
    methods = [_method(f, names, s) for f, s in zip(made, is_static, strict=True)]
    of_class: list[ast.stmt] = [*ast.parse("c = 2.5").body, *methods]
    functions = ast.ClassDef("O", [], [], of_class, [])
    functions.type_params = []  # type: ignore[attr-defined]
    setup = [trial.setup, "class P: pass", "o = P()"]
    setup += [f"if {n!r} in globals(): o.{n} = {n}" for n in (*NAMES, *HELD, *MADE)]
    text = ast.unparse(ast.fix_missing_locations(functions))
    return Trial("\n".join(setup), loop, f"{text}\no.__class__ = O")


def _method(function: ast.stmt, names: frozenset[str], is_static: bool) -> ast.stmt:
    assert isinstance(function, ast.FunctionDef)
    given = {a.arg for a in function.args.args}
    if is_static:
        function.decorator_list = [ast.Name("staticmethod", ast.Load())]
        return function
    _Within("self", names - given).visit(function)
    function.args.args.insert(0, ast.arg("self"))
    return function


class _Within(ast.NodeTransformer):
    """Names become attributes of the instance that ``base`` is."""

    def __init__(self, base: str, names: frozenset[str]):
        self._base, self._names = base, names | set(FUNCTIONS)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names:
            return node
        return ast.Attribute(ast.Name(self._base, ast.Load()), node.id, node.ctx)
