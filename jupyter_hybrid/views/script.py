"""The viewer's browser code as a model of its own: all viewers of a kernel share it."""

from __future__ import annotations

import sys
from functools import cache
from importlib import resources

import ipywidgets
import traitlets


class Script(ipywidgets.Widget):
    """Holds ``graph.js``, built from ``labextension/src/anywidget``; it has no view."""

    source = traitlets.Unicode().tag(sync=True)


@cache
def static(name: str) -> str:
    """The text of a file of the built front end."""
    return (resources.files("jupyter_hybrid") / "static" / name).read_text("utf-8")


_shared: list[Script] = []


def script_traits() -> dict[str, object]:
    """What a viewer's widget is given: the module that loads the shared code, and its model.

    marimo's widgets know no other models: there each viewer carries the code.
    """
    if "marimo" in sys.modules:
        return {"_esm": static("graph.js")}
    if not _shared or _shared[0].comm is None:  # none yet, or closed with all widgets
        _shared[:] = [Script(source=static("graph.js"))]
    return {"_esm": static("loader.js"), "script": _shared[0]}
