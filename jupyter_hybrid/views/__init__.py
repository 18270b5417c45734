"""Pictures of graphs, plans and time; every one has a text form."""

from __future__ import annotations

import importlib
from typing import Any

from .dot import dot
from .pictures import spec_of
from .svg import svg
from .text import text


def __getattr__(name: str) -> Any:
    if name not in ("Forms", "GraphViewer", "mimebundle"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Widgets take longest to import: not before somebody looks.
    return getattr(importlib.import_module(".viewer", __name__), name)


__all__ = ["Forms", "GraphViewer", "dot", "mimebundle", "spec_of", "svg", "text"]
