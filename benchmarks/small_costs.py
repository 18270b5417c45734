"""What must stay cheap: one operator from Python, a recorded node, the import.

    python benchmarks/small_costs.py [--rounds 9] [--json FILE]

Operators on one element take turns with NumPy's in one process; the loop's own time is taken off.
Recording is a trace of 1,000 additions. The import is measured in a process of its own, beside
NumPy's import. Reported: the best of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import timeit
from pathlib import Path
from typing import Any

import numpy as np

from jupyter_hybrid import _core, nd

IMPORT = (
    "import time, numpy; t = time.perf_counter(); import jupyter_hybrid;"
    "print(time.perf_counter() - t)"
)


def seconds(statement: str, names: dict[str, Any], number: int = 20_000) -> float:
    """Of one run of the statement."""
    spent = min(timeit.repeat(statement, globals=names, number=number, repeat=3))
    return (spent - min(timeit.repeat("pass", number=number, repeat=3))) / number


def operators(rounds: int) -> dict[str, float]:
    """Our time of an operator in NumPy's."""
    names = {"a": nd.ones(1), "b": nd.ones(1), "x": np.ones(1, "f"), "y": np.ones(1, "f")}
    pairs = {"a + b": "x + y", "a + 1": "x + 1"}
    return {
        f"{ours}, of NumPy's time": min(
            seconds(ours, names) / seconds(theirs, names) for _ in range(rounds)
        )
        for ours, theirs in pairs.items()
    }


def recording(rounds: int) -> float:
    """Microseconds a node."""
    a = nd.ones((10, 10))

    def record() -> None:
        _core.begin_trace()
        b = a
        for _ in range(1000):
            b = b + a
        _core.end_trace()

    return min(timeit.repeat(record, number=1, repeat=rounds)) * 1e3


def importing(rounds: int) -> float:
    """Seconds beyond NumPy's."""
    command = [sys.executable, "-c", IMPORT]
    return min(
        float(subprocess.run(command, capture_output=True, check=True).stdout)
        for _ in range(rounds)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    rows = [(name, value, 1 / 3) for name, value in operators(options.rounds).items()]
    rows += [
        ("recording, us a node", recording(options.rounds), 3.0),
        ("import beside NumPy's, s", importing(options.rounds), 0.4),
    ]
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    print(f"{'':34}{'measured':>10}{'goal':>10}")
    for name, value, goal in rows:
        print(f"{name:34}{value:10.3f}{goal:10.3f}")
    if options.json:
        found = {name: {"measured": value, "goal": goal} for name, value, goal in rows}
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
