"""What rewritten cells call: ``load``, ``callee``, ``num`` and ``inplace``.

One instance stands in ``builtins`` as ``__jupyter_hybrid__`` once the extension is loaded.
Functions of cells keep their own code; what is rewritten may still outlive its recording (a
generator expression, a cell that goes on as written), and then each of these does just what the
original expression did.
"""

from __future__ import annotations

import builtins
import operator
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...np_face import TracedArray, dispatch
from ...np_face.array.methods import Method
from ...np_face.array.traced_array import OWN_NAMES, attribute, settable
from ...np_face.float_errors import in_numpy
from ...np_face.lower.registry import BY_KINDS
from .. import closed, homes, numbers, tracebacks
from ..recorder import Recorder
from ..trace_state import GUARDS, LOOPS, RUNTIME
from .calling import Calling
from .loops import may_try

_guards = _core.guards


class _Name(str):
    """An attribute's name, told apart from a key that is text."""


class _Into:
    """Stores elements as ``holder[key] = value`` does in rewritten code."""

    __slots__ = ("_holder",)

    def __init__(self, holder: Any):
        self._holder = holder

    def __setitem__(self, key: Any, value: Any) -> None:
        __tracebackhide__ = True
        _guards.store(_guards.held(numbers.plain(value)), self._holder, key)


class _Owning:
    """Sets attributes as ``owner.name = value`` does there."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any):
        object.__setattr__(self, "_owner", owner)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        owner = object.__getattribute__(self, "_owner")
        _guards.set(_guards.held(numbers.plain(value)), owner, name)


class Runtime(Calling, threading.local):
    """The functions that rewritten code calls; ``recorder`` is the running cell's, or None.

    Local to the thread: other threads that call a cell's functions are not recorded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.recorder: Recorder | None = None

    def num(self, value: int | float) -> int | float:
        """A number written in the cell."""
        return value if self.recorder is None else numbers.record(value)

    load: Callable[[Any], Any] = staticmethod(_guards.load)
    plain = staticmethod(numbers.plain)
    kept = staticmethod(_guards.kept)
    held = staticmethod(_guards.held)
    place = staticmethod(_guards.place)
    into, owning = _Into, _Owning  # targets of one of several stores

    @staticmethod
    def unpacked(made: Any) -> bool:
        """A list or dict that unpacking has made; True."""
        _guards.held(made)
        return True

    def inplace(self, kind: str, target: Any, value: Any) -> Any:
        """``target += value`` and the like; returns what the name is bound to."""
        if not numbers.is_recorded(target):
            value = numbers.plain(value)
        _guards.ready(target, value)
        value = _for(target, value)
        return _guards.held(_operated(on_scalars(kind, target), target, value))

    def item(self, holder: Any, key: Any) -> tuple[Any, Any, Any]:
        """What ``holder[key] += ...`` updates, found before its right side is evaluated."""
        _guards.text(key)
        _guards.holder(holder)
        return holder, key, self.load(holder[key])

    def attribute(self, holder: Any, name: str) -> tuple[Any, Any, Any]:
        """What ``holder.name += ...`` updates."""
        return holder, _Name(name), _guards.attribute(holder, name)

    def updated(self, kind: str, target: Any, value: Any) -> Any:
        """What ``target op= value`` gives."""
        _guards.ready(target, value)
        return _operated(kind, target, _for(target, value))

    def augment(self, kind: str, found: tuple[Any, Any, Any], value: Any) -> Any:
        """``holder[key] += value`` and the like, for what :meth:`item` or so found. An element has
        its place then, and what it is given is returned."""
        __tracebackhide__ = True
        holder, key, old = found
        target = self.load(old)
        result = self.updated(kind, target, value)
        if result is target:
            if getattr(result, "parent", None) is holder is not None:
                # A window of the array itself: written already.
                return None if type(key) is _Name else self.place(None, {}, None)
            result = old  # updated in place: the same object stays
        if type(key) is _Name:
            return _guards.set(result, holder, str(key))
        return self.place(result, holder, key)

    def caught(self) -> None:
        """A handler of the user's begins: the error's traceback has no frames of ours."""
        error = sys.exc_info()[1]
        if self.recorder is not None and error is not None:
            tracebacks.give(error, tracebacks.users(error.__traceback__))


def _for(target: Any, value: Any) -> Any:
    """What the operator of ``target`` is given: code that nobody has seen gets no stand-in."""
    return homes.opened(value) if homes.is_ours(value) and not _guards.data(target) else value


def _operated(kind: str, target: Any, value: Any) -> Any:
    operation = getattr(operator, kind)
    if type(target) is np.ndarray or numbers.is_numpys(target):
        return in_numpy(operation, (target, value), {})
    return operation(target, value)


def on_scalars(kind: str, target: Any) -> str:
    """The operator's name: a NumPy scalar never changes, a new one takes its place."""
    if type(target) is TracedArray and target.is_scalar:
        return {"iand": "and_", "ior": "or_"}.get(kind, kind[1:])
    return kind


def install() -> Runtime:
    """The process's runtime, put into ``builtins`` on the first call."""
    runtime = getattr(builtins, RUNTIME, None)
    if runtime is None:
        runtime = Runtime()
        setattr(builtins, RUNTIME, runtime)
        setattr(builtins, GUARDS, _guards)
        setattr(builtins, LOOPS, may_try)
        closed.tell_types(Runtime)
        scalars = frozenset(np.sctypeDict.values())
        _guards.tell_calls(
            runtime, np.ndarray, np.ufunc, Method, scalars, dispatch.by_place(),
            {*BY_KINDS, TracedArray.reshape, TracedArray.transpose}, dispatch.call_function,
        )  # fmt: skip
        _guards.hide(OWN_NAMES, attribute, settable)
    return runtime
