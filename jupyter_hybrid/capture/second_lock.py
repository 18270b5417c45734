"""The second lock: code that nobody has seen and that runs unasked while something waits.

The closed list holds what a cell *calls*. A finalizer, a signal handler or the callback of a weak
reference runs without a call: before its first line everything that waits is computed.
"""

from __future__ import annotations

import os
import sys
import weakref
from functools import cache
from types import CodeType

from .. import _core
from ..np_face.frames import NUMPY, OWN, above
from . import segments, trace_state
from .source.sources import STDLIB
from .trace_state import is_rewritten
from .twins import unguarded

_PYTHON = (*STDLIB, "<frozen ")
_ON_BEHALF = frozenset({weakref.finalize.__call__.__code__})  # of whoever left a function there
_WHOLE = frozenset({"<module>", "<lambda>", "<genexpr>"})


@cache
def _known() -> tuple[str, ...]:
    """Folders of what the closed list has let in, or what shows what is printed."""
    shows = ("IPython", "ipykernel", "jupyter_client", "traitlets", "dateutil", "zmq", "tornado")
    files = [sys.modules[name].__file__ for name in shows if name in sys.modules]
    return (*OWN, NUMPY, *(os.path.dirname(file) + os.sep for file in files if file))


def may_start(code: CodeType) -> bool:
    """Does a frame of this code write or look at nothing but on behalf of a seen call, always?"""
    file, name = code.co_filename, code.co_name
    if file.startswith(_known()) or is_rewritten(code) or code in unguarded:
        return True
    if name.startswith("<") and name not in _WHOLE:
        return True  # a comprehension, or a part that we made: their function has started
    if file == "<string>":  # dataclasses and named tuples store what they are given
        return name == "__init__" or "_tuple_new" in code.co_names
    recorder = trace_state.recorder()
    if recorder is not None and name == "<module>" and file == recorder.filename:
        return True  # the cell itself
    # What Python's library does unasked, functions do that it was given: these are asked about.
    python = file.startswith(_PYTHON) and "site-packages" not in file
    return python and code not in _ON_BEHALF


def started(code: CodeType) -> bool:
    """A frame is about to run. True: those of its code always may."""
    recorder = trace_state.recorder()
    if recorder is not None and id(code) in recorder.quiet:  # by what its names hold today
        return False
    if may_start(code):
        return True
    computing = (f.f_code.co_filename == segments.__file__ for f in above(sys._getframe(1)))
    if recorder is not None and not any(computing):
        hold_up(code)
    return False


def hold_up(code: CodeType) -> None:
    """What waits is computed before this code runs."""
    _core.guards.contact(("{name} runs unasked", "name", code.co_name))
