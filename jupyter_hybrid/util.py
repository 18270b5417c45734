"""MXNet's ``util``: what the process sees of its environment and devices, and the np switches.

``mx.np`` is not carried, so NumPy semantics can be asked about and switched off, but not on.
Shapes of size 0 and scalars need no switch: they always work.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from . import _core, cuda_driver

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_array",
    "np_shape",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "use_np",
    "use_np_array",
    "use_np_shape",
]

_T = TypeVar("_T")
_NO_NP = "arrays of mx.np are not carried yet; mx.nd and NumPy itself are"


def getenv(name: str) -> str | None:
    """The value of an environment variable, or None."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Sets an environment variable; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def get_gpu_count() -> int:
    """How many GPUs there are, virtual ones included."""
    return _core.num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """(free, all) bytes of a GPU.

    Raises:
        MXNetError: there is no such GPU, or it is a virtual one, which has no memory of its own.
    """
    return cuda_driver.memory(gpu_dev_id)


def get_cuda_compute_capability(ctx: Any) -> int:
    """Ten times the version of a GPU's instructions: 90 for ``sm_90``.

    Raises:
        ValueError: ``ctx`` is no GPU.
        MXNetError: there is no such GPU, or it is a virtual one.
    """
    if ctx.device_type != "gpu":
        raise ValueError(f"get_cuda_compute_capability: expected a GPU, got {ctx}")
    return cuda_driver.capability(ctx.device_id)


def is_np_shape() -> bool:
    """Scalars and sizes of 0 are shapes like others, told from unknown ones: the switch.

    It changes nothing here but its own answer: such shapes always work.
    """
    return _switch.shape


def is_np_array() -> bool:
    """Blocks make arrays of ``mx.np``: never here."""
    return False


class _Switch:
    shape = False


_switch = _Switch()


def set_np_shape(active: bool) -> bool:
    """Sets what :func:`is_np_shape` answers; returns what it answered before."""
    before, _switch.shape = _switch.shape, bool(active)
    return before


class ShapeScope:
    def __init__(self, active: bool):
        self._active, self._before = active, False

    def __enter__(self) -> None:
        self._before = set_np_shape(self._active)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        set_np_shape(self._before)


def np_shape(active: bool = True) -> ShapeScope:
    """A scope in which :func:`is_np_shape` answers ``active``."""
    return ShapeScope(active)


class ArrayScope:
    def __init__(self, active: bool):
        if active:
            raise NotImplementedError(f"np_array: {_NO_NP}")

    def __enter__(self) -> ArrayScope:
        return self

    def __exit__(self, *error: Any) -> None:
        return None


def np_array(active: bool = True) -> ArrayScope:
    """A scope in which blocks make arrays of ``mx.np``.

    Raises:
        NotImplementedError: ``active`` is true; ``mx.np`` is not carried.
    """
    return ArrayScope(active)


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switches NumPy semantics.

    Raises:
        ValueError: arrays without shapes were asked for.
        NotImplementedError: ``array`` is true; ``mx.np`` is not carried.
    """
    if array and not shape:
        raise ValueError("set_np: array=True needs shape=True")
    if array:
        raise NotImplementedError(f"set_np: {_NO_NP}")
    set_np_shape(shape)


def reset_np() -> None:
    """Switches NumPy semantics off."""
    set_np(shape=False, array=False)


def _scoped(scope: Callable[[], Any], what: Any) -> Any:
    if inspect.isclass(what):
        for name, member in list(vars(what).items()):
            if inspect.isfunction(member):
                setattr(what, name, _scoped(scope, member))
        return what
    if not callable(what):
        raise TypeError(f"expected a class or a function, got {type(what).__name__}")

    @functools.wraps(what)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with scope():
            return what(*args, **kwargs)

    return inside


def use_np_shape(func: _T) -> _T:
    """A function, or a class's methods, that run in :func:`np_shape`."""
    return _scoped(np_shape, func)


def use_np_array(func: _T) -> _T:
    """A function, or a class's methods, that run in :func:`np_array`: they raise when called."""
    return _scoped(np_array, func)


def use_np(func: _T) -> _T:
    """:func:`use_np_shape` and :func:`use_np_array` together."""
    return use_np_shape(use_np_array(func))


def set_module(module: str | None) -> Callable[[_T], _T]:
    """A decorator that sets ``__module__``."""

    def decorate(what: _T) -> _T:
        if module is not None:
            what.__module__ = module
        return what

    return decorate
