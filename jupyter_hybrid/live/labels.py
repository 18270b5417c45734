"""What the numbers in frames stand for: names of operators, their families, lines."""

from __future__ import annotations

from typing import Any

from ..views.places import code_at, file_at
from .families import family_named

__all__ = ["labels"]


def labels(names: dict[int, str], sites: dict[int, tuple[str, int, str]]) -> dict[str, Any]:
    """``names``, ``families`` and ``sites`` of a frame's message."""
    return {
        "names": {str(k): v for k, v in names.items()},
        "families": {str(k): family_named(v) for k, v in names.items()},
        "sites": {
            str(site): {
                "cell": cell or None,
                "line": line or None,
                "text": text,
                "file": "" if cell else file_at(site),
                "code": code_at(site, line),
            }
            for site, (cell, line, text) in sites.items()
        },
    }
