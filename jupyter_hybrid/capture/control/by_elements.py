"""Loops that go through arrays element by element: a node costs more than Python takes for them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import _core
from ...np_face import TracedArray

_ASKED = frozenset({"shape", "ndim", "size", "dtype"})


def by_elements(node: ast.AST, *scopes: Mapping[str, Any]) -> bool:
    """Are the arrays that a statement names read and written one element at a time only?

    Args:
        scopes: what names hold, innermost first.
    """
    fine: set[int] = set()
    arrays: dict[str, int] = {}
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    for name in {n.id for n in names}:
        value: Any = next((s[name] for s in scopes if name in s), None)
        kind = type(value)
        if kind in (np.ndarray, _core.NDArray) or (kind is TracedArray and not value.is_scalar):
            arrays[name] = len(value.shape)
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
            keys = n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]
            if len(keys) == arrays.get(n.value.id) and not any(map(_is_slice, keys)):
                fine.add(id(n.value))
        elif isinstance(n, ast.Attribute) and n.attr in _ASKED:
            fine.add(id(n.value))
        elif isinstance(n, ast.Call) and getattr(n.func, "id", "") == "len":
            fine |= {id(a) for a in n.args}
    return bool(arrays) and all(id(n) in fine for n in names if n.id in arrays)


def _is_slice(key: ast.expr) -> bool:
    return isinstance(key, (ast.Slice, ast.Starred, ast.Constant)) and (
        not isinstance(key, ast.Constant) or type(key.value) is not int
    )
