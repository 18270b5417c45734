"""Writes tests/data/mxnet/uses.npz: what the programs of ``uses`` give under MXNet 1.9.1."""

from __future__ import annotations

import tempfile
from pathlib import Path

from environment import mxnet_python
from genuine import HERE, run_script
from packed import read, write
from uses_run import programs

FILE = HERE.parent / "data" / "mxnet" / "uses.npz"


def main() -> None:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for onednn in (False, True):
            path = str(Path(folder) / "uses.npz")
            words = ("uses_run.py", "mxnet", path, *(["with_onednn"] * onednn))
            print(run_script(mxnet_python(), *words, folder=HERE, onednn=onednn), end="")
            found.update(read(Path(path)))
    write(FILE, {name: found[name] for name in programs()})


if __name__ == "__main__":
    main()
