"""Options of ``%%hybridize``: parsing and checking of its first line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .. import _core

VIEWS = ("graph", "memory", "program", "none")
PLANS = ("fast", "exact", "parallel")
USAGE = (
    "%%hybridize [--out NAMES] [--donate NAMES] [--passes LIST] [--no-PASS] [--dims X:AXIS=NAME] "
    "[--view " + "|".join(VIEWS) + "] [--compare] [--sizes [NAME=]LIST] [--seconds S] "
    "[--force] [--check] [--loop-limit N] [--remat sqrt|BYTES] [--plan "
    + "|".join(PLANS)
    + "] [--plan-seconds S]"
)
_WRITTEN_FOR_US = ("--implicit", "--auto", "--scratch")  # by input_transform.py
_FLAGS = ("--compare", "--force", "--check", *_WRITTEN_FOR_US)
_NEGATIVE = re.compile(r"-[\d.]")  # a value that is refused by its own option's check
_DIMENSION = re.compile(r"([^\W\d]\w*):(\d+)=([^\W\d]\w*)")


class UsageError(ValueError):
    """A first line that can't be read; the message names the word and what is allowed."""


@dataclass(frozen=True)
class Dimension:
    """``--dims x:0=n``: axis 0 of the input x is called n and may change."""

    input: str
    axis: int
    name: str

    def __str__(self) -> str:
        return f"{self.input}:{self.axis}={self.name}"


@dataclass(frozen=True)
class Options:
    """What the first line of a hybridized cell asks for."""

    out: tuple[str, ...] | None = None  # None: sinks and the last expression
    donate: tuple[str, ...] = ()
    passes: tuple[str, ...] | None = None  # None: all
    without: tuple[str, ...] = ()
    dims: tuple[Dimension, ...] = ()  # named: another size needs no passes
    view: str = "graph"
    compare: bool = False  # run both modes and measure
    sizes: tuple[int, ...] = ()  # of a sweep
    size_name: str | None = None  # the int that a sweep sets; None: leading dimensions are scaled
    seconds: float = 2.0  # budget of measuring
    remat: str | int | None = None  # "sqrt", or bytes that the plan may take
    plan: str = "fast"  # how memory is planned, one of PLANS
    plan_seconds: float = 10.0  # of an exact search, at most
    force: bool = False  # record also what does not pay
    check: bool = False  # loops that run compiled are compared with plain Python
    loop_limit: int = 2000  # accepted; without effect
    implicit: bool = False  # by default mode: the cell's text has no magic line
    auto: bool = False  # this mode is auto: first it runs as written, but for hot loops
    scratch: bool = False  # under %%timeit: names are bound in a copy of the namespace


def _passes() -> list[str]:
    return [p["name"] for p in _core.pass_table()] + ["plan"]


def checked_passes(names: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of passes as a tuple. Raises UsageError on an unknown one."""
    if names is None:
        return None
    passes = tuple(names.replace(",", " ").split() if isinstance(names, str) else names)
    known = _passes()
    for name in passes:
        if name not in known:
            raise UsageError(f"unknown pass {name!r}; the passes are: {', '.join(known)}")
    return passes


@lru_cache(maxsize=64)
def parse(line: str) -> Options:
    """Options from the text after ``%%hybridize``. Raises UsageError."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{error} in {line!r}; usage: {USAGE}") from None
    found: dict[str, Any] = {}  # by field
    without: list[str] = []
    values: dict[str, list[str]] = {}
    current = None
    for word in words:
        name, equals, value = word.partition("=")
        if name in _WITH_VALUES:
            current = values.setdefault(name, [])
            if equals:
                current.append(value)
        elif word in _FLAGS:
            found[word[2:]], current = True, None
        elif word.startswith("--no-"):
            without.append(word[5:])
            current = None
        elif current is not None and (not word.startswith("-") or _NEGATIVE.match(word)):
            current.append(word)
        else:
            raise UsageError(f"unknown option {word!r}; usage: {USAGE}")
    for name, given in values.items():
        if not given:
            raise UsageError(f"{name} needs a value; usage: {USAGE}")
        found[name[2:].replace("-", "_")] = _WITH_VALUES[name](name, " ".join(given))
    for name in ("sizes", "seconds"):
        if name in found and not found.get("compare"):
            raise UsageError(f"--{name} belongs to --compare; usage: {USAGE}")
    found["size_name"], found["sizes"] = found.get("sizes", (None, ()))
    return Options(without=checked_passes(without) or (), **found)


# The values: (name of the option, text) -> what its field gets -----------------------------------
def _names(option: str, text: str) -> tuple[str, ...]:
    names = tuple(text.replace(",", " ").split())
    for name in names:
        if not name.isidentifier():
            raise UsageError(f"{option}: expected names, got {name!r}; usage: {USAGE}")
    return names


def _one_of(allowed: tuple[str, ...]) -> Callable[[str, str], str]:
    def choice(option: str, text: str) -> str:
        if text not in allowed:
            raise UsageError(f"{option}: expected one of {', '.join(allowed)}, got {text!r}")
        return text

    return choice


def _dimensions(option: str, text: str) -> tuple[Dimension, ...]:
    found = [_DIMENSION.fullmatch(word) for word in text.replace(",", " ").split()]
    if not found or None in found:
        raise UsageError(f"{option}: expected x:0=n,y:1=m, got {text!r}")
    return tuple(Dimension(m[1], int(m[2]), m[3]) for m in found if m)


def _sizes(option: str, text: str) -> tuple[str | None, tuple[int, ...]]:
    """The name of what is swept, and its sizes."""
    name, equals, listed = text.replace(" ", ",").rpartition("=")
    try:
        sizes = tuple(int(n.replace("_", "")) for n in listed.split(",") if n)
    except ValueError:
        sizes = ()
    if not sizes or min(sizes) < 1 or (equals and not name.isidentifier()):
        raise UsageError(
            f"{option}: expected positive n=100,1000,... or 100,1000,..., got {text!r}"
        )
    return name or None, tuple(sorted(set(sizes)))


def _operators(option: str, text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{option}: expected a positive number of operators, got {text!r}")
    return int(text)


def _remat(option: str, text: str) -> str | int:
    digits = text.replace("_", "")
    if text != "sqrt" and (not digits.isdecimal() or int(digits) < 1):
        raise UsageError(f"{option}: expected sqrt or a positive number of bytes, got {text!r}")
    return "sqrt" if text == "sqrt" else int(digits)


def _seconds(option: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise UsageError(f"{option}: expected a positive number up to 3600, got {text!r}")
    return seconds


_WITH_VALUES: dict[str, Callable[[str, str], Any]] = {
    "--out": _names,
    "--donate": _names,
    "--passes": lambda option, text: checked_passes(text),
    "--dims": _dimensions,
    "--view": _one_of(VIEWS),
    "--sizes": _sizes,
    "--seconds": _seconds,
    "--loop-limit": _operators,
    "--remat": _remat,
    "--plan": _one_of(PLANS),
    "--plan-seconds": _seconds,
}

#: Words that an option may take, of those that take one of a few.
WORDS: dict[str, Callable[[], Iterable[str]]] = {
    "--view": lambda: VIEWS,
    "--plan": lambda: PLANS,
    "--remat": lambda: ("sqrt",),
    "--passes": _passes,
}


def offered() -> list[str]:
    """The options that a person may write."""
    flags = [f for f in _FLAGS if f not in _WRITTEN_FOR_US]
    return sorted([*_WITH_VALUES, *flags, *(f"--no-{name}" for name in _passes())])
