"""A symbol as a function of arrays: MXNet's ``CachedOp``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import NDArray

__all__ = ["CachedOp"]


class CachedOp:
    """Runs a symbol on arrays in the order of its inputs; programs are kept by shapes and dtypes.

    Args:
        sym: the symbol.
        flags: MXNet's settings of the executor, which have nothing to set here.
    """

    def __init__(self, sym: Any, flags: Sequence[tuple[str, Any]] = ()):
        self._symbol = sym
        self._program = _core.CachedGraph(sym.graph())

    def __call__(self, *args: NDArray, out: Any = None, **kwargs: Any) -> Any:
        """The outputs: one array, or a list.

        Args:
            args: arrays in the order of ``sym.list_inputs()``.
            out: an array or a list of arrays that the outputs are written into.

        Raises:
            TypeError: another number of arrays.
        """
        names = self._symbol.list_inputs()
        if len(args) != len(names):
            raise TypeError(f"CachedOp: given {len(args)} arrays, expected {len(names)}: {names}")
        found = self._program.call(list(args))
        if out is None:
            return found[0] if len(found) == 1 else found
        targets = [out] if isinstance(out, NDArray) else list(out)
        for target, value in zip(targets, found, strict=True):
            target[:] = value
        return out
