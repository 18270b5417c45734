"""GraphViewer: the interactive picture as a widget, composing with ipywidgets."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import anywidget
import graphviz
import ipywidgets
import traitlets
from IPython.core.getipython import get_ipython

from ..reports.report import Report
from . import linked
from .beside import with_beside
from .dot import dot
from .heat import heat_of
from .packed import packed, table
from .page import page
from .pictures import opened, parts_of, spec_of, stage_number
from .png import png
from .saved import forms
from .script import script_traits
from .stage_message import ran_stage
from .svg import svg
from .switchboard import switchboard
from .text import text


class GraphViewer(anywidget.AnyWidget):
    """Draws a graph before and after each pass, its memory plan and its program text.

    Args:
        thing: a report, a Symbol, a Graph, a Compiled, a compiled function or a hybridized block.
        view: the view shown first: "graph", "memory" or "program".
        beside: another such thing, to be compared: both are shown side by side, with what is
            different between them. Nodes of two reports are linked by source line, operator and
            position in the line.

    Attributes:
        stage: index of the stage shown, 0 is "as written"; it may be given by name.
        selected: ids of the selected nodes.
    """

    spec: Any = traitlets.Dict()  # a Spec; a page without our renderer asks for it: it may be large
    stage = traitlets.Int(0).tag(sync=True)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)
    script = traitlets.Instance(ipywidgets.Widget, allow_none=True).tag(
        sync=True, **ipywidgets.widget_serialization
    )

    def __init__(self, thing: Any, view: str | None = None, beside: Any = None, **traits: Any):
        spec = spec_of(thing)
        if isinstance(traits.get("stage"), str):
            traits["stage"] = stage_number(spec, traits["stage"])
        spec = opened(spec, view, traits.get("stage"))
        if beside is not None:
            spec = with_beside(spec, beside)
        traits.setdefault("stage", spec["initial"]["stage"])
        super().__init__(spec=spec, **script_traits(), **traits)
        if isinstance(thing, Report):
            switchboard.remember(spec, thing)
        self._asked = False
        self.on_msg(self._received)
        self.observe(self._send_spec, names=["spec"])
        linked.register(self)

    def _send_spec(self, change: Any = None) -> None:
        if self._asked:
            self.send({"type": "spec", "spec": packed(self.spec)})

    def _received(self, widget: Any, content: Any, buffers: Any) -> None:
        """A message of the browser: it wants the spec to draw it, or a switch was moved."""
        if isinstance(content, dict) and content.get("type") == "ask":
            self._asked = True
            self._send_spec()
        if isinstance(content, dict) and content.get("type") == "switch":
            refused = linked.switched({**content, "id": self.spec["id"]})
            if refused is not None:
                self.send(refused)
        if isinstance(content, dict) and content.get("type") == "run_stage":
            self.send(ran_stage({**content, "id": self.spec["id"]}))

    def keep_only(self, *names: str) -> None:
        """Shows the cell planned with just these names kept; runs nothing.

        Raises:
            LookupError: the viewer does not draw a hybridized cell, or one of long ago.
        """
        self.spec = switchboard.replan(self.spec["id"], list(names))

    @traitlets.validate("spec")
    def _same_beside(self, proposal: Any) -> Any:
        """The same cell planned again keeps what stands beside it."""
        old, new = self.spec, proposal["value"]
        again = bool(new) and old.get("id") == new["id"] and new["beside"] is None
        return {**new, "beside": old["beside"]} if again else new

    @traitlets.validate("stage")
    def _valid_stage(self, proposal: Any) -> int:
        last = len(self.spec.get("stages", [])) - 1
        if not 0 <= proposal["value"] <= max(last, 0):
            raise traitlets.TraitError(
                f"stage: expected 0 to {last}, got {proposal['value']}; the stages are "
                + ", ".join(s["name"] for s in self.spec["stages"])
            )
        return proposal["value"]

    def dot(self, stage: int | None = None) -> graphviz.Digraph:
        """The shown stage (or another) as a graphviz object; drawing it needs ``dot``."""
        return dot(self.spec, self.stage if stage is None else stage)

    def svg(self, stage: int | None = None) -> str:
        """The shown stage (or another) as SVG text; needs no other program."""
        return svg(self.spec, self.stage if stage is None else stage)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file: ``.svg``, ``.png`` (the same, at twice its size in pixels;
        needs ``pip install jupyter_hybrid[png]``), ``.json`` (the spec), ``.dot``, ``.txt`` or
        ``.html`` (the viewer with all it can do; opens anywhere, without a network).

        Raises:
            ValueError: for another ending.
            ImportError: ``.png`` without its package.
        """
        target = Path(path)
        writers = {
            ".svg": lambda: svg(self.spec).encode(),
            ".png": lambda: png(svg(self.spec)),
            ".json": lambda: json.dumps(self.spec, indent=1).encode(),
            ".dot": lambda: self.dot().source.encode(),
            ".txt": lambda: text(self.spec).encode(),
            ".html": lambda: page(packed(self.spec), svg(self.spec)).encode(),
        }
        if target.suffix not in writers:
            raise ValueError(f"save: expected one of {', '.join(writers)}, got {target.name!r}")
        target.write_bytes(writers[target.suffix]())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        widget, metadata = self.as_widget()
        saved = forms(self.spec, packed(self.spec), svg(self.spec), text(self.spec))
        return {**widget, **saved}, metadata

    def as_widget(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(data, metadata) by which a page shows the widget; nothing where it needs none."""
        if linked.is_drawn() or not someone_looks():
            return {}, {}
        bundle = super()._repr_mimebundle_()
        return bundle if isinstance(bundle, tuple) else (bundle or {}, {})


class Forms:
    """All forms of a cell's report: the widget's, ours, HTML, SVG and text."""

    def __init__(self, report: Report):
        self._report = report
        self._viewer = GraphViewer(report) if someone_looks() else None
        self._spec = spec_of(report) if self._viewer is None else self._viewer.spec
        self._packed, self._still = packed(self._spec), svg(self._spec)  # the time is in neither

    def bundle(self) -> Any:
        """(data, metadata) by MIME type, as the report is now."""
        widget, metadata = ({}, {}) if self._viewer is None else self._viewer.as_widget()
        heat = table(self._spec["heat"])
        data = {**self._packed, "totals": self._spec["totals"], "heat": heat}
        return {**widget, **forms(self._spec, data, self._still, repr(self._report))}, metadata

    def measure_again(self) -> None:
        """The programs are through: the picture, which stays the same one, gets their time."""
        times = {"run_s": self._report.run_s, "running": False}
        totals = {**self._spec["totals"], **times}
        spec = {**self._spec, "totals": totals, "heat": heat_of(parts_of(self._report))}
        if self._viewer is not None and self._viewer.spec is self._spec:  # not planned again since
            self._viewer.spec = spec
        self._spec = spec


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
