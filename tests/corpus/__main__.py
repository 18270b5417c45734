"""Runs every cell and prints the table: ``python -m tests.corpus [--write]``.

``--write`` also puts it into ``tests/corpus/README.md``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .catalogue import read
from .table import table
from .trial import Hybrid, attempt


def main() -> int:
    hybrid = Hybrid()
    outcomes = [attempt(cell, hybrid) for cell in read()]
    text = table(outcomes)
    print(text)
    if "--write" in sys.argv[1:]:
        (Path(__file__).parent / "README.md").write_text(text)
    return 1 if any(o.differences for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
