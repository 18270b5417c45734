"""Views of the same elements: reshape, transpose and their kin, with NumPy's rules of sharing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge
from ..array import layouts
from ..errors import NotCovered
from . import lowering
from .linear import diagonal_of
from .lowering import axis_of, between, broadcast_to, core, transpose
from .registry import lowers, views

_CAN_REFUSE = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # reshape, to copy


def reshaped(array: Any, shape: tuple[int, ...]) -> Any:
    """``array.reshape(shape)``: a view where NumPy gives one, else a copy."""
    before = tuple(array.shape)
    after = lowering.resolved(before, shape)
    strides = None if array.layout is None else _strides_after(array, after)
    if strides is None and array.layout is not None:
        return bridge.Traced.of_node(array.recorder, _own(array, after))
    return array.seen_through(
        lambda h: h if before == after else lowering.core("reshape", [h], shape=after),
        lambda _, value: lowering.reshape(value, before),
        lambda base: base.reshape(after),
        strides,
    )


def _own(array: Any, shape: tuple[int, ...]) -> Any:
    node = lowering.reshape(array.handle, shape)
    return lowering.copied(node) if node is array._handle else node


def _strides_after(array: Any, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides of the reshaped view; None where NumPy makes a copy."""
    stand_in = layouts.ghost(array)
    try:
        if _CAN_REFUSE:
            return stand_in.reshape(shape, copy=False).strides
        stand_in.shape = shape  # NumPy 2.5 warns of this
    except (AttributeError, ValueError):
        return None
    return stand_in.strides


def transposed(array: Any, order: tuple[int, ...]) -> Any:
    """``array.transpose(order)``."""
    if array.is_scalar:
        return array
    inverse = tuple(int(i) for i in np.argsort(order))
    strides = array.strides
    return array.seen_through(
        lambda h: transpose(h, order),
        lambda _, value: transpose(value, inverse),
        lambda base: base.transpose(order),
        tuple(strides[i] for i in order),
    )


def read_only(array: Any, read: Callable, window: Callable) -> Any:
    """A view that follows its base and can't be written."""
    return array.seen_through(read, None, window, window(layouts.ghost(array)).strides)


@views(np.reshape)
def reshape(array: Any, /, shape: Any = None, order: str = "C", *, copy: Any = None) -> Any:
    if shape is None:
        raise TypeError("reshape() missing 1 required positional argument: 'shape'")
    several = isinstance(shape, (tuple, list)) or np.ndim(shape)
    wanted = tuple(operator.index(s) for s in (shape if several else (shape,)))
    if order not in ("C", "F", "A") or copy is False or shape is True or shape is False:
        raise NotCovered("np.reshape with order={order} or copy=False", order=repr(order))
    if order == "A" and array.layout is not None:
        raise NotCovered("np.reshape with order='A' of an array that is not in C order")
    if order == "F":  # the axes are read and filled from the first one on
        made = permute(reshaped(permute(array), wanted[::-1]))
    else:
        made = reshaped(array, wanted)
    return made.copy() if copy else made


@views(np.ravel)
def ravel(array: Any, order: str = "C") -> Any:
    if array.layout is None and (order in ("C", "K", "A") or (order == "F" and array.ndim < 2)):
        return reshaped(array, (array.size,))
    if order == "C":
        return bridge.Traced.of_node(array.recorder, _own(array, (array.size,)))
    if order == "F":
        return ravel(permute(array))
    raise NotCovered("np.ravel with order={order}", order=repr(order))


@views(np.transpose, np.permute_dims)
def permute(array: Any, axes: Any = None) -> Any:
    return transposed(array, np.transpose(_numbered(array), axes).shape)


@views(np.swapaxes)
def swapaxes(array: Any, axis1: int, axis2: int) -> Any:
    return transposed(array, np.swapaxes(_numbered(array), axis1, axis2).shape)


def _numbered(array: Any) -> np.ndarray:
    """An array whose axes have their own numbers as sizes, wherever they are moved."""
    return np.empty(tuple(range(array.ndim)))


@views(np.squeeze)
def squeeze(array: Any, axis: Any = None) -> Any:
    shape = np.squeeze(layouts.ghost(array), axis).shape
    return array if array.is_scalar or shape == array.shape else reshaped(array, shape)


@views(np.broadcast_to)
def broadcast(array: Any, shape: Any, subok: bool = False) -> Any:
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return read_only(
        array, lambda h: broadcast_to(h, wanted), lambda base: np.broadcast_to(base, wanted)
    )


@views(np.broadcast_arrays)
def broadcast_all(*arrays: Any, subok: bool = False) -> Any:
    wanted = np.broadcast_shapes(*(np.shape(a) for a in arrays))
    made = []
    for a in arrays:
        if type(a) is not bridge.Traced or a.is_scalar:
            raise NotCovered("np.broadcast_arrays of arrays and other things")
        made.append(a if a.shape == wanted else _broadcast_beside(a, wanted))
    return tuple(made)


def _broadcast_beside(array: Any, shape: tuple[int, ...]) -> Any:
    """A view that NumPy still lets be written, with a warning."""
    other = np.broadcast_to(0, shape)
    return array.seen_through(
        lambda h: broadcast_to(h, shape),
        _refusal("what np.broadcast_arrays gives"),
        lambda base: np.broadcast_arrays(base, other)[0],
        np.broadcast_to(layouts.ghost(array), shape).strides,
    )


@views(np.diagonal)
def diagonal(array: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return read_only(
        array,
        lambda h: diagonal_of(h, int(offset), axis1, axis2),
        lambda base: base.diagonal(offset, axis1, axis2),
    )


@views(np.real)
def real(array: Any) -> Any:
    return _part(array, "real") if array.dtype.kind == "c" else array


@views(np.imag)
def imag(array: Any) -> Any:
    if array.dtype.kind == "c":
        return _part(array, "imag")
    if array.is_scalar or array.recorder.script:
        node = lowering.filled(array.shape, 0, array.dtype)
        return bridge.Traced.of_node(array.recorder, node, array.is_scalar)
    return array.recorder.wrap(layouts.ghost(array).imag)  # read-only zeros


def _part(array: Any, name: str) -> Any:
    """The real or imaginary parts: every other number of the array's memory."""
    if array.is_scalar:
        return bridge.Traced.of_node(array.recorder, core(name, [array.handle]), scalar=True)
    return array.seen_through(
        lambda h: core(name, [h]),
        _refusal("the real or imaginary parts of an array"),
        lambda base: getattr(base, name),
        array.strides,
    )


def _refusal(what: str) -> Callable:
    """How a view is written that is left to NumPy."""

    def write(whole: Any, part: Any) -> Any:
        raise NotCovered(what)

    return write


@views(np.roll)
def roll(array: Any, shift: Any, axis: Any = None) -> Any:
    if axis is None:
        flat = bridge.Traced.of_node(array.recorder, _own(array, (array.size,)))
        return roll(flat, shift, 0).reshape(array.shape)
    pairs = np.broadcast(np.asarray(shift), np.asarray(axis))
    if pairs.ndim > 1 or np.asarray(shift).dtype.kind not in "iu":
        raise NotCovered("np.roll with such a shift")
    node = array.handle
    for by, i in pairs:
        node = _rolled(node, int(by), axis_of(int(i), array.ndim))
    return bridge.wrapped(array.recorder, node, True, (array,))


def _rolled(x: Any, by: int, axis: int) -> Any:
    size = x.shape[axis]
    by = by % size if size else 0
    if not by:
        return x
    parts = [between(x, axis, size - by, size), between(x, axis, 0, size - by)]
    return core("concat", parts, dim=axis)


# What is known without any element ----------------------------------------------------------------
@lowers(np.result_type)
def result_type(to: Any, *arguments: Any) -> np.dtype:
    return np.result_type(*map(bridge.stand_in, arguments))


@lowers(np.can_cast)
def can_cast(to: Any, from_: Any, to_: Any, casting: Any = "safe") -> bool:
    return np.can_cast(bridge.stand_in(from_), to_, casting)
