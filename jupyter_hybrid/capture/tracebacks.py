"""Tracebacks of hybridized cells: the user's own frames, as if the cell had run by itself."""

from __future__ import annotations

import ctypes
import importlib.util
import linecache
import os
import re
import sys
from types import CodeType, TracebackType
from typing import Any

from ..base import MXNetError
from ..np_face.frames import NUMPY, OWN, file_of, is_own

_spec = importlib.util.find_spec("IPython")  # not imported: scripts have no use for it
_IPYTHON = os.path.dirname(_spec.origin if _spec and _spec.origin else __file__) + os.sep
_CALLED = ("awaited", "called_cell")  # by the text that stands for a cell's, not by IPython
_PUSHED = re.compile(r"pushed at (?P<file>[^\n]*?)(:[^\n:]*)?, line (?P<line>\d+)")


def _frames(traceback: TracebackType | None) -> list[TracebackType]:
    found = []
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    return found


def _linked(frames: list[TracebackType]) -> TracebackType | None:
    linked = None
    for tb in reversed(frames):
        linked = TracebackType(linked, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return linked


def _ours_in_numpy(frames: list[TracebackType]) -> set[int]:
    """Places of NumPy's frames that lead to this package or are called by it: the array protocols'
    detour, which the cell run imperatively would not take."""
    places = set()
    for order in (range(len(frames)), range(len(frames) - 1, -1, -1)):
        beside_own = False
        for i in order:
            if not file_of(frames[i]).startswith(NUMPY):
                beside_own = is_own(frames[i])
            elif beside_own:
                places.add(i)
    return places


def users(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without this package, and without what IPython calls to get here.

    The frame just outside the call of a magic is the rewritten first line of the cell: it goes too.
    """
    frames = _frames(traceback)
    entry = -1  # the last frame that leads into this package's magic
    for i, tb in enumerate(frames):
        called = i > 0 and file_of(frames[i - 1]).startswith(_IPYTHON)
        if is_own(tb) and (called or tb.tb_frame.f_code.co_name in _CALLED):
            entry = i
    detours = _ours_in_numpy(frames)
    kept = []
    for i, tb in enumerate(frames):
        if i in detours:
            continue
        inner = frames[i + 1] if i < entry else None
        calls_magic = inner is not None and (
            inner.tb_frame.f_code.co_name in ("run_cell_magic", *_CALLED)
        )
        if not is_own(tb) and not (i < entry and (file_of(tb).startswith(_IPYTHON) or calls_magic)):
            kept.append(tb)
    return _linked(kept)


def give(error: BaseException, traceback: TracebackType | None) -> None:
    """Sets an error's traceback, that too which 3.10 keeps apart while the error is handled."""
    error.__traceback__ = traceback
    if sys.version_info < (3, 11) and sys.exc_info()[1] is error:
        parts = [ctypes.py_object(part) for part in (type(error), error, traceback)]
        if traceback is None:
            parts[-1] = ctypes.py_object()
        for part in parts:
            ctypes.pythonapi.Py_IncRef(part)  # SetExcInfo takes them over
        ctypes.pythonapi.PyErr_SetExcInfo(*parts)


def clean(error: BaseException, filename: str) -> None:
    """Takes this package's frames out of an error on its way out of a cell, and out of its causes.

    A kernel's error is found where its value is needed: the line that pushed the kernel comes last.
    """
    seen: set[int] = set()
    open_errors: list[BaseException | None] = [error]
    while open_errors:
        one = open_errors.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        give(one, users(one.__traceback__))
        open_errors += [one.__cause__, one.__context__]
    if not isinstance(error, MXNetError):
        return
    found = _PUSHED.search(getattr(error, "placed", str(error)))
    cell = _cell_named(found["file"], filename) if found else None
    if found is None or cell is None:
        return
    frames = _frames(error.__traceback__)
    line = int(found["line"])
    if not frames or (file_of(frames[-1]), frames[-1].tb_lineno) != (cell, line):
        give(error, _linked([*frames, *_raised_at(error, cell, line)]))


def _cell_named(file: str, filename: str) -> str | None:
    """The cell or script whose file name without its folder is ``file``; this cell comes first."""
    for known in (filename, *reversed(linecache.cache)):
        if os.path.basename(known) == file and not known.startswith((*OWN, _IPYTHON)):
            return known
    return None


def _raised_at(error: BaseException, filename: str, line: int) -> list[TracebackType]:
    """The frame of a line of a cell that raises the error."""
    code: CodeType = compile("\n" * (line - 1) + "raise error", filename, "exec")
    context = error.__context__
    try:
        exec(code, {"error": error.with_traceback(None)})
    except BaseException as raised:
        error.__context__ = context
        return [tb for tb in _frames(raised.__traceback__) if file_of(tb) == filename]
    return []


def show_as_users(shell: Any, error: BaseException) -> None:
    """IPython shows the error with the user's frames only, however it travels on."""

    def render() -> list[str]:
        return shell.InteractiveTB.structured_traceback(
            type(error), error, users(error.__traceback__), tb_offset=0
        )

    error._render_traceback_ = render  # type: ignore[attr-defined]
