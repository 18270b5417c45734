"""Who looks on while a cell runs: then nothing may wait at any line, and the cell runs as written.

A trace function or a profiler sees every line, and a thread of the user's runs between any two.
"""

from __future__ import annotations

import concurrent.futures
import os
import sys
import threading
import time
import types
from functools import lru_cache
from typing import Any

from ..np_face.frames import OWN
from ..reasons import NONE, Reason
from .source.sources import STDLIB

# Whose thread it is, its files' folders say. A wrong guess makes no answer wrong: what a thread
# writes while nobody waits for it races in plain Python too, and waiting for it is a contact.
_INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
_LIBRARY = (*STDLIB, *OWN, "<frozen", "<decorator-gen-")  # the last is IPython's
_MOMENT_S = 1e-3
_TOOLS = 6  # that Python's monitoring knows
_lately: list[Any] = [NONE, 0.0]  # who looked on, and when that was asked
_STARTS = frozenset(
    {
        threading.Thread.start, threading.settrace, threading.setprofile, sys.settrace,
        sys.setprofile, concurrent.futures.ThreadPoolExecutor.submit,
        concurrent.futures.Executor.map,
    }
)  # fmt: skip


def starts_one(function: Any) -> bool:
    """Will somebody look on after this call?"""
    inner = function.__func__ if type(function) is types.MethodType else function
    known = type(inner) is types.FunctionType or type(inner) is types.BuiltinFunctionType
    return known and inner in _STARTS


def is_traced() -> bool:
    """Does a debugger or a profiler look on?"""
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)  # Python 3.12 and later: profilers use this
    return monitoring is not None and any(map(monitoring.get_tool, range(_TOOLS)))


def watching() -> Reason:
    """Who does; NONE for nobody."""
    if is_traced():
        return Reason("a debugger or a profiler watches")
    if threading.active_count() > 1 and _runs_users_code():
        return Reason("another thread runs code of the user's")
    return NONE


def watching_lately() -> Reason:
    """The same; where threads have been looked at a moment ago, they are not again: many loops may
    begin in that time."""
    if is_traced():
        return watching()
    now = time.perf_counter()
    known, at = _lately
    if now - at > _MOMENT_S:
        known = watching()
        _lately[:] = known, now
    return known


@lru_cache(maxsize=1000)
def _is_library(file: str) -> bool:
    return file.startswith(_LIBRARY) or any(name in file for name in _INSTALLED)


def _runs_users_code() -> bool:
    me = threading.get_ident()
    frame: types.FrameType | None
    for thread, frame in sys._current_frames().items():
        while frame is not None and thread != me:
            if not _is_library(frame.f_code.co_filename):
                return True
            frame = frame.f_back
    return any(isinstance(t, threading.Timer) for t in threading.enumerate())
