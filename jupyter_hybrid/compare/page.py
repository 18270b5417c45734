"""The comparison of both modes: table, picture, slider. The picture needs nothing but itself."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from ..capture.durations import seconds
from ..capture.sizes import byte_size
from ..views.svg import document
from ..views.svg_text import text_at

if TYPE_CHECKING:
    from .report import CompareReport, Point

# Okabe and Ito's colour-blind safe vermilion and blue, as in the graphs.
COLOURS = {"imperative": "#d55e00", "symbolic": "#0072b2"}
_GREY, _GRID = "#5a6070", "#e3e6ec"
_WIDTH = 640.0


def table(report: CompareReport) -> str:
    """The figures as text."""
    one, two = report.imperative, report.symbolic
    rows = [("", "imperative", "hybridized")]

    def row(label: str, text: Any, *values: Any) -> None:
        shown = [text(v) if v is not None else "-" for v in values]
        rows.append((label, shown[0], shown[1]))

    row("median time", seconds, one.median, two.median)
    row("  quartiles", _spread, one.quartiles, two.quartiles)
    row("  computing", seconds, one.compute_s, two.compute_s)
    row("  dispatching", seconds, one.dispatch_s, two.dispatch_s)
    row("  waiting", seconds, one.wait_s, two.wait_s)
    row("kernels", str, one.kernels, two.kernels)
    row("allocations", str, one.allocations, two.allocations)
    row("peak bytes", byte_size, one.peak_bytes, two.peak_bytes)
    row("runs timed", str, len(one.seconds), len(two.seconds))
    lines = [report.verdict, ""]
    lines += [f"{label:14}{first:>20}{second:>20}" for label, first, second in rows]
    lines.append(_python(report))
    if one.compute_s is None:
        lines.append("NumPy does not tell computing from dispatching; its kernels are the cell's "
                     "array operations")  # fmt: skip
    lines += [f"difference: {d}" for d in report.differences if not d.equal]
    lines += [f"break: {b.text}" for b in report.breaks]
    if report.sweep:
        lines += ["", f"{report.varied:>16}{'imperative':>14}{'hybridized':>14}{'speed-up':>12}"]
        for p in report.sweep:
            if p.error:
                lines.append(f"{p.size:>16,}  {p.error}")
            else:
                lines.append(
                    f"{p.size:>16,}{seconds(p.imperative.median):>14}"
                    f"{seconds(p.symbolic.median):>14}{p.speedup:>11.2f}x"
                )
        lines.append(pays(report))
    return "\n".join(lines)


def _python(report: CompareReport) -> str:
    """What is not computing."""
    compiled = f"compiled in {seconds(report.compile_s)}, once" if report.compile_s else ""
    reads = f"computes what it reads on the way for {seconds(report.settle_s)}"
    each = f"records for {seconds(report.record_s)}, {reads}"
    return f"{compiled or 'compiled before'}; a run {each}"


def pays(report: CompareReport) -> str:
    """The sweep's conclusion in words."""
    start = report.pays_from
    usable = [p for p in report.sweep if not p.error]
    if not usable:
        return "no size could be measured"
    what = "n" if " " in report.varied else report.varied
    if start is None:
        return f"does not pay up to {what} = {usable[-1].size:,}"
    if start <= usable[0].size:
        return f"pays at every size measured, from {what} = {usable[0].size:,}"
    return f"pays from {what} = {_rounded(start):,} on"


def _rounded(value: float) -> int:
    digits = 1 - math.floor(math.log10(value)) if value >= 1 else 0
    return int(round(value, digits))


def _spread(quartiles: tuple[float, float]) -> str:
    return f"{seconds(quartiles[0])} - {seconds(quartiles[1])}"


# The picture ------------------------------------------------------------------------------------
def picture(report: CompareReport) -> str:
    """One SVG document: the verdict, bars for both modes, and the sweep."""
    parts, y = [], 30.0
    for line in textwrap.wrap(report.verdict, 74)[:3]:
        parts.append(text_at(20, y, line, font_size=14, font_weight=600))
        y += 20
    body, y = _bars(report.imperative, report.symbolic, y + 6)
    parts.append(body)
    if report.record_s:
        parts.append(text_at(20, y + 8, _python(report), font_size=11, fill=_GREY))
        y += 16
    if [p for p in report.sweep if not p.error]:
        body, y = _lines(report, y + 14)
        parts.append(body)
    return document(_WIDTH, y + 12, "".join(parts))


def _bars(one: Any, two: Any, top: float) -> tuple[str, float]:
    """Times with quartiles, bytes and kernels of two sides as bars."""
    left, room = 180.0, 330.0
    parts, y = [], top

    def heading(text: str) -> None:
        nonlocal y
        parts.append(text_at(20, y + 10, text, font_size=11, fill=_GREY))
        y += 16

    groups: list[tuple[str, Any, Any]] = [
        ("time, median and quartiles", lambda s: s.median, seconds),
        ("peak memory of arrays", lambda s: s.peak_bytes, byte_size),
        ("kernels launched", lambda s: s.kernels, lambda n: f"{n:,}"),
    ]
    for title, value_of, text in groups:
        values = [value_of(s) for s in (one, two)]
        if any(v is None for v in values):
            continue
        heading(title)
        timing = title.startswith("time")
        largest = max([s.quartiles[1] for s in (one, two)] + values) if timing else max(values)
        scale = room / largest if largest else 0.0
        for side, value in zip((one, two), values, strict=True):
            colour = COLOURS[side.name]
            label = "imperative" if side.name == "imperative" else "hybridized"
            parts.append(text_at(left - 10, y + 13, label, text_anchor="end"))
            width = max(value * scale, 1.0)
            parts.append(
                f'<rect x="{left}" y="{y + 1:.1f}" width="{width:.1f}" height="16" rx="3" '
                f'fill="{colour}" fill-opacity="0.85"/>'
            )
            end = left + width
            if timing:
                a, b = (left + q * scale for q in side.quartiles)
                middle = y + 9
                parts.append(
                    f'<path d="M{a:.1f},{middle} H{b:.1f} M{a:.1f},{middle - 4} v8 '
                    f'M{b:.1f},{middle - 4} v8" stroke="#1f2430" stroke-width="1.3" fill="none"/>'
                )
                end = max(end, b)
            parts.append(text_at(end + 7, y + 13, text(value), fill="#1f2430"))
            y += 20
        y += 8
    if two.compute_s is not None and two.dispatch_s is not None:
        split = (
            f"hybridized: computing {seconds(two.compute_s)}, dispatching "
            f"{seconds(two.dispatch_s)}, waiting {seconds(two.wait_s)}"
        )
        parts.append(text_at(20, y + 8, split, font_size=11, fill=_GREY))
        y += 16
    return "".join(parts), y


def _lines(report: CompareReport, top: float) -> tuple[str, float]:
    """Both times over the size, both axes logarithmic, and the crossing."""
    points = [p for p in report.sweep if not p.error]
    left, right, height = 80.0, _WIDTH - 110, 200.0
    bottom = top + 26 + height
    sizes = [p.size for p in points]
    measured = [side for p in points for side in (p.imperative, p.symbolic)]
    times = [t for side in measured for t in (*side.quartiles, side.median)]
    x0, x1 = math.log10(sizes[0]), math.log10(sizes[-1])
    y0, y1 = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    y1 = max(y1, y0 + 1)

    def at_x(size: float) -> float:
        return left + (math.log10(size) - x0) / ((x1 - x0) or 1.0) * (right - left)

    def at_y(time: float) -> float:
        return bottom - (math.log10(time) - y0) / (y1 - y0) * height

    parts = [text_at(20, top + 10, f"time over {report.varied}", font_size=11, fill=_GREY)]
    for power in range(y0, y1 + 1):
        y = at_y(10.0**power)
        parts.append(f'<path d="M{left},{y:.1f} H{right}" stroke="{_GRID}"/>')
        parts.append(text_at(left - 8, y + 4, seconds(10.0**power), font_size=10.5, fill=_GREY,
                           text_anchor="end"))  # fmt: skip
    for place, size in zip(_label_places([at_x(s) for s in sizes]), sizes, strict=True):
        x = at_x(size)
        parts.append(f'<path d="M{x:.1f},{bottom} v4" stroke="{_GREY}"/>')
        if place is not None:
            parts.append(text_at(x, bottom + 17, f"{size:,}", font_size=10.5, fill=_GREY,
                               text_anchor="middle"))  # fmt: skip
    for name in ("imperative", "symbolic"):
        sides = [getattr(p, name) for p in points]
        colour = COLOURS[name]
        at = [(at_x(p.size), at_y(s.median)) for p, s in _pairs(points, sides)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for p, s in _pairs(points, sides):
            x, (low, high) = at_x(p.size), s.quartiles
            parts.append(
                f'<path d="M{x:.1f},{at_y(low):.1f} V{at_y(high):.1f}" stroke="{colour}"/>'
                f'<circle cx="{x:.1f}" cy="{at_y(s.median):.1f}" r="3" fill="{colour}"/>'
            )
    ends = [at_y(getattr(points[-1], n).median) for n in ("imperative", "symbolic")]
    if abs(ends[0] - ends[1]) < 14:
        shift = (14 - abs(ends[0] - ends[1])) / 2
        ends = [e + (shift if e >= o else -shift) for e, o in zip(ends, ends[::-1], strict=True)]
    for name, y in zip(("imperative", "symbolic"), ends, strict=True):
        label = "imperative" if name == "imperative" else "hybridized"
        parts.append(text_at(right + 8, y + 4, label, fill=COLOURS[name], font_weight=600))
    start = report.pays_from
    if start is not None and start > sizes[0]:
        x = at_x(start)
        parts.append(
            f'<path d="M{x:.1f},{top + 10} V{bottom}" stroke="#1f2430" stroke-dasharray="4 3"/>'
        )
        anchor = "start" if x < (left + right) / 2 else "end"
        shift = 6 if anchor == "start" else -6
        parts.append(
            text_at(x + shift, top + 20, pays(report), font_weight=600, text_anchor=anchor)
        )
    else:
        parts.append(text_at(left + 6, top + 20, pays(report), font_weight=600))
    return "".join(parts), bottom + 24


def _pairs(points: list[Point], sides: list[Any]) -> Any:
    return zip(points, sides, strict=True)


def _label_places(xs: list[float]) -> list[float | None]:
    """Which tick labels have room."""
    places: list[float | None] = []
    last = float("-inf")
    for x in xs:
        places.append(x if x - last > 58 else None)
        last = x if x - last > 58 else last
    return places


def slider(report: CompareReport) -> Any:
    """A size slider over the sweep's pictures (ipywidgets).

    Raises:
        ValueError: when the comparison had no sweep.
    """
    import ipywidgets  # noqa: PLC0415 (heavy)

    of_one = type(report)

    points = [p for p in report.sweep if not p.error]
    if not points:
        raise ValueError("slider: this comparison has no sweep; run it with --sizes n=100,1000,...")
    drawn = ipywidgets.HTML()
    choice = ipywidgets.SelectionSlider(
        options=[(f"{p.size:,}", i) for i, p in enumerate(points)],
        description=report.varied if " " not in report.varied else "rows",
        continuous_update=True,
    )

    def show(index: int) -> None:
        point = points[index]
        drawn.value = picture(of_one(point.imperative, point.symbolic, point.differences))

    choice.observe(lambda change: show(change["new"]), names="value")
    show(0)
    return ipywidgets.VBox([choice, drawn])
