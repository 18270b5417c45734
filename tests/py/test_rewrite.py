"""The rewriting of cells: what the compiler asks of its trees."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import jupyter_hybrid
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
