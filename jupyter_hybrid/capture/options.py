"""Options of ``%%hybridize``: parsing and checking of its first line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from .. import _core

VIEWS = ("graph", "memory", "program", "none")
PLANS = ("fast", "exact", "parallel")
USAGE = (
    "%%hybridize [--out NAMES] [--donate NAMES] [--passes LIST] [--no-PASS] [--dims X:AXIS=NAME] "
    "[--view " + "|".join(VIEWS) + "] [--compare] [--sizes [NAME=]LIST] [--seconds S] "
    "[--force] [--loop-limit N] [--remat sqrt|BYTES] [--plan "
    + "|".join(PLANS)
    + "] [--plan-seconds S]"
)


_WITH_VALUES = (
    "--out", "--donate", "--passes", "--dims", "--view", "--sizes", "--seconds", "--loop-limit",
    "--remat", "--plan", "--plan-seconds",
)  # fmt: skip
# The last two are written by input_transform.py.
_FLAGS = ("--compare", "--force", "--implicit", "--scratch")
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
    loop_limit: int = 2000  # accepted; without effect
    implicit: bool = False  # symbolic by default mode: the cell's text has no magic line
    scratch: bool = False  # under %%timeit: names are bound in a copy of the namespace


def _names(text: str, option: str) -> tuple[str, ...]:
    names = tuple(n for n in text.replace(",", " ").split() if n)
    for name in names:
        if not name.isidentifier():
            raise UsageError(f"{option}: expected names, got {name!r}; usage: {USAGE}")
    return names


def checked_passes(names: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of passes as a tuple. Raises UsageError on an unknown one."""
    if names is None:
        return None
    passes = tuple(names.replace(",", " ").split() if isinstance(names, str) else names)
    known = [p["name"] for p in _core.pass_table()] + ["plan"]
    for name in passes:
        if name not in known:
            raise UsageError(f"unknown pass {name!r}; the passes are: {', '.join(known)}")
    return passes


@lru_cache(maxsize=64)
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
        if name in _WITH_VALUES:
            current = values.setdefault(name, [])
            if equals:
                current.append(value)
        elif word in _FLAGS:
            options, current = replace(options, **{word[2:]: True}), None  # type: ignore[arg-type]
        elif word.startswith("--no-"):
            options = replace(options, without=(*options.without, word[5:]))
            current = None
        elif current is not None and (not word.startswith("-") or _NEGATIVE.match(word)):
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
    if "--dims" in values:
        options = replace(options, dims=_dimensions(" ".join(values["--dims"])))
    if "--view" in values:
        options = replace(options, view=_choice("--view", values, VIEWS))
    if "--loop-limit" in values:
        text = " ".join(values["--loop-limit"])
        if not text.isdecimal() or int(text) < 1:
            raise UsageError(f"--loop-limit: expected a positive number of operators, got {text!r}")
        options = replace(options, loop_limit=int(text))
    if "--remat" in values:
        text = " ".join(values["--remat"])
        digits = text.replace("_", "")
        if text != "sqrt" and (not digits.isdecimal() or int(digits) < 1):
            raise UsageError(f"--remat: expected sqrt or a positive number of bytes, got {text!r}")
        options = replace(options, remat="sqrt" if text == "sqrt" else int(digits))
    if "--plan" in values:
        options = replace(options, plan=_choice("--plan", values, PLANS))
    if "--plan-seconds" in values:
        options = replace(options, plan_seconds=_seconds("--plan-seconds", values))
    return _measuring(options, values)


def _choice(name: str, values: dict[str, list[str]], allowed: tuple[str, ...]) -> str:
    text = " ".join(values[name])
    if text not in allowed:
        raise UsageError(f"{name}: expected one of {', '.join(allowed)}, got {text!r}")
    return text


def _dimensions(text: str) -> tuple[Dimension, ...]:
    found = [_DIMENSION.fullmatch(word) for word in text.replace(",", " ").split()]
    if not found or None in found:
        raise UsageError(f"--dims: expected x:0=n,y:1=m, got {text!r}")
    return tuple(Dimension(m[1], int(m[2]), m[3]) for m in found if m)


def _measuring(options: Options, values: dict[str, list[str]]) -> Options:
    """The options of ``--compare``: ``--sizes`` and ``--seconds``."""
    given = [name for name in ("--sizes", "--seconds") if name in values]
    if given and not options.compare:
        raise UsageError(f"{given[0]} belongs to --compare; usage: {USAGE}")
    if "--sizes" in values:
        text = ",".join(values["--sizes"])
        name, equals, listed = text.rpartition("=")
        try:
            sizes = tuple(int(n.replace("_", "")) for n in listed.split(",") if n)
        except ValueError:
            sizes = ()
        if not sizes or min(sizes) < 1 or (equals and not name.isidentifier()):
            raise UsageError(
                f"--sizes: expected positive n=100,1000,... or 100,1000,..., got {text!r}"
            )
        options = replace(options, sizes=tuple(sorted(set(sizes))), size_name=name or None)
    if "--seconds" in values:
        options = replace(options, seconds=_seconds("--seconds", values))
    return options


def _seconds(name: str, values: dict[str, list[str]]) -> float:
    text = " ".join(values[name])
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise UsageError(f"{name}: expected a positive number up to 3600, got {text!r}")
    return seconds
