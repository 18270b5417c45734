"""What ndarrays were called when the cell read them: by its end a name may have another array."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np


class BegunNames:
    """Names of a cell's traced arrays, which are referred to weakly, as no ndarray may be.

    Args:
        namespace: of the code that is recorded.
        names: that it assigns.
    """

    def __init__(self, namespace: dict[str, Any], names: list[str]):
        self._namespace = namespace
        given = ((name, namespace.get(name)) for name in names)
        self._begun = {id(value): name for name, value in given if type(value) is np.ndarray}
        self._read: dict[int, tuple[Any, str]] = {}

    def read(self, array: Any) -> None:
        """A traced array begins to stand for an ndarray."""
        name = self._begun.get(id(array.origin)) if self._begun else None
        if name is not None and self._namespace.get(name) is array.origin:
            self._read[id(array)] = weakref.ref(array), name

    def of(self, array: Any) -> str:
        """What its ndarray was called then; "" where no such name had it."""
        known = self._read.get(id(array))
        return known[1] if known is not None and known[0]() is array else ""
