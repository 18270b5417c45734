"""What every store can do, and a store for tests."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, TypeAlias

from ..base import MXNetError
from ..nd import NDArray

__all__ = ["KVStoreBase", "TestStore"]

Kind: TypeAlias = "type[KVStoreBase]"


class KVStoreBase:
    """Base class of stores; register your own to name it in ``create``."""

    OPTIMIZER = "optimizer"
    kv_registry: ClassVar[dict[str, Kind]] = {}

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Puts the value in the store, and into ``out``."""
        raise NotImplementedError

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Adds the values up; the result goes to ``out``, or back into the values."""
        raise NotImplementedError

    def set_optimizer(self, optimizer: Any) -> None:
        """What is pushed are gradients for this optimizer from now on."""
        raise NotImplementedError

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Has the store that ability? There is "optimizer"."""
        raise NotImplementedError

    def save_optimizer_states(self, fname: Any, dump_optimizer: bool = False) -> None:
        """Writes the optimizer's states to a file."""
        raise NotImplementedError

    def load_optimizer_states(self, fname: Any) -> None:
        """Reads them again."""
        raise NotImplementedError

    @property
    def type(self) -> str:
        """The store's name."""
        raise NotImplementedError

    @property
    def rank(self) -> int:
        """The number of this worker."""
        raise NotImplementedError

    @property
    def num_workers(self) -> int:
        """How many workers there are."""
        raise NotImplementedError

    @staticmethod
    def register(klass: Kind) -> Kind:
        """Makes a store known by its lower-case name; usable as a decorator."""
        name = klass.__name__.lower()
        if name in KVStoreBase.kv_registry:
            warnings.warn(
                f"the store {klass.__module__}.{klass.__name__} takes the name of another",
                stacklevel=2,
            )
        KVStoreBase.kv_registry[name] = klass
        return klass


def is_optimizer(capability: str) -> bool:
    """Is it "optimizer"? Raises ValueError for what nobody knows."""
    if capability.lower() != KVStoreBase.OPTIMIZER:
        raise ValueError(f"unknown capability {capability!r}; there is 'optimizer'")
    return True


def as_list(value: Any) -> list[Any]:
    """An array, or a list of them, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def total(values: list[NDArray]) -> NDArray:
    """The sum, on the first one's device; of one it is the array itself."""
    home, result = values[0].context, values[0]
    for value in values[1:]:
        if value.shape != result.shape:
            raise MXNetError(f"kvstore: values of shapes {result.shape} and {value.shape}")
        result = result + value.as_in_context(home)
    return result


@KVStoreBase.register
class TestStore(KVStoreBase):
    """For tests: adds and hands out, keeps nothing."""

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        for target in as_list(out):
            target[:] = value

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        result = total(as_list(value))
        for target in as_list(value if out is None else out):
            target[:] = result

    @staticmethod
    def is_capable(capability: str) -> bool:
        return not is_optimizer(capability)

    @property
    def type(self) -> str:
        return "teststore"

    @property
    def rank(self) -> int:
        return 0

    @property
    def num_workers(self) -> int:
        return 1
