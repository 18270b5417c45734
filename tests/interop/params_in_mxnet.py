"""Runs under genuine MXNet 1.9.1: reads and writes .params files of each form.

Argument: a folder. Loads every ``*.params`` there, those of V3 inside np_shape(), and leaves its
arrays in ``NAME.npz``; then writes theirs, ``V2.params`` and ``V3.params``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mxnet as mx
import numpy as np
from old_files import arrays


def main(folder: Path) -> None:
    for file in sorted(folder.glob("*.params")):
        with mx.util.np_shape(file.stem.endswith("V3")):
            found = {key: array.asnumpy() for key, array in mx.nd.load(str(file)).items()}
        np.savez(file.with_suffix(".npz"), **found)
    for form in ("V2", "V3"):
        with mx.util.np_shape(form == "V3"):
            held = {k: mx.nd.array(a, dtype=a.dtype) for k, a in arrays(form).items()}
            mx.nd.save(str(folder / f"{form}.params"), held)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
