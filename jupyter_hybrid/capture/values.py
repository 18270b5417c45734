"""What is kept of the arrays that a cell's program read and made, and where they are found."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base import MXNetError
from ..nd.array_names import is_parameter
from ..reasons import Reason

Key = tuple[int, int]  # of a recorded value, before and after it is computed: _core.value_key


class InputGone(MXNetError):
    """An array that a cell read can't be read again; ``why`` says which."""

    def __init__(self, why: Reason):
        super().__init__(
            f'{why}; on="random" runs the stage on random numbers instead, which tell times and '
            "memory alone"
        )
        self.why = why


@dataclass
class Value:
    """What is kept of an array that a segment read or made. Its elements are not held."""

    key: Key | None  # of an input: where an earlier part of the cell has made it
    shape: tuple[int, ...]
    dtype: Any
    entry: tuple[int, int]  # (node id, output) in the graph as written
    name: str = ""  # of an input: what the user calls it
    parameter: bool = False  # of an input: it has a gradient array, or a block's name
    alive: Callable[[], Any] | None = None  # the input, while somebody else holds it
    version: int = 0  # of its memory when it was read
    known: bool = True  # False: the program ran at another place, where this was not asked for

    @classmethod
    def of(cls, array: Any, entry: tuple[int, int]) -> Value:
        return cls(_core.value_key(array), tuple(array.shape), array.dtype, entry)

    @classmethod
    def read(
        cls, array: Any, owner: Any, key: Key | None, entry: tuple[int, int], name: str
    ) -> Value:
        """Of an input, which may have no name: a parameter, an item of a list.

        Args:
            owner: what others hold: the array, or the ndarray whose memory it reads.
            key: of the value that the cell has computed there; None: it was there before.
        """
        made = cls(key, tuple(array.shape), array.dtype, entry, name, is_parameter(array))
        if not isinstance(owner, np.ndarray):  # one that is referred to weakly can't be resized
            made.alive = weakref.ref(owner)
            made.version = array._version
        return made

    def elsewhere(self) -> Value:
        """The same input of the same program, which ran on we do not know which array."""
        return Value(
            None, self.shape, self.dtype, self.entry, self.name, self.parameter, known=False
        )

    def written_since(self, namespace: dict[str, Any]) -> bool | None:
        """Has the array been written, or its name been given another one? None where nothing tells:
        NumPy tells nobody of writes."""
        if self.alive is None:
            return None
        array = self.alive()
        if self.name in namespace and namespace[self.name] is not array:
            return True
        if array is None:
            return None
        return None if _core.shares_numpy(array) else bool(array._version != self.version)

    def found(self, namespace: dict[str, Any]) -> Any:
        """The array of that name, of ndarrays a copy; one without a name while it lives.

        Raises:
            InputGone: there is none of that kind, or it waits to be computed.
        """
        if not self.known:
            raise InputGone(
                Reason(
                    "it is not known which array of shape {shape} a part has read", shape=self.shape
                )
            )
        array = _as_ours(namespace.get(self.name))
        if not self._fits(array) and self.alive is not None:
            array = _as_ours(self.alive())
        if not self._fits(array):
            what = self.name or Reason("no name holds it any more")
            raise InputGone(
                Reason(
                    "an array that the cell read is gone: {what}, of shape {shape}",
                    what=what,
                    shape=self.shape,
                )
            )
        if not isinstance(array, _core.NDArray) or array._traced:
            raise InputGone(
                Reason("an array that the cell read waits to be computed: {name}", name=self.name)
            )
        return array

    def _fits(self, array: Any) -> bool:
        kind = (getattr(array, "shape", None), getattr(array, "dtype", None))
        return kind == (self.shape, self.dtype)


def _as_ours(array: Any) -> Any:
    """A copy of what NumPy has; else itself."""
    is_numpy = issubclass(type(array), (np.ndarray, np.generic))  # isinstance takes what waits
    return _core.from_numpy(np.array(array, order="C")) if is_numpy else array
