"""Options of ``%%hybridize``: parsing and checking of its first line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from .. import _core

VIEWS = ("graph", "memory", "program", "none")
USAGE = (
    "%%hybridize [--out NAMES] [--donate NAMES] [--passes LIST] [--no-PASS] [--view "
    + "|".join(VIEWS)
    + "]"
)


class UsageError(ValueError):
    """A first line that can't be read; the message names the word and what is allowed."""


@dataclass(frozen=True)
class Options:
    """What the first line of a hybridized cell asks for."""

    out: tuple[str, ...] | None = None  # None: sinks and the last expression
    donate: tuple[str, ...] = ()
    passes: tuple[str, ...] | None = None  # None: all
    without: tuple[str, ...] = ()
    view: str = "graph"
    implicit: bool = False  # symbolic by default mode: the cell's text has no magic line


def _names(text: str, option: str) -> tuple[str, ...]:
    names = tuple(n for n in text.replace(",", " ").split() if n)
    for name in names:
        if not name.isidentifier():
            raise UsageError(f"{option}: expected names, got {name!r}; usage: {USAGE}")
    return names


def parse(line: str) -> Options:
    """Options from the text after ``%%hybridize``. Raises UsageError."""
    known = [p["name"] for p in _core.pass_table()] + ["plan"]
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{error} in {line!r}; usage: {USAGE}") from None
    options = Options()
    values: dict[str, list[str]] = {}
    current = None
    for word in words:
        name, equals, value = word.partition("=")
        if name in ("--out", "--donate", "--passes", "--view"):
            current = values.setdefault(name, [])
            if equals:
                current.append(value)
        elif word == "--implicit":
            options, current = replace(options, implicit=True), None
        elif word.startswith("--no-"):
            options = replace(options, without=(*options.without, word[5:]))
            current = None
        elif current is not None and not word.startswith("-"):
            current.append(word)
        else:
            raise UsageError(f"unknown option {word!r}; usage: {USAGE}")
    for name, given in values.items():
        if not given:
            raise UsageError(f"{name} needs a value; usage: {USAGE}")
    for name in ("--out", "--donate"):
        if name in values:
            names = _names(" ".join(values[name]), name)
            options = (
                replace(options, out=names) if name == "--out" else replace(options, donate=names)
            )
    if "--passes" in values:
        passes = tuple(" ".join(values["--passes"]).replace(",", " ").split())
        options = replace(options, passes=passes)
    for name in (*(options.passes or ()), *options.without):
        if name not in known:
            raise UsageError(f"unknown pass {name!r}; the passes are: {', '.join(known)}")
    if "--view" in values:
        view = " ".join(values["--view"])
        if view not in VIEWS:
            raise UsageError(f"--view: expected one of {', '.join(VIEWS)}, got {view!r}")
        options = replace(options, view=view)
    return options
