"""The cell front end: ``%%hybridize`` turns a cell into a graph, a plan and a program."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .block import symbolic
    from .cell_report import Report
    from .function import hybridize

_LAZY = {"hybridize": "function", "symbolic": "block"}


def report() -> Report:
    """The report of the last hybridized cell. Of a cell that failed: what was recorded until then.

    Raises:
        MXNetError: there was none yet, or the last cell failed before anything was recorded.
    """
    from ..base import MXNetError
    from .session import session

    if session.last_report is None:
        none = "no cell has been hybridized yet: start one with %%hybridize"
        raise MXNetError(session.no_report or none)
    return session.last_report


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


__all__ = ["hybridize", "report", "symbolic"]
