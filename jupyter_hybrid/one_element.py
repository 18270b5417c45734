"""What ``asnumpy()`` gives of an array of one element: an ndarray that is also a number."""

from __future__ import annotations

from typing import Any

import numpy as np


class OneElement(np.ndarray):
    """One element, in one dimension or more, that ``float()``, ``int()`` and ``'%f' %`` take.

    NumPy's own arrays did so until NumPy 2.4; code that prints ``loss.mean().asnumpy()`` counts on
    it. What is computed from it is one again where it has one element, and an ndarray else.
    """

    def __array_wrap__(
        self, array: np.ndarray, context: Any = None, return_scalar: bool = False
    ) -> Any:
        if return_scalar:
            return array[()]
        plain = np.asarray(array)
        return plain.view(OneElement) if plain.ndim and plain.size == 1 else plain

    def __float__(self) -> float:
        return float(self.item() if self.size == 1 else np.asarray(self))

    def __int__(self) -> int:
        return int(self.item() if self.size == 1 else np.asarray(self))

    def __complex__(self) -> complex:
        return complex(self.item() if self.size == 1 else np.asarray(self))

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __reduce__(self) -> Any:
        return np.array(self).__reduce__()  # pickles need no jupyter_hybrid


OneElement.__module__, OneElement.__name__, OneElement.__qualname__ = "numpy", "ndarray", "ndarray"
