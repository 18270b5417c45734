"""How each cell went when it ran last, for its badge: in which mode, compiled or not, refused."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from .. import live
from ..reports.report import Report
from ..reports.session import session
from .input_transform import AROUND, MAGIC

_KEPT = 2000  # cells
_LONGEST = 200  # characters of an error's text
_MODES = {"hybridize": "symbolic", "imperative": "imperative"}


@dataclass
class _Run:
    """A cell that runs; what it does not tell stays as for one that IPython runs itself."""

    info: Any
    mode: str
    explicit: bool  # by a magic of its own
    way: str = "written"
    report: Report | None = None
    refused: bool = False


class Outcomes:
    """Those of a session; pages are told what is new, and all of it when they come."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []  # a cell may run another one
        self._told: OrderedDict[str, tuple[Any, dict[str, Any]]] = OrderedDict()

    def messages(self) -> list[dict[str, Any]]:
        """Of all cells, each about its last run."""
        return [message for _, message in list(self._told.values())]

    def began(self, info: Any) -> None:
        """IPython's ``pre_run_cell``."""
        asked = _asked(info.raw_cell or "")
        self._runs.append(_Run(info, asked or session.mode, bool(asked)))

    def ran(self, report: Report) -> None:
        """The cell that runs has this report."""
        if self._runs:
            self._runs[-1].way, self._runs[-1].report = _way(report), report

    def refused(self) -> None:
        """What was asked for can't be had: the error that comes says why."""
        if self._runs:
            self._runs[-1].refused = True

    def ended(self, result: Any) -> None:
        """IPython's ``post_run_cell``; an empty cell ends without having begun."""
        info = getattr(result, "info", None)
        if not any(run.info is info for run in self._runs):
            return
        while (run := self._runs.pop()).info is not info:
            pass
        cell = getattr(info, "cell_id", None)
        if cell:
            self._tell(cell, run, result.error_before_exec or result.error_in_exec)

    def clear(self) -> None:
        self._runs.clear()
        self._told.clear()

    def _tell(self, cell: str, run: _Run, error: BaseException | None) -> None:
        failed = "" if error is None else "refused" if run.refused else "raised"
        why = "" if error is None else _text(error, run.refused)
        took = getattr(run.report.ran_as, "took", ()) if run.report is not None else ()
        key = (run.mode, run.explicit, run.way, failed, why, len(took))
        if self._told.get(cell, (None,))[0] == key:
            return  # times alone are new
        if run.report is not None and not error:
            why = run.report.ran
        message = {"type": "ran", "cell": cell, "mode": run.mode, "explicit": run.explicit}
        message |= {"way": run.way, "failed": failed, "why": why}
        self._told.pop(cell, None)
        self._told[cell] = key, message
        if len(self._told) > _KEPT:
            self._told.popitem(last=False)
        live.tell(message)


def _asked(text: str) -> str:
    """The mode that a cell's own magic asks for, else empty."""
    for line in text.splitlines():
        if found := MAGIC.match(line):
            return _MODES[found[1]]
        if line.strip() and not AROUND.match(line):
            return ""
    return ""


def _way(report: Report) -> str:
    if report.skipped:
        return "skipped"
    if report.mode == "imperative":
        return report.alone
    if report.segments or report.deferred_names:
        return "recorded"
    return "compiled" if any(unit.is_compiled for unit in report.units) else "nothing"


def _text(error: BaseException, refused: bool) -> str:
    first = re.sub(r"\n.*", "", str(error), flags=re.DOTALL)[:_LONGEST]
    name = type(error).__name__
    return first if refused else f"{name}: {first}" if first else name


outcomes = Outcomes()
