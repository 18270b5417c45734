"""What is in the engine's memory now, and which names hold it: ``%engine memory``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base import MXNetError
from ..capture.sizes import byte_size
from ..context import cpu, gpu, num_gpus
from ..gluon.block import Block
from ..gluon.parameter import Parameter
from ..gluon.trainer import Trainer

_MOST = 20  # that are told one by one
_LONGEST = 10_000  # of a list that is looked into
_NAMES = 4  # of one array

Named = tuple[str, Any]


@dataclass(frozen=True)
class Holding:
    """One block of memory.

    Attributes:
        names: what holds it: ``x``, ``net: dense0_weight``, ``losses[3]``; views share one.
        bytes: of the block, as the pool counts them.
        pooled: False: NumPy's memory, which the array shares.
    """

    names: tuple[str, ...]
    bytes: int
    device: str
    pooled: bool

    def __str__(self) -> str:
        more = len(self.names) - _NAMES
        rest = f" and {more} more names" if more > 0 else ""
        return f"{byte_size(self.bytes):>9}  {', '.join(self.names[:_NAMES])}{rest}"


@dataclass(frozen=True)
class Pool:
    """One device's memory, in bytes: in use now, the most so far, taken from the system.

    Attributes:
        virtual: it stands for a GPU's and is the host's.
    """

    device: str
    used: int
    peak: int
    reserved: int
    virtual: bool = False


@dataclass(frozen=True)
class Memory:
    """The engine's memory at one moment.

    Attributes:
        held: by names, the largest first.
        pools: one for each device.
    """

    held: list[Holding]
    pools: list[Pool]

    def by_no_name(self, pool: Pool) -> int:
        """Bytes in use of a pool that none of the names holds."""
        named = sum(h.bytes for h in self._of(pool) if h.pooled)
        return max(pool.used - named, 0)  # what runs meanwhile may free some

    def _of(self, pool: Pool) -> list[Holding]:
        return [h for h in self.held if _pool_of(h.device) == _pool_of(pool.device)]

    def __str__(self) -> str:
        return "\n".join(line for pool in self.pools for line in self._told(pool))

    def _told(self, pool: Pool) -> Iterator[str]:
        name = _pool_of(pool.device) + (", virtual" if pool.virtual else "")
        yield (
            f"{name}: {byte_size(pool.used)} in use, {byte_size(pool.peak)} at "
            f"the most, {byte_size(pool.reserved)} taken from the system"
        )
        own = [h for h in self._of(pool) if h.pooled]
        yield from map(str, own[:_MOST])
        if len(own) > _MOST:
            rest = sum(h.bytes for h in own[_MOST:])
            yield f"{byte_size(rest):>9}  {len(own) - _MOST} more arrays"
        if nameless := self.by_no_name(pool):
            yield (
                f"{byte_size(nameless):>9}  held by no name: programs' arenas, values that wait, "
                "what autograd recorded, attributes and closures"
            )
        if shared := [h for h in self._of(pool) if not h.pooled]:
            size = byte_size(sum(h.bytes for h in shared))
            names = ", ".join(h.names[0] for h in shared[:_NAMES])
            more = f" and {len(shared) - _NAMES} more" if len(shared) > _NAMES else ""
            yield f"beside it {size} of NumPy's, shared by {names}{more}"


def memory(namespace: Mapping[str, Any]) -> Memory:
    """The engine's memory by the names of a namespace: its arrays, ndarrays that cells computed,
    parameters of blocks and states of trainers, and those in lists, tuples and dicts.

    Computes nothing, waits for nothing.
    """
    found: dict[int, tuple[list[str], tuple[int, str, bool]]] = {}
    for name, array in _named(namespace):
        facts = _storage(array)
        if facts is not None:
            number, size, pool, pooled = facts
            names, _ = found.setdefault(number, ([], (size, pool, pooled)))
            if name not in names:
                names.append(name)
    held = [Holding(tuple(names), *facts) for names, facts in found.values()]
    devices = [cpu(), *(gpu(i) for i in range(num_gpus()))]
    pools = []
    for device in devices:
        stats = _core.pool_stats(device)
        figures = stats["used"], stats["peak"], stats["reserved"]
        pools.append(Pool(str(device), *figures, device.virtual))
    return Memory(sorted(held, key=lambda h: -h.bytes), pools)


def _named(namespace: Mapping[str, Any]) -> Iterator[Named]:
    """Arrays with what holds them; names of the user's before IPython's ``_`` and ``_12``."""
    names = [name for name in namespace if type(name) is str]
    for name in sorted(names, key=lambda n: (n.startswith("_"), n)):
        value = namespace[name]
        if type(value) in (list, tuple):
            for i, item in enumerate(value[:_LONGEST]):
                yield from _in_value(f"{name}[{i}]", item)
        elif type(value) is dict and len(value) <= _LONGEST:
            for key, item in list(value.items()):
                if type(key) in (str, int):
                    yield from _in_value(f"{name}[{key!r}]", item)
        else:
            yield from _in_value(name, value)


# Types are asked, not instances: those of other libraries may answer `isinstance` with code.
def _in_value(name: str, value: Any) -> Iterator[Named]:
    kind = type(value)
    if kind is np.ndarray or issubclass(kind, _core.NDArray):
        yield from _with_gradient(name, value)
    elif issubclass(kind, Parameter):
        yield from _of_parameter(name, value)
    elif issubclass(kind, Block):
        for param in Block.collect_params(value).values():
            yield from _of_parameter(f"{name}: {param.name}", param)
    elif issubclass(kind, Trainer):
        for of, state in value.state_arrays():
            yield f"{name}: state of {of}", state


def _of_parameter(name: str, param: Parameter) -> Iterator[Named]:
    try:
        arrays = param.list_data()
    except MXNetError:
        return  # it has no array yet
    for array in arrays:
        yield from _with_gradient(name, array)


def _with_gradient(name: str, array: Any) -> Iterator[Named]:
    yield name, array
    if isinstance(array, _core.NDArray) and array.grad is not None:
        yield f"gradient of {name}", array.grad


def _storage(array: Any) -> tuple[int, int, str, bool] | None:
    """Its memory, if it is the engine's or shared with it."""
    if isinstance(array, _core.NDArray):
        return array._storage
    while type(array.base) is np.ndarray:  # a view
        array = array.base
    if isinstance(array.base, _core.NDArray):
        return array.base._storage
    address: int = array.__array_interface__["data"][0]
    return _core.numpy_storage(address) if array.flags.owndata else None


def _pool_of(device: str) -> str:
    return device if device.startswith("gpu") else "cpu"
