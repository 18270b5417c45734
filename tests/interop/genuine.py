"""Scripts under genuine MXNet, for the tests of this folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
# Without its oneDNN kernels the RNN operator of MXNet 1.9.1 takes another call's attributes.
WITH_ONEDNN = {"recurrent"}


def run_script(
    python: str, name: str, *words: str, folder: Path, onednn: bool = False, timeout: float = 600
) -> str:
    """What a script of this folder prints under MXNet's interpreter."""
    # With its oneDNN kernels MXNet 1.9.1 computes wrong gradients of overlapping max pooling: they
    # disagree with finite differences and with its own kernels, which are used here.
    environment = {**os.environ, "MXNET_MKLDNN_ENABLED": str(int(onednn)), "OMP_NUM_THREADS": "1"}
    environment["MXNET_ENGINE_TYPE"] = "NaiveEngine"  # an operator's error is told by that operator
    command = [python, str(HERE / name), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def compute(python: str, folder: Path, names: list[str]) -> str:
    """Has MXNet compute all cases of these families: what it refuses, a line each."""
    printed = ""
    for onednn in (False, True):
        wanted = [name for name in names if (name in WITH_ONEDNN) is onednn]
        if wanted:
            words = ("compute.py", "mxnet", str(folder), *wanted)
            printed += run_script(python, *words, folder=folder, onednn=onednn)
    return printed
