"""Finds Chromium for the browser tests and installs it where that is allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Path of Chromium: $CHROMIUM, or the first of the usual names on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def apt() -> list[str] | None:
    """How to call apt-get without being asked for a password; None where that cannot be."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return ["apt-get"]
    if (
        shutil.which("sudo")
        and not subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode
    ):
        return ["sudo", "-n", "apt-get"]
    return None


def missing() -> str | None:
    """None when Chromium is there (installed now if need be), else how to get it, in one line."""
    if chromium():
        return None
    command = apt()
    if command:
        print("Chromium is missing: apt-get install chromium", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["-qq", "update"], ["-qq", "-y", "install", "chromium"]):
            subprocess.run([*command, *words], env=environment, stdin=subprocess.DEVNULL)
    return None if chromium() else "Chromium is missing: apt-get install chromium"


if __name__ == "__main__":
    answer = missing()
    if answer:
        print(answer)
    sys.exit(1 if answer else 0)
