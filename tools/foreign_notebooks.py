"""Runs every cell of other people's notebooks plain and hybridized, and prints what differs.

    python tools/foreign_notebooks.py FOLDER ... [--files N] [--skip N] [--limit 120] [--scripts]
                                      [--mode cell|symbolic|auto|decorator|block] [--clock wall|cpu]
                                      [--again 0] [--findings FILE] [--keep FOLDER]
                                      [--python PYTHON]

A folder is a repository: its notebooks (with ``--scripts`` its ``.py`` files) run three times, each
in a process and a copy of its own: plain, plain again if need be (what differs there is nobody's
fault), and hybridized, each cell up to six times in a row. Hybridized: ``cell``, with
``%%hybridize --view none`` on every cell; ``symbolic`` and ``auto``, after ``%hybrid mode ...``;
``decorator``, with every function of a cell under ``@hybridize``; ``block``, with the cell in a
``with symbolic()``. Compared are prints, shown values, errors, and the names that a cell leaves.
The table has a line a repository; added milliseconds are medians, and "above" counts cells beyond
1.5 x plain + 20 ms (first run) and 1.2 x plain + 2 ms (the best later run). "long" are cells that
run several times and spend 20 ms and more in lines of their own, the C that these call included;
"gain" those of them whose best later run is 1.5 x as fast. The findings name cells above, and long
ones without a gain. With ``--again`` a notebook that has cells above runs up to so many times more,
both ways in turn, and the best times count: a machine may be slower for some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from foreign_cells import LONG_S, cells_of

MODES = ("cell", "symbolic", "auto", "decorator", "block")
FLOATS = 1e-9  # of the largest magnitude: a cell reads what the cells before it left
FIRST, LATER = (1.5, 0.02), (1.2, 0.002)  # bounds: so many times plain, and so many seconds
GAIN = 1.5  # times as fast
WORKER = Path(__file__).with_name("foreign_cells.py")
ROOT = Path(__file__).resolve().parent.parent
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
# Addresses, and the file and line of an error in a cell: the magic is a line of its own.
_ADDRESS = re.compile(r"0x[0-9a-f]+| \(<ipython-input[^)]*\)|\bline \d+")


@dataclass
class Repository:
    """What was found in one repository."""

    name: str
    cells: int = 0
    different: int = 0
    failed: int = 0
    unfinished: int = 0
    first: list[tuple[float, float]] = field(default_factory=list)  # plain, hybridized
    later: list[tuple[float, float]] = field(default_factory=list)
    long: list[tuple[float, float]] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    @property
    def gain(self) -> int:
        return sum(plain >= GAIN * ours for plain, ours in self.long)


def run(mode: str, source: Path, options: argparse.Namespace, plan: list[int] | None) -> list[Any]:
    """The records of one process, as far as it came within the limit."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".git")
        shutil.copytree(source.parent, copy, ignore=ignored, ignore_dangling_symlinks=True)
        records = Path(folder) / "records"
        command = [options.python, str(WORKER), mode, str(copy / source.name), str(records)]
        if plan is not None:
            (Path(folder) / "plan").write_text(json.dumps(plan))
            command.append(str(Path(folder) / "plan"))
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0", "PYTHONPATH": path}
        env["FOREIGN_CLOCK"] = options.clock
        silent = subprocess.DEVNULL
        process = subprocess.Popen(command, env=env, stdin=silent, stdout=silent, stderr=silent)
        try:
            process.wait(timeout=options.limit * (1 if plan is None else 2))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        found = []
        if records.exists():
            with records.open("rb") as file:
                try:
                    while True:
                        found.append(pickle.load(file))
                except (EOFError, pickle.UnpicklingError):
                    pass
        return found


def same_text(wanted: str, got: str) -> bool:
    """Equal but for addresses and the last digits of numbers."""
    wanted, got = (_ADDRESS.sub("0x", t) for t in (wanted, got))
    if wanted == got:
        return True
    if _NUMBER.sub("#", wanted).split() != _NUMBER.sub("#", got).split():
        return False
    numbers = [np.array([float(n) for n in _NUMBER.findall(t)]) for t in (wanted, got)]
    return len(numbers[0]) == len(numbers[1]) and np.allclose(*numbers, rtol=1e-6, atol=1e-9)


def same_data(wanted: Any, got: Any) -> str:
    """What differs in two names' data, or ""."""
    if wanted[:2] != got[:2]:
        return f"is {got[1]}, not {wanted[1]}"
    kind, _, w = wanted
    g = got[2]
    if kind == "list":
        return next((d for d in map(same_data, w, g) if d), "")
    if kind == "floats" and w.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            finite = np.abs(w[np.isfinite(w)])
            bound = FLOATS * float(finite.max()) if finite.size else 0.0
            if np.allclose(w, g, rtol=0, atol=bound, equal_nan=True):
                return ""
        return f"is {np.array2string(g, threshold=6)}, not {np.array2string(w, threshold=6)}"
    equal = np.array_equal(w, g) if kind == "floats" else w == g
    return "" if equal else f"is {str(g)[:80]!r}, not {str(w)[:80]!r}"


def differences(wanted: dict[str, Any], got: dict[str, Any]) -> list[str]:
    """What differs between two records of one cell."""
    found = []
    for i, (w, g) in enumerate(zip(wanted["errors"], got["errors"])):
        which = "" if i == 0 else f" of run {i + 1}"
        if (w and (w[0], _ADDRESS.sub("", w[1]))) != (g and (g[0], _ADDRESS.sub("", g[1]))):
            found.append(f"the error{which} is {g}, not {w}")
        if not same_text(wanted["outs"][i], got["outs"][i]):
            found.append(f"it prints{which} {got['outs'][i]!r}, not {wanted['outs'][i]!r}")
        ours, theirs = got["shows"][i], wanted["shows"][i]
        if len(ours) != len(theirs) or not all(map(same_text, theirs, ours)):
            found.append(f"it shows{which} {str(ours)[:200]}, not {str(theirs)[:200]}")
    for name in {**wanted["names"], **got["names"]}:
        w, g = (side["names"].get(name) for side in (wanted, got))
        if w is None or g is None:
            found.append(f"{name} changes in one way only")
        elif w != g:
            what = same_data(pickle.loads(w), pickle.loads(g))
            if what:
                found.append(f"{name} {what}")
    return found


def plain_run(
    source: Path, options: argparse.Namespace, plan: list[int] | None = None
) -> list[Any]:
    """The records of a plain run, the first or another; from an earlier time where it was kept."""
    name = re.sub(r"\W", "_", f"{source.resolve()} {options.clock} {plan is not None}")
    kept = options.keep / name if options.keep else None
    if kept and kept.exists():
        with kept.open("rb") as file:
            return list(pickle.load(file))
    found = run("plain", source, options, plan)
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("wb") as file:
            pickle.dump(found, file)
    return found


def times_of(plain: Any, ours: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """Seconds of the first runs of a cell, plain and hybridized, and of the best later ones."""
    best = [min(side["times"][1:], default=0.0) for side in (plain, ours)]
    return (plain["times"][0], ours["times"][0]), (best[0], best[1])


def is_above(plain: Any, ours: Any) -> bool:
    first, later = times_of(plain, ours)
    return bool(above([first], *FIRST) or above([later], *LATER))


def take_best(records: list[Any], others: list[Any]) -> None:
    """Another process' times beside those of the first."""
    for record, other in zip(records, others):
        if record and other:
            firsts = min(record["times"][0], other["times"][0])
            record["times"] = [firsts, *record["times"][1:], *other["times"][1:]]


def judge(source: Path, into: Repository, options: argparse.Namespace) -> None:
    """Runs one notebook all ways and notes what was found."""
    plain = plain_run(source, options)
    plan = [len(record["times"]) if record else 1 for record in plain]
    plan_of_all = plan + [1] * (len(cells_of(source)) - len(plan))
    hybrid = run(options.mode, source, options, plan_of_all)
    for _ in range(options.again):
        if not any(w and g and is_above(w, g) for w, g in zip(plain, hybrid)):
            break
        take_best(plain, run("plain", source, options, plan))
        take_best(hybrid, run(options.mode, source, options, plan_of_all))
    again: list[Any] | None = None  # asked for when something differs
    for i, w in enumerate(plain):
        if w is None or (w["errors"][0] or ("",))[0] == "TooLong":
            continue
        into.cells += 1
        if i >= len(hybrid):
            into.unfinished += len([r for r in plain[i:] if r])
            into.cells += len([r for r in plain[i + 1 :] if r])
            note(into, source, i, w, ["the process ended or ran out of its time"])
            return
        g = hybrid[i]
        first, later = times_of(w, g)
        into.first.append(first)
        if later[0]:
            into.later.append(later)
        if later[0] and w["own_s"] >= LONG_S:
            into.long.append(later)
            if later[0] < GAIN * later[1]:
                said = f"long, {later[0] / later[1]:.2f} x: later {later[0] * 1e3:.1f} ms"
                note(into, source, i, w, [said])
        if is_above(w, g):
            pairs = [" -> ".join(f"{s * 1e3:.1f}" for s in pair) for pair in (first, later)]
            note(into, source, i, w, [f"slow, ms: first {pairs[0]}, later {pairs[1]}"])
        if (g["errors"][0] or ("",))[0] == "TooLong":
            into.unfinished += 1
            note(into, source, i, w, [f"more than {g['times'][0]:.0f} s, not {w['times'][0]:.3f}"])
            return
        found = differences(w, g)
        if found and again is None:
            again = plain_run(source, options, plan)
        if found and again and i < len(again) and not differences(w, again[i]):
            into.different += 1
            into.failed += any(e and not p for e, p in zip(g["errors"], w["errors"]))
            note(into, source, i, w, found)


def note(into: Repository, source: Path, i: int, record: dict[str, Any], found: list[str]) -> None:
    text = "\n".join(record["text"].splitlines()[:12])[:600]
    lines = "\n".join(f"    * {f[:300]}" for f in found[:4])
    into.findings.append(f"- {into.name}/{source.name}, cell {i}\n{lines}\n```\n{text}\n```")


def above(pairs: list[tuple[float, float]], ratio: float, s: float) -> int:
    return sum(ours > ratio * plain + s for plain, ours in pairs)


def added(pairs: list[tuple[float, float]]) -> str:
    return f"{statistics.median(o - p for p, o in pairs) * 1e3:.2f}" if pairs else "-"


def line(r: Repository) -> str:
    return (
        f"{r.name[:38]:38}{r.cells:>7}{r.different:>11}{r.failed:>8}{r.unfinished:>12}"
        f"{added(r.first):>10}{added(r.later):>10}"
        f"{above(r.first, *FIRST):>8}{above(r.later, *LATER):>8}{len(r.long):>7}{r.gain:>6}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=0, help="at most so many of each folder")
    parser.add_argument("--skip", type=int, default=0, help="begin at another file")
    parser.add_argument("--mode", default="cell", choices=MODES)
    parser.add_argument("--again", type=int, default=0, help="times, where cells are above")
    parser.add_argument("--clock", default="wall", choices=("wall", "cpu"))
    parser.add_argument("--limit", type=float, default=120, help="seconds for the first process")
    parser.add_argument("--scripts", action="store_true", help="scripts, not notebooks")
    parser.add_argument("--findings", type=Path, help="what differs goes here, cell by cell")
    parser.add_argument("--keep", type=Path, help="plain runs stay here, for the next time")
    parser.add_argument("--python", default=sys.executable, help="has what the notebooks import")
    options = parser.parse_args()
    print(
        f"{'':38}{'cells':>7}{'different':>11}{'failed':>8}{'unfinished':>12}"
        f"{'first +ms':>10}{'later +ms':>10}{'above':>8}{'above':>8}{'long':>7}{'gain':>6}"
    )
    total = Repository("all")
    for folder in options.folders:
        into = Repository(folder.resolve().name)
        sources = sorted(folder.rglob("*.py" if options.scripts else "*.ipynb"))
        sources = [s for s in sources if ".ipynb_checkpoints" not in s.parts]
        if options.files:
            step = max(1, len(sources) // options.files)
            sources = sources[options.skip :: step][: options.files]
        for source in sources:
            try:
                judge(source, into, options)
            except (ValueError, KeyError) as error:  # not a notebook that can be read
                print(f"{source}: {error}", file=sys.stderr)
            if options.findings:
                text = "\n".join([*total.findings, *into.findings])
                options.findings.write_text(text + "\n", encoding="utf-8")
        print(line(into), flush=True)
        counts = ("cells", "different", "failed", "unfinished")
        for name in (*counts, "first", "later", "long", "findings"):
            setattr(total, name, getattr(total, name) + getattr(into, name))
    print(line(total))


if __name__ == "__main__":
    main()
