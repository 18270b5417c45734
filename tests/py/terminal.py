"""A real `ipython --simple-prompt` for tests: types cells, gives back what each printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def ipython(cells: list[str], folder: Path, timeout: float = 120) -> list[str]:
    """The text that each cell printed, errors included."""
    typed = []
    for cell in cells:
        # A blank line ends a cell of several lines; a cell magic needs two.
        several = "\n" in cell
        typed.append(cell + ("\n\n" if cell.startswith("%%") else "\n" if several else ""))
    env = {**os.environ, "IPYTHONDIR": str(folder), "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit"],
        input="\n".join([*typed, "exit", ""]),
        capture_output=True,
        text=True,
        timeout=timeout,
        env=env,
        cwd=folder,
    )
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.stdout)
    text = re.sub(r"(?m)^(   \.\.\.: ?|    \.\.\.: ?)+", "", plain)
    parts = re.split(r"In \[\d+\]: ", text)[1:]
    return [re.sub(r"^( *\.\.\.: ?)+", "", part).strip("\n") for part in parts]
