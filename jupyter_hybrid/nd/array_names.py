"""What an array that no variable holds is called in pictures: ``dense0_weight``."""

from __future__ import annotations

import weakref
from typing import NamedTuple

from .._core import NDArray


class _Named(NamedTuple):
    array: weakref.ref[NDArray]
    name: str
    parameter: bool


_names: dict[int, _Named] = {}


def name_array(array: NDArray, name: str, parameter: bool = True) -> None:
    """Gives an array a name for as long as it lives; ``parameter``: it is a block's."""
    key = id(array)
    _names[key] = _Named(weakref.ref(array, lambda _: _names.pop(key, None)), name, parameter)


def array_name(array: NDArray) -> str:
    """The name it was given, or empty."""
    known = _names.get(id(array))
    return known.name if known else ""


def is_parameter(array: NDArray) -> bool:
    """It is trained (it has a gradient array), or a state of a block's."""
    known = _names.get(id(array))
    return array.grad is not None or (known is not None and known.parameter)
