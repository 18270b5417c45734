"""What keeps values of a recording besides variables of functions: others, and the cell's names."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..base import MXNetError
from ..np_face import TracedArray
from ..np_face.array.promises import Promises
from .homes import Homes, is_ours, opened, root_of, standing_in
from .numbers import is_recorded, plain


class Kept:
    """Promised arrays, places of scalars, and the cell's own names, which any function can read.

    Args:
        namespace: where those names are bound.
    """

    def __init__(self, namespace: dict[str, Any], names: list[str]):
        self.promises = Promises()
        self.homes = Homes()
        self._namespace, self._names = namespace, names
        self._scalars: dict[int, TracedArray] = {}  # of NumPy scalars that names are bound to

    def waiting(self, recorder: Any, names: bool = False) -> list[Any]:
        """What of it is not computed yet; with ``names`` also what the names are bound to."""
        kept = [*self.promises.arrays(), *self.homes.waiting()]
        if names:
            values = map(self._namespace.get, self._names)
            bound = (a for v in values if is_ours(v) for a in standing_in(v))
            kept += [a for a in bound if a.recorder is recorder]  # others are deferred
        handles = (root_of(a).handle for a in kept)
        return list({id(h): h for h in handles if h._traced}.values())

    def fill(self) -> None:
        """Gives what others keep its contents, which have been computed."""
        self.promises.keep()
        self.homes.fill()

    def bind_names(self, recorder: Any) -> None:
        """Binds the names to real arrays, which have been computed, and to plain numbers."""
        scalars = {}
        made: dict[int, Any] = {}
        for name in self._names:
            value = self._namespace.get(name)
            if type(value) is TracedArray and value.recorder is recorder:
                with suppress(MXNetError):  # an operator's own error stays in the array
                    self._namespace[name] = real = value.to_numpy()
                    if value.is_scalar:
                        scalars[id(real)] = value
            elif is_recorded(value):
                self._namespace[name] = plain(value)
            elif is_ours(value):
                with suppress(MXNetError):
                    self._namespace[name] = opened(value, made)
            elif id(value) in self._scalars:
                scalars[id(value)] = self._scalars[id(value)]
        self._scalars = scalars

    def scalar(self, value: Any) -> Any:
        """What stands for a NumPy scalar that a name was bound to; other values as they are."""
        known = self._scalars.get(id(value))
        return known if known is not None and known._real is value else value
