"""Sums over devices, in buckets: one operator of the engine for the arrays of several keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..nd import NDArray

BUCKET_BYTES = 4 << 20  # of one device's arrays: a link is busy for long, and backward goes on
_NAMED = 2  # keys that a bucket's name tells at each end


@dataclass
class Group:
    """The sum of ``sources`` goes to ``targets``, one array of a device each."""

    key: Any
    sources: list[NDArray]
    targets: list[NDArray]

    @property
    def bytes(self) -> int:
        """Of one array."""
        array = self.sources[0]
        return int(array.size * array.dtype().itemsize)

    @property
    def dtypes(self) -> set[Any]:
        return {a.dtype for a in (*self.sources, *self.targets)}

    @property
    def devices(self) -> tuple[str, ...]:
        return tuple(sorted({str(a.context) for a in (*self.sources, *self.targets)}))


def exchanged(
    groups: Sequence[Group],
    what: str,
    priority: int = 0,
    names: dict[Any, str] | None = None,
    ratio: float = 1.0,
) -> bool:
    """Does it, bucket by bucket from the last group on: backward makes the last layers' gradients
    first. Of buckets that are ready the one of the first groups goes first.

    Args:
        what: the operator's name, before those of the keys.
        names: of keys, for people.
        ratio: bytes that cross links, of those that arrays have.

    Returns:
        False when nothing was done: a cell is recorded, autograd records, or a GPU is physical.
    """
    for first, bucket in buckets(groups):
        size = sum(g.bytes for g in bucket)
        done = _core.exchange(
            [g.sources for g in bucket],
            [g.targets for g in bucket],
            priority - first,
            f"{what} {_named([g.key for g in bucket], names or {})}",
            max(int(size * ratio), 1),
        )
        if not done:
            return False
    return True


def buckets(groups: Sequence[Group]) -> Iterator[tuple[int, list[Group]]]:
    """From the last on, each with the position of its first group. Groups of one bucket are on the
    same devices and have at least ``BUCKET_BYTES`` together, where there are so many."""
    end, size = len(groups), 0
    devices = [group.devices for group in groups]
    for at in range(end - 1, -1, -1):
        size += groups[at].bytes
        if size >= BUCKET_BYTES or at == 0 or devices[at - 1] != devices[at]:
            yield at, list(groups[at:end])
            end, size = at, 0


def _named(keys: list[Any], names: dict[Any, str]) -> str:
    words = [names.get(key, str(key)) for key in keys]
    if len(words) > 2 * _NAMED:
        words = [*words[:_NAMED], "...", *words[-_NAMED:]]
    return ", ".join(words)
