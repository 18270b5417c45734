"""What a cell leaves behind: values, objects, which arrays share memory. For comparison."""

from __future__ import annotations

import itertools
import math
import types
from typing import Any

import numpy as np

SHELLS = frozenset({"In", "Out", "get_ipython", "exit", "quit", "open"})


def cleared(names: dict[str, Any]) -> None:
    """Takes out what a setup or a cell has bound."""
    for name in [n for n in names if not n.startswith("_") and n not in SHELLS]:
        del names[name]


def state(names: dict[str, Any]) -> Any:
    """(elements of arrays and floats, all else), of every name and of what it holds."""
    flat: dict[str, Any] = {}

    def open_up(where: str, value: Any) -> None:
        flat[where] = value
        if isinstance(value, (tuple, list, dict)):
            for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                open_up(f"{where}[{key!r}]", part)
        elif type(value) is types.FunctionType:
            open_up(f"{where}.__defaults__", value.__defaults__)

    for name, value in names.items():
        if not name.startswith("_") and name not in SHELLS:
            open_up(name, value)
    described: dict[str, Any] = {}
    elements: dict[str, Any] = {}
    for where, value in flat.items():
        described[where] = type(value).__name__
        if isinstance(value, (np.ndarray, np.generic)):
            a = np.asarray(value)
            described[where] = type(value), a.dtype, a.shape, a.strides, a.flags.writeable
            elements[where] = a.copy()
        elif type(value) is float and math.isfinite(value):
            elements[where] = value
        elif isinstance(value, (int, float, str)):
            described[where] = type(value), repr(value)
    kinds = (np.ndarray, np.generic, tuple, list, dict)
    objects = {w: v for w, v in flat.items() if isinstance(v, kinds)}
    pairs = itertools.combinations(objects, 2)
    same = {frozenset(p) for p in pairs if objects[p[0]] is objects[p[1]]}
    numbers = {p for p in same if all(isinstance(objects[where], np.generic) for where in p)}
    arrays = {w: v for w, v in objects.items() if isinstance(v, np.ndarray)}
    pairs = itertools.combinations(arrays, 2)
    shared = {frozenset(p) for p in pairs if np.shares_memory(arrays[p[0]], arrays[p[1]])}
    return elements, {"values": described, "same": same - numbers, "shared": shared}, numbers


def compare(found: Any, wanted: Any) -> None:
    """Asserts that two states are alike; floats within 1e-13. A number that two names hold may be
    two equal ones after a loop that ran compiled, never the other way round."""
    for what, described in wanted[1].items():
        assert found[1][what] == described, what
    assert found[2] <= wanted[2]
    for where, array in wanted[0].items():
        if np.asarray(array).dtype.kind in "SU":
            np.testing.assert_array_equal(found[0][where], array, err_msg=where)
            continue
        np.testing.assert_allclose(found[0][where], array, rtol=1e-13, atol=1e-13, err_msg=where)
