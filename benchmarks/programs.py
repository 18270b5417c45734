"""48 programs of ordinary NumPy in four classes: plain, by our magic, by numba and by jax.

    python benchmarks/programs.py [NAME ...] [--class CLASS] [--size small|large] [--rounds 20]
                                  [--seconds 30] [--limit 90] [--json FILE]

Every program (`programs/CLASS/NAME.py`) has two sizes. Both run in processes of their own with one
thread: plain, `%%hybridize --view none`, numba and jax (each where it is installed) in turn, from
inputs made anew. Three processes, in each of which plain NumPy has its turns, too, and is what the
others there are held against: `%%hybridize`; `%hybrid mode auto`, where it is known; numba and jax,
whose import alone makes every later cell of a process slower, an empty one too (`empty_s` in the
JSON is that of the first process). `first` is the first hybridized cell of its process; `later` and
the others are the best of the rest.
A figure is a cell in an IPython shell, definitions and calls, until every array of the result is
there, less what an empty cell takes. IPython parses a cell for longer than many small programs
run, so plain NumPy is told twice: `plain`, its text compiled once and only run, and `typed`, the
cell without any magic. Ratios are beside `plain`, goals beside both; mode `auto`, whose cells have
no magic, is held against `typed`.
numba gets the same text with `numba.njit` on every function (no object mode), jax ports by hand,
and what both compile in their first run is told apart.

The list of programs and their sizes is frozen with its first commit, so that figures before and
after a change are of the same programs and nobody picks what looks good; a test holds the digest
of their texts. Missed goals are printed; only another result than plain NumPy's is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from overhead import LIMIT, START_S, told
from programs_list import CLASSES, PROGRAMS, SIZES
from programs_table import HEAD, row_text, summary

LEAST_S = 10e-6  # beside an empty cell no clock tells less
WAYS = (("typed", "ours"), ("typed", "auto"), ("numba", "jax"))  # by process


def child(
    name: str, size: str, ways: Sequence[str], options: argparse.Namespace
) -> subprocess.Popen[str]:
    """One thread for BLAS, our kernels and XLA."""
    command = [sys.executable, __file__, name, "--size", size, "--inside", ",".join(ways)]
    command += [f"--rounds={options.rounds}", f"--seconds={options.seconds}"]
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    pipe = subprocess.PIPE
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)


def seconds(way: str, lines: list[dict[str, Any]], empty: float = 0.0) -> list[float]:
    """What a way's runs took, less what an empty cell takes."""
    return [
        max(line["s"] - empty, LEAST_S) for line in lines if line.get("way") == way and "s" in line
    ]


def figures(way: str, lines: list[dict[str, Any]], why: str, empty: float) -> dict[str, Any]:
    """What a way's lines say: its first and best later run, how right it is, why it has none."""
    mine = [line for line in lines if line.get("way") == way]
    found: dict[str, Any] = {}
    for line in mine:
        found |= {key: line[key] for key in ("refused", "failed") if key in line}
    runs = seconds(way, lines, empty)
    if runs:
        found |= {"first_s": runs[0], "runs": len(runs)}
    if runs[1:]:
        found["later_s"] = min(runs[1:])
    same = {line["same"] for line in mine if "same" in line}
    wrong = sorted(s for s in same if s.startswith("WRONG"))
    if same:
        found["same"] = wrong[0] if wrong else "close" if "close" in same else "bits"
    begun = [line for line in lines if "began" in line]
    if why and begun and begun[-1]["began"] == way:  # it is the one that was ended, or that ended
        if why == LIMIT:
            found["least_s"] = time.monotonic() - begun[-1]["at"]
        else:
            found["failed"] = why
    return found


def measure(name: str, size: str, auto: bool, options: argparse.Namespace) -> dict[str, Any]:
    """A program of one size, as plain values."""
    row: dict[str, Any] = {"name": name, "class": PROGRAMS[name].kind, "size": size}
    for ways in WAYS:
        if "auto" in ways and not auto:
            continue
        lines, why = told(child(name, size, ways, options), options.limit + START_S)
        empty = min(seconds("empty", lines), default=0.0)
        beside = {}
        for way in ("plain", *(way for way in ways if way == "typed")):
            runs = seconds(way, lines, empty)
            if not runs:
                raise SystemExit(f"{name}, {size}: plain NumPy didn't run: {why}")
            beside[f"{way}_s"] = min(runs)
        row = {**beside, "empty_s": empty} | row  # shown: those beside `%%hybridize`
        row |= {w: figures(w, lines, why, empty) | beside for w in ways if w != "typed"}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--class", dest="kinds", action="append", choices=CLASSES, help="only this")
    parser.add_argument("--size", choices=SIZES, help="only this size")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30, help="for rounds after the first")
    parser.add_argument("--limit", type=float, default=90, help="seconds, then a process is ended")
    parser.add_argument("--json", help="also write the figures here")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"unknown program {unknown[0]!r}; the programs are {', '.join(PROGRAMS)}")
    if options.inside:
        from programs_run import in_turn

        program, ways = PROGRAMS[options.names[0]], options.inside.split(",")
        in_turn(program, options.size, ways, options.rounds, options.seconds)
        return
    chosen = [
        name
        for name in options.names or PROGRAMS
        if PROGRAMS[name].kind in (options.kinds or CLASSES)
    ]
    rows, auto = [], True
    print(HEAD, flush=True)
    for name in chosen:
        for size in [options.size] if options.size else SIZES:
            rows.append(measure(name, size, auto, options))
            auto = "refused" not in rows[-1].get("auto", {"refused": ""})
            print(row_text(rows[-1]), flush=True)
    text, wrong = summary(rows)
    print(text)
    if options.json:
        import numpy

        machine = {
            "machine": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": numpy.__version__,
        }
        found = json.dumps({"benchmark": "programs", **machine, "programs": rows}, indent=1)
        Path(options.json).write_text(found + "\n", encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
