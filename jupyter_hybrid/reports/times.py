"""Where a cell's time went, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..capture.durations import seconds

if TYPE_CHECKING:
    from .report import Report

_WORTH_SAYING_S = 1e-4


def times_text(report: Report) -> str:
    """``32 ms in all: compile 135 µs, record 2 ms, compiled loops 13 ms, run 56 µs``."""
    parts = []
    if report.segments:
        compiled = f"compile {seconds(report.compile_s)}"
        parts.append("compile found in the cache" if report.cached else compiled)
    parts += [f"record {seconds(report.record_s)}"] if report.record_s else []
    parts += [
        f"{name} {seconds(spent_s)}"
        for name, spent_s in (
            ("values read on the way", report.settle_s),
            ("compiled loops", report.loops_s),
            ("left to Python", report.python_s),
        )
        if spent_s >= _WORTH_SAYING_S
    ]
    if report.running:
        parts.append("run not over yet")
    elif report.segments and report.run_s is not None:
        parts.append(f"run {seconds(report.run_s)}")
    whole = "" if report.took_s is None else f"{seconds(report.took_s)} in all: "
    return whole + ", ".join(parts)


def captured_text(report: Report) -> str:
    """What of a cell without breaks its graphs hold."""
    parts = len(report.segments)
    graphs = f" as {parts} graphs" if parts > 1 else ""
    left = []
    if any(loop.is_compiled for loop in report.units):
        took = f" ({seconds(report.loops_s)})" if report.loops_s else ""
        left.append(f"loops that ran compiled{took}")
    if report.python_s >= _WORTH_SAYING_S:
        left.append(f"what was left to Python ({seconds(report.python_s)})")
    if left:
        return f"captured{graphs} but for {' and '.join(left)}"
    return "captured whole" + (f",{graphs}" if graphs else "")
