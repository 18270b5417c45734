"""KVStore: arrays by key, on the devices of this process; and stores by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import autograd
from ..base import MXNetError
from ..nd import NDArray, empty
from ..optimizer import Updater, get_updater
from ..whole_files import write_whole
from .base import KVStoreBase, as_list, is_optimizer, total
from .compression import Compression
from .exchange import Group, buckets, exchanged

__all__ = ["KVStore", "create"]

_ON_DEVICES = ("local_allreduce_device", "device", "nccl")
_LOCAL = ("local", "local_update_cpu", "local_allreduce_cpu", *_ON_DEVICES)
_ELSEWHERE = ("dist", "horovod", "byteps", "p3")


class KVStore(KVStoreBase):
    """Arrays by key; keys are all numbers or all strings. What is pushed for a key is added up and
    replaces the array, or is given to the updater with it."""

    def __init__(self, kind: str = "local"):
        self._type = kind
        self._arrays: dict[Any, NDArray] = {}
        self._updater: Callable[[Any, Any, Any], None] | None = None
        self._compression: Compression | None = None
        self.changes = 0  # grows before gradients become sums, or arrays are updated
        # Of keys, for people, in the order of the buckets.
        self._names: dict[Any, str] = {}

    def init(self, key: Any, value: Any) -> None:
        """Puts copies of arrays into the store. Raises MXNetError for a key that is there; then
        none of them is new."""
        made: dict[Any, NDArray] = {}
        for one, values in _pairs(key, value):
            if one in self._arrays or one in made:
                raise MXNetError(f"kvstore: duplicate init of key {one!r}")
            known = next(iter(self._arrays or made), one)
            if isinstance(known, str) != isinstance(one, str):
                raise MXNetError(f"kvstore: keys {known!r} and {one!r}: of one kind only")
            with autograd.pause():
                made[one] = values[0].copy()
        self._arrays.update(made)

    def forget(self, key: Any) -> None:
        """The key can be initialized anew."""
        self._arrays.pop(key, None)

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Adds up the arrays of each key: the sums replace what is there, or the updater is
        called with (key, sum, what is there). Autograd records none of it."""
        with self._sending():
            self._push(self._pushed(key, value), priority)

    @contextmanager
    def _sending(self) -> Iterator[None]:
        arrived = False
        try:
            with autograd.pause():
                yield
            arrived = True
        finally:
            if self._compression is not None:
                self._compression.settle(arrived)

    def _push(self, sums: dict[Any, list[NDArray]], priority: int) -> None:
        stored = [self._known(one, values) for one, values in sums.items()]
        if self._updater is None:
            groups = [
                Group(one, values, [target])
                for target, (one, values) in zip(stored, sums.items(), strict=True)
            ]
            if self._exchange(groups, "reduce", priority):
                return
        home = self._sums(sums, stored, priority)
        if isinstance(self._updater, Updater):
            keys = [*sums]
            self.changes += 1
            for part in self._parts(sums, stored):
                self._updater(*([of[i] for i in part] for of in (keys, home, stored)))
        elif self._updater is not None:
            self.changes += 1
            for one in zip(sums, home, stored, strict=True):
                self._updater(*one)
        else:
            for target, value_ in zip(stored, home, strict=True):
                value_.copyto(target)

    def _parts(self, sums: dict[Any, list[NDArray]], stored: list[NDArray]) -> list[list[int]]:
        """Positions of keys that one program updates: those of a bucket, which goes out again
        while others still come in."""
        assert isinstance(self._updater, Updater)
        groups = self._ordered(
            [Group(one, sums[one], [s]) for one, s in zip(sums, stored, strict=True)]
        )
        if not self._updater.optimizer.in_parts or all(len(g.devices) < 2 for g in groups):
            return [[*range(len(stored))]]
        place = {one: i for i, one in enumerate(sums)}
        return [[place[group.key] for group in bucket] for _, bucket in buckets(groups)]

    def _pushed(self, key: Any, value: Any) -> dict[Any, list[NDArray]]:
        """Arrays by key, as they are sent."""
        sums: dict[Any, list[NDArray]] = {}
        for one, values in _pairs(key, value):
            sums.setdefault(one, []).extend(values)
        return {one: self._sent(one, values) for one, values in sums.items()}

    def _sums(
        self, sums: dict[Any, list[NDArray]], stored: list[NDArray], priority: int
    ) -> list[NDArray]:
        """What was pushed for each key, added up where the store has its array."""
        groups = [
            Group(one, values, [empty(s.shape, ctx=s.context, dtype=s.dtype)])
            for s, (one, values) in zip(stored, sums.items(), strict=True)
            if len(values) > 1
        ]
        done = self._exchange(groups, "reduce", priority)
        made = {group.key: group.targets[0] for group in groups} if done else {}
        return [
            made[one]
            if one in made
            else total([v.as_in_context(s.context).astype(s.dtype, copy=False) for v in values])
            for s, (one, values) in zip(stored, sums.items(), strict=True)
        ]

    def _exchange(self, groups: list[Group], what: str, priority: int) -> bool:
        """As operators of several devices, where there are several and nothing is cast."""
        if not groups or all(len(group.devices) < 2 for group in groups):
            return False
        if any(len(group.dtypes) > 1 for group in groups):
            return False
        # Only what devices push is compressed.
        ratio = 1.0 if self._compression is None or what == "broadcast" else self._compression.ratio
        return exchanged(self._ordered(groups), what, priority, self._names, ratio)

    def _ordered(self, groups: list[Group]) -> list[Group]:
        place = {key: i for i, key in enumerate(self._names)}
        return sorted(groups, key=lambda group: place.get(group.key, 0))

    def _sent(self, key: Any, values: list[NDArray]) -> list[NDArray]:
        if self._compression is None or len(values) == 1:
            return values
        return [self._compression.sent(key, i, value) for i, value in enumerate(values)]

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Writes the arrays of the keys into ``out``."""
        if out is None:
            raise MXNetError("kvstore: pull needs out, the arrays to write into")
        groups = [
            Group(one, [self._known(one, targets)], targets) for one, targets in _pairs(key, out)
        ]
        with autograd.pause():
            if self._exchange(groups, "broadcast", priority):
                return
            for group in groups:
                for target in group.targets:
                    group.sources[0].copyto(target)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """:meth:`push`, then :meth:`pull` into ``out``, or into the values."""
        targets = value if out is None else out
        with self._sending():
            sums = self._pushed(key, value)
            if self._updater is None and self._all_reduced(sums, key, targets, priority):
                return
            self._push(sums, priority)
        self.pull(key, targets, priority)

    def _all_reduced(
        self, sums: dict[Any, list[NDArray]], key: Any, out: Any, priority: int
    ) -> bool:
        """Where several devices push and get the sum, which the store has then as well."""
        pushed = [id(array) for arrays in sums.values() for array in arrays]
        if len(set(pushed)) < len(pushed):  # all of it is read before anything is written
            return False
        targets: dict[Any, list[NDArray]] = {}
        for one, arrays in _pairs(key, out):
            targets.setdefault(one, []).extend(arrays)
        if set(targets) != set(sums):
            return False
        groups = [
            Group(one, values, [*targets[one], self._known(one, [*values, *targets[one]])])
            for one, values in sums.items()
        ]
        self.changes += 1
        return self._exchange(groups, "all-reduce", priority)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """:meth:`init`, then :meth:`pull`."""
        self.init(key, value)
        self.pull(key, out, priority)

    def row_sparse_pull(
        self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> None:
        """There are no sparse arrays: raises MXNetError."""
        raise MXNetError("kvstore: row_sparse_pull: arrays are dense here; use pull")

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Devices send what :class:`Compression` makes of their gradients, where there are several.

        Raises:
            MXNetError: wrong parameters, or a store that adds up on the host.
        """
        if self._type not in _ON_DEVICES:
            raise MXNetError(
                f"kvstore: gradient compression: devices exchange gradients in a store of type "
                f"'device', not in {self._type!r}"
            )
        self._compression = Compression(compression_params)

    # Updates --------------------------------------------------------------------------------------
    def set_optimizer(self, optimizer: Any) -> None:
        self._set_updater(get_updater(optimizer))

    def _set_updater(self, updater: Callable[[Any, Any, Any], None]) -> None:
        """A function of (key, what was pushed, what is there), which writes into the latter."""
        self._updater = updater

    @staticmethod
    def is_capable(capability: str) -> bool:
        return is_optimizer(capability)

    def save_optimizer_states(self, fname: Any, dump_optimizer: bool = False) -> None:
        write_whole(fname, self._with_states("save").get_states(dump_optimizer))

    def load_optimizer_states(self, fname: Any) -> None:
        load_states([self._with_states("load")], fname)

    def _with_states(self, what: str) -> Updater:
        if not isinstance(self._updater, Updater):
            raise MXNetError(f"kvstore: no states to {what}: call set_optimizer first")
        return self._updater

    # What there is --------------------------------------------------------------------------------
    @property
    def type(self) -> str:
        return self._type

    @property
    def rank(self) -> int:
        return 0

    @property
    def num_workers(self) -> int:
        return 1

    def _barrier(self) -> None:
        """Waits for the other workers: there are none."""

    def _known(self, key: Any, values: list[NDArray]) -> NDArray:
        if key not in self._arrays:
            raise MXNetError(f"kvstore: key {key!r} has not been inited")
        stored = self._arrays[key]
        for value in values:
            if value.shape != stored.shape:
                raise MXNetError(
                    f"kvstore: key {key!r}: expected shape {stored.shape}, got {value.shape}"
                )
        return stored


def _pairs(key: Any, value: Any) -> Iterator[tuple[Any, list[NDArray]]]:
    """Keys with their arrays."""
    if not isinstance(key, (list, tuple)):
        key, value = [key], [value]
    elif not isinstance(value, (list, tuple)) or len(key) != len(value):
        raise MXNetError(f"kvstore: {len(key)} keys need a list of as many values")
    for one, values in zip(key, value, strict=True):
        if not isinstance(one, (str, int)):
            raise MXNetError(f"kvstore: expected keys that are str or int, got {one!r}")
        listed = as_list(values)
        wrong = [v for v in listed if not isinstance(v, NDArray)]
        if wrong or not listed:
            raise MXNetError(f"kvstore: key {one!r}: expected NDArrays, got {values!r}")
        yield one, listed


def load_states(updaters: list[Updater], fname: str | os.PathLike[str]) -> None:
    """States from a file, for each updater; they share the optimizer, if one is in it."""
    with open(fname, "rb") as file:
        content = file.read()
    for updater in updaters:
        try:
            updater.set_states(content)
        except MXNetError as error:
            raise MXNetError(f"{os.fspath(fname)}: {error}") from error
        updater.optimizer = updaters[0].optimizer


def create(name: str = "local") -> KVStoreBase:
    """A store by name: "local", "device", or a registered one.

    Raises:
        MXNetError: a store of several processes, or an unknown one.
    """
    if not isinstance(name, str):
        raise TypeError(f"kvstore.create: expected a name, got {type(name).__name__}")
    kind = name.lower()
    if kind in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[kind]()
    if kind in _LOCAL:
        return KVStore(kind)
    why = "there is one process" if kind.startswith(_ELSEWHERE) else "it is not known"
    known = ", ".join([*_LOCAL, *KVStoreBase.kv_registry])
    raise MXNetError(f"kvstore.create: no store {name!r}: {why}; there are {known}")
