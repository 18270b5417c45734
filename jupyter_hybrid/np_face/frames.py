"""Whose code a frame of a traceback runs: this package's, NumPy's or the user's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import FrameType, TracebackType

import numpy as np

# Files of this package, and of code that it generates.
OWN = (
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
    "<jupyter_hybrid.",
)
NUMPY = os.path.dirname(np.__file__) + os.sep


def above(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and those that wait for it, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def file_of(tb: TracebackType) -> str:
    """The file of a traceback's frame."""
    return tb.tb_frame.f_code.co_filename


def is_own(tb: TracebackType) -> bool:
    """True for a frame of this package or of code that it generated."""
    return file_of(tb).startswith(OWN)
