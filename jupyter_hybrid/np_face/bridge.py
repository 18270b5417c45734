"""Between values and nodes: arguments as operands of nodes, nodes as traced arrays."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from .errors import NotCovered
from .lower import lowering
from .lower.lowering import NUMBERS, broadcast_to, cast, constant, core, dtype_of, require_dtype
from .protocols import Recorder

Traced: Any = None  # the class TracedArray, once its module is loaded


class Node:
    """A bare node where a lowering expects an argument."""

    __slots__ = ("handle",)

    def __init__(self, handle: Any):
        self.handle = handle


def handle_of(recorder: Recorder, value: Any) -> Any:
    """The node of an argument: traced, an existing ndarray, a number, or a list of these.

    Raises NotCovered naming what cannot enter a graph.
    """
    kind = type(value)
    if kind is Traced or kind is Node:
        return value.handle
    if kind is np.ndarray:
        known = recorder.wrap(value)
        if type(known) is not Traced:
            raise NotCovered(
                "an array of dtype {dtype} is not native or not a number", dtype=value.dtype
            )
        return known.handle
    if isinstance(value, np.generic):
        return lowering.constant(value)
    number = lowering.number_of(value)
    if number is not None:
        return lowering.constant(number)
    if kind in (list, tuple):
        if has_traced(value):
            return array_of(recorder, value).handle
        return lowering.input_of(np.asarray(value))
    if kind.__name__ == "NDArray":
        raise NotCovered("an NDArray meets a NumPy value; keep to one of the two (nd.array(x))")
    raise NotCovered("an argument of type {kind}", kind=kind.__name__)


def has_traced(value: Any) -> bool:
    """True when a traced array stands in nested lists, tuples and dicts."""
    return type(_core.guards.first_of(value, (Traced,), sys.maxsize)) is Traced


def recorder_of(*values: Any) -> Recorder:
    """Who records the traced array that is among these values."""
    found = _core.guards.first_of(values, (Traced,), sys.maxsize)
    if type(found) is Traced:
        return found.recorder
    raise NotCovered("a call without a traced array")


def _leaves(value: Any) -> Iterator[Any]:
    """What stands in nested lists and tuples, or the value itself."""
    if type(value) in (list, tuple):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def operand_of(recorder: Recorder, value: Any) -> Any:
    """A ufunc's operand: a handle, or a Python number (which promotes weakly)."""
    if type(value) in NUMBERS:
        return value
    number = lowering.number_of(value)
    return handle_of(recorder, value) if number is None else number


def array_of(recorder: Recorder, value: Any, dtype: Any = None) -> Any:
    """``np.array(nested lists with traced arrays in them)``."""
    kinds = [v.dtype if type(v) is Traced else np.asarray(v).dtype for v in _leaves(value)]
    wanted = np.dtype(dtype) if dtype is not None else np.result_type(*kinds)
    require_dtype(wanted, "np.array")

    def build(v: Any) -> Any:
        if type(v) in (list, tuple):
            parts = [build(item) for item in v]
            if not parts or len({tuple(p.shape) for p in parts}) != 1:
                raise NotCovered("np.array of sequences of several lengths")
            return core("stack", parts, axis=0)
        return cast(handle_of(recorder, v), wanted)

    return Traced.of_node(recorder, build(value))


# Results ---------------------------------------------------------------------------------------
def wrapped(recorder: Recorder, made: Any, arrays: bool = False, args: tuple = ()) -> Any:
    """Traced arrays of a lowering's nodes. A node that is an argument's own is copied."""
    if type(made) in (list, tuple):
        return type(made)(wrapped(recorder, m, arrays, args) for m in made)
    if not isinstance(made, _core.NDArray):
        return made
    if any(type(a) is Traced and a._handle is made for a in args):
        made = lowering.copied(made)
    return Traced.of_node(recorder, made, scalar=not made.shape and not arrays)


def to_real(value: Any) -> Any:
    """Real arrays for traced ones, in lists, tuples and dicts too."""
    if type(value) is Traced:
        return value.to_numpy()
    if not has_traced(value):
        return value
    if type(value) is dict:
        return {k: to_real(v) for k, v in value.items()}
    return type(value)(map(to_real, value))


def stand_in(value: Any, sizes: dict[int, int] | None = None) -> Any:
    """``value`` with no elements of its own where it is an array, traced or real: its shape and
    dtype over one element of memory, read-only as it is; ``sizes``: what an axis' size becomes."""
    kind = type(value)
    if kind in (list, tuple):
        return kind(stand_in(v, sizes) for v in value)
    if kind is not Traced and kind is not np.ndarray:
        return value
    one = np.zeros((), value.dtype)
    if kind is Traced and value.is_scalar:
        return one[()]
    shape = tuple(sizes[n] for n in value.shape) if sizes is not None else value.shape
    writeable = value.writeable if kind is Traced else value.flags.writeable
    return np.lib.stride_tricks.as_strided(one, shape, (0,) * len(shape), writeable=writeable)


# Writes ----------------------------------------------------------------------------------------
def store_into(array: Any, node: Any, name: str, where: Any, recorder: Recorder) -> None:
    """Writes a node into an array with NumPy's casting and broadcasting of ``out=``."""
    if not np.can_cast(dtype_of(node), array.dtype, "same_kind"):
        raise NotCovered(
            "{name} of {dtype} into {into}", name=name, dtype=dtype_of(node), into=array.dtype
        )
    shape = array.shape
    if np.broadcast_shapes(tuple(node.shape), shape) != shape:
        raise NotCovered(
            "{name} of shape {own} into {shape}", name=name, own=tuple(node.shape), shape=shape
        )
    node = cast(node, array.dtype)
    if where is not True:
        mask = handle_of(recorder, where)
        node = lowering.core("where", [cast(mask, lowering.BOOL), node, array.handle])
        if tuple(node.shape) != shape:
            raise NotCovered("{name} with a where= wider than out=", name=name)
    node = broadcast_to(node, shape)
    array.assign(node if node is not array.handle else lowering.copied(node))


def has_selected(value: Any) -> bool:
    """Is it what a mask selects, not computed yet?"""
    return type(value) is Traced and value.selected is not None


def require_element(shape: tuple[int, ...], value: Any) -> None:
    """NumPy takes no array with axes for an element, of whatever size, but for a window it does;
    lists no deeper than that has axes."""
    kind = type(value)
    array = (kind is np.ndarray or kind is Traced) and (has_selected(value) or value.ndim)
    if array and not shape:
        raise NotCovered("an array in the place of an element")
    depth = 0
    while type(value) in (list, tuple) and value:
        value, depth = value[0], depth + 1
    if depth and depth + np.ndim(value) > len(shape):
        raise NotCovered("a sequence in the place of an element")


def fitted(array: Any, value: Any, shape: tuple[int, ...]) -> Any:
    """What ``array[...] = value`` writes into a window of ``shape``: a node of array's dtype."""
    operand = operand_of(array.recorder, value)
    dtype = array.dtype
    if type(operand) in NUMBERS:
        cut = type(operand) is float and dtype.kind in "iu"  # its fraction is, as NumPy does
        if not (math.isfinite(operand) if cut else lowering.fits(operand, dtype)):
            raise NotCovered("{value} into {into}", value=repr(operand), into=dtype)
        operand = constant(np.asarray(operand).astype(dtype))
    own = tuple(operand.shape)
    extra = len(own) - len(shape)
    if extra > 0 and own[:extra] == (1,) * extra:  # NumPy drops leading 1s of what is assigned
        own = own[extra:]
        operand = lowering.reshape(operand, own)
    if np.broadcast_shapes(own, shape) != shape:
        raise NotCovered("a value of shape {own} into {shape}", own=own, shape=shape)
    return broadcast_to(cast(operand, dtype), shape)
