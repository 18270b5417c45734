"""What comes of a case here, beside what genuine MXNet computed of it.

As a program it prints the counts, the names that are not here, and what is refused here alone.
"""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import used_names
from case import Case, Results, Run
from compare import difference
from families import families
from packed import FOLDER, read

import jupyter_hybrid as mx

WAYS = ("sym", "method", "symbol's method")


@dataclass(frozen=True)
class Outcome:
    """kind: "same", "differs", "refused" (here alone), "absent" (no such name here) or "unknown"
    (MXNet refuses it, for this dtype say). ``through_symbol``: compared under ``F = sym``, too."""

    kind: str
    told: str = ""
    through_symbol: bool = False


def is_carried(path: str) -> bool:
    """Whether there is such a public name here."""
    found: Any = mx
    for part in path.split("."):
        found = inspect.getattr_static(found, part, None) or getattr(found, part, None)
    return found is not None


def outcome(case: Case, expected: Results) -> Outcome:
    """Of the case itself, then of the other ways that give the same under MXNet."""
    found = _counted(case, "nd", expected)
    if found.kind != "same" or case.raises:
        return found
    for way in (way for way in WAYS if way in expected):
        found = _counted(case, way, expected)
        if found.kind != "same":
            return found
    return Outcome("same", through_symbol="sym" in expected)


@cache
def recorded_outcomes(family: str) -> dict[str, Outcome]:
    """Of all cases of a family, beside what is kept of MXNet's."""
    recorded = read(FOLDER / f"{family}.npz")
    return {case.name: outcome(case, recorded[case.name]) for case in families()[family]}


def _counted(case: Case, way: str, expected: Results) -> Outcome:
    covers = case.covers if way == "nd" else ()
    with used_names.case(case.name, covers) as same:
        found = _outcome(case, way, expected)
        same.append(found.kind == "same" and not case.raises)
    return found


def _outcome(case: Case, way: str, expected: Results) -> Outcome:
    if not is_carried(case.covers[0]):
        return Outcome("absent")
    if "error" in expected and not case.raises:
        return Outcome("unknown")
    told = "" if way == "nd" else f"as {way}: "
    try:
        found = case.run(mx, way) if isinstance(case.run, Run) else case.run(mx)
    except Exception as error:
        return Outcome("same") if case.raises else _refused(error, told)
    if case.raises:
        return Outcome("differs", "nothing is raised")
    left_out = WAYS if way == "nd" else (*WAYS, "written")
    wanted = {k: v for k, v in expected.items() if not k.startswith(left_out)}
    apart = difference(case, wanted, found)
    more = [k for k in found if k.startswith("written") and k not in wanted] if way == "nd" else []
    if more and case.values and not apart:
        apart = f"{more[0]} is written here alone"
    return Outcome("differs", told + apart) if apart else Outcome("same")


def _refused(error: Exception, way: str) -> Outcome:
    lines = str(error).strip().splitlines() or [""]
    return Outcome("refused", f"{way}{type(error).__name__}: {lines[0]}")


def main() -> None:
    counts: Counter[str] = Counter()
    absent = set()
    for family, cases in families().items():
        for case in cases:
            found = recorded_outcomes(family)[case.name]
            counts[found.kind] += 1
            counts["through F = sym"] += found.through_symbol
            if found.kind == "absent":
                absent.add(case.covers[0])
            if found.kind in ("differs", "refused"):
                print(f"{case.name} {found.kind}: {found.told}")
    print("absent:", *sorted(absent))
    print(dict(counts))


if __name__ == "__main__":
    main()
