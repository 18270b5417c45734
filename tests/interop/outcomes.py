"""What comes of a case here, beside what genuine MXNet computed of it.

As a program it prints the counts, the names that are not here, and what is refused here alone.
"""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass
from typing import Any

from case import Case, Results, Run
from compare import difference
from families import families
from packed import FOLDER, read

import jupyter_hybrid as mx


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
    if not is_carried(case.covers[0]):
        return Outcome("absent")
    if "error" in expected and not case.raises:
        return Outcome("unknown")
    try:
        found = case.run(mx)
    except Exception as error:
        return Outcome("same") if case.raises else _refused(error)
    if case.raises:
        return Outcome("differs", "nothing is raised")
    told = difference(case, {k: v for k, v in expected.items() if k != "sym"}, found)
    if told:
        return Outcome("differs", told)
    return _through_symbol(case, expected) if "sym" in expected else Outcome("same")


def _through_symbol(case: Case, expected: Results) -> Outcome:
    assert isinstance(case.run, Run)
    wanted = {k: v for k, v in expected.items() if k != "sym" and not k.startswith("written")}
    try:
        told = difference(case, wanted, case.run(mx, symbol=True))
    except Exception as error:
        return _refused(error)
    if told:
        return Outcome("differs", f"through F = sym: {told}")
    return Outcome("same", through_symbol=True)


def _refused(error: Exception) -> Outcome:
    lines = str(error).strip().splitlines() or [""]
    return Outcome("refused", f"{type(error).__name__}: {lines[0]}")


def main() -> None:
    counts: Counter[str] = Counter()
    absent = set()
    for family, cases in families().items():
        recorded = read(FOLDER / f"{family}.npz")
        for case in cases:
            found = outcome(case, recorded[case.name])
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
