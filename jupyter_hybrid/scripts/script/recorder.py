"""The recorder of a scripted function: everything is traced, nothing is computed."""

from __future__ import annotations

import gc
import types
from typing import Any

from ... import _core
from ...capture.cell import Cell
from ...capture.source.sources import NoSource
from ...reports.session import session
from ..control.body import Body
from ..control.calls import check_call
from ..control.errors import NotConvertible
from ..control.kinds import handle_of, is_scalar
from ..control.origin import origin
from ..control.recorder import BodyRecorder
from . import blocks
from .source import is_rewritten, rewritten

_MOST = 100_000  # operators that are recorded before a loop is believed not to end
_LIST_METHODS = frozenset(
    {"append", "extend", "insert", "pop", "reverse", "copy", "index", "count"}
)
_DICT_METHODS = frozenset({"get", "items", "keys", "values", "copy"})


class ScriptRecorder(BodyRecorder):
    """Records the call of a scripted function with parameters in the place of its arrays."""

    def __init__(self, cell: Cell, unroll: int, max_iterations: int | None):
        super().__init__(cell, session.later, unroll, max_iterations)
        self.followed: dict[int, Any] = {}  # functions of the user that are part of it
        self._started = _core.trace_serial()

    def follow(self, function: Any) -> Any:
        """What is called in the place of a function of the user's: the same, rewritten."""
        original = getattr(function, "__wrapped_script__", None)
        if original is not None:
            function = original
        block = blocks.forward_of(function)
        if block is not None:
            return block
        owner = None
        if isinstance(function, types.MethodType):
            owner, function = function.__self__, function.__func__
        if is_rewritten(function) and owner is None:
            self._check_variables(function)
            return function
        if not isinstance(function, types.FunctionType) or is_rewritten(function):
            return None
        if not is_users(function):
            return None
        try:
            made = rewritten(function)
        except NoSource:
            return None  # judged by its code
        self.followed[id(function)] = function
        return made if owner is None else types.MethodType(made, owner)

    def _check_variables(self, function: Any) -> None:
        """A function inside of the traced one sees its variables, not what a body makes of them."""
        stored = frozenset().union(*(body.stored for body in self.bodies))
        late = sorted(stored.intersection(function.__code__.co_freevars))
        if late:
            raise NotConvertible(
                f"it calls {function.__name__}, which reads {late[0]}: that changes in this branch "
                "or loop; make it an argument"
            )

    def check_size(self, what: str) -> None:
        if _core.trace_serial() - self._started > _MOST:
            raise NotConvertible(f"{what} records operators without end")


def is_users(function: types.FunctionType) -> bool:
    """Is it neither this package's nor NumPy's nor a library's?"""
    return origin(function) == "user" and (function.__module__ or "") != "operator"


class Root(Body):
    """The function's own body: what it may change are arrays and lists that it made itself."""

    def __init__(self, recorder: ScriptRecorder, flow: Any):
        self.recorder, self.flow = recorder, flow
        self.stored: frozenset[str] = frozenset()
        self.writes: frozenset[str] = frozenset()
        self.serial = _core.trace_serial()  # what is older is not the function's own
        # Held, so that no list made from here on has the id of one of them.
        self._lists = {id(o): o for o in gc.get_objects() if type(o) is list}
        self._some_hidden = gc.get_freeze_count() > 0  # gc.freeze() takes objects out of sight

    def _is_own(self, made: list) -> bool:
        """No such list was there before the function began."""
        return not self._some_hidden and id(made) not in self._lists

    def check_inplace(self, target: Any) -> None:
        handle = handle_of(target)
        if handle is None or is_scalar(target):
            if type(target) is list and not self._is_own(target):
                raise NotConvertible(
                    "it changes a list that was there before"
                    + (", or may have been: gc.freeze() hides such" if self._some_hidden else "")
                )
            return
        self.check_alone(handle)
        if _core.is_outside(handle, self.serial):
            raise NotConvertible("it writes an array in place that was there before; copy it first")

    def check_augment(self, holder: Any) -> None:
        if handle_of(holder) is None and (type(holder) is not list or not self._is_own(holder)):
            raise NotConvertible(f"it changes an element of a {type(holder).__name__}")
        self.check_inplace(holder)

    def check_call(self, function: Any, args: tuple, kwargs: dict) -> None:
        owner = getattr(function, "__self__", None)
        name = getattr(function, "__name__", "")
        if type(owner) is list and name in _LIST_METHODS and self._is_own(owner):
            return
        if type(owner) is dict and name in _DICT_METHODS:
            return
        if isinstance(function, type) and issubclass(function, Exception):
            return  # about to be raised
        check_call(function, args, kwargs, self.stored)
