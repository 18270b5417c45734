"""What the second lock holds up, told to the tests: from their own process, and from each IPython
that they start, which runs this file first (``PYTHONSTARTUP``)."""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType

LOG = "HYBRID_TESTS_HELD_UP"  # the variable that names the file


def tell() -> None:
    """From here on every frame that is held up is a line in the file."""
    from jupyter_hybrid.capture import second_lock

    log, holds = Path(os.environ[LOG]), second_lock.hold_up

    def hold_up(code: CodeType) -> None:
        with log.open("a") as lines:
            lines.write(f"{code.co_name} ({code.co_filename}, line {code.co_firstlineno})\n")
        holds(code)

    second_lock.hold_up = hold_up


if __name__ == "__main__":
    tell()
    del annotations, os, Path, CodeType, LOG, tell  # the names are the user's
