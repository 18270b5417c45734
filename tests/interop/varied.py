"""Which attributes of operators no recorded case varies.

As a program it prints them: ``python tests/interop/varied.py``. An attribute is varied when a case
that both systems compute gives it a value that is not its default; one without a default, when
two cases give it different values. Names of one operator (``crop``, ``slice``) share their cases.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from case import Run
from drawn import Drawn
from families import families
from outcomes import recorded_outcomes
from public_names import HERE, excluded, signatures
from signatures import OPERATOR, arguments, plain

from jupyter_hybrid import _core

NOT_VARIED = HERE / "not_varied.txt"


@cache
def attributes() -> dict[str, dict[str, str | None]]:
    """By path ("nd.contrib.fft") the attributes that MXNet lists, with their defaults' texts."""
    found = {}
    for path, text in signatures().items():
        if path.startswith("nd") and text.startswith(OPERATOR) and not excluded(path):
            split = [piece.partition("=") for piece in arguments(text[len(OPERATOR) :])]
            found[path] = {
                name: default if equals else None
                for name, equals, default in split
                if not name.endswith(":array") and not name.startswith("*")
            }
    return found


@cache
def arrays(path: str) -> int:
    """How many arrays stand before the attributes."""
    listed = arguments(signatures()[path][len(OPERATOR) :])
    return sum(piece.endswith(":array") for piece in listed)


@cache
def groups() -> dict[str, tuple]:
    """By path what all names of one operator have in common."""
    rows = {row["name"]: row for row in _core.mx_table()}
    found = {}
    for path, listed in attributes().items():
        name = path.removeprefix("nd.")
        row = rows.get(name) or rows.get("_" + name.replace(".", "_"))
        same = (row["op"], *sorted(row["fixed"].items())) if row else (name,)
        found[path] = (*same, *listed)
    return found


def given() -> dict[str, dict[str, set[object]]]:
    """By path and attribute the values that cases give."""
    found: dict[str, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
    for family, cases in families().items():
        for case in cases:
            run, path = case.run, "nd." + getattr(case.run, "operator", "").lstrip(".")
            if not isinstance(run, Run) or path not in attributes() or case.raises:
                continue
            if recorded_outcomes(family)[case.name].kind not in ("same", "differs"):
                continue
            names = list(attributes()[path])
            plain_inputs = [x for x in run.inputs if not isinstance(x, (Drawn, list))]
            by_name = {**dict(zip(names, plain_inputs)), **run.attrs}
            for name, value in by_name.items():
                found[path][name].add(_comparable(value))
            for name in set(names) - set(by_name):
                found[path][name].add(None)  # left to its default
    return found


def _comparable(value: object) -> object:
    return plain(getattr(value, "__name__", None) or repr(value))


def never_varied() -> dict[str, list[str]]:
    """Attributes by path; of an operator's names the first."""
    shared: dict[tuple, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
    seen = given()
    for path, group in groups().items():
        for name, values in seen.get(path, {}).items():
            shared[group][name] |= values
    found: dict[str, list[str]] = {}
    told = set()
    for path, group in groups().items():
        if group in told:
            continue
        told.add(group)
        lacking = [
            name
            for name, default in attributes()[path].items()
            if not _varies(shared[group][name], default)
        ]
        if lacking:
            found[path] = lacking
    return found


def _varies(values: set[object], default: str | None) -> bool:
    usual = {None} if default is None else {None, plain(default)}
    others = values - usual
    return len(others) > (default is None)


def exceptions() -> dict[tuple[str, str], str]:
    """(path, attribute): why it isn't varied."""
    lines = NOT_VARIED.read_text().splitlines()
    split = [line.split(maxsplit=2) for line in lines if line and not line.startswith("#")]
    return {(path, name): why for path, name, why in split}


if __name__ == "__main__":
    for path, names in never_varied().items():
        print(path, *names)
