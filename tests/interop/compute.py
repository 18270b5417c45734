"""Computes every case and writes FOLDER/FAMILY.npz; runs under either system.

    python tests/interop/compute.py MODULE FOLDER [FAMILY ...]

MODULE is ``mxnet`` or ``jupyter_hybrid``. A case that the system refuses has ``error``, its text,
alone; one whose operator gives the same through ``F = sym`` has ``sym``, as a method ``method``, as
a symbol's method ``symbol's method``. Prints the refused ones.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from case import Case, Run
from compare import difference
from families import families
from packed import write


def results(mx: Any, case: Case) -> dict[str, np.ndarray]:
    try:
        found = case.run(mx)
    except Exception as error:  # whatever a system says of what it does not have
        return {"error": np.frombuffer(_text(error).encode()[:200], np.uint8)}
    told = {k: v for k, v in found.items() if not k.startswith("written")}
    for way in case.run.ways(mx) if isinstance(case.run, Run) else ():
        try:
            again = case.run(mx, way)
        except Exception:
            continue
        if not difference(case, told, again):
            found[way] = np.array(True)
    return found


def _text(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((x for x in reversed(lines) if "Check failed" in x or "rror" in x), lines[-1])


def main(module: str, folder: str, *wanted: str) -> None:
    mx = importlib.import_module(module)
    for family, cases in families().items():
        if wanted and family not in wanted:
            continue
        held = {case.name: results(mx, case) for case in cases}
        for name, found in held.items():
            if "error" in found:
                print(f"{family}: {name}: {found['error'].tobytes().decode(errors='replace')}")
        write(Path(folder) / f"{family}.npz", held)


if __name__ == "__main__":
    main(*sys.argv[1:])
