"""Pictures of graphs, plans and time; every one has a text form."""

from __future__ import annotations

import importlib
from typing import Any

from .dot import dot
from .pictures import spec_of
from .svg import svg
from .text import text

# Widgets take longest to import: not before somebody looks.
_LAZY = {"Forms": ".output", "GraphViewer": ".viewer", "mimebundle": ".output", "view": ".files"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name], __name__), name)


__all__ = ["Forms", "GraphViewer", "dot", "mimebundle", "spec_of", "svg", "text", "view"]
