"""Writes the compatibility page, COMPATIBILITY.md of the alias's folder (`make compatibility`).

    python tests/interop/compatibility.py

A name counts if it is here, takes every call that MXNet's takes, and is called by a program that
ran under both systems and gave the same (tests/data/mxnet/compared.json, which used_names.py
writes).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from differences import BEHAVIOUR, CHOSEN, DOCUMENTED, WRONG
from public_names import FOLDER, HERE, excluded, exclusions, found, modules, signatures
from signatures import differs

PAGE = HERE.parents[1] / "jupyter_hybrid" / "compat" / "mxnet" / "COMPATIBILITY.md"
LOSING = HERE / "losing_tests.txt"
COMPARED = FOLDER / "compared.json"


@dataclass
class Module:
    """Names of one module: which count, and why the others don't."""

    name: str
    counted: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)  # another signature
    uncompared: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        parts = (self.counted, self.absent, self.otherwise, self.uncompared)
        return sum(len(part) for part in parts)


def judged(compared: dict[str, str]) -> list[Module]:
    """Every module; names that are excluded are in none."""
    held = []
    for name, paths in modules().items():
        module = Module(name)
        for path in (p for p in paths if not excluded(p)):
            value = found(path)
            short = path.rpartition(".")[2]
            if value is None:
                module.absent.append(short)
            elif differs(signatures()[path], value):
                module.otherwise.append(short)
            elif path not in compared:
                module.uncompared.append(short)
            else:
                module.counted.append(short)
        held.append(module)
    return held


def share(held: list[Module]) -> tuple[int, int]:
    return sum(len(m.counted) for m in held), sum(m.size for m in held)


def _names(held: list[Module], part: str) -> list[str]:
    found = [(m.name, getattr(m, part)) for m in held]
    return [f"- `{name}`: {', '.join(f'`{n}`' for n in names)}" for name, names in found if names]


def _told(differences: dict[str, str]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for case, why in differences.items():
        by_reason.setdefault(why, []).append(case.rpartition("-")[0])
    return [f"- {', '.join(sorted(set(ops)))}: {why}." for why, ops in by_reason.items()]


def losing_tests() -> list[tuple[str, str]]:
    """(name, what it contradicts) of losing_tests.txt."""
    lines = LOSING.read_text().splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [(name, why) for name, why in pairs]


def page(compared: dict[str, str]) -> str:
    held = judged(compared)
    good, size = share(held)
    left_out: dict[str, list[str]] = {}
    for pattern, why in exclusions():
        left_out.setdefault(why, []).append(pattern)
    lines = [
        "# What of MXNet 1.9.1 is here",
        "",
        "Made by `make compatibility`; don't edit. The names are the public ones of MXNet 1.9.1's",
        "modules, as the package itself tells them. One counts if its signature takes every call",
        "that MXNet's takes, with the same defaults, and if a program that ran under both systems",
        "calls it and gave the same: values, gradients, of random numbers their statistics.",
        "",
        f"**{good} of {size} names: {100 * good / size:.1f} %.**",
        "",
        "| module | names | counted | share |",
        "|---|---|---|---|",
    ]
    for m in held:
        percent = f"{100 * len(m.counted) / m.size:.0f} %" if m.size else "-"
        lines.append(f"| `{m.name}` | {m.size} | {len(m.counted)} | {percent} |")
    for title, part in (
        ("Not here", "absent"),
        ("Here with another signature", "otherwise"),
        ("Here, not compared", "uncompared"),
    ):
        lines += ["", f"## {title}", "", *(_names(held, part) or ["Nothing."])]
    lines += ["", "## Not counted", ""]
    lines += [f"- {why}: {', '.join(f'`{p}`' for p in ps)}." for why, ps in left_out.items()]
    lines += ["", "## Where MXNet's gradients are wrong", ""]
    lines += ["Finite differences agree with ours, and not with MXNet's.", "", *_told(WRONG)]
    lines += ["", "## Where MXNet does not what its documentation says", "", *_told(DOCUMENTED)]
    lines += ["", "## Where this is meant to differ", "", *_told(CHOSEN)]
    lines += [f"- {text}." for text in BEHAVIOUR]
    lines += ["", "## MXNet's own tests that fail here", ""]
    lines += ["They contradict what is documented here:", ""]
    lines += [f"- `{name}`: {why}." for name, why in losing_tests()]
    return "\n".join(lines) + "\n"


def compared_names() -> dict[str, str]:
    return json.loads(COMPARED.read_text())


def main(out: Path = PAGE) -> None:
    compared = compared_names()
    out.write_text(page(compared))
    good, size = share(judged(compared))
    print(f"{good} of {size} names: {100 * good / size:.1f} %")


if __name__ == "__main__":
    main()
