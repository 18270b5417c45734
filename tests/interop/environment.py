"""An environment of its own with genuine MXNet, made once: in build/mxnet, or one that is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGES = ("numpy==1.23.5", "mxnet==1.9.1")
HOW = (
    "give a Python that has " + " and ".join(PACKAGES) + " (Python 3.9 to 3.11, Linux) in "
    "HYBRID_MXNET_PYTHON=/path/to/bin/python"
)
FOLDER = Path(__file__).resolve().parents[2] / "build" / "mxnet"


class Missing(Exception):
    """MXNet 1.9.1 can't be had here."""


def _has_mxnet(python: str) -> str:
    """Empty when MXNet 1.9.1 loads there, else why not."""
    code = "import mxnet, sys; sys.exit(mxnet.__version__ != '1.9.1')"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120)
    return "" if done.returncode == 0 else (done.stderr.strip() or "another version of MXNet")


def mxnet_python() -> str:
    """The interpreter: the one of HYBRID_MXNET_PYTHON, or that of build/mxnet.

    Raises:
        ValueError: HYBRID_MXNET_PYTHON is one without MXNet 1.9.1.
        Missing: it can't be installed, or does not load.
    """
    named = os.environ.get("HYBRID_MXNET_PYTHON")
    if named:
        why = _has_mxnet(named)
        if why:
            raise ValueError(f"HYBRID_MXNET_PYTHON={named}: {why.splitlines()[-1]}")
        return named
    python = str(FOLDER / "bin" / "python")
    if not Path(python).exists() or _has_mxnet(python):
        steps = [
            [sys.executable, "-m", "venv", "--clear", str(FOLDER)],
            [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *PACKAGES],
        ]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, timeout=900)
            if done.returncode:
                last = (done.stderr.strip() or "no message").splitlines()[-1]
                raise Missing(f"MXNet 1.9.1 can't be installed here ({last}): {HOW}")
    why = _has_mxnet(python)
    if why:
        raise Missing(f"MXNet 1.9.1 does not load here ({why.splitlines()[-1]}): {HOW}")
    return python
