"""A still picture in pixels, by resvg: no browser and no other program is needed."""

from __future__ import annotations

from importlib import import_module

_ZOOM = 2.0  # for screens and print of twice the usual density


def png(svg: str) -> bytes:
    """An SVG document as a PNG file, twice its size in pixels.

    Raises:
        ImportError: resvg-py is not installed.
    """
    try:
        resvg = import_module("resvg_py")  # only a .png needs it
    except ImportError as error:
        raise ImportError(
            "save: a .png needs the package resvg-py: pip install 'jupyter_hybrid[png]'; "
            "the endings .svg, .html, .json, .dot and .txt need nothing"
        ) from error
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=_ZOOM))
