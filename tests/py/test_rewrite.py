"""The rewriting of cells: what the compiler asks of its trees."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import jupyter_hybrid
from jupyter_hybrid.capture.source.nodes import children, copied, finished, walk
from jupyter_hybrid.capture.source.rewrite import defined_functions, rewrite

_HERE = Path(__file__).parent
_PACKAGE = Path(jupyter_hybrid.__file__).parent
TEXTS = {
    **{p.name: p for p in sorted(_HERE.glob("*cells*.py"))},
    **{p.name: p for p in sorted((_PACKAGE / "capture").glob("c*.py"))},
    "test_own_code.py": _HERE / "test_own_code.py",
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_node_has_a_place(name):
    tree = ast.parse(TEXTS[name].read_text("utf-8"))
    tree = rewrite(tree, name, defined_functions(tree))
    for node in ast.walk(tree):
        if "lineno" in node._attributes:
            assert node.end_lineno is not None, ast.dump(node)[:200]
    compile(tree, name, "exec")


_SHARED = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)


@pytest.mark.parametrize("name", TEXTS)
def test_trees_are_walked_and_copied_as_ast_does(name):
    tree = ast.parse(TEXTS[name].read_text("utf-8"))
    nodes = [n for n in ast.walk(tree) if not isinstance(n, _SHARED)]
    assert {id(n) for n in walk(tree)} == {id(n) for n in nodes}
    below = [n for n in ast.iter_child_nodes(tree) if not isinstance(n, _SHARED)]
    assert children(tree) == below
    for node in nodes:
        node.around = tree  # somebody's note: no part of it
    assert {id(n) for n in walk(tree)} == {id(n) for n in nodes}
    made = copied(finished(tree))
    assert ast.dump(made, include_attributes=True) == ast.dump(tree, include_attributes=True)
    assert not {id(n) for n in walk(made)} & {id(n) for n in nodes}
    assert vars(made).keys().isdisjoint({"finished", "around"})


def test_what_is_no_tree_is_refused_and_a_deep_one_is_an_error():
    for function in (children, copied, walk):
        with pytest.raises(TypeError, match="takes a node of a syntax tree, not str"):
            function("x = 1")
    deep: ast.expr = ast.Constant(1)
    for _ in range(100_000):
        deep = ast.UnaryOp(ast.USub(), deep)
    with pytest.raises(RecursionError, match="while a syntax tree is copied"):
        copied(deep)
    assert len(walk(deep)) == 100_001
    while isinstance(deep, ast.UnaryOp):  # from outside, not in one deep call
        deep = deep.operand
