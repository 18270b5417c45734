"""Reads the cells of ``cells/*.py``.

A file holds many cells. ``# %% name`` begins one; what follows ``|`` are its marks. A cell named
``setup`` runs, as written, before each cell after it, until the next ``setup``. Marks:

- ``floats 1e-12``: the bound on floats, relative to the largest magnitude of the compared value
  (a file's own default stands in its first lines as ``# floats: 1e-14``);
- ``data-dependent shape``: a shape of the cell depends on values, so the graph must break;
- ``kernel error``: a kernel fails, which shows when its value is needed: what the imperative cell
  bound before must be there, what depends on the kernel raises, the rest may be bound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cells"
_MARKS = ("floats", "data-dependent shape", "kernel error")


@dataclass(frozen=True)
class CorpusCell:
    """One cell: what runs before it, its text, and how closely floats must agree."""

    group: str  # the file's name
    name: str
    setup: str
    text: str
    floats: float  # largest difference over the largest magnitude
    data_dependent: bool
    kernel_error: bool = False

    @property
    def id(self) -> str:
        return f"{self.group}: {self.name}"


def _read_file(path: Path) -> list[CorpusCell]:
    head, *parts = re.split(r"^# %% (.*)\n", path.read_text(), flags=re.MULTILINE)
    stated = re.search(r"^# floats: (\S+)", head, flags=re.MULTILINE)
    if stated is None:
        raise ValueError(f"{path.name}: its first lines state no `# floats: BOUND`")
    cells, setup = [], ""
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        name, *marks = (part.strip() for part in title.split("|"))
        text = text.strip("\n") + "\n"
        if name == "setup":
            setup = text
            continue
        unknown = [m for m in marks if not m.startswith(_MARKS)]
        if unknown:
            raise ValueError(f"{path.name}, {name!r}: unknown mark {unknown[0]!r}")
        bounds = [float(m.split()[1]) for m in marks if m.startswith("floats")]
        cells.append(
            CorpusCell(
                group=path.stem,
                name=name,
                setup=setup,
                text=text,
                floats=bounds[0] if bounds else float(stated[1]),
                data_dependent="data-dependent shape" in marks,
                kernel_error="kernel error" in marks,
            )
        )
    return cells


def read(folder: Path = FOLDER) -> list[CorpusCell]:
    """Every cell, by file and in the file's order. Raises ValueError for two of one name."""
    cells = [cell for path in sorted(folder.glob("*.py")) for cell in _read_file(path)]
    seen: set[str] = set()
    for cell in cells:
        if cell.id in seen:
            raise ValueError(f"two cells are named {cell.id!r}")
        seen.add(cell.id)
    return cells
