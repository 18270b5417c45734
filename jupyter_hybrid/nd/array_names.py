"""What an array that no variable holds is called in pictures: ``dense0_weight``."""

from __future__ import annotations

import weakref

from .._core import NDArray

_names: dict[int, str] = {}


def name_array(array: NDArray, name: str) -> None:
    """Gives an array a name for as long as it lives."""
    if id(array) not in _names:
        weakref.finalize(array, _names.pop, id(array), None).atexit = False
    _names[id(array)] = name


def array_name(array: NDArray) -> str:
    """The name it was given, or empty."""
    return _names.get(id(array), "")


def is_parameter(array: NDArray) -> bool:
    """It is trained (it has a gradient array), or a state of a block's."""
    return bool(array_name(array)) or array.grad is not None
