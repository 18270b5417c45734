"""``np.einsum`` as sums, transposes, products and matrix products, two operands at a time."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from .. import bridge
from ..errors import NotCovered
from . import shapes
from .linear import diagonal_of
from .lowering import cast, copied, core, dtype_of, require_dtype, reshape, transpose
from .registry import lowers

# NumPy's own reader of subscripts, which gives ``...`` letters.
_parsed = getattr(sys.modules.get("numpy._core.einsumfunc"), "_parse_einsum_input", None)


@lowers(np.einsum)
def einsum(to, *operands, out=None, optimize=False, **kwargs):
    if kwargs or not operands or not isinstance(operands[0], str):
        raise NotCovered("np.einsum with dtype= or casting=, or with lists of axes")
    parts = [to(o) for o in operands[1:]]
    if len(parts) == 1:
        view = _view(operands[0], operands[1], parts, optimize)
        if view is not None:
            return view
    dtype = require_dtype(np.result_type(*(dtype_of(p) for p in parts)), "np.einsum")
    if dtype.kind == "b":
        raise NotCovered("np.einsum of bool")
    terms, result = _letters(operands[0], parts)
    sizes: dict[str, int] = {}
    nodes = []
    for term, part in zip(terms, parts, strict=True):
        node, letters = _diagonals(cast(part, dtype), term)
        for letter, size in zip(letters, node.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise NotCovered("np.einsum of axes that broadcast or do not fit")
        nodes.append((node, letters))
    node, letters = nodes[0]
    for i, (other, names) in enumerate(nodes[1:], 1):
        later = set(result).union(*(set(n) for _, n in nodes[i + 1 :]))
        node, letters = _pair(node, letters, other, names, later, sizes)
    node, letters = _sum_out(node, letters, set(result))
    node = transpose(node, tuple(letters.index(c) for c in result))
    return copied(node) if any(node is p for p in parts) else node


def _view(subscripts: str, array: Any, parts: list[Any], optimize: Any) -> Any | None:
    """The view that NumPy gives where nothing is summed; None where something is."""
    (term,), result = _letters(subscripts, parts)
    if set(term) != set(result) or len(set(result)) != len(result):
        return None
    if len(term) != len(result) or type(array) is not bridge.Traced or optimize is not False:
        raise NotCovered("np.einsum that gives a view of its operand")
    return shapes.transposed(array, tuple(term.index(c) for c in result))


def _letters(subscripts: str, parts: list[Any]) -> tuple[list[str], str]:
    """A letter per axis for every operand and the result."""
    if _parsed is None:
        raise NotCovered("np.einsum")
    left, result, _ = _parsed((subscripts, *(np.empty((0,) * len(p.shape)) for p in parts)))
    terms = left.split(",")
    if [len(t) for t in terms] != [len(p.shape) for p in parts]:
        raise NotCovered(
            "np.einsum({subscripts}) of arrays of these ranks", subscripts=repr(subscripts)
        )
    return terms, result


def _diagonals(node: Any, letters: str) -> tuple[Any, str]:
    """A letter that an operand has twice takes the diagonal."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            if node.shape[first] != node.shape[second]:
                raise ValueError("dimensions in operand for collapsing index do not match")
            node = diagonal_of(node, 0, first, second)
            letters = "".join(c for i, c in enumerate(letters) if i not in (first, second))
            letters += letter
    return node, letters


def _sum_out(node: Any, letters: str, keep: set[str]) -> tuple[Any, str]:
    axes = tuple(i for i, c in enumerate(letters) if c not in keep)
    if not axes:
        return node, letters
    return core("sum", [node], axis=axes), "".join(c for c in letters if c in keep)


def _pair(
    a: Any, of_a: str, b: Any, of_b: str, later: set[str], sizes: dict[str, int]
) -> tuple[Any, str]:
    """Two operands contracted over the letters that nobody needs later."""
    a, of_a = _sum_out(a, of_a, set(of_b) | later)
    b, of_b = _sum_out(b, of_b, set(of_a) | later)
    batch = "".join(c for c in of_a if c in of_b and c in later)
    inner = "".join(c for c in of_a if c in of_b and c not in later)
    free_a = "".join(c for c in of_a if c not in of_b)
    free_b = "".join(c for c in of_b if c not in of_a)

    def sized(letters: str) -> int:
        return math.prod(sizes[c] for c in letters)

    def arranged(node: Any, letters: str, order: str) -> Any:
        return transpose(node, tuple(letters.index(c) for c in order))

    op = "mul" if not inner else "matmul" if batch else "dot"
    stack = () if op == "dot" else (sized(batch),)
    left = arranged(a, of_a, batch + free_a + inner)
    right = arranged(b, of_b, batch + inner + free_b)
    left = reshape(left, (*stack, sized(free_a), sized(inner)))
    right = reshape(right, (*stack, sized(inner), sized(free_b)))
    shape = tuple(sizes[c] for c in batch + free_a + free_b)
    return reshape(core(op, [left, right]), shape), batch + free_a + free_b
