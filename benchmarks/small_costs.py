"""What must stay cheap: one operator from Python, a recorded node, NumPy's in a cell, the import.

    python benchmarks/small_costs.py [--rounds 9] [--json FILE]

Operators on one element take turns with NumPy's in one process; the loop's own time is taken off.
Recording is a trace of 1,000 additions. NumPy's statements are recorded by a cell's loop, whose own
time is taken off: with their rewritten loads and calls, by the nodes that they make. Then so many
nodes as a line says, to see that the time of one stays what it is. A cell without its body adds 1
to some small arrays, its program included. The import is measured in a process of its own, beside
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
from IPython.core.interactiveshell import InteractiveShell

from jupyter_hybrid import _core, nd, report
from jupyter_hybrid.cells import skip

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


# Of arrays of this cell: z is written and may not be an input's memory.
STATEMENTS = {
    "w = x + y": 1, "w = x * 0.5": 1, "w = x @ m": 1, "z += x": 1, "w = np.exp(x)": 1,
    "w = np.maximum(x, 0)": 1, "w = x[1:-1]": 1, "w = m[1:-1, 2:]": 1, "w = m[3]": 2,
    "z[1:-1] = x[2:]": 2, "w = x.sum()": 1, "w = np.sum(m, axis=0)": 1, "w = m.T": 1,
    "w = x.reshape(10, 10)": 1, "w = np.where(x > 0, x, 0)": 3,
}  # fmt: skip
STEPS = 100, 900  # of a loop: a cell computes what is recorded every thousand operators
MANY = 1_000, 10_000, 100_000


def numpy_recording(rounds: int) -> list[tuple[str, float, float]]:
    """Microseconds a node, and of many nodes."""
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "jupyter_hybrid")
    shell.run_cell("import numpy as np\nv = np.ones(100); q = np.ones((100, 100))")

    def spent(statement: str, steps: int) -> float:
        skip.clear()  # else the second run would do without the body
        made = "x = v * 1.0\ny = v * 1.0\nz = v * 1.0\nm = q * 1.0\n"
        cell = f"%%hybridize --view none --force\n{made}for _ in range({steps}):\n    {statement}"
        shell.run_cell(cell).raise_error()
        return float(report().record_s)

    def each(statement: str) -> float:
        few, many = (min(spent(statement, n) for _ in range(rounds)) for n in STEPS)
        return (many - few) / (STEPS[1] - STEPS[0]) * 1e6

    loop = each("pass")
    rows = [(f"NumPy, {s}, us a node", (each(s) - loop) / n, 5.0) for s, n in STATEMENTS.items()]
    for many in MANY:
        took = min(spent("x = x * 0.5", many) for _ in range(min(rounds, 3)))
        rows.append((f"NumPy, {many} nodes, us a node", took / many * 1e6 - loop, 5.0))
    return rows


def skipped(rounds: int, arrays: int) -> tuple[float, int]:
    """Microseconds of a cell of so many arrays without its body, and how many guards it has."""
    shell = InteractiveShell.instance()
    names = [f"s{i}" for i in range(arrays)]
    shell.run_cell("".join(f"{name} = np.ones(8)\n" for name in names))
    for _ in range(2):
        lines = "".join(f"r{name} = {name} + 1\n" for name in names)
        shell.run_cell("%%hybridize --view none\n" + lines).raise_error()
    last = report()
    assert last.skipped, last.not_skipped

    def again() -> None:
        for _ in range(100):
            skip.find(last.cell, last.options, shell.user_ns).run(shell.user_ns)

    took = min(timeit.repeat(again, number=1, repeat=10 * rounds)) * 1e4
    known = skip.find(last.cell, last.options, shell.user_ns)
    return took, len(known.guards) + len(known.arrays)


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
        ("recording, us a node", recording(options.rounds), 1.0),
        *numpy_recording(options.rounds),
    ]
    for arrays in (1, 16):
        took, guards = skipped(options.rounds, arrays)
        words = f"a cell without its body, {arrays} array{'s' if arrays > 1 else ''}, us"
        rows.append((words, took, 20 + 0.1 * guards))
    rows += [
        ("import beside NumPy's, s", importing(options.rounds), 0.4),
    ]
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    print(f"{'':42}{'measured':>10}{'goal':>10}")
    for name, value, goal in rows:
        print(f"{name:42}{value:10.3f}{goal:10.3f}")
    if options.json:
        found = {name: {"measured": value, "goal": goal} for name, value, goal in rows}
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
