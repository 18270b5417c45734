"""Statistics of the profiler's records as text: MXNet's tables, or its JSON."""

from __future__ import annotations

import json
from typing import Any

SORTED_BY = ("total", "avg", "min", "max", "count")
_TIMES = ("Total Count", "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)")
_MEMORY = ("Total Count", "Min Use  (kB)", "Max Use  (kB)", "Avg Use  (kB)")
_VALUES = ("Total Count", "Min Value", "Max Value", "Avg Value")
_STORAGE = "Device Storage"


def statistics(spans: dict[str, Any], points: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Kind (Time, Memory, Value) -> category -> name -> figures: ms, kB, or as they are.

    A span of many short runs counts each with their mean.
    """
    found: dict[str, dict[str, Any]] = {"Time": {}, "Memory": {}}
    for category, by_name in spans.items():
        found["Time"][category] = {name: _of_spans(all_) for name, all_ in by_name.items()}
    for category, by_name in points.items():
        kind, unit = ("Memory", 1e3) if category == _STORAGE else ("Value", 1.0)
        found.setdefault(kind, {})[category] = {
            name: _of_values([value / unit for value in all_]) for name, all_ in by_name.items()
        }
    return found


def _of_spans(spans: Any) -> dict[str, float]:
    count, total = sum(s.runs for s in spans), sum(s.busy for s in spans)
    each = [s.busy / s.runs for s in spans]
    return {
        "Count": count, "Total": total, "Min": min(each), "Max": max(each), "Avg": total / count
    }  # fmt: skip


def _of_values(values: list[float]) -> dict[str, float]:
    mean = sum(values) / len(values)
    return {"Count": len(values), "Min": min(values), "Max": max(values), "Avg": mean}


def _ordered(rows: dict[str, Any], sort_by: str, ascending: bool) -> list[tuple[str, Any]]:
    key = sort_by.capitalize()
    return sorted(rows.items(), key=lambda r: r[1].get(key, r[1]["Avg"]), reverse=not ascending)


def as_json(found: dict[str, dict[str, Any]], sort_by: str, ascending: bool) -> str:
    """MXNet's form, with the units."""
    ordered = {
        kind: {c: dict(_ordered(rows, sort_by, ascending)) for c, rows in categories.items()}
        for kind, categories in found.items()
    }
    return json.dumps({**ordered, "Unit": {"Time": "ms", "Memory": "kB"}}, indent=4)


def as_table(found: dict[str, dict[str, Any]], lost: int, sort_by: str, ascending: bool) -> str:
    """One table a category."""
    text = "\nProfile Statistics:\n\tNote the difference in units for different entries.\n"
    if lost:
        text += f"\t{lost} operators ran unseen: the engine's trace keeps the newest ones.\n"
    heads = {"Time": _TIMES, "Memory": _MEMORY, "Value": _VALUES}
    for kind in ("Memory", "Value", "Time"):
        for category, rows in sorted(found.get(kind, {}).items()):
            text += f"{category}\n=================\n"
            text += _line("Name", heads[kind]) + _line("----", ["-" * len(h) for h in heads[kind]])
            for name, figures in _ordered(rows, sort_by, ascending):
                count, *others = figures.values()
                text += _line(name, [str(count), *(f"{value:.4f}" for value in others)])
            text += "\n"
    return text


def _line(name: str, cells: Any) -> str:
    first, *rest = cells
    return f"{name:<25}{first:>16}" + "".join(f"{cell:>17}" for cell in rest) + "\n"
