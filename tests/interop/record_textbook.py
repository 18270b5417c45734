"""Writes the losses of the textbook's programs under genuine MXNet 1.9.1.

    python tests/interop/record_textbook.py PYTHON     writes tests/data/mxnet/textbook.npz
    PYTHON tests/interop/record_textbook.py FILE NAMES     in the interpreter that has MXNet

PYTHON is an interpreter that has MXNet; NAMES stand with "," between them. Recurrent layers are
computed with MXNet's oneDNN kernels, since without them they take another call's attributes; all
else without, since some gradients are wrong with them.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np
from genuine import run_script
from textbook_programs import PROGRAMS, RECURRENT

RECORDED = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "textbook.npz"


def record(python: str, file: Path) -> None:
    """The losses of every program, by its name, imperative; hybridized they are the same there."""
    held: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as made:
        for onednn in (False, True):
            names = ",".join(name for name in PROGRAMS if (name in RECURRENT) is onednn)
            part = Path(made) / "part.npz"
            words = ("record_textbook.py", str(part), names)
            run_script(python, *words, folder=Path(made), onednn=onednn, timeout=3000)
            with np.load(part) as found:
                held |= dict(found)
    np.savez_compressed(file, **{name: held[name] for name in PROGRAMS})


def inside(file: str, names: list[str]) -> None:
    mx = import_module("mxnet")
    held = {}
    for name in names:
        program = PROGRAMS[name]
        losses = program.make(mx, False)(program.steps)
        held[name] = np.array(losses, dtype=np.float32)
    np.savez(file, **held)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        inside(sys.argv[1], sys.argv[2].split(","))
    else:
        record(sys.argv[1], RECORDED)
