"""Environments of other hosts, made once in ``build/hosts``: what they pin is their own, all else
comes from the environment of the tests."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest


def environment(root: Path, name: str, *options: str) -> Path:
    """The Python of the environment; ``options`` are pip's, with pinned packages."""
    folder = root / "build" / "hosts" / name
    python, made = folder / "bin" / "python", folder / "made"
    if made.exists() and made.read_text() == " ".join(options):
        return python
    steps = [
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--only-binary=:all:", *options],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, timeout=900)
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            pytest.skip(f"{' '.join(options)} can't be installed here: {last}")
    (own,) = (folder / "lib").glob("python*/site-packages")
    shared = sysconfig.get_path("purelib")
    (own / "shared.pth").write_text(f"import site; site.addsitedir({shared!r})\n")
    made.write_text(" ".join(options))
    return python
