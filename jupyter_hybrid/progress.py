"""The bar of a search for the smallest plan: a widget in a notebook, a line in a terminal."""

from __future__ import annotations

import sys
from typing import Any

_PATIENCE = 0.3  # seconds before anything is shown


class SearchProgress:
    """Shows what an exact search has found: called as ``progress(seconds, peak, bound)``.

    Args:
        limit: seconds after which the search ends by itself.
    """

    def __init__(self, limit: float):
        self._limit = limit
        self._bar: Any = None
        self._line = False

    def __call__(self, seconds: float, peak: int, bound: int) -> None:
        if seconds < _PATIENCE:
            return
        text = f"best plan {peak:,} bytes, at least {bound:,}; {seconds:.1f} of {self._limit:g} s"
        if _in_notebook():
            if self._bar is None:
                self._bar = _shown_bar(self._limit)
            self._bar.value, self._bar.description = min(seconds, self._limit), text
        elif sys.stderr.isatty():
            self._line = True
            sys.stderr.write(f"\r{text} ")
            sys.stderr.flush()

    def close(self) -> None:
        """Takes the bar away; the next call makes another."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._line:
            sys.stderr.write("\n")
            self._line = False


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    ip = shell.get_ipython() if shell is not None else None
    return getattr(ip, "kernel", None) is not None


def _shown_bar(limit: float) -> Any:
    # Heavy, and not needed before a bar is shown.
    from IPython.display import display  # noqa: PLC0415
    from ipywidgets import FloatProgress, Layout  # noqa: PLC0415

    bar = FloatProgress(
        min=0,
        max=limit,
        style={"description_width": "initial"},
        layout=Layout(width="100%", max_width="640px"),
    )
    display(bar)
    return bar
