"""GraphViewer: the interactive picture as a widget, composing with ipywidgets."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import graphviz

from ..reports.report import Report
from . import linked
from .beside import with_beside
from .dot import dot
from .folded import Folded
from .output import bundle_of, someone_looks
from .packed import packed
from .page import page
from .picture_widget import PictureWidget
from .pictures import opened, spec_of, stage_number
from .png import png
from .saved import forms
from .schema import Spec
from .svg import svg
from .switchboard import switchboard
from .text import text


class GraphViewer(PictureWidget):
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

    def __init__(self, thing: Any, view: str | None = None, beside: Any = None, **traits: Any):
        spec = spec_of(thing)
        if isinstance(traits.get("stage"), str):
            traits["stage"] = stage_number(spec, traits["stage"])
        spec = opened(spec, view, traits.get("stage"))
        if beside is not None:
            spec = with_beside(spec, beside)
        traits.setdefault("stage", spec["initial"]["stage"])
        self._hold(spec)
        super().__init__(**traits)
        if isinstance(thing, Report):
            switchboard.remember(spec, thing)

    @property
    def spec(self) -> Any:
        """The picture, as :mod:`.schema` says. A page without our renderer asks for it: it may be
        large, and is compressed while many others are looked at."""
        return self._spec.get()

    @spec.setter
    def spec(self, spec: Any) -> None:
        if spec["beside"] is None and spec["id"] == self.spec_id:  # the cell, planned again
            spec = {**spec, "beside": self.spec["beside"]}
        self._hold(spec)
        self.tell()
        linked.tell_whole(spec)

    def _hold(self, spec: Spec) -> None:
        self._spec = Folded(spec)
        self.note(spec)

    def answer(self) -> dict[str, Any]:
        return {"type": "spec", "spec": packed(self.spec)}

    def planned(self, spec: Spec) -> bool:
        if self.spec == spec:
            return False
        self.spec = spec
        return True

    def keep_only(self, *names: str) -> None:
        """Shows the cell planned with just these names kept; runs nothing.

        Raises:
            LookupError: the viewer does not draw a hybridized cell, or one of long ago.
        """
        self.spec = switchboard.replan(self.spec["id"], list(names))

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
        return bundle_of(self)
