"""Puts doctest.h into the environment's include folder, unless the system has it.

The header comes from PyPI's pgm-build-deps, a wheel of header-only C++ libraries; only doctest is
taken out of it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "pgm-build-deps"
MEMBER = "pgm_build_deps/doctest/include/doctest/doctest.h"
SYSTEM = Path("/usr/include/doctest/doctest.h")


def main() -> int:
    target = Path(sys.prefix) / "include" / "doctest" / "doctest.h"
    if target.exists() or SYSTEM.exists():
        return 0
    with tempfile.TemporaryDirectory() as folder:
        # The wheel is plain data; the Python version it names is that of its build tool.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--python-version", "3.11", "--dest", folder, PACKAGE]
        done = subprocess.run(command)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            print("doctest.h (for the C++ tests) is missing: apt-get install doctest-dev")
            return 1
        with zipfile.ZipFile(wheels[0]) as wheel:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(wheel.read(MEMBER))
    return 0


if __name__ == "__main__":
    sys.exit(main())
