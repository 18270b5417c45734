"""Scripts under genuine MXNet, for the tests of this folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def run_script(python: str, name: str, *words: str, folder: Path) -> str:
    """What a script of this folder prints under MXNet's interpreter."""
    # With its oneDNN kernels MXNet 1.9.1 computes wrong gradients of overlapping max pooling: they
    # disagree with finite differences and with its own kernels, which are used here.
    environment = {**os.environ, "MXNET_MKLDNN_ENABLED": "0"}
    command = [python, str(HERE / name), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
