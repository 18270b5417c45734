"""Reads ``cells/*.py``: ``# %% name`` begins a cell's helper, ``# --- cell`` the cell itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cells"
SETUP = "import numpy as np\nx = np.arange(6.0)\n"
PLACES = ("same", "earlier", "plain", "module")
_BORDER = "# --- cell\n"


@dataclass(frozen=True)
class Hostile:
    """A cell and the helper that it uses."""

    topic: str
    name: str
    helper: str
    body: str

    @property
    def id(self) -> str:
        return f"{self.topic}: {self.name}"


@dataclass(frozen=True)
class Step:
    """A cell to run, and whether the magic is on it when we compare."""

    text: str
    magic: bool


def module_of(cell: Hostile) -> str:
    """The helper as a module's text."""
    return SETUP + cell.helper


def steps(cell: Hostile, place: str, module: str) -> list[Step]:
    """The cells to run with the helper in that place; ``module`` is the module's name."""
    body = Step(cell.body, True)
    if place == "same":
        return [Step(SETUP, False), Step(cell.helper + cell.body, True)]
    if place == "module":
        return [Step(f"from {module} import *\n", False), body]
    return [Step(SETUP, False), Step(cell.helper, place == "earlier"), body]


def read() -> list[Hostile]:
    """Every cell, by file and in the file's order; names are unique in a file."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        _, *parts = re.split(r"^# %% (.*)\n", path.read_text(), flags=re.MULTILINE)
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            helper, border, body = text.partition(_BORDER)
            if not border:
                raise ValueError(f"{path.name}, {name!r}: there is no line {_BORDER.strip()!r}")
            found.append(Hostile(path.stem, name, helper, body.rstrip() + "\n"))
    names = [cell.id for cell in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two cells are named {min(twice)!r}")
    return found
