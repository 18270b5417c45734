"""Writes tests/data/mxnet/structured.npz: what genuine MXNet 1.9.1 computes of structured_cases.py.

    MXNET_MKLDNN_ENABLED=0 PYTHON tests/interop/record_structured.py

PYTHON is an interpreter that has MXNet. Arrays are called ``group/case/what``. Every case runs in a
process of its own: some of MXNet's operators leave its memory in disorder.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from structured_cases import GROUPS
from structured_runs import Case, compute

FILE = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "structured.npz"


def apart(name: str, case: Case, folder: Path) -> dict[str, np.ndarray]:
    """What a process of its own computes; a case that MXNet can't do is told."""
    sys.stdout.flush()
    pid = os.fork()
    path = folder / "case.npz"
    if pid == 0:
        try:
            np.savez(path, **compute(mx, case))
        except mx.base.MXNetError as error:
            print(name, str(error).strip().splitlines()[-1])
        os._exit(0)
    os.waitpid(pid, 0)
    if not path.exists():
        print(name, "has no result")
        return {}
    held = dict(np.load(path))
    path.unlink()
    return held


def main() -> None:
    held = {}
    with tempfile.TemporaryDirectory() as folder:
        for group, cases in GROUPS.items():
            for name, case in cases.items():
                key = f"{group}/{name}"
                for what, array in apart(key, case, Path(folder)).items():
                    held[f"{key}/{what}"] = array
    np.savez_compressed(FILE, **held)


if __name__ == "__main__":
    main()
