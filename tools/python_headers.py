"""Sees to Python.h, which Debian keeps in python3-dev, apart from python3.

In order: it is there already; apt-get installs it, when that may be; its Debian package is fetched
and unpacked into the environment, which needs no rights. Else one line says how to get it.
CMakeLists.txt looks into the same folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from browser import apt

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
UNPACKED = Path(sys.prefix) / "python-headers"


def present() -> bool:
    folders = (Path(sysconfig.get_path("include")), UNPACKED / "usr/include" / f"python{VERSION}")
    return any((folder / "Python.h").exists() for folder in folders)


def install(command: list[str]) -> None:
    """apt-get install, as root or by sudo without a password."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (
        ["update"],
        ["-y", "install", "--no-install-recommends", f"libpython{VERSION}-dev"],
    ):
        subprocess.run(
            [*command, "-qq", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )


def unpack() -> None:
    """Fetches the headers' package as an ordinary user and unpacks it into the environment."""
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run(
            ["apt-get", "-qq", "download", f"libpython{VERSION}-dev"], cwd=folder, check=False
        )
        for package in Path(folder).glob("*.deb"):
            if got.returncode == 0:
                subprocess.run(["dpkg-deb", "-x", str(package), str(UNPACKED)], check=False)


def main() -> int:
    if present():
        return 0
    command = apt()
    try:
        if command:
            print("Python.h is missing: apt-get install python3-dev", flush=True)
            install(command)
        if not present():
            unpack()
    except FileNotFoundError:  # not a Debian
        pass
    if present():
        return 0
    print(f"Python.h is missing: apt-get install python3-dev (Python {VERSION})")
    return 1


if __name__ == "__main__":
    sys.exit(main())
