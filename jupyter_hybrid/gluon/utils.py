"""Splitting batches over contexts."""

from __future__ import annotations

from typing import Any

from .. import nd


def split_data(
    data: Any, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[Any]:
    """``num_slice`` parts of an array along ``batch_axis``.

    Raises:
        ValueError: the axis can't be split evenly and ``even_split`` is True, or is too short.
    """
    size = data.shape[batch_axis]
    if size < num_slice or (even_split and size % num_slice):
        raise ValueError(
            f"split_data: {size} along axis {batch_axis} can't be split "
            f"{'evenly ' if even_split else ''}into {num_slice} parts"
        )
    borders = [round(size * i / num_slice) for i in range(num_slice + 1)]
    return [
        nd.slice_axis(data, axis=batch_axis, begin=borders[i], end=borders[i + 1])
        for i in range(num_slice)
    ]


def split_and_load(
    data: Any, ctx_list: list[Any], batch_axis: int = 0, even_split: bool = True
) -> list[Any]:
    """The parts of an array, one on each context."""
    if not hasattr(data, "as_in_context"):
        data = nd.array(data)
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]
