"""Where code stands that is not in a picture's own cell: in another cell, or in a file."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from .. import _core
from .schema import Place

_MAX_CODE = 200  # characters of a line


def code_at(site: int, line: int) -> str:
    """The line of source as it was compiled; '' where nobody has it."""
    file = _core.site_file(site)
    return linecache.getline(file, line).strip()[:_MAX_CODE] if file and line else ""


def file_at(site: int) -> str:
    """The file of a site's code, relative to the working directory where it is in it, or to the
    home directory, ``~``; '' where there is no such file: a cell's, or made at run time."""
    file = _core.site_file(site)
    if not file or not os.path.isfile(file):
        return ""
    path = os.path.abspath(file)
    with suppress(OSError):  # the working directory may be gone
        path = path.removeprefix(os.getcwd() + os.sep)
    home = os.path.expanduser("~") + os.sep
    return os.path.join("~", path.removeprefix(home)) if path.startswith(home) else path


class Places:
    """The places of a picture's nodes, each once.

    Args:
        line_of: the line of a node in the picture's own cell; None: it is of another place.
    """

    def __init__(self, line_of: Callable[[Any], int | None]):
        self.rows: list[Place] = []
        self._line_of = line_of
        self._of_site: dict[int, list[int]] = {0: []}
        self._known: dict[tuple[Any, ...], int] = {}

    def of(self, nodes: Sequence[Any]) -> list[int]:
        """Indexes of the rows that these nodes came from, without the picture's own cell."""
        if len(nodes) == 1:
            return self._of(nodes[0])
        return sorted({index for node in nodes for index in self._of(node)})

    def _of(self, node: Any) -> list[int]:
        site = node.site
        found = self._of_site.get(site)
        if found is None:
            found = self._added(site) if self._line_of(node) is None else []
            self._of_site[site] = found
        return found

    def _added(self, site: int) -> list[int]:
        cell, line, _, _ = _core.site(site)
        if not line:
            return []
        row: Place = {
            "cell": cell,
            "file": "" if cell else file_at(site),
            "line": line,
            "code": code_at(site, line),
        }
        index = self._known.setdefault(tuple(row.values()), len(self.rows))
        if index == len(self.rows):
            self.rows.append(row)
        return [index]
