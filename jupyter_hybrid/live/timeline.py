"""What ran since the last cell began, by operator and line: ``%engine timeline``."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from .. import _core
from ..capture.running import running
from ..views.places import code_at

_NO_WORK = _core.SPAN_FLAGS["wait"] | _core.SPAN_FLAGS["running"]
_HELD, _MERGED = _core.SPAN_FLAGS["artificial"], _core.SPAN_FLAGS["merged"]
_COLUMNS = ("operator", "count", "total_s", "mean_s", "share", "where", "line", "code")


def timeline(since: float | None = None) -> Any:
    """Rows ``operator``, ``count``, ``total_s``, ``mean_s``, ``share`` (of all work), ``where``,
    ``line`` and ``code``, the longest first: a ``pandas.DataFrame``, without pandas a list of
    dicts.

    ``since``: of ``time.perf_counter``; None: the start of the last cell. An operator that had
    begun before counts by the part since then; waits and what slow motion held are no work, and
    what still runs is left out. The trace keeps the newest operators: a warning says how many at
    most are missing.
    """
    if since is None:
        since = running.last_began
    rows = _rows(since)
    try:
        pd = import_module("pandas")
    except ImportError:
        return rows
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype({"line": "Int64"})


def _rows(since: float) -> list[dict[str, Any]]:
    frame = _core.TraceReader(from_oldest=True).read_frame(1 << 30)
    since_ms = frame["offset_ms"] + since * 1e3
    _warn_of_gaps(frame, since_ms)
    spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    spans = spans[spans["flags"] & _NO_WORK == 0]
    # A program is held as a whole, and then its operators are told.
    spans = spans[(spans["flags"] & _HELD == 0) | (spans["busy_ms"] > 0)]
    part = _parts(spans, since_ms)
    spans, part = spans[part > 0], part[part > 0]
    kinds, of = np.unique(spans[["name", "site"]], return_inverse=True)
    counts = np.bincount(of, part * spans["count"], len(kinds))
    totals = np.bincount(of, part * spans["busy_ms"] * 1e-3, len(kinds))
    rows = []
    for i in np.argsort(-totals, kind="stable"):
        name, site = kinds[i].tolist()
        cell, line, text = frame["sites"].get(site, ("", 0, ""))
        count, total = float(counts[i]), float(totals[i])
        whole = int(count) if count.is_integer() else count
        figures = (whole, total, total / count, total / float(totals.sum() or 1.0))
        place = ("cell" if cell else text, line or None, code_at(site, line))
        operator = frame["names"].get(name, str(name))
        rows.append(dict(zip(_COLUMNS, (operator, *figures, *place), strict=True)))
    return rows


def _parts(spans: np.ndarray, since_ms: float) -> np.ndarray:
    """How much of each span lies behind that time, 0 to 1."""
    starts, lengths = spans["start_ms"], spans["extent_ms"].astype(float)
    # Of one that slow motion held, the hold comes first.
    held = np.where(spans["flags"] & (_HELD | _MERGED) == _HELD, lengths - spans["busy_ms"], 0.0)
    starts, lengths = starts + held, lengths - held
    inside = starts + lengths - np.maximum(starts, since_ms)
    return np.where(
        starts >= since_ms, 1.0, np.maximum(inside, 0.0) / np.where(lengths > 0, lengths, 1.0)
    )


def _warn_of_gaps(frame: dict[str, Any], since_ms: float) -> None:
    missing = sum(gap["count"] for gap in frame["gaps"] if gap["end_ms"] > since_ms)
    if missing:
        warnings.warn(
            f"the trace has kept the newest operators only: up to {missing:,} are not counted",
            stacklevel=4,
        )
