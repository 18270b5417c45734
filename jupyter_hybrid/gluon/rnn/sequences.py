"""Sequences of steps, as one array or as a list of them, for unrolled cells."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import _core, nd, sym
from ..checks import CheckError
from ..parameter import tensor_types


class Steps(NamedTuple):
    """A sequence: one array with a time axis, or a list of the steps' arrays."""

    values: Any
    axis: int  # of time
    F: Any  # nd or sym
    batch_axis: int  # of a value


def face_of(value: Any) -> Any:
    """nd or sym, whichever the array or Symbol belongs to."""
    return sym if isinstance(value, _core.Symbol) else nd


def as_steps(length: int | None, inputs: Any, layout: str, merged: bool | None) -> Steps:
    """The inputs merged into one array, as a list, or, with ``merged`` None, as they are.

    Args:
        length: number of steps; None where the list tells it.
        inputs: an array in the layout, or a list of the steps' arrays (batch, ...).
        layout: order of time (T) and batch (N), such as "NTC".

    Raises:
        CheckError: there is no such number of steps.
    """
    axis, batch_axis = layout.find("T"), layout.find("N")
    if inputs is None or axis < 0 or batch_axis < 0:
        raise CheckError(f"unroll: expected inputs of a layout with N and T, got {layout!r}")
    if isinstance(inputs, tensor_types):
        F = face_of(inputs)
        if merged is not False:
            return Steps(inputs, axis, F, batch_axis)
        return Steps(_split(F, inputs, length, axis), axis, F, 0)
    if length is not None and len(inputs) != length:
        raise CheckError(f"unroll: expected {length} steps, got a list of {len(inputs)}")
    F = face_of(inputs[0])
    if merged:
        return Steps(F.stack(*inputs, axis=axis), axis, F, batch_axis)
    return Steps(list(inputs), axis, F, 0)


def _split(F: Any, inputs: Any, length: int | None, axis: int) -> list[Any]:
    if F is nd:
        if length is not None and length != inputs.shape[axis]:
            raise CheckError(
                f"unroll: expected {length} steps along axis {axis}, got shape {inputs.shape}"
            )
        length = inputs.shape[axis]
    elif len(inputs.list_outputs()) != 1:
        raise CheckError("unroll: expected a Symbol of one output; give a list for several steps")
    return listed(F.split(inputs, axis=axis, num_outputs=length, squeeze_axis=True))


def listed(value: Any) -> list[Any]:
    """What an operator of several outputs gives, as a list, even if it is a single one."""
    if isinstance(value, _core.NDArray):
        return [value]
    if isinstance(value, _core.Symbol):
        return [value] if len(value.list_outputs()) == 1 else list(value)
    return list(value)


def masked(F: Any, data: Any, length: int, valid_length: Any, axis: int, merged: Any) -> Any:
    """The sequence with zeros behind the valid steps."""
    if not isinstance(data, tensor_types):
        data = F.stack(*data, axis=axis)
    data = F.SequenceMask(data, valid_length, use_sequence_length=True, axis=axis)
    if merged:
        return data
    return listed(F.split(data, num_outputs=length, axis=axis, squeeze_axis=True))


def backwards(F: Any, steps: Sequence[Any], valid_length: Any) -> list[Any]:
    """The steps from last to first; with valid lengths only those are turned round."""
    if valid_length is None:
        return list(reversed(steps))
    turned = F.SequenceReverse(F.stack(*steps, axis=0), valid_length, use_sequence_length=True)
    return listed(F.split(turned, axis=0, num_outputs=len(steps), squeeze_axis=True))


def zero_states(infos: list[dict[str, Any]], steps: Steps) -> list[Any]:
    """States of zeros for the sequence, on its device and of its element type.

    A Symbol's batch is not known, so that its states are made from it.
    """
    first = steps.values if isinstance(steps.values, tensor_types) else steps.values[0]
    return [_zeros(steps.F, first, steps.batch_axis, info) for info in infos]


def _zeros(F: Any, like: Any, batch_axis: int, info: dict[str, Any]) -> Any:
    shape, place = info["shape"], info["__layout__"].find("N")
    if F is nd:
        shape = [like.shape[batch_axis] if i == place else size for i, size in enumerate(shape)]
        return nd.zeros(tuple(shape), ctx=like.context, dtype=like.dtype)
    batch = F.zeros_like(F.sum(like, axis=batch_axis, exclude=True))
    batch = F.reshape(batch, shape=[-1 if i == place else 1 for i in range(len(shape))])
    others = [i for i in range(len(shape)) if i != place]
    return F.broadcast_axis(batch, axis=others, size=[shape[i] for i in others])


def made_states(
    infos: list[dict[str, Any]], func: Callable, names: Callable[[], str], options: dict[str, Any]
) -> list[Any]:
    """What ``func(shape=..., **options)`` makes of each description of a state.

    ``name`` and ``__layout__`` are given, too, where the function takes them.
    """
    known = inspect.signature(func).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in known.values())
    made = []
    for info in infos:
        given = {"name": names(), **info, **options}
        made.append(func(**{k: v for k, v in given.items() if takes_all or k in known}))
    return made
