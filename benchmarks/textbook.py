"""The ten kinds of program of a textbook: here and under genuine MXNet 1.9.1, milliseconds a step.

    python benchmarks/textbook.py [KIND ...] [--rounds 5] [--steps 20] [--all] [--processor]
                                  [--json FILE] [--mxnet PYTHON]

A row is a kind, the sum of its programs that are made of blocks: as they stand, hybridized, and as
they stand in a cell under `%%hybridize`; MXNet's two beside them, with its oneDNN kernels, as it is
installed. `--all` prints each program, those without blocks too. The programs are those of
`tests/interop/textbook_programs`, where tests hold their losses to MXNet's.
PYTHON is an interpreter that has MXNet (default: HYBRID_MXNET_PYTHON); without one its columns stay
empty. Both systems have a process with one thread; a round runs every way once, in turn, after
``WARM`` runs that don't count. Figures are medians of the rounds. A run is ``--steps`` steps, each
of which reads its loss. On a busy machine `--processor` says more: the processor's time of all
threads instead of the clock's.

Wanted is: hybridized ahead of imperative, and both of MXNet's in the same way. A row where that is
not so names what lost and is followed by the profile of the program that lost most.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "interop"))

from textbook_programs import KINDS, PROGRAMS  # noqa: E402

OURS = ("imperative", "hybridized", "cell")
THEIRS = ("imperative", "hybridized")
WARM = 3
COLUMNS = [("ours", way) for way in OURS] + [("mxnet", way) for way in THEIRS]
TITLES = ("imperative", "hybridized", "%%hybridize", "MXNet", "MXNet hybrid.")
# What should be faster than what.
WANTED = (
    (("ours", "hybridized"), ("ours", "imperative")),
    (("ours", "cell"), ("ours", "imperative")),
    (("ours", "imperative"), ("mxnet", "imperative")),
    (("ours", "hybridized"), ("mxnet", "hybridized")),
)
Column = tuple[str, str]


class System:
    """A process that runs programs when it is asked to."""

    def __init__(self, name: str, python: str):
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(threads, "1")}
        self.process = subprocess.Popen(
            [python, str(HERE / "textbook_run.py"), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise SystemExit(f"{python} can't run {name}")
        self.version = json.loads(line)["version"]

    def ask(self, program: str, way: str, steps: int, **rest: Any) -> dict[str, Any]:
        asked = {"program": program, "way": way, "steps": steps, **rest}
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()  # type: ignore[union-attr]
        return json.loads(answer) if answer else {"failed": "the process ended"}

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()


def measure(
    systems: dict[str, System], name: str, options: argparse.Namespace
) -> dict[Column, float | None]:
    """Milliseconds a step of each way; None where it can't be run."""
    taken: dict[Column, list[float] | None] = {}
    for round_ in range(WARM + options.rounds):
        for column in COLUMNS:
            system, way = column
            if system not in systems or (way == "hybridized" and not PROGRAMS[name].blocks):
                taken[column] = None
            runs = taken.setdefault(column, [])
            if runs is None:
                continue
            answer = systems[system].ask(name, way, options.steps)
            if "failed" in answer:
                print(f"{name}, {system}, {way}: {answer['failed']}", flush=True)
                taken[column] = None
            elif round_ >= WARM:
                seconds = answer["processor" if options.processor else "wall"]
                runs.append(seconds * 1e3 / options.steps)
    return {column: statistics.median(runs) if runs else None for column, runs in taken.items()}


def total(rows: list[dict[Column, float | None]]) -> dict[Column, float | None]:
    """The rows' sum; None where one of them is."""
    found: dict[Column, float | None] = {}
    for column in COLUMNS:
        times = [row[column] for row in rows]
        known = [time for time in times if time is not None]
        found[column] = sum(known) if len(known) == len(times) else None
    return found


def lost(row: dict[Column, float | None]) -> list[str]:
    """What is slower than it should be."""
    found = []
    for fast, slow in WANTED:
        mine, other = row[fast], row[slow]
        if mine is not None and other is not None and mine >= other:
            found.append(f"{TITLES[COLUMNS.index(fast)]} / {TITLES[COLUMNS.index(slow)]}")
    return found


def text(title: str, row: dict[Column, float | None]) -> str:
    cells = "".join(f"{'-' if row[c] is None else f'{row[c]:.3f}':>15}" for c in COLUMNS)
    names = lost(row)
    verdict = "not won: " + ", ".join(names) if names else "won"
    if row[COLUMNS[0]] is None or row[COLUMNS[3]] is None:
        verdict = "not compared"  # a system is missing, or couldn't run it
    return f"{title:30}{cells}  {verdict}"


def profile(system: System, rows: dict[str, dict[Column, float | None]], steps: int) -> str:
    """Of the program and way that lose most beside what they should be faster than."""
    worst = ("", "", 0.0)
    for name, row in rows.items():
        for fast, slow in WANTED:
            mine, other = row[fast], row[slow]
            if mine is not None and other is not None and mine / other > worst[2]:
                worst = (name, fast[1], mine / other)
    name, way, ratio = worst
    told = system.ask(name, way, steps, profile=True)
    body = "\n".join("    " + line for line in told.get("text", "").splitlines())
    return (
        f"    {name}, {way}, {ratio:.2f} x: {steps} steps, the functions that take longest\n{body}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--all", action="store_true", help="each program, by hand too")
    parser.add_argument("--processor", action="store_true", help="the processor's time")
    parser.add_argument("--json", help="also write the figures here")
    parser.add_argument("--mxnet", default=os.environ.get("HYBRID_MXNET_PYTHON"))
    options = parser.parse_args()
    unknown = [kind for kind in options.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"unknown kind {unknown[0]!r}; the kinds are {', '.join(KINDS)}")
    systems = {"ours": System("ours", sys.executable)}
    if options.mxnet:
        systems["mxnet"] = System("mxnet", options.mxnet)
    print(f"{'ms a step':30}{''.join(f'{title:>15}' for title in TITLES)}", flush=True)
    held: dict[str, Any] = {}
    for kind in options.kinds or KINDS:
        rows: dict[str, dict[Column, float | None]] = {}
        for name, program in PROGRAMS.items():
            if program.kind == kind and (program.blocks or options.all):
                rows[name] = measure(systems, name, options)
                if options.all:
                    print(text("  " + name, rows[name]), flush=True)
        of_blocks = {name: row for name, row in rows.items() if PROGRAMS[name].blocks}
        whole = total(list(of_blocks.values()))
        print(text(kind, whole), flush=True)
        if lost(whole):
            print(profile(systems["ours"], of_blocks, options.steps), flush=True)
        held[kind] = {
            name: {f"{system} {way}": ms for (system, way), ms in row.items()}
            for name, row in rows.items()
        }
    for system in systems.values():
        system.close()
    if options.json:
        machine = {
            "machine": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "mxnet": systems["mxnet"].version if "mxnet" in systems else None,
        }
        found = {"benchmark": "textbook", **machine, "ms_a_step": held}
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
