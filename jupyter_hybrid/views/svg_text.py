"""Texts of still pictures; what is the user's is escaped, and visible."""

from __future__ import annotations

from html import escape
from typing import Any

from .visible import visible

_FONT = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, monospace"


def text_at(x: float, y: float, text: str, **style: Any) -> str:
    attrs = {"font_family": _FONT, "font_size": 12, "fill": "#1f2430", **style}
    listed = " ".join(f'{k.replace("_", "-")}="{escape(str(v))}"' for k, v in attrs.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" {listed}>{shown(text)}</text>'


def shown(text: str) -> str:
    """As XML."""
    return escape(visible(text))


def clip(text: str, width: float, size: float = 12) -> str:
    text = visible(text)
    room = max(int((width - 14) / (size * 0.56)), 3)
    return text if len(text) <= room else text[: room - 1] + "…"
