"""Writes tests/data/mxnet/gluon: what genuine MXNet 1.9.1 computes of the cases beside this file.

    MXNET_MKLDNN_ENABLED=0 PYTHON tests/interop/record_gluon.py [GROUP ...]

PYTHON is an interpreter that has MXNet; the group "recurrent" is computed without the variable.
A group's file holds arrays by ``case/what``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import mxnet as mx
import numpy as np
from gluon_runs import compute

GROUPS = ("losses", "layers", "cells", "zoo")  # and "recurrent"
FOLDER = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "gluon"


def main(groups: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for group in groups:
        cases = import_module(f"gluon_{group}").CASES
        held = {
            f"{name}/{key}": array
            for name, case in cases.items()
            for key, array in compute(mx, case).items()
        }
        np.savez_compressed(FOLDER / f"{group}.npz", **held)


if __name__ == "__main__":
    main(sys.argv[1:] or list(GROUPS))
