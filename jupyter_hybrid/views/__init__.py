"""Pictures of graphs, plans and time; every one has a text form."""

from __future__ import annotations

from typing import Any

from .dot import dot
from .pictures import spec_of
from .svg import svg
from .text import text
from .viewer import GraphViewer, someone_looks, static_bundle


def mimebundle(report: Any) -> Any:
    """All forms of a cell's report: the widget's, ours, SVG and text."""
    if someone_looks():
        bundle, metadata = GraphViewer(report)._repr_mimebundle_()
    else:
        bundle, metadata = static_bundle(spec_of(report)), {}
    bundle["text/plain"] = repr(report)
    return bundle, metadata


__all__ = ["GraphViewer", "dot", "mimebundle", "spec_of", "svg", "text"]
