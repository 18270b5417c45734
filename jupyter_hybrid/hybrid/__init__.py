"""The cell front end: ``%%hybridize`` turns a cell into a graph, a plan and a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cell_report import Report


def report() -> Report:
    """The report of the last hybridized cell. Raises MXNetError when there was none yet."""
    from ..base import MXNetError
    from .magics import session

    if session.last_report is None:
        raise MXNetError("no cell has been hybridized yet: start one with %%hybridize")
    return session.last_report


__all__ = ["report"]
