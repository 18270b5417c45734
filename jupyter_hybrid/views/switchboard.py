"""Switches of the pictures on the page: which cell a picture draws, and its plans by choice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from IPython.core.getipython import get_ipython

from ..capture.deferred import Deferred
from ..reports.replanned import Replanned
from ..reports.report import Report
from .pictures import spec_of
from .schema import Spec

_CELLS, _CHOICES = 32, 8  # how many are remembered; choices of each cell


@dataclass
class _Cell:
    """A drawn cell, without its arrays."""

    report: Report
    specs: OrderedDict[frozenset[str], Spec] = field(default_factory=OrderedDict)


def _detached(report: Report) -> Report:
    """A report to draw and plan again that holds none of the names' values: pictures stay on the
    page for long."""
    later = [Deferred(d.name, None, None, d.bytes, d.kernels) for d in report.deferred_names]
    made = Report(
        report.cell, report.options, report.segments, report.graph_breaks, later, report.bound
    )
    made.bytes_imperative = report.bytes_imperative
    made.took_s = report.took_s
    made.cached, made.skipped = report.cached, report.skipped
    if report.namespace is getattr(get_ipython(), "user_ns", None):  # it lives on anyway
        made.namespace = report.namespace
    return made


class Switchboard:
    """The cells drawn last, by the id of their spec. Safe to use from any thread."""

    def __init__(self) -> None:
        self._cells: OrderedDict[str, _Cell] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self, spec: Spec, report: Report) -> None:
        """``spec`` draws ``report``; its switches can be moved and its stages run from now on."""
        if not spec["stages"]:
            return
        cell = _Cell(_detached(report))
        with self._lock:
            self._cells[spec["id"]] = cell
            while len(self._cells) > _CELLS:
                self._cells.popitem(last=False)

    def shown(self, spec_id: str, kept: list[str] | None) -> Report:
        """The cell of a picture, planned for just the names ``kept``; None: as it ran.

        Raises:
            LookupError: the picture was not made by this kernel, or too long ago.
        """
        with self._lock:
            report = self._find(spec_id).report
            return report if kept is None else Replanned(report, report.switches.only(kept))

    def _find(self, spec_id: str) -> _Cell:
        cell = self._cells.get(spec_id)
        if cell is None:
            raise LookupError("this kernel no longer knows the cell's plan: run the cell again")
        self._cells.move_to_end(spec_id)
        return cell

    def replan(self, spec_id: str, kept: list[str], asked: str = "") -> Spec:
        """The spec, under the same id, of the cell with just the names ``kept``.

        Raises:
            LookupError: the picture was not made by this kernel, or too long ago.
        """
        with self._lock:  # one at a time: a plan takes milliseconds
            cell = self._find(spec_id)
            choice = frozenset([*kept, f"?{asked}"])
            spec = cell.specs.get(choice)
            if spec is None:
                planned = Replanned(cell.report, cell.report.switches.only(kept))
                planned.asked = asked
                spec = {**spec_of(planned), "id": spec_id}
                cell.specs[choice] = spec
                if len(cell.specs) > _CHOICES:
                    cell.specs.popitem(last=False)
            return spec


switchboard = Switchboard()
