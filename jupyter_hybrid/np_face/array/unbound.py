"""Methods taken from NumPy's own classes and called with a traced array: ``np.ndarray.sum(x)``."""

from __future__ import annotations

import types
from typing import Any

from ..bridge import to_real
from .traced_array import TracedArray

_KINDS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)


def applies(function: Any, args: tuple) -> bool:
    """True for a method in C of a class, which takes no stand-in for its object."""
    return type(function) in _KINDS and bool(args) and type(args[0]) is TracedArray


def call(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """What the method answers for the array that ``args[0]`` stands for."""
    __tracebackhide__ = True
    array, name, of = args[0], function.__name__, function.__objclass__
    if of is not object and issubclass(array.__class__, of) and hasattr(TracedArray, name):
        return getattr(array, name)(*args[1:], **kwargs)
    return function(*map(to_real, args), **to_real(kwargs))
