"""What the magic costs where it can't help, beside plain Python in the same process.

    python benchmarks/overhead.py [NAME ...] [--limit 20] [--rounds 7] [--firsts 3]
                                  [--options=TEXT] [--json FILE]

Every cell runs plain and under ``%%hybridize --view none`` in turn, each figure in a process of its
own that is ended after ``--limit`` seconds: then "> n x" stands for the ratio. Reported: the first
hybridized run (the best of ``--firsts`` processes), the best of the later ones, the bound, and
whether both are met: a first run may take 1.5 x + 20 ms. ``small`` is what small ordinary cells
pay, ``memory`` peaks of memory, ``interrupt`` how soon an interrupt is answered.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from overhead_cells import FIGURES, INTERRUPTED, LOADER, SMALL, STEPS

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

MORE = ("small", "memory", "interrupt")
ROOM = 4 << 30  # a run that takes more than this on top of what it starts with is ended
START_S = 15  # imports, on a busy machine
LIMIT = "limit"  # why a figure was ended
FIRST_RATIO, FIRST_MS = 1.5, 20.0  # of any cell, when it runs for the first time
LATER_RATIO, LATER_MS = 1.2, 2.0


# In the process of a figure ---------------------------------------------------------------------
class Cells:
    """A shell that times cells, and tells the parent what it knows so far."""

    def __init__(self, options: str, warm: bool = True):
        from IPython.core.interactiveshell import InteractiveShell

        self.tell_to, sys.stdout = sys.stdout, open(os.devnull, "w")  # noqa: SIM115
        self.shell = InteractiveShell.instance()
        self.magic = f"%%hybridize --view none {options}\n"
        self.shell.run_line_magic("load_ext", "jupyter_hybrid")
        self.seconds("import numpy as np")
        if warm:
            self.seconds(self.magic + "ready = (np.arange(3.0) * 2 + 1).sum()\nprint(ready)")

    def seconds(self, text: str, may_fail: bool = False) -> float:
        gc.collect()  # what the runs before have left is not this one's to find
        start = time.perf_counter()
        result = self.shell.run_cell(text, store_history=False)
        taken = time.perf_counter() - start
        if not may_fail:
            result.raise_error()
        return taken

    def tell(self, **what: Any) -> None:
        print(json.dumps(what), file=self.tell_to, flush=True)

    def equal(self, wanted: Any) -> bool:
        import numpy as np

        return bool(np.allclose(self.shell.user_ns["result"], wanted, rtol=1e-9, equal_nan=True))


def both_ways(name: str, cells: Cells, rounds: int, seconds: float) -> None:
    """Plain and hybridized runs in turn, each from the state that the setup makes."""
    figure = FIGURES[name]
    body = figure.cell.strip()
    end = time.perf_counter() + seconds
    for done in range(rounds):
        cells.seconds(figure.setup)
        cells.tell(plain=cells.seconds(body))
        wanted = cells.shell.user_ns["result"]
        cells.seconds(figure.setup)
        cells.tell(began=time.monotonic())
        cells.tell(ours=cells.seconds(cells.magic + body))
        if not cells.equal(wanted):
            cells.tell(differs=True)
        if done and time.perf_counter() > end:
            break


def small(cells: Cells, rounds: int) -> None:
    """Every small cell after the other, plain and hybridized in turn."""
    for _ in range(rounds):
        runs = [[cells.seconds(way + body) for body in SMALL] for way in ("", cells.magic)]
        cells.tell(plain=runs[0], ours=runs[1])


def peak(text: str, cells: Cells, hybridized: bool) -> None:
    """The process's peak of memory after a cell, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    room = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    cells.seconds((cells.magic if hybridized else "") + text)
    cells.tell(mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def interrupted(text: str, cells: Cells, hybridized: bool) -> None:
    """When a cell that was interrupted ended."""
    cells.tell(began=time.monotonic())
    cells.seconds((cells.magic if hybridized else "") + text, may_fail=True)
    cells.tell(ended=time.monotonic())


def inside(name: str, options: argparse.Namespace) -> None:
    cells = Cells(options.options)
    if name in FIGURES:
        both_ways(name, cells, options.rounds, options.limit / 2)
    elif name == "small":
        small(cells, options.rounds)
    else:
        kind, way, text = name.split(":", 2)
        act = peak if kind == "memory" else interrupted
        act(text, cells, way == "ours")


# In the parent ----------------------------------------------------------------------------------
def child(name: str, options: argparse.Namespace) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--inside", name, f"--options={options.options}"]
    command += [f"--limit={options.limit}", f"--rounds={options.rounds}"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


def told(process: subprocess.Popen[str], limit: float) -> tuple[list[dict[str, Any]], str]:
    """What a child told until it ended or the limit, and why it ended early ("" if it didn't)."""
    try:
        out, error = process.communicate(timeout=limit)
        why = error.strip().rpartition("\n")[2] or "failed" if process.returncode else ""
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
        why = LIMIT
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")], why


def row(title: str, plain: str, first: str, later: str, ratio: str, bound: str, says: str) -> str:
    return f"{title:46}{plain:>10}{first:>10}{later:>10}{ratio:>10}  {bound:<15}{says}"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.2f}"


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def ratio_row(name: str, options: argparse.Namespace) -> str:
    """A figure's row: the best first and the best later run against the best plain one."""
    figure = FIGURES[name]
    lines, firsts, later = [], [], []
    for _ in range(options.firsts):
        found, why = told(child(name, options), options.limit + START_S)
        lines += found
        runs = [line["ours"] for line in found if "ours" in line]
        firsts, later = [*firsts, *runs[:1]], [*later, *runs[1:]]
        if why:
            break
    plain = min((line["plain"] for line in lines if "plain" in line), default=float("nan"))
    bound = f"{figure.ratio:g} x" + (f" + {figure.ms:g} ms" if figure.ms else "")
    if figure.us is not None:
        bound = f"{figure.us:g} us each"
    if not firsts:
        begun = [line["began"] for line in lines if "began" in line]
        least = time.monotonic() - begun[-1] if begun else 0.0
        ratio = f"> {least / plain:.0f} x" if why == LIMIT else "-"
        says = "missed" if why == LIMIT else f"missed: {why}"
        return row(figure.title, milliseconds(plain), milliseconds(least), "-", ratio, bound, says)
    first, best = min(firsts), min(later or firsts)
    met = best <= figure.ratio * plain + figure.ms / 1e3
    ratio = f"{best / plain:.2f} x"
    if figure.us is not None:
        each = (best - plain) / figure.contacts * 1e6
        met, ratio = each <= figure.us, f"{each:.1f} us"
    says = verdict(met) + ("" if later else " (one run)")
    if first > FIRST_RATIO * plain + FIRST_MS / 1e3:
        says = "missed: first" if met else "missed: both"
    if any("differs" in line for line in lines):
        says = "missed: another result"
    return row(figure.title, *map(milliseconds, (plain, first, best)), ratio, bound, says)


def small_rows(options: argparse.Namespace) -> list[str]:
    """What small cells pay: the median added, and the worst against its own bound."""
    plain, first, later = [], [], []
    for _ in range(3):
        lines, why = told(child("small", options), 2 * options.limit + START_S)
        if why:
            return [row(f"{len(SMALL)} small cells", "-", "-", "-", "-", "", f"missed: {why}")]
        plain += [line["plain"] for line in lines]
        first.append(lines[0]["ours"])
        later += [line["ours"] for line in lines[1:]]
    return [
        *small_row("first run", plain, first, FIRST_RATIO, FIRST_MS, 3.0),
        *small_row("later runs", plain, later, LATER_RATIO, LATER_MS, 1.0),
    ]


def small_row(
    when: str, plain: list[Any], ours: list[Any], ratio: float, ms: float, median: float
) -> list[str]:
    """The median of the best runs, and the cell that is furthest over its bound."""
    theirs, hybrid = ([min(runs) for runs in zip(*r)] for r in (plain, ours))

    def line(title: str, p: float, h: float, shown: str, bound: str, met: bool) -> str:
        times = (milliseconds(h), "") if when == "first run" else ("", milliseconds(h))
        return row(title, milliseconds(p), *times, shown, bound, verdict(met))

    added = statistics.median(h - p for p, h in zip(theirs, hybrid)) * 1e3
    title = f"{len(SMALL)} small cells, {when}, median"
    middle = statistics.median(theirs), statistics.median(hybrid)
    rows = [line(title, *middle, f"+{added:.2f} ms", f"+{median:g} ms", added <= median)]
    over = [h - ratio * p - ms / 1e3 for p, h in zip(theirs, hybrid)]
    worst = over.index(max(over))
    title = f"    the worst: {SMALL[worst].splitlines()[0][:26]}"
    p, h = theirs[worst], hybrid[worst]
    bound = f"{ratio:g} x + {ms:g} ms"
    return [*rows, line(title, p, h, f"{h / p:.2f} x", bound, over[worst] <= 0)]


def memory_rows(options: argparse.Namespace) -> list[str]:
    """Peaks in MB: of 200 steps both ways; of 2,000 batches against 200."""

    def megabytes(way: str, text: str) -> tuple[float, str]:
        lines, why = told(child(f"memory:{way}:{text}", options), 3 * options.limit + START_S)
        return (lines[-1]["mb"], "") if lines else (float("nan"), why)

    title = "200 steps over an 80 MB array, peak MB"
    (plain, _), (ours, why) = megabytes("plain", STEPS), megabytes("ours", STEPS)
    shown = why[:60] or verdict(ours <= 1.5 * plain)
    rows = [row(title, f"{plain:.0f}", "", f"{ours:.0f}", f"{ours / plain:.2f} x", "1.5 x", shown)]
    few, many = (megabytes("ours", LOADER.replace("{count}", str(n))) for n in (200, 2000))
    shown = few[1][:60] or many[1][:60] or verdict(many[0] - few[0] <= 16)
    title = "a loader's batches, peak MB of 200 and 2,000"
    grown = f"+{many[0] - few[0]:.0f} MB"
    return [*rows, row(title, "", f"{few[0]:.0f}", f"{many[0]:.0f}", grown, "+16 MB", shown)]


def interrupt_rows(options: argparse.Namespace) -> list[str]:
    """Milliseconds from the signal, sent 3 s into the cell, to the cell's end."""
    rows = []
    for title, text in INTERRUPTED.items():
        answered = []
        for way in ("plain", "ours"):
            process = child(f"interrupt:{way}:{text}", options)
            assert process.stdout is not None
            if not process.stdout.readline():
                answered.append(float("nan"))
                continue
            time.sleep(3)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            lines, _ = told(process, options.limit)
            answered.append((lines[-1]["ended"] if lines else float("inf")) - sent)
        plain, ours = (a * 1e3 for a in answered)
        shown = verdict(ours <= 200)
        bound = "200 ms"
        rows.append(row(f"interrupt: {title}", f"{plain:.0f}", "", f"{ours:.0f}", "", bound, shown))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*FIGURES, *MORE]))
    parser.add_argument("--limit", type=float, default=20, help="seconds a figure may take")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--firsts", type=int, default=3, help="processes for a figure's first run")
    parser.add_argument("--options", default="", help="further options of the magic, --force say")
    parser.add_argument("--json", help="also write the rows here")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.inside, options)
        return
    unknown = set(options.names) - {*FIGURES, *MORE}
    if unknown:
        parser.error(
            f"unknown figure {sorted(unknown)[0]!r}; known: {', '.join([*FIGURES, *MORE])}"
        )
    print(row("milliseconds", "plain", "first", "later", "ratio", "bound", ""), flush=True)
    rows = []
    more = {"small": small_rows, "memory": memory_rows, "interrupt": interrupt_rows}
    for name in options.names or [*FIGURES, *MORE]:
        new = more[name](options) if name in more else [ratio_row(name, options)]
        print("\n".join(new), flush=True)
        rows += new
    missed = sum("missed" in r for r in rows)
    print(f"{len(rows) - missed} met, {missed} missed")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
