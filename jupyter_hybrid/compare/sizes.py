"""The same cell at another size: an int of the cell's set, or its arrays' leading dimension."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core, nd
from ..capture.cell import Cell
from ..capture.options import UsageError

_HELP = (
    "name an int that the cell assigns or reads, as in --sizes n=1000,10000, and let its arrays "
    "be made from it"
)


@dataclass
class Sized:
    """A cell made ready for one size: the cell itself and values that replace the namespace's."""

    size: int
    cell: Cell
    replaced: dict[str, Any]


def resizable(
    cell: Cell, sizes: tuple[int, ...], name: str | None, given: dict[str, Any]
) -> tuple[str, list[Sized]]:
    """(what is varied, the cell at every size).

    Args:
        name: the int to set, or None to scale the leading dimensions of the arrays read.
        given: name -> value of what the cell reads.

    Raises:
        UsageError: when it is not clear what a size means; the message says what to do.
    """
    if name is None:
        arrays = _leading(given)
        return f"rows of {', '.join(arrays)}", [
            Sized(s, cell, {n: _resized(given[n], 0, s) for n in arrays}) for s in sizes
        ]
    assigned = _assigned_ints(cell, name)
    if assigned:
        return name, [Sized(s, _with_int(cell, name, s), {}) for s in sizes]
    value = given.get(name)
    if type(value) is not int:
        raise UsageError(
            f"--sizes: {name!r} is not an int that this cell reads or assigns a constant to; "
            f"{_HELP}"
        )
    axes = {
        n: [i for i, d in enumerate(v.shape) if d == value]
        for n, v in given.items()
        if isinstance(v, (np.ndarray, _core.NDArray))
    }
    made = []
    for size in sizes:
        changed: dict[str, Any] = {name: size}
        for array, places in axes.items():
            for axis in places:
                changed[array] = _resized(changed.get(array, given[array]), axis, size)
        made.append(Sized(size, cell, changed))
    return name, made


def _leading(given: dict[str, Any]) -> list[str]:
    arrays = {
        n: v
        for n, v in given.items()
        if isinstance(v, (np.ndarray, _core.NDArray)) and len(v.shape) > 0
    }
    if not arrays:
        raise UsageError(f"--sizes: this cell reads no arrays that could be resized; {_HELP}")
    largest = max(arrays.values(), key=lambda v: v.size)
    length = largest.shape[0]
    if length < 2 or any(length in v.shape[1:] for v in arrays.values()):
        raise UsageError(
            f"--sizes: {length} is not the length of leading dimensions only, so it is not clear "
            f"which to scale; {_HELP}"
        )
    return [n for n, v in arrays.items() if v.shape[0] == length]


def _resized(value: Any, axis: int, size: int) -> Any:
    """The array repeated or cut along an axis."""
    array = value.asnumpy() if isinstance(value, _core.NDArray) else value
    made = np.take(array, np.arange(size) % array.shape[axis], axis=axis)
    return nd.array(made, dtype=made.dtype) if isinstance(value, _core.NDArray) else made


def _is_int(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _assigned_ints(cell: Cell, name: str) -> list[ast.Assign]:
    found = [
        s
        for s in cell.tree.body
        if isinstance(s, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == name for t in s.targets)
    ]
    return found if found and all(_is_int(s.value) for s in found) else []


def _with_int(cell: Cell, name: str, value: int) -> Cell:
    made = replace(cell, tree=copy.deepcopy(cell.tree), _codes={})
    for statement in _assigned_ints(made, name):
        statement.value = ast.copy_location(ast.Constant(value), statement.value)
    return made
