"""Random numbers that units draw, from Python's and NumPy's generators.

The stream is the user's own: each draw is a call of the generator's own method, or takes what that
would from the generator's bits, in the order in which Python would. What a run takes back has not
been drawn: before it begins, and now and then, the generators' states are saved.
"""

from __future__ import annotations

import ast
import random
import types
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...reasons import Reason
from . import arithmetic, lists, pure
from .arithmetic import Value
from .kinds import Stream, is_integer, is_sequence, tell_streams
from .parts import Leaves
from .pure import Draws

_OF_BOTH = frozenset(
    {"random", "uniform", "normal", "standard_normal", "exponential", "standard_exponential",
     "poisson", "binomial", "beta", "gamma", "standard_gamma", "geometric", "laplace", "logistic",
     "lognormal", "pareto", "rayleigh", "triangular", "weibull", "chisquare", "gumbel", "vonmises",
     "choice", "permutation"}
)  # fmt: skip
_METHODS: dict[type, frozenset[str]] = {
    np.random.Generator: _OF_BOTH | {"integers"},
    np.random.RandomState: _OF_BOTH | {"rand", "randn", "random_sample", "randint"},
    random.Random: frozenset(
        {"random", "uniform", "randint", "randrange", "gauss", "normalvariate", "expovariate",
         "lognormvariate", "betavariate", "gammavariate", "paretovariate", "weibullvariate",
         "vonmisesvariate", "triangular", "choice"}
    ),
}  # fmt: skip
NAMES = frozenset[str]().union(*_METHODS.values())
_BIT_GENERATORS = frozenset(
    kind.__name__
    for kind in (
        np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64
    )
)  # fmt: skip
_METHOD_TYPES = (types.BuiltinFunctionType, types.MethodType)


class Method(NamedTuple):
    """Of a generator that a name holds."""

    stream: Stream
    name: str


class Native(NamedTuple):
    """A method that is an instruction: how it draws, from how many arguments at most and at least,
    of which kind, and its result's kind.
    """

    method: int
    most: int
    of_floats: bool
    result: str
    least: int = 0
    otherwise: tuple[float, ...] = (0.0, 1.0)  # what arguments are that are not given
    names: tuple[str, ...] = ()

    @property
    def needs(self) -> int:
        """So many numbers."""
        return max(self.most, len(self.names))


# Numbers of the ways to draw: in the order of the machine's.
_OF_UNIT, _OF_RANGE, _MASKED, _SCALED, _NORMAL, _EXPONENTIAL, _OLDER_NORMAL = range(7)
_OLDER_EXPONENTIAL, _PYTHON_UNIT, _PYTHON_RANGE, _BELOW, _RATE, _GAUSS, _BY_RATIO = range(7, 14)
_RANGED, _BY_MEAN, _NORMALS = "range({0}, {1})", "mean {0}, exponential", "mean {0}, normal, +- {1}"
_IN_PAIRS = (_OLDER_NORMAL, _GAUSS)
#: By class, what neither takes the second number of a pair from the generator nor leaves one there.
_WITHOUT_PAIRS: dict[type, frozenset[str]] = {
    np.random.Generator: _METHODS[np.random.Generator],
    np.random.RandomState: frozenset(
        {"random", "random_sample", "rand", "uniform", "randint", "exponential", "choice",
         "standard_exponential", "permutation", "triangular", "weibull", "pareto", "rayleigh",
         "laplace", "gumbel", "logistic", "geometric", "poisson", "binomial"}
    ),
    random.Random: _METHODS[random.Random] - {"gauss"},
}  # fmt: skip
#: What these numbers are of, for people: {0}, {1} are what is given.
DRAWN = (
    *("[0, 1)", "[{0}, {1})", _RANGED, _RANGED, _NORMALS, _BY_MEAN, _NORMALS, _BY_MEAN),
    *("[0, 1)", "[{0}, {1})", _RANGED, "rate {0}, exponential", _NORMALS, _NORMALS),
)
_UNIT, _UNIFORM = Native(_OF_UNIT, 0, True, "float"), Native(_OF_RANGE, 2, True, "float")


def _normal(method: int, most: int = 2) -> Native:
    return Native(method, most, True, "float", names=("loc", "scale"))


def _exponential(method: int, most: int = 1) -> Native:
    return Native(method, most, True, "float", otherwise=(1.0,), names=("scale",))


_NATIVE = {
    (np.random.Generator, "random"): _UNIT,
    (np.random.Generator, "uniform"): _UNIFORM,
    (np.random.Generator, "integers"): Native(_SCALED, 2, False, ".l", 1),
    (np.random.Generator, "normal"): _normal(_NORMAL),
    (np.random.Generator, "standard_normal"): _normal(_NORMAL, 0),
    (np.random.Generator, "exponential"): _exponential(_EXPONENTIAL),
    (np.random.Generator, "standard_exponential"): _exponential(_EXPONENTIAL, 0),
    (np.random.RandomState, "normal"): _normal(_OLDER_NORMAL),
    (np.random.RandomState, "standard_normal"): _normal(_OLDER_NORMAL, 0),
    (np.random.RandomState, "randn"): _normal(_OLDER_NORMAL, 0),
    (np.random.RandomState, "exponential"): _exponential(_OLDER_EXPONENTIAL),
    (np.random.RandomState, "standard_exponential"): _exponential(_OLDER_EXPONENTIAL, 0),
    (np.random.RandomState, "random"): _UNIT,
    (np.random.RandomState, "random_sample"): _UNIT,
    (np.random.RandomState, "rand"): _UNIT,
    (np.random.RandomState, "uniform"): _UNIFORM,
    (np.random.RandomState, "randint"): Native(_MASKED, 2, False, "int", 1),
    (random.Random, "random"): Native(_PYTHON_UNIT, 0, True, "float"),
    (random.Random, "uniform"): Native(_PYTHON_RANGE, 2, True, "float", 2),
    (random.Random, "expovariate"): Native(_RATE, 1, True, "float", 1),
    (random.Random, "gauss"): Native(_GAUSS, 2, True, "float", 2),
    (random.Random, "normalvariate"): Native(_BY_RATIO, 2, True, "float", 2),
    (random.Random, "randrange"): Native(_BELOW, 2, False, "int", 1),
    (random.Random, "randint"): Native(_BELOW, 2, False, "int", 2),
}
_FLOATS = frozenset({"float", ".d"})
_PYTHONS = frozenset({"float", "int", "bool"})
_MANY = 512  # numbers to compare; an even one: normal ones come in pairs
_numpy_random: Any = np.random
_GLOBAL = _numpy_random.get_state.__self__


class Streams:
    """The generators that a run draws from."""

    def __init__(self, generators: Iterable[Any]):
        self._sources = list(generators)
        self._generators = list({id(g): g for g in self._sources}.values())

    def numbers(self) -> list[int]:
        """Which of the generators is each that is drawn from."""
        return [next(k for k, g in enumerate(self._generators) if g is s) for s in self._sources]

    def second(self, number: int, state: Any = None) -> float | None:
        """What a generator keeps of a pair of normal numbers; ``state``: its own, if known."""
        state = _state(self._generators[number]) if state is None else state
        if type(state) is dict:
            return float(state["gauss"]) if state["has_gauss"] else None
        kept: float | None = state[2]
        return kept

    def set_second(self, number: int, value: float | None) -> None:
        generator = self._generators[number]
        state = _state(generator)
        if type(state) is dict:
            kept = {"has_gauss": int(value is not None), "gauss": value or 0.0}
            generator.set_state({**state, **kept})
        else:
            generator.setstate((*state[:2], value))

    def sources(self) -> list[Any]:
        """The bits of each that is drawn from; None: they have no public name."""
        return list(map(_source, self._sources))

    @property
    def are_known(self) -> bool:
        """Do their states say all, and are their methods those of their classes?"""
        pythons = (g for g in self._generators if type(g) is random.Random)
        if any(vars(g).keys() - {"gauss_next"} for g in pythons):
            return False
        kinds = (_state(g) for g in self._generators if type(g) is not random.Random)
        return all(s.get("bit_generator") in _BIT_GENERATORS for s in kinds)

    def states(self) -> list[Any]:
        return [_state(g) for g in self._generators]

    def go_back(self, states: list[Any]) -> None:
        """To what was saved."""
        for generator, state in zip(self._generators, states, strict=True):
            if type(generator) is np.random.Generator:
                generator.bit_generator.state = state
            elif type(generator) is np.random.RandomState:
                generator.set_state(state)
            else:
                generator.setstate(state)


def _source(generator: Any) -> Any:
    if type(generator) is random.Random:
        return generator.random, generator.getrandbits
    if type(generator) is np.random.Generator:
        return generator.bit_generator.capsule
    return _numpy_random.get_bit_generator().capsule if generator is _GLOBAL else None


def _state(generator: Any) -> Any:
    if type(generator) is np.random.Generator:
        return generator.bit_generator.state
    if type(generator) is np.random.RandomState:
        return generator.get_state(legacy=False)
    return generator.getstate()


def may_draw(node: ast.Call) -> bool:
    """Is it called like a function that draws?"""
    name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
    return name in NAMES


def is_method(value: Any) -> bool:
    """Is it a generator's method that draws?"""
    if type(value) not in _METHOD_TYPES:
        return False
    kind, name = type(value.__self__), value.__name__
    if name not in _METHODS.get(kind, ()):
        return False
    return type(value) is types.BuiltinFunctionType or value.__func__ is getattr(kind, name)


def knows(function: Any) -> bool:
    """Does it draw random numbers?"""
    return type(function) is Method or is_method(function)


def method_of(stream: Stream, name: str) -> Value:
    """``generator.name``."""
    if name not in _METHODS[stream.kind]:
        raise Leaves(Reason("the method {name}", name=name), None)
    return ("is", Method(stream, name)), 0


def call(code: Any, function: Any, node: Any, named: dict[str, Any]) -> Value:
    """A draw. It has to be a statement's own step: such calls keep their order."""
    if not getattr(node, "is_kept", False):
        raise Leaves("a draw of a random number by such a name", None)
    native = _natively(code, function, node, named)
    if native is not None:
        return native
    if type(function) is Method:
        stream, name = function
        kind, source, receiver = stream.kind, stream.slot, [(("is", stream), stream.slot)]
        twin, method = _TWINS[kind], getattr(kind, name)
    else:
        kind, name, source = type(function.__self__), function.__name__, function.__self__
        receiver, twin, method = [], getattr(_TWINS[kind], name), function
    of_pairs = name not in _WITHOUT_PAIRS[kind]
    if of_pairs:
        if _is_among(source, code.keeps_pairs):  # handed over each time, with the whole state
            raise Leaves("a draw beside normal numbers that come in pairs", None)
        code.gives_pairs.append(source)
    code.drawn_from.append(source)
    how = Draws(len(code.drawn_from) - 1 if of_pairs else -1)
    numpys = kind is not random.Random
    return pure.drawn(code, method, receiver, twin, node.args, named, numpys, how)


def _natively(code: Any, function: Any, node: Any, named: dict[str, Any]) -> Value | None:
    """The same as an instruction, where there is one."""
    if type(function) is Method:
        kind, name = function.stream.kind, function.name
        source = function.stream.slot
    else:
        kind, name = type(function.__self__), function.__name__
        source = function.__self__
    if kind is np.random.RandomState and source is not _GLOBAL:  # its bits have no public name
        return None
    if kind is random.Random and name == "choice":
        return _choice(code, source, node, named)
    known = _NATIVE.get((kind, name))
    if known is not None and known.method in _IN_PAIRS and _is_among(source, code.gives_pairs):
        return None
    if known is None or not known.least <= len(node.args) <= known.most:
        return None
    places = known.names[len(node.args) : known.most]  # which names may be given
    if not named.keys() <= set(places) or not _agrees(known, kind, name):
        return None
    values = [code._value(a) for a in node.args]
    if known.of_floats:
        by_name = {n: code._value(a) for n, a in named.items()}
        kinds = [k for k, _ in (*values, *by_name.values())]
        if not all(k in _FLOATS or is_integer(k) for k in kinds):
            return None
        if kind is random.Random and not {*kinds} <= _PYTHONS:  # it gives one of NumPy's then
            return None
        for value_kind, register in values if known.method == _PYTHON_RANGE else ():
            if is_integer(value_kind):  # Python subtracts them exactly
                code.check("exact_i", register)
        given = [arithmetic.as_float(code, value) for value in values]
        for k in range(len(given), known.needs):
            value = by_name.get(known.names[k]) if known.names else None
            other = code.constant(known.otherwise[k])
            given.append(other if value is None else arithmetic.as_float(code, value))
    else:
        if not all(is_integer(k) for k, _ in values):
            return None
        given = [register for _, register in values]
        if len(given) == 1:
            given.insert(0, code.constant(0))
        if name == "randint" and kind is random.Random:  # the last one is one of them
            given[1] = code.emit("add_ii", given[1], 1)
    return known.result, _drawn(code, known, source, given)


def _drawn(code: Any, known: Native, source: Any, given: list[int]) -> int:
    if known.method in _IN_PAIRS:
        code.keeps_pairs.append(source)
    code.drawn_from.append(source)
    first = code.consecutive(given) if given else code.constant(0.0)
    return int(code.emit("draw", known.method, first, len(code.drawn_from) - 1))


def _is_among(source: Any, sources: list[Any]) -> bool:
    return any(source is s or (type(s) is int and s == source) for s in sources)


def _choice(code: Any, source: Any, node: Any, named: dict[str, Any]) -> Value | None:
    """``random.choice`` of a list: the item of an index that is drawn."""
    known = _NATIVE[random.Random, "randrange"]
    if named or len(node.args) != 1 or not _agrees(known, random.Random, "randrange"):
        return None
    of = node.args[0]
    is_display = isinstance(of, (ast.Tuple, ast.List)) and bool(of.elts)
    of = ast.copy_location(ast.List(of.elts, ast.Load()), of) if is_display else of
    given = code._value(of)
    if not is_sequence(given[0]) or given[0][1] is None or given[0][2] != 1:
        return None
    length = code.emit("length", given[1], 0)
    return lists.item_at(code, given, _drawn(code, known, source, [code.constant(0), length]))


@cache
def _agrees(known: Native, kind: type, name: str) -> bool:
    """Does this NumPy, or this Python, draw the same numbers?"""
    one, other = (random.Random(7), random.Random(7)) if kind is random.Random else _bits(7, kind)
    theirs = getattr(other, name)
    several: tuple[tuple[Any, ...], ...] = ((0.0, 1.0), (-1e300, 3e7), (0.1, 0.7))
    if not known.of_floats:
        several = (0, 6), (-5, 2**31), (3, 4), (-(2**40), 11 - 2**40), (5, 2**32 + 5)
    if known.method == _RATE:
        several = ((0.5, 0.0), (-3.0, 0.0))
    elif "scale" in known.names or known.method in (_GAUSS, _BY_RATIO):
        several = ((0.1, 0.7), (2.5, 1e200)) if known.most else (known.otherwise * 2,)
    for a, b, *_ in several:
        given = (a, b)[: known.most]
        ours = _core.units.drawn(_source(one), known.method, a, b, _MANY)
        if name == "randint" and kind is random.Random:
            given = a, b - 1
        if ours != [theirs(*given) for _ in range(_MANY)]:
            return False
    here, there = _state(one), _state(other)
    if type(here) is dict:  # NumPy's older generators keep more
        return all(there[name] == value for name, value in here.items())
    return bool(here == there)


def _bits(seed: int, kind: type) -> tuple[Any, Any]:
    """(a generator of new bits, one of that kind that has the same ones)"""
    return np.random.Generator(np.random.PCG64(seed)), kind(np.random.PCG64(seed))


_TWINS: dict[type, Any] = {
    np.random.Generator: np.random.Generator(np.random.PCG64(0)),
    np.random.RandomState: np.random.RandomState(0),
    random.Random: random.Random(0),
}
tell_streams(_METHODS, is_method)
