"""Where in the user's code something happened: the innermost rewritten line of a traceback."""

from __future__ import annotations

from types import TracebackType

RUNTIME = "__jupyter_hybrid_script__"  # the name in ``builtins`` that rewritten scripts call
Place = tuple[str, int]  # file, line


def place_of(traceback: TracebackType | None) -> Place | None:
    """(file, line) of the innermost frame of rewritten code; None without one."""
    found = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if RUNTIME in code.co_names:
            found = code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next
    return found
