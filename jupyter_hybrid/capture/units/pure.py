"""Calls that units leave to NumPy itself: of functions that change nothing.

They get arrays that can't be written, whatever their options say. Their results' kinds are those
that small arrays of the same dtypes give; each call is looked at for that, and leaves the unit
where it gave something else. What they would warn of raises in a unit: Python takes the step.
"""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...np_face.float_errors import unheard
from ...reasons import Reason
from . import lists
from .arithmetic import Value
from .kinds import (
    NOTHING,
    Stream,
    is_array,
    is_integer,
    is_number,
    kind_of,
    letter_of,
    tell_known,
)
from .parts import Leaves


class Draws(NamedTuple):
    """A function draws random numbers; ``pairs_of``: from which of the loop's sources, if it may
    take the one of a pair that this keeps, or leave one there; else -1."""

    pairs_of: int = -1


# None that warns by other means than floating-point flags, of arrays that have elements.
_FUNCTIONS: tuple[Any, ...] = (
    np.clip, np.roll, np.argmin, np.argmax, np.concatenate, np.hstack, np.vstack, np.stack,
    np.column_stack, np.cumsum, np.cumprod, np.sort, np.argsort, np.arange, np.linspace, np.eye,
    np.identity, np.diag, np.trace, np.triu, np.tril, np.std, np.var, np.median, np.count_nonzero,
    np.array_equal, np.allclose, np.isclose, np.array, np.diff, np.interp,
    np.searchsorted, np.einsum, np.tensordot, np.kron, np.vdot, np.inner, np.convolve,
    np.correlate, np.bincount, np.tile, np.repeat, np.pad, np.round, np.around, np.mean, np.sum,
    np.prod, np.max, np.min, np.amax, np.amin, np.any, np.all, np.ptp, np.average, np.nan_to_num,
    np.matmul, np.dot, np.outer, np.full_like, np.linalg.norm, np.linalg.inv, np.linalg.solve,
    np.linalg.det, np.linalg.pinv, np.linalg.cholesky, np.linalg.matrix_rank, np.argpartition,
    np.take, np.delete, np.append, np.insert, np.logspace, np.fmax, np.fmin,
    np.nansum, np.gradient, np.trapezoid, np.polyval, np.heaviside,
    np.empty, np.empty_like, np.full, np.isin, np.union1d, np.intersect1d, np.flatnonzero,
)  # fmt: skip
PURE = frozenset(_FUNCTIONS)
_METHODS = frozenset(
    {"clip", "argmin", "argmax", "cumsum", "cumprod", "argsort", "trace", "std", "var", "round",
     "astype", "flatten", "sum", "prod", "max", "min", "mean", "any", "all", "dot", "copy",
     "repeat", "take", "item"}
)  # fmt: skip
#: Functions of NumPy's that write into their first argument, and return nothing.
_WRITE = frozenset((np.copyto, np.fill_diagonal, np.put))
#: Of ufuncs, but for those that write.
METHODS_OF_UFUNCS = frozenset({"reduce", "accumulate", "outer"})
_OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.MatMult: operator.matmul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_REFUSED = frozenset({"out", "where", "ddof"})  # the last one may warn, not by a flag
_MOST_ARGUMENTS = 24
_MOST_SAMPLED = 1000  # elements
_FIXED = (int, float, str, bool, type(None))


class _Spec:
    """How a call's arguments are made of values that are given one by one."""

    def __init__(self, numpys: bool = True):
        self.given: list[Value] = []
        self._numpys = numpys  # to NumPy a list is an array

    def of(self, code: Any, node: Any) -> Any:
        """A constant as it is, a tuple of parts, or the place of a value."""
        if isinstance(node, ast.Constant) and type(node.value) in _FIXED:
            return _Constant(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            made = self.of(code, node.operand)
            if isinstance(node.op, ast.USub) and type(made.value) in (int, float):
                return _Constant(-made.value)
        if isinstance(node, (ast.Tuple, ast.List)):
            return type(node) is ast.List, [self.of(code, part) for part in node.elts]
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return False, [self.value(code, v) for v in code.shape_of(node)]
        return self.value(code, code._value(node))

    def of_index(self, code: Any, node: Any) -> Any:
        """The same of an index: slices and ``range(...)``, too."""
        if isinstance(node, ast.Slice):
            bounds = (node.lower, node.upper, node.step)
            return _Made(
                slice, [_Constant(None) if b is None else self.of(code, b) for b in bounds]
            )
        if isinstance(node, ast.Call) and _function_of(code, node.func) is range:
            values = [code._value(a) for a in node.args]
            if node.keywords or not all(is_integer(k) for k, _ in values):
                raise Leaves("range() of such values", None)
            return _Made(range, [self.value(code, v) for v in values])
        return self.of(code, node)

    def value(self, code: Any, value: Value) -> Any:
        if self._numpys:
            value = lists.as_array(code, value)
        kind = value[0]
        if type(kind) is tuple and kind[0] == "is" and _is_fixed(kind[1]):
            return _Constant(kind[1])
        if not (is_array(kind) or is_number(kind)) or len(self.given) == _MOST_ARGUMENTS:
            raise Leaves("a call with such arguments", None)
        self.given.append(value)
        return len(self.given) - 1


class _Constant:
    def __init__(self, value: Any):
        self.value = value


class _Made:
    """What a function makes of parts."""

    def __init__(self, function: Any, parts: list[Any]):
        self.function, self.parts = function, parts


class Index:
    """An index of which a part is an array, a list or a range.

    Attributes:
        given: the values in it.
    """

    def __init__(self, code: Any, nodes: list[Any]):
        spec = _Spec()
        self._parts = [spec.of_index(code, node) for node in nodes]
        self.given = spec.given
        self.is_fancy = any(
            is_array(spec.given[p][0]) if type(p) is int else _is_sequence(p) for p in self._parts
        )

    @property
    def alone(self) -> Value | None:
        """The array that it is, if it has no other part."""
        whole = self._parts == [0] and is_array(self.given[0][0])
        return self.given[0] if whole else None

    def built(self, given: Sequence[Any]) -> Any:
        """It, of these values."""
        parts = [_built(part, given) for part in self._parts]
        return parts[0] if len(parts) == 1 else tuple(parts)


def _is_sequence(part: Any) -> bool:
    """A list, or a range."""
    return part.function is range if type(part) is _Made else type(part) is tuple and part[0]


def _is_fixed(value: Any) -> bool:
    """Is it a type of numbers, a dtype, or None?"""
    numbers = isinstance(value, type) and (
        value in (int, float, bool, complex) or issubclass(value, np.generic)
    )
    return numbers or value is None or isinstance(value, np.dtype)


def _built(spec: Any, given: Sequence[Any]) -> Any:
    if type(spec) is int:
        return given[spec]
    if type(spec) is _Constant:
        return spec.value
    if type(spec) is _Made:
        return spec.function(*[_built(part, given) for part in spec.parts])
    is_list, parts = spec
    made = [_built(part, given) for part in parts]
    return made if is_list else tuple(made)


def _adapted(function: Any, args: list[Any], named: dict[str, Any]) -> Callable[..., Any]:
    """The function of the values that are given one by one."""

    def call(*given: Any) -> Any:
        values = [_built(a, given) for a in args]
        return function(*values, **{k: _built(a, given) for k, a in named.items()})

    return call


def _direct(
    code: Any, function: Any, args: list[Any], named: dict[str, Any], given: list[Value]
) -> tuple[Callable[..., Any], list[Value]]:
    """The same without a function of ours between, where it will do: constant numbers are given,
    too.
    """
    if not given:  # always the same
        values = [_built(a, ()) for a in args]
        named = {k: _built(a, ()) for k, a in named.items()}
        return functools.partial(function, *values, **named), given
    plain = all(type(a) is int or _is_small(a) for a in args)
    if not plain or not all(type(a) is _Constant for a in named.values()):
        return _adapted(function, args, named), given
    if named:
        function = functools.partial(function, **{k: a.value for k, a in named.items()})
    return function, [
        given[a] if type(a) is int else (type(a.value).__name__, code.constant(a.value))
        for a in args
    ]


def _is_small(part: Any) -> bool:
    value = part.value if type(part) is _Constant else None
    return type(value) is float or (type(value) is int and abs(value) < 2**63)


def knows(function: Any) -> bool:
    """Is it a function that units call?"""
    of_ufunc = isinstance(getattr(function, "__self__", None), np.ufunc)
    return of_ufunc or function in PURE or function is np.where


def call(code: Any, function: Any, args: Sequence[Any], named: dict[str, Any]) -> Value:
    """A call of a pure function of NumPy's; the arguments are nodes."""
    spec = _Spec()
    alone = function is np.where and (len(args) != 3 or named)
    if alone or not _REFUSED.isdisjoint(named):
        raise Leaves("a call with such arguments", None)
    places = [spec.of(code, a) for a in args]
    names = {k: spec.of(code, a) for k, a in named.items()}
    return _emitted(code, function, places, names, spec.given)


def drawn(
    code: Any,
    function: Any,
    receiver: list[Value],
    twin: Any,
    args: Sequence[Any],
    named: dict[str, Any],
    numpys: bool,
    draws: Draws,
) -> Value:
    """A call of a function that draws random numbers, of NumPy's or of Python's; ``twin``: the same
    of another generator, or that generator, if the function is given one.
    """
    spec = _Spec(numpys)
    spec.given += receiver
    places = [*range(len(receiver)), *(spec.of(code, a) for a in args)]
    names = {k: spec.of(code, a) for k, a in named.items()}
    made = _adapted(function, places, names)
    sampled = functools.partial(made, twin) if receiver else _adapted(twin, places, names)
    kinds = tuple(v[0] for v in spec.given[len(receiver) :])
    result = _kind_of_result(sampled, kinds, (_sample, _rising(), *_of_lengths(places)))
    return _called(code, *_direct(code, function, places, names, spec.given), result, draws)


def method(code: Any, base: Value, name: str, args: Sequence[Any], named: dict[str, Any]) -> Value:
    """``array.name(args)``."""
    if name not in _METHODS or not _REFUSED.isdisjoint(named):
        raise Leaves(Reason("the method {name}", name=name), None)
    spec = _Spec()
    spec.value(code, base)
    places = [spec.of(code, a) for a in args]
    names = {k: spec.of(code, a) for k, a in named.items()}
    return _emitted(code, getattr(np.ndarray, name), [0, *places], names, spec.given)


def operated(code: Any, op: Any, left: Value, right: Value) -> Value:
    """``left op right``, which units have no loop of NumPy's for."""
    function = _OPERATORS.get(type(op))
    known = all(is_array(k) or is_number(k) for k, _ in (left, right))
    if function is None or not known:
        raise Leaves("an operator of such values", None)
    return _emitted(code, function, [0, 1], {}, [left, right])


def element(code: Any, base: Value, index: Index) -> Value:
    """``base[index]``: a copy."""

    def call(array: Any, *given: Any) -> Any:
        return array[index.built(given)]

    given = [base, *index.given]
    return _emitted(code, call, list(range(len(given))), {}, given)


def store(code: Any, base: Value, index: Index, value: Value) -> None:
    """``base[index] = value``."""
    kind = base[0]
    if not kind[3]:
        raise Leaves("a read-only array is written", None)
    letter = value[0][1] if is_array(value[0]) else ""
    if kind[1] != "D" and (letter == "D" or value[0] in ("complex", ".D")):
        raise Leaves("an element is given such a value", None)

    def call(array: Any, value: Any, *given: Any) -> None:
        array[index.built(given)] = value

    _writing(code, call, [base, value, *index.given])


def stands_alone(code: Any, node: ast.Call) -> None:
    """A call as a statement: of a function of NumPy's that writes."""
    function = _function_of(code, node.func)
    named = {str(k.arg): k.value for k in node.keywords}
    if isinstance(function, np.ufunc) and "out" in named:
        out = code._value(named.pop("out"))
        if named or not is_array(out[0]) or not out[0][3]:
            raise Leaves("a call with such arguments", None)
        code.pinned = out[1]
        made = code._value(placed_call(node, node.func, node.args))
        if not is_array(made[0]):  # which NumPy casts by a rule of its own
            raise Leaves("a call with such arguments", None)
        code.assigned(out, made)
        return
    if function not in _WRITE or named:
        raise Leaves(Reason("a call of {name}()", name=code._words(node.func)), None)
    values = [code._value(a) for a in node.args]
    if not values or not is_array(values[0][0]) or not values[0][0][3]:
        raise Leaves("a call with such arguments", None)
    _writing(code, function, values)


def placed_call(at: Any, function: Any, args: list[Any]) -> ast.Call:
    """The call without what is named."""
    return ast.copy_location(ast.Call(function, args, []), at)


def _function_of(code: Any, node: Any) -> Any:
    kind, _ = code._value(node)
    known = type(kind) is tuple and kind[0] == "is" and getattr(kind[1], "__hash__", None)
    return kind[1] if known and type(kind[1]) is not ModuleType else None


# Instructions -------------------------------------------------------------------------------------
def _emitted(
    code: Any, function: Any, args: list[Any], named: dict[str, Any], given: list[Value]
) -> Value:
    made = _adapted(function, args, named)
    result = _kind_of_result(made, tuple(v[0] for v in given))
    return _called(code, *_direct(code, function, args, named, given), result)


def _called(
    code: Any,
    function: Callable[..., Any],
    given: Sequence[Value],
    kind: Any,
    draws: Draws | None = None,
) -> Value:
    number = code.call_number(function, given, kind, draws)
    first = code.consecutive_of(given)
    code.watches |= draws is None
    return kind, code.emit("call", number, first, len(given), 0)


def _writing(code: Any, function: Callable[..., Any], given: Sequence[Value]) -> None:
    for value in given:
        if not (is_array(value[0]) or is_number(value[0])):
            raise Leaves("a call with such arguments", None)
    number = code.call_number(function, given, ("is", None))
    first = code.consecutive_of(given)
    code.watches = True
    code.emit("call", number, first, len(given), 1)


def _kind_of_result(
    function: Callable[..., Any],
    kinds: tuple[Any, ...],
    samples: Sequence[Callable[[Any], Any]] | None = None,
) -> Any:
    """Of a call with such values, by one with small ones; there may be several to try."""
    made: Any = NOTHING
    given: list[Any] = []
    for sample in samples or (_sample,):
        given = [sample(kind) for kind in kinds]
        with suppress(Exception), unheard() as warned, np.errstate(all="ignore"):
            made = function(*given)
            break
    if made is NOTHING:
        raise Leaves("a call with such arguments", None)
    if warned:
        raise Leaves("a call that warns", None)
    kind = kind_of(made, -1)
    if is_array(kind):
        if type(made) is not np.ndarray or any(np.may_share_memory(made, g) for g in given):
            raise Leaves("a call that gives a view", None)
    elif not is_number(kind):
        raise Leaves("a call that gives something else", None)
    return kind


def _rising() -> Callable[[Any], Any]:
    """Samples of which each is larger than those before, and arrays of which each has the sum 1."""
    numbers = itertools.count(1)

    def sample(kind: Any) -> Any:
        if not is_array(kind):
            return _sample(kind) * next(numbers) if kind not in ("bool", ".?") else True
        return _chances(kind)

    return sample


def _of_lengths(places: list[Any]) -> Iterator[Callable[[Any], Any]]:
    """Samples of which arrays have the sum 1, and as many elements as an integer says."""
    constants = {p.value for p in places if type(p) is _Constant and type(p.value) is int}
    for length in (3, *(n for n in constants if 0 < n <= _MOST_SAMPLED)):
        yield functools.partial(_of_length, length)


def _of_length(length: int, kind: Any) -> Any:
    if is_array(kind):
        return _chances(kind, length)
    return _sample(kind) * (length if is_integer(kind) else 1)


def _chances(kind: Any, length: int = 3) -> Any:
    made = np.zeros((length,) * kind[2], kind[1])
    made[..., 0] = 1
    return made


def _sample(kind: Any) -> Any:
    if is_array(kind):
        dtype = np.dtype(kind[1])
        if kind[2] == 2:
            return np.eye(3, dtype=dtype)
        made = np.ones((3,) * kind[2], dtype)
        return made if kind[1] == "?" else np.cumsum(made, axis=0, dtype=dtype) - dtype.type(1)
    if kind[0] == ".":
        return np.dtype(kind[1]).type(1)
    return {"int": 1, "float": 1.0, "bool": True, "complex": 1j}[kind]


def descriptor(kind: Any) -> tuple[str, Any, int]:
    """(letter, type, rank) of a value that is given to a function, or that it gives."""
    if kind == ("is", None):
        return "-", None, 0
    if type(kind) is tuple and type(kind[1]) is Stream:
        return "o", None, kind[1].slot
    if is_array(kind):
        return "a", np.dtype(kind[1]), kind[2]
    return letter_of(kind), (np.dtype(kind[1]).type if kind[0] == "." else None), 0


def described(
    function: Callable[..., Any], given: Sequence[Value], result: Any, draws: Draws | None
) -> tuple[Any, list[Any], Any, bool, int]:
    """(function, arguments, result, does it draw, pairs by which source?) for the machine."""
    letter, kind, rank = descriptor(result)
    made = letter, kind or _PYTHONS.get(result), rank
    of = [descriptor(k) for k, _ in given]
    return function, of, made, draws is not None, -1 if draws is None else draws.pairs_of


_PYTHONS = {"int": int, "float": float, "bool": bool, "complex": complex}
tell_known((*_FUNCTIONS, *_WRITE, np.where))
