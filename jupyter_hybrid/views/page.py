"""The picture as HTML that carries the viewer: interactive without a kernel and without a network.

Viewer and spec are in it compressed. Where no script runs (a notebook on GitHub, an untrusted one)
the still picture that stands there at first stays.
"""

from __future__ import annotations

import json
import math
import uuid
from base64 import b64encode
from functools import lru_cache
from gzip import compress
from typing import Any

from .script import static
from .svg_text import shown

_START = """(async (id, code, spec) => {
  const unpack = text => new Response(
    new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))]).stream()
      .pipeThrough(new DecompressionStream("gzip"))).text();
  const url = URL.createObjectURL(new Blob([await unpack(code)], {type: "text/javascript"}));
  const host = document.getElementById(id);
  (await import(url)).show(JSON.parse(await unpack(spec)), host);
  URL.revokeObjectURL(url);
})"""


def compressed(text: str, level: int) -> str:
    """As ASCII characters."""
    return b64encode(compress(text.encode(), level, mtime=0)).decode()


@lru_cache(maxsize=1)
def _code() -> str:
    return compressed(static("graph.js"), 9)


def fragment(spec: str, still: str, most: float) -> str:
    """The picture to be put into a page: its SVG, and a script that puts the viewer in its place.

    Args:
        spec: packed, as JSON, :func:`compressed`.
        still: its SVG.
        most: bytes; '' where it takes more.
    """
    if len(spec) + len(_code()) + len(still) > most:
        return ""
    host = f"hyb-{uuid.uuid4().hex}"
    return f'<div id="{host}">{still}</div><script>{_START}("{host}","{_code()}","{spec}")</script>'


def page(data: dict[str, Any], still: str) -> str:
    """A whole document with the picture, for a browser without anything else."""
    return (
        f"<!doctype html><meta charset=utf-8><title>{shown(data['title'])}</title>"
        "<meta name=viewport content='width=device-width'>"
        "<style>body{font:15px/1.5 system-ui;max-width:80em;margin:2em auto;padding:0 1em}</style>"
        f"{fragment(compressed(json.dumps(data), 1), still, math.inf)}"
    )
