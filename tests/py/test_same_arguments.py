"""Recorded NumPy functions take and refuse the same arguments as NumPy's own, in the same words.

Every function, method and operator with a lowering is called with arguments of wrong types, unknown
keywords and numbers out of range, on arrays of odd dtypes, of rank 0 and of no elements.
"""

from __future__ import annotations

import inspect
import operator
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy_samples import sample
from traced import Recorded

from jupyter_hybrid.np_face.array import methods
from jupyter_hybrid.np_face.lower.registry import FUNCTIONS, VIEWS

OPERANDS: dict[str, Callable[[], np.ndarray]] = {
    "float64": lambda: sample((3, 4), "f8"),
    "int8": lambda: sample((3, 4), "i1"),
    "bool": lambda: sample((3, 4), "?"),
    "uint64": lambda: sample((3, 4), "u8"),
    "complex64": lambda: sample((3, 4), "c8"),
    "float16": lambda: sample((3, 4), "f2"),
    "rank 0": lambda: sample((), "i4"),
    "empty": lambda: sample((0, 3), "f4"),
    "vector": lambda: sample((4,), "f4"),
}
SHORT = ["float64", "rank 0"]
# What is given for parameters of these names, where others have the array.
FILLERS: dict[str, Any] = {"shape": (2, 6), "indices": [0], "axes": (1, 0), "ind": [0]}
WRONG = (1.5, "a", None, -9, 2**70, [0], (0, 0), True, 1j, np.int8(1), object)
NUMBERS = (
    0, -1, 7, 2, 300, -(2**63), 2**63, 2**64, 2**70, -(2**70), 10**400, 1.5, 1e300, np.inf, True,
    1j, np.int8(5), np.float32(2), np.uint64(3), "a", None, [1], (1, 2, 3), b"a",
)  # fmt: skip
OPERATORS = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
    "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge", "iadd", "isub", "imul", "itruediv",
    "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
]  # fmt: skip
METHODS = [
    *methods._FUNCTIONS, "reshape", "transpose", "clip", "astype", "copy", "flatten", "fill",
    "sort", "put", "conj", "view", "partition", "item",
]  # fmt: skip
LOWERED = [*FUNCTIONS, *VIEWS]
FUNCTION_NAMES = sorted(
    {f.__name__ for f in LOWERED if getattr(np, f.__name__, None) is f} - {"empty", "empty_like"}
)
Call = Callable[[Any, Any], Any]


def _variants(names: list[str], needed: int) -> Iterator[tuple[Callable[[Any], tuple], dict]]:
    """(what is given after the array, keywords): ``names`` are those of the parameters, the first
    ``needed`` of which have no defaults."""

    def enough(x: Any) -> tuple:
        return tuple(FILLERS.get(name, x) for name in names[:needed])

    yield enough, {"foo": 1}
    yield enough, {"axis": 0, "foo": 1}
    if "choices" not in names:  # which takes as many as there are
        yield (lambda x: (0,) * (len(names) + 3)), {}
    if needed:
        yield (lambda x: ()), {}
    for value in WRONG:
        yield (lambda x, value=value: (value,)), {}
        for name in names[needed:]:
            yield enough, {name: value}


def calls(name: str, method: bool) -> Iterator[tuple[str, Call]]:
    """(text, call) of a function or method."""
    try:
        parameters = list(inspect.signature(getattr(np, name)).parameters.values())[1:]
    except (AttributeError, TypeError, ValueError):
        parameters = []
    parameters = [p for p in parameters if p.name != "out" and p.kind is not p.VAR_KEYWORD]
    needed = sum(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in parameters)
    for of, kwargs in _variants([p.name for p in parameters], needed):

        def call(np: Any, x: Any, of: Any = of, kwargs: Any = kwargs) -> Any:
            if method:
                return getattr(x, name)(*of(x), **kwargs)
            return getattr(np, name)(x, *of(x), **kwargs)

        yield f"{'x.' if method else 'np.'}{name} of {of('x')}, {kwargs}", call


def operations() -> Iterator[tuple[str, Call]]:
    """(text, call) of the operators with a number on either side."""
    for name in OPERATORS:
        op = getattr(operator, name)
        for value in NUMBERS:
            yield f"{name}(x, {value!r:.20})", lambda np, x, op=op, v=value: op(x, v)
            yield f"{name}({value!r:.20}, x)", lambda np, x, op=op, v=value: op(v, x)


def outcome(made: Any) -> Any:
    """What a result is, computed or not."""
    if isinstance(made, (list, tuple)):
        return [type(made).__name__, *map(outcome, made)]
    if isinstance(made, (np.ndarray, np.generic)):
        return made.__class__.__name__, str(made.dtype), np.shape(made)
    return made.__class__.__name__, made if isinstance(made, (bool, int, str)) else 0


def close(got: Any, want: Any) -> bool:
    """Have two results the same elements, but for the last digits of floats?"""
    if isinstance(want, (list, tuple)):
        return all(map(close, got, want))
    if not isinstance(want, (np.ndarray, np.generic)):
        return True
    got, want = np.asarray(got), np.asarray(want)
    if want.dtype.kind not in "fc":
        return bool(np.array_equal(got, want)) or want.dtype.kind == "O"
    tolerance = {2: 2e-2, 4: 1e-4, 8: 1e-10}.get(np.finfo(want.dtype).dtype.itemsize, 1e-10)
    return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True))


def differences(text: str, call: Call, make: Callable) -> str:
    """What differs between plain and recorded; "" for nothing."""
    seen: list[Any] = []

    def attempt(np: Any, x: Any) -> Any:
        y = x * 1 if x.dtype != bool else x & True
        try:
            made = call(np, y)
        except Exception as error:
            text = re.sub(r"0x[0-9a-f]+", "", str(error))
            seen.append((type(error).__name__, text))
            return y
        seen.append(outcome(made))
        return made, y

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = attempt(np, make())
        got = Recorded(attempt, (make(),)).value
    if seen[0] != seen[1]:
        return f"{text}: {seen[1]}, in NumPy {seen[0]}\n"
    return "" if close(got, want) else f"{text}: {got}, in NumPy {want}\n"


def _all(kind: str) -> list[tuple[str, Call]]:
    if kind == "operators":
        return list(operations())
    method = kind == "methods"
    return [c for name in (METHODS if method else FUNCTION_NAMES) for c in calls(name, method)]


@pytest.mark.parametrize("kind", ["operators", "methods", "functions"])
@pytest.mark.parametrize(
    "operand", [o if o in SHORT else pytest.param(o, marks=pytest.mark.slow) for o in OPERANDS]
)
def test_numpys_answers_and_errors(kind, operand):
    assert not "".join(differences(text, call, OPERANDS[operand]) for text, call in _all(kind))
