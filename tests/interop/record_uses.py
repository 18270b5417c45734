"""Writes tests/data/mxnet/uses.npz: what the programs of ``uses`` give under MXNet 1.9.1."""

from __future__ import annotations

from environment import mxnet_python
from genuine import HERE, run_script

FILE = HERE.parent / "data" / "mxnet" / "uses.npz"

if __name__ == "__main__":
    print(run_script(mxnet_python(), "uses_run.py", "mxnet", str(FILE), folder=HERE), end="")
