"""Code that a cell has IPython run (``%timeit``, ``!ls``, ``%run``): outside the graph."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..reasons import Reason
from .recorder import Recorder

_RUNS_CODE = frozenset(
    {"run_line_magic", "run_cell_magic", "run_cell", "magic", "system", "getoutput", "ex", "ev"}
    | {"safe_execfile", "safe_execfile_ipy", "safe_run_module", "runcode", "run_code"}
)
_FRAMES = 2  # a method of the runtime and call_outside lie between the cell and IPython


def runs_code(function: Any) -> bool:
    """True for a method of the IPython shell that runs code in the user's namespace."""
    if type(function) is not types.MethodType or function.__name__ not in _RUNS_CODE:
        return False
    owner = type(function.__self__)
    return any(c.__module__.startswith("IPython.") for c in owner.__mro__)


def call_outside(recorder: Recorder, function: Callable, args: tuple, kwargs: dict) -> Any:
    """The call with everything computed and nothing recorded; the cell goes on afterwards."""
    __tracebackhide__ = True
    name = function.__name__
    if name == "run_line_magic" and args:
        kwargs = {"_stack_depth": 1 + _FRAMES, **kwargs}
        what = f"%{args[0]}"
    elif name == "run_cell_magic" and args:
        what = f"%%{args[0]}"
    else:
        what = Reason("a shell command") if name in ("system", "getoutput") else name
    recorder.recording.pause(Reason("{what} runs outside the graph", what=what))
    try:
        return function(*args, **kwargs)
    finally:
        recorder.recording.resume()
