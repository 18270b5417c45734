"""A still picture of a timeline: a row for every lane of the host, the devices and the links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..capture.durations import seconds as in_words
from ..views.svg_text import clip, shown, text_at
from .figures import KINDS, figures
from .picture_memory import area, legend, peak_words

if TYPE_CHECKING:
    from .timelines import Timeline

__all__ = ["svg"]

_LEFT, _WIDTH, _RIGHT, _ROW, _GAP, _TOP = 190.0, 760.0, 190.0, 15.0, 7.0, 46.0
_MEMORY = 44.0  # the height of its area
_TITLE, _AREA = -1, -2  # in place of a lane's number
_NARROWEST = 0.6  # pixels: spans that are closer than this are drawn as one
# Okabe and Ito's colour-blind safe set.
_COLOURS = {"kernel": "#0072b2", "copy": "#d55e00", "dispatch": "#70757f", "wait": "#e8d9a8"}
_WORDS = {
    "kernel": "computes", "copy": "copies", "dispatch": "host works", "wait": "host waits",
}  # fmt: skip


def svg(of: Timeline, sized: bool = False) -> str:
    """The picture. Spans tell their names, lines and times to who points at them.

    Args:
        sized: of a size of its own; else as wide as there is room: JupyterLab shows it as an
            image, and would cut a wider one off.
    """
    rows = _rows(of)
    highest = max((f.peak_memory for f in of.figures()), default=0)
    height = _TOP + sum(room for *_, room in rows) + 34
    width = _LEFT + _WIDTH + _RIGHT
    scale = _WIDTH / of.seconds if of.seconds else 0.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        + (f'width="{width:.0f}" height="{height:.0f}" ' if sized else "")
        + 'font-family="system-ui, sans-serif">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        text_at(12, 19, clip(f"Modelled time: {of.machine}", width - 260, 13), font_size=13,
                font_weight=600),
        text_at(12, 35, "by data sheets; nothing here was measured on such a machine",
                font_size=10.5, fill="#5a6070"),
        _legend(width - 12),
    ]  # fmt: skip
    if len(of.memory):
        parts.append(legend(of, width - 12, 35))
    y = _TOP
    for device, title, lane, room in rows:
        if lane == _TITLE:
            parts.append(text_at(12, y + 12, title, font_size=11.5, font_weight=600))
            parts.append(_told(of, device, y))
        else:
            high = _MEMORY if lane == _AREA else _ROW
            parts.append(text_at(24, y + 11, clip(title, _LEFT - 30, 10.5), font_size=10.5,
                                 fill="#3b4252"))  # fmt: skip
            parts.append(
                f'<rect x="{_LEFT}" y="{y:.1f}" width="{_WIDTH}" height="{high - 2}" '
                'fill="#f4f5f7"/>'
            )
            if lane == _AREA:
                parts.extend(area(of, device, _LEFT, y, _WIDTH, high - 2, highest))
            else:
                parts.extend(_spans(of, lane, y, scale))
        y += room
    parts.append(_axis(of.seconds, y))
    return "".join(parts) + "</svg>"


def _rows(of: Timeline) -> list[tuple[str, str, int, float]]:
    """Devices' titles, lanes and memory: device, words, lane and height of each."""
    used = set(of.spans["lane"].tolist())
    order = ["host", *of.devices(), "cpu(0)", "links"]
    groups = {lane.device for i, lane in enumerate(of.lanes) if i in used}
    remembered = set(of.memory["device"].tolist())
    rows: list[tuple[str, str, int, float]] = []
    for device in [*order, *sorted(groups - set(order))]:
        lanes = [i for i, lane in enumerate(of.lanes) if lane.device == device and i in used]
        if not lanes:
            continue
        is_gpu = device.startswith("gpu")
        rows.append((device, f"{device}, virtual" if is_gpu else device, _TITLE, _ROW + 2))
        for i in sorted(lanes, key=lambda i: (_rank(of.lanes[i].kind), of.lanes[i].name)):
            lane = of.lanes[i]
            name = lane.name.removeprefix(device).strip() or lane.kind
            rows.append((device, name, i, _ROW))
        if is_gpu and int(device[4:-1]) in remembered:
            rows.append((device, "memory", _AREA, _MEMORY))
        rows[-1] = (*rows[-1][:3], rows[-1][3] + _GAP)
    return rows


def _rank(kind: str) -> int:
    order = ("host", "compute", "copy-in", "copy-out", "all-reduce", "link")
    return order.index(kind) if kind in order else len(order)


def _told(of: Timeline, device: str, y: float) -> str:
    if not device.startswith("gpu"):
        return ""
    f = figures(of, device)
    shares = [100 * part / f.seconds if f.seconds else 0 for part in (f.compute, f.exposed)]
    words = (
        f"computes {shares[0]:.0f} %, {100 * f.peak_share:.0f} % of peak",
        f"exposed copies {shares[1]:.0f} %",
        peak_words(of, device) if f.peak_memory else "",
    )
    x = _LEFT + _WIDTH + 10
    return "".join(
        text_at(x, y + 28 + i * 14, line, font_size=10.5, fill="#3b4252")
        for i, line in enumerate(words)
        if line
    )


def _spans(of: Timeline, lane: int, y: float, scale: float) -> list[str]:
    """Rectangles; runs of spans of one kind that are too narrow to see are one."""
    spans = np.sort(of.spans[of.spans["lane"] == lane], order="start_s")
    parts: list[str] = []
    run: list[np.void] = []

    def draw() -> None:
        if not run:
            return
        kind = KINDS[int(run[0]["kind"])]
        x = _LEFT + float(run[0]["start_s"]) * scale
        end = _LEFT + float(max(s["start_s"] + s["seconds"] for s in run)) * scale
        width = max(end - x, 0.4)
        gap = 0.4 if width > 2 else 0.0
        parts.append(
            f'<g><title>{shown(_tooltip(of, run))}</title><rect x="{x:.2f}" y="{y:.1f}" '
            f'width="{width - gap:.2f}" height="{_ROW - 2}" fill="{_COLOURS[kind]}"/>'
        )
        if len(run) == 1 and width > 46 and kind in ("kernel", "copy"):
            name = clip(of.names.get(int(run[0]["name"]), ""), width - 6, 9)
            parts.append(text_at(x + 3, y + 10, name, font_size=9, fill="#ffffff"))
        parts.append("</g>")
        run.clear()

    for span in spans:
        if span["seconds"] <= 0:
            continue
        if run:
            last = float(run[-1]["start_s"] + run[-1]["seconds"])
            narrow = max(float(span["seconds"]), float(run[-1]["seconds"])) * scale < _NARROWEST
            near = (float(span["start_s"]) - last) * scale < _NARROWEST
            if not (narrow and near and span["kind"] == run[0]["kind"]):
                draw()
        run.append(span)
    draw()
    return parts


def _tooltip(of: Timeline, run: list[np.void]) -> str:
    first = run[0]
    if len(run) > 1:
        total = float(sum(s["seconds"] for s in run))
        return f"{len(run)} short spans, {in_words(total)} modelled"
    name = of.names.get(int(first["name"]), "")
    place = of.places.get(int(first["site"]), "")
    words = [
        f"{name}, {place}".strip(", "),
        f"{in_words(float(first['seconds']))} modelled, from "
        f"{in_words(float(first['start_s']))} on",
    ]
    if first["queued_s"] > 0:
        words.append(f"waited {in_words(float(first['queued_s']))} in the queue")
    if first["bytes"] > 0:
        words.append(f"{float(first['bytes']) / 1e6:,.1f} MB, {float(first['flops']) / 1e6:,.1f} "
                     "MFLOP")  # fmt: skip
    peak = float(first["peak"] * first["seconds"])
    if first["flops"] > 0 and peak > 0:
        words.append(f"{100 * float(first['flops']) / peak:.0f} % of the peak of its type")
    return "\n".join(words)


def _axis(seconds: float, y: float) -> str:
    """Marks at round times."""
    if seconds <= 0:
        return ""
    step = 10.0 ** np.floor(np.log10(seconds))
    while seconds / step < 4:
        step /= 2 if f"{step:e}"[0] != "5" else 2.5
    parts = [
        f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8a8f99"/>'
    ]
    at = 0.0
    while at <= seconds * 1.0001:
        x = _LEFT + at / seconds * _WIDTH
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y:.1f}" y2="{y + 4:.1f}" '
                     'stroke="#8a8f99"/>')  # fmt: skip
        words = in_words(at) if at else "0"
        parts.append(text_at(x, y + 16, words, text_anchor="middle", font_size=10, fill="#5a6070"))
        at += step
    return "".join(parts)


def _legend(right: float) -> str:
    parts, x = [], right
    for kind, words in reversed(_WORDS.items()):
        x -= 6.2 * len(words) + 26
        parts.append(f'<rect x="{x:.1f}" y="10" width="10" height="10" fill="{_COLOURS[kind]}"/>')
        parts.append(text_at(x + 14, 19, words, font_size=10.5, fill="#3b4252"))
    return "".join(parts)
