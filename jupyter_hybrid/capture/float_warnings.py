"""Warnings of floating-point errors: those that NumPy would have given for what was recorded.

A program only tells whether its kernels met an exception. Then the loops of NumPy's that it stands
for are asked in real NumPy, one by one and in the order of the code, on what it started from.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import _core
from ..np_face.float_errors import KINDS, Log, Warned, as_in_cell, globals_of, ignored
from ..np_face.lower.reductions import MEAN_OF_SOME
from ..np_face.lower.ufuncs import BINARY, UNARY

_OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "power": operator.pow, "mod": operator.mod, "floor_div": operator.floordiv,
}  # fmt: skip
_UFUNCS = {op: ufunc for ufunc, op in reversed([*UNARY.items(), *BINARY.items()])}


def _mean_of_some(total: Any, count: Any) -> None:
    if np.any(count == 0):
        np.empty((0, *np.shape(total))).mean(axis=0)


def _call_of(node: Any) -> Callable:
    """What NumPy computes where the node stands."""
    op, attrs, name = node.op, node.attrs, node.text[1:]
    if name == MEAN_OF_SOME:
        return _mean_of_some
    if op == "cast":
        return lambda x: x.astype(attrs["dtype"])
    if op in ("sum", "prod", "mean", "cumsum", "cumprod"):
        options = {k: attrs[k] for k in ("axis", "keepdims") if k in attrs}
        if not name:
            return operator.methodcaller(op, **options)
        return lambda x: getattr(np, op)(x, **options)
    if op in ("dot", "matmul"):
        turned = [attrs.get("transpose_a"), attrs.get("transpose_b")]
        product = np.dot if name in ("dot", "inner") else np.matmul
        return lambda a, b: product(*(m.T if t else m for m, t in zip((a, b), turned)))
    exponent = {"square": 2, "sqrt": 0.5}.get(op)
    if exponent is not None and name in ("", "power", "float_power"):
        power = getattr(np, name) if name else operator.pow
        return lambda x: power(x, exponent)
    plain = op.removesuffix("_scalar")
    reverse = plain != op and plain not in _UFUNCS
    plain = plain[1:] if reverse else plain
    call = getattr(np, name) if name else _OPERATORS.get(plain) or _UFUNCS[plain]
    if not op.endswith("_scalar") or getattr(call, "nin", 2) == 1:  # exp2 is a power of 2
        return call
    number = attrs["scalar"]
    return (lambda x: call(number, x)) if reverse else lambda x: call(x, number)


def of_segment(segment: Any, namespace: dict[str, Any]) -> list[Warned]:
    """The warnings of its latest run, which is over."""
    runs = segment.times.take_watched()
    return of_run(segment, runs[0] if runs else None, namespace)


def of_run(segment: Any, run: Any, namespace: dict[str, Any]) -> list[Warned]:
    """The warnings of a run of it, in the order of the code; None: a run that met nothing."""
    if ignored():
        return []
    graph, known = segment.graph, segment.compiled.warned
    if run is not None and run.met:
        given = dict(zip(graph.inputs, run.inputs, strict=True))
        return list(_warned(graph, _asked(graph), given, run.keys, namespace))
    if known is None:  # what was computed when it was compiled, no run tells of
        known = list(_warned(graph, _asked(graph) & _folded(graph), {}, [], namespace))
        segment.compiled.warned = known
    return list(known)


def issue(warned: list[Warned]) -> None:
    """Gives these warnings, as NumPy would."""
    with as_in_cell():
        for w in warned:
            w.give()


def _asked(graph: Any) -> set[int]:
    return {n.id for n in graph.nodes if n.kind == "op" and n.text} if graph.warns else set()


def _folded(graph: Any) -> set[int]:
    """Nodes that are computed from constants alone: the compiler does that."""
    constants: set[int] = set()
    for node in graph.nodes:
        if node.kind == "constant" or (
            node.kind == "op"
            and node.key_slot is None
            and node.inputs
            and all(source in constants for source, _ in node.inputs)
        ):
            constants.add(node.id)
    return constants


def _warned(
    graph: Any, asked: set[int], given: dict[int, Any], keys: list[int], namespace: dict[str, Any]
) -> Iterator[Warned]:
    """The warnings of those nodes, on the arrays that they are computed from."""
    ids = needed(graph, asked)
    nodes = [n for n in graph.nodes if n.id in ids]
    last = {source: n.id for n in nodes for source, _ in n.inputs}
    values: dict[int, list[Any]] = {}
    for node in nodes:
        read = [values[source][out] for source, out in node.inputs]
        if node.kind == "input":
            values[node.id] = [given[node.id]]
        elif node.kind == "constant":
            values[node.id] = [node.value]
        else:
            key = 0 if node.key_slot is None else keys[node.key_slot]
            values[node.id] = node.run(read, key)
        if node.id in asked and any(map(_is_suspect, values[node.id])):
            yield from _met(node, [_core.as_numpy(h)[()] for h in read], namespace)
        for done in {source for source, _ in node.inputs if last[source] == node.id}:
            del values[done]


def _is_suspect(made: Any) -> bool:
    """A result that an operation with a floating-point error may have: numbers that are all finite
    have met none."""
    array = _core.as_numpy(made)
    return not np.isfinite(array).all() if array.dtype.kind in "fc" else array.dtype.kind != "b"


def needed(graph: Any, asked: set[int]) -> set[int]:
    """Those nodes, and all that they are computed from."""
    found = set(asked)
    for node in reversed(graph.nodes):
        if node.id in found:
            found |= {source for source, _ in node.inputs}
    return found


def _met(node: Any, arrays: list[Any], namespace: dict[str, Any]) -> Iterator[Warned]:
    """The warnings of one loop of NumPy's."""
    log = Log()
    mask = int(node.text[0])
    modes: Any = {kind: "log" if mask & bit else "ignore" for kind, bit in KINDS.items()}
    with np.errstate(**modes, under="ignore", call=log), log.listening():
        _call_of(node)(*arrays)
    for warned in log.met:
        if warned.filename == __file__:
            filename = _core.site_file(node.site) or ""
            names = globals_of(filename, namespace)
            line = _core.site(node.site)[1]
            yield Warned(warned.text, filename, line, names, warned.category)
        else:
            yield warned
