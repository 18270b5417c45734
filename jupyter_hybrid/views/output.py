"""The output of a cell's report: every form of its picture, and the widget of hosts that have no
renderer of ours."""

from __future__ import annotations

import os
import sys
from typing import Any

import ipywidgets
from IPython.core.getipython import get_ipython

from ..reports.report import Report
from . import linked
from .heat import heat_of
from .kept import kept
from .packed import packed, table
from .picture_widget import PictureWidget
from .pictures import parts_of, spec_of
from .saved import forms
from .schema import Spec
from .svg import svg
from .switchboard import switchboard

_layouts: list[ipywidgets.Layout] = []


def _layout() -> ipywidgets.Layout:
    """The one of all outputs: nobody has another way to it than through such a widget."""
    if not _layouts or _layouts[0].comm is None:  # none yet, or closed with all widgets
        _layouts[:] = [ipywidgets.Layout()]
    return _layouts[0]


class OutputWidget(PictureWidget):
    """Shows a picture of :mod:`.kept`. Each run of a cell makes one, and its output may be shown
    anywhere for ever: so it stays, and holds an id, not the picture."""

    def __init__(self, spec: Spec):
        self.note(spec)
        self.again = False  # planned again since
        super().__init__(stage=spec["initial"]["stage"], layout=_layout())

    def answer(self) -> dict[str, Any]:
        data = kept.find(self.spec_id)
        if data is None:
            return {"type": "gone", "why": kept.gone}
        return {"type": "spec", "spec": data}

    def planned(self, spec: Spec) -> bool:
        self.note(spec)
        self.again = True
        kept.put(packed(spec))
        self.tell()
        return False


class Forms:
    """All forms of a cell's report: the widget's, ours, HTML, SVG and text."""

    def __init__(self, report: Report):
        self._report = report
        self._spec = spec_of(report)
        self._packed, self._still = packed(self._spec), svg(self._spec)  # the time is in neither
        switchboard.remember(self._spec, report)
        self._widget = (
            None if linked.is_drawn() or not someone_looks() else OutputWidget(self._spec)
        )

    def bundle(self) -> Any:
        """(data, metadata) by MIME type, as the report is now."""
        heat = table(self._spec["heat"])
        data = {**self._packed, "totals": self._spec["totals"], "heat": heat}
        saved = forms(self._spec, data, self._still, repr(self._report))
        if self._widget is None:
            return saved, {}
        if not self._widget.again:
            kept.put(data)
            self._widget.tell()
        widget, metadata = bundle_of(self._widget)
        return {**widget, **saved}, metadata

    def measure_again(self) -> None:
        """The programs are through: the picture, which stays the same one, gets their time."""
        totals = self._spec["totals"].copy()
        totals["run_s"], totals["running"] = self._report.run_s, False
        self._spec = {**self._spec, "totals": totals, "heat": heat_of(parts_of(self._report))}


def bundle_of(widget: PictureWidget) -> tuple[dict[str, Any], dict[str, Any]]:
    """(data, metadata) by which a page shows a widget."""
    bundle = super(PictureWidget, widget)._repr_mimebundle_()
    return bundle if isinstance(bundle, tuple) else (bundle or {}, {})


def mimebundle(report: Report) -> Any:
    """All forms of a cell's report, now."""
    return Forms(report).bundle()


def someone_looks() -> bool:
    """False when a program runs the notebook (nbconvert, papermill, a book's build).

    A saved page prefers a widget to a picture, and a widget is blank without a network. Front ends
    send something along with a cell, such as its id; those programs send nothing.
    """
    shell = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if kernel is None or "google.colab" in sys.modules:
        return True
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return True
    return bool((kernel.get_parent("shell") or {}).get("metadata"))
