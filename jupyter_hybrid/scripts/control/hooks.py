"""What rewritten scripts call: the cell's runtime, and what conditions, loops and elements ask."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ... import _core
from ...capture import calls, numbers, random_calls, trace_state
from ...capture.source.hooks import Runtime, install, on_scalars
from ...np_face import TracedArray
from . import conversions, elements, loop_number, loop_operators, trees
from .errors import NotConvertible
from .flow import ControlFlow
from .kinds import handle_of
from .origin import origin
from .places import RUNTIME
from .recorder import BodyRecorder
from .undefined import Undefined

# What rewritten code has something else for: arrays and their scalars.
_LOADED = frozenset({np.ndarray, *np.sctypeDict.values()})


class ScriptRuntime(ControlFlow, Runtime):
    """The functions that rewritten scripts call; ``recorder`` is None when none is traced."""

    recorder: BodyRecorder | None

    def record(self, recorder: BodyRecorder | None) -> None:
        """From here on this recorder records; None: nothing does."""
        self.recorder = recorder
        self.converted = False
        trace_state.now_records(recorder)

    def load(self, value: Any) -> Any:
        if self.recorder is not None and type(value) is Undefined:
            value.refuse()
        if self.recorder is None:
            return _core.guards.kept(value)
        return self.recorder.wrap(value) if type(value) in _LOADED else value

    # Elements -----------------------------------------------------------------------------------
    def element(self, holder: Any, key: Any) -> Any:
        """``holder[key]`` where the key may be a number that is known only when it runs."""
        if self.recorder is not None and type(holder) is _core.NDArray:
            keys = key if type(key) is tuple else (key,)
            if any(type(k) is loop_number.LoopNumber for k in keys):
                return loop_operators.row(self.recorder, holder, key)
        return self.load(holder[key])

    def item(self, holder: Any, key: Any) -> tuple[Any, Any, Any]:
        if self._is_window(holder, key):
            return holder, key, None  # a window that is alive would have to see the write
        return holder, key, self.element(holder, key)

    def _is_window(self, holder: Any, key: Any) -> bool:
        """Does ``holder[key]`` of traced code share the memory of a recorded NDArray?"""
        if self.recorder is None or type(holder) is not _core.NDArray:
            return False
        keys = key if type(key) is tuple else (key,)
        plain = all(k is None or k is ... or isinstance(k, (int, slice)) for k in keys)
        return holder._traced and plain

    def target(self, holder: Any) -> Any:
        """What ``holder[key] = value`` writes into."""
        if self.recorder is not None:
            bodies = self.recorder.bodies
            if handle_of(holder) is not None:
                bodies[-1].check_alone(handle_of(holder))
                bodies[0].check_inplace(holder)
            elif len(bodies) == 1:
                bodies[0].check_augment(holder)
        return holder

    def snapshot(self, value: Any) -> Any:
        """An element that is written somewhere: no window that would have to see the write."""
        if type(value) is _core.NDArray and value._traced and self.recorder is not None:
            return _core.invoke_core("identity", [value], {})
        return value

    def store(self, value: Any, holder: Any, key: Any) -> None:
        __tracebackhide__ = True
        if self.recorder is not None and elements.is_recorded_key(key):
            elements.store(self.recorder, holder, key, value)
        elif type(value) is loop_number.LoopNumber and handle_of(holder) is not None:
            holder[key] = elements.as_array(self.now, holder, value)
        else:
            holder[key] = value

    place = store  # scripts store by calls

    # In place -----------------------------------------------------------------------------------
    def inplace(self, kind: str, target: Any, value: Any) -> Any:
        if self.recorder is None:
            return super().inplace(kind, target, value)
        if not numbers.is_recorded(target):
            value = numbers.plain(value)
        self.recorder.bodies[-1].check_inplace(target)
        if type(target) is _core.NDArray and target._traced:
            return _write_nd(kind, target, value)
        return loop_operators.inplace(on_scalars(kind, target), target, value)

    def augment(self, kind: str, found: tuple[Any, Any, Any], value: Any) -> None:
        __tracebackhide__ = True
        holder, key, old = found
        if self.recorder is not None:
            self.recorder.bodies[-1].check_augment(holder)
        if old is None and self._is_window(holder, key):
            self.store(_updated(kind, self.element(holder, key), value), holder, key)
        else:
            super().augment(kind, found, value)

    def updated(self, kind: str, target: Any, value: Any) -> Any:
        if self.recorder is None:
            return super().updated(kind, target, value)
        return loop_operators.inplace(kind, target, value)

    # Calls --------------------------------------------------------------------------------------
    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``."""
        __tracebackhide__ = True
        recorder = self.recorder
        if recorder is None:
            return function(*args, **kwargs)
        if not kwargs:
            made = conversions.convert(recorder, function, args)
            if made is not NotImplemented:
                return made
        if function is _core.array:
            return _made_array(args, kwargs)
        if not kwargs and any(type(a) is loop_number.LoopNumber for a in args):
            made = loop_operators.by_function(function, args)
            if made is not None:
                return made
        followed = recorder.follow(function)
        if followed is not None:
            return self.load(followed(*args, **kwargs))
        recorder.bodies[-1].check_call(function, args, kwargs)
        if origin(function) == "library":
            args = tuple(map(numbers.plain, args))
            kwargs = {k: numbers.plain(v) for k, v in kwargs.items()}
            return self.load(random_calls.call(recorder, function, args, kwargs))
        way, args, kwargs = calls.prepared(recorder, function, args, kwargs)
        if way is None:
            return self.load(function(*args, **kwargs))
        return self.given_back(way(recorder, function, args, kwargs))


def _made_array(args: tuple, kwargs: dict) -> Any:
    """``nd.array()`` of what is known while a script is traced: its own array with that."""
    for _, value in trees.leaves("", [*args, *kwargs.values()]):
        if type(value) in (TracedArray, loop_number.LoopNumber) or getattr(value, "_traced", False):
            raise NotConvertible("nd.array() of a value that is known only when the graph runs")
    made = _core.array(*map(numbers.plain, args), **kwargs)
    return _core.invoke_core("identity", [made], {})


def _updated(kind: str, target: Any, value: Any) -> Any:
    """What ``target op= value`` makes of a recorded NDArray."""
    name = kind[1:] + "_" * (kind in ("iand", "ior"))
    result = getattr(operator, name)(target, value)
    if type(result) is not _core.NDArray or (result.shape, result.dtype) != (
        target.shape,
        target.dtype,
    ):
        what = "a number"
        if type(result) is _core.NDArray:
            what = f"{np.dtype(result.dtype)} {tuple(result.shape)}"
        into = f"{np.dtype(target.dtype)} {tuple(target.shape)}"
        raise NotConvertible(f"{what} is written in place into {into}")
    return result


def _write_nd(kind: str, target: Any, value: Any) -> Any:
    """``target op= value`` for a recorded NDArray, which may be a window on another one."""
    try:
        if type(value) is loop_number.LoopNumber:
            target[:] = _updated(kind, target, value)
            return target
        return getattr(operator, kind)(target, value)
    except NotConvertible as reason:
        if str(reason) != "a value is read":
            raise
        why = "an nd array is written in place while a slice or element of it has a name or is read"
        raise NotConvertible(f"{why}; use a copy of that: `x[i].copy()`") from None


def script_runtime() -> ScriptRuntime:
    """The process's runtime of scripts, put into ``builtins`` on the first call."""
    runtime = getattr(builtins, RUNTIME, None)
    if runtime is None:
        install()
        runtime = ScriptRuntime()
        setattr(builtins, RUNTIME, runtime)
    return runtime
