"""The programs that `programs.py` measures, read from `programs/CLASS/NAME.py`.

A file is one notebook in parts that begin with ``# %%``: ``small`` and ``large`` give the sizes,
``setup`` makes the inputs from seeds, ``functions`` and ``cell`` are the cell that is measured.
``jax`` is the same functions ported by hand, and ``jax cell`` the call where it differs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("programs")
CLASSES = {
    "index_loops": "index loops",
    "slices": "slices and stencils",
    "elementwise": "elementwise and reductions",
    "nets": "BLAS and nets by hand",
}
SIZES = ("small", "large")
PARTS = (*SIZES, "setup", "functions", "cell")  # what every program has; the ports of peers apart


@dataclass(frozen=True)
class Program:
    """One program: what it is in a line, and its parts as text."""

    name: str
    kind: str
    title: str
    parts: dict[str, str]

    def setup(self, size: str) -> str:
        """What makes the inputs of that size."""
        return f"{self.parts[size]}\n{self.parts['setup']}"

    @property
    def cell(self) -> str:
        """The whole cell, as it stands in a notebook: definitions and calls."""
        return f"{self.parts['functions']}\n{self.parts['cell']}"


def read(path: Path) -> Program:
    title, *parts = path.read_text(encoding="utf-8").split("# %% ")
    named = (part.split("\n", 1) for part in parts)
    return Program(
        path.stem,
        path.parent.name,
        title.removeprefix("# ").strip(),
        {name.strip(): text.strip() + "\n" for name, text in named},
    )


PROGRAMS = {p.stem: read(p) for kind in CLASSES for p in sorted((FOLDER / kind).glob("*.py"))}


def digest() -> str:
    """Of all that is measured: names, classes, sizes and texts. Peers' ports may be mended."""
    found = hashlib.sha256()
    for program in PROGRAMS.values():
        for text in (program.kind, program.name, *(program.parts[part] for part in PARTS)):
            found.update(text.encode() + b"\0")
    return found.hexdigest()
