"""Cells of which nothing is to be gained, in mode auto: once one is known to take next to nothing,
or to run as written for good, IPython runs it itself, until it takes longer. Its report is that of
its last run here.
"""

from __future__ import annotations

import ast
import time
from collections import OrderedDict
from typing import Any

from ..capture.cell import Cell
from ..capture.options import Options
from ..reports.report import Report
from ..reports.session import session
from . import ways

_KEPT = 1024
_LONGER, _LONGER_S = 2, 0.005  # times and seconds more, from reading it to its end: it is another
# Functions of a cell that is compiled anew are others: what is known of their loops would be lost.
_LASTING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Trifles:
    """Those of a session, by their texts."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Report, float]] = OrderedDict()  # and seconds
        self._begun: tuple[str, float] | None = None

    def learn(self, body: str, prepared: Cell, options: Options, report: Report) -> None:
        """A cell has run in mode auto, and called no nets of ours."""
        known = ways.find(prepared, options)
        if known is None or body in self._known or not known.gains_nothing:
            return
        lasts = prepared.memo.get(Trifles)
        if lasts is None:
            lasts = any(isinstance(node, _LASTING) for node in ast.walk(prepared.tree))
            prepared.memo[Trifles] = lasts
        if not lasts:
            self._known[body] = report, known.took["written"].seconds
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)

    def begins(self, body: str) -> bool:
        """Is the cell that comes one of them?"""
        if body not in self._known:
            self._begun = None
            return False
        self._begun = body, time.perf_counter()
        session.asked = False
        return True

    def ended(self, result: Any) -> None:
        """IPython's ``post_run_cell``."""
        begun, self._begun = self._begun, None
        if begun is None:
            return
        body, start = begun
        if body.strip() not in (result.info.raw_cell or ""):
            return  # somebody has only asked what IPython would read
        if session.asked:
            return  # for the report of the one before, which is kept
        error = result.error_in_exec or result.error_before_exec
        if error is not None:
            session.unrecorded(f"{type(error).__name__}: {error}")
        elif body in self._known:
            session.last_report, known_s = self._known[body]
            if time.perf_counter() - start > _LONGER * known_s + _LONGER_S:
                del self._known[body]


trifles = Trifles()
