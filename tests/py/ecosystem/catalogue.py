"""Reads ``cells/*.py``: imports and data, then ``# %% name`` for each case, of one cell or more.

``# --- cell`` begins a case's next cell. A file is named after the library that its cells need.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hostile.catalogue import Step

FOLDER = Path(__file__).parent / "cells"
OF_PYTHON = "tools"  # the file that needs no library but cloudpickle
_BORDER = "# --- cell\n"


@dataclass(frozen=True)
class Notebook:
    """What a library's cells share, and its cases: name -> cells."""

    library: str
    setup: str
    cases: dict[str, list[str]]

    @property
    def missing(self) -> str:
        """Why the cells can't run; empty if they can."""
        needed = "cloudpickle" if self.library == OF_PYTHON else self.library
        return "" if find_spec(needed) else f"{needed} is not installed"

    def steps(self, names: list[str]) -> list[Step]:
        """The cells of these cases, after the setup, which is plain."""
        cells = [Step(text, True) for name in names for text in self.cases[name]]
        return [Step(self.setup, False), *cells]


def read() -> list[Notebook]:
    """Every notebook, by file and in the file's order."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        setup, *parts = re.split(r"^# %% (.*)\n", path.read_text(), flags=re.MULTILINE)
        cases = {n: t.split(_BORDER) for n, t in zip(parts[::2], parts[1::2], strict=True)}
        found.append(Notebook(path.stem, setup, cases))
    return found
