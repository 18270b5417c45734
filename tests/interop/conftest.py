"""An environment of its own with genuine MXNet, made once; see ``mxnet_python``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("numpy==1.23.5", "mxnet==1.9.1")
HOW = (
    "give a Python that has " + " and ".join(PACKAGES) + " (Python 3.8 to 3.11, Linux) in "
    "HYBRID_MXNET_PYTHON=/path/to/bin/python and run `make test-all`"
)


def _has_mxnet(python: str) -> str:
    """Empty when MXNet 1.9.1 loads there, else why not."""
    code = "import mxnet, sys; sys.exit(mxnet.__version__ != '1.9.1')"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120)
    return "" if done.returncode == 0 else (done.stderr.strip() or "another version of MXNet")


@pytest.fixture(scope="session")
def mxnet_python(root: Path) -> str:
    """The interpreter; made in ``build/mxnet`` unless HYBRID_MXNET_PYTHON names one."""
    given = os.environ.get("HYBRID_MXNET_PYTHON")
    if given:
        why = _has_mxnet(given)
        if why:
            pytest.fail(f"HYBRID_MXNET_PYTHON={given}: {why.splitlines()[-1]}")
        return given
    folder = root / "build" / "mxnet"
    python = str(folder / "bin" / "python")
    if not Path(python).exists() or _has_mxnet(python):
        steps = [
            [sys.executable, "-m", "venv", "--clear", str(folder)],
            [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *PACKAGES],
        ]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, timeout=900)
            if done.returncode:
                last = (done.stderr.strip() or "no message").splitlines()[-1]
                pytest.skip(f"MXNet 1.9.1 can't be installed here ({last}): {HOW}")
    why = _has_mxnet(python)
    if why:
        pytest.skip(f"MXNet 1.9.1 does not load here ({why.splitlines()[-1]}): {HOW}")
    return python
