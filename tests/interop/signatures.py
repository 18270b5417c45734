"""Signatures as one line of text, and whether one here takes every call that MXNet's takes."""

from __future__ import annotations

import ast
import inspect
import os
import re
from typing import Any

OPERATOR = "op "  # before signatures of operators, which their documentation tells
_TAKEN = ("name", "out", "attr")
# Operators' attributes whose default None stands for a value: float32, True.
_UNSPECIFIED = ("dtype", "count_include_pad")


def shown(default: object) -> str:
    if default is inspect.Parameter.empty:
        return ""
    if type(default).__name__ == "_NullType":
        return "=None"
    if isinstance(default, str):
        return f"={default.replace(os.path.expanduser('~'), '~')!r}"
    if isinstance(default, (bool, int, float, tuple, list, dict, type(None))):
        return f"={default!r}"
    return f"=<{getattr(default, '__name__', type(default).__name__)}>"


def of_python(value: Any) -> str:
    """``self, axis=-1, *args, **kwargs``, with a ``*`` before what has to be named."""
    parts, star = [], False
    try:
        parameters = inspect.signature(value).parameters
    except (ValueError, TypeError):
        return _documented(value)
    for p in parameters.values():
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
        star |= p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        parts.append(mark + p.name + shown(p.default))
    return ", ".join(parts)


def _documented(value: Any) -> str:
    """Of functions of the core, whose documentation begins with it: ``f(x: int = 0) -> int``."""
    made = isinstance(value, type)
    if made:
        value = value.__init__
    match = re.match(r"\w+\((.*)\)( -> .*)?$", (value.__doc__ or "").partition("\n")[0])
    if match is None:
        raise ValueError(f"{value!r} tells no signature")
    pieces = arguments(match[1])[made:]
    return ", ".join(re.sub(r"^(\**\w+): .*?(?: = (.*))?$", _typed, p) for p in pieces)


def _typed(match: re.Match[str]) -> str:
    return match[1] if match[2] is None else f"{match[1]}={match[2]}"


def arguments(text: str) -> list[str]:
    """Split at the commas that stand in no bracket and no quotes."""
    pieces, depth, quote, start = [], 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        else:
            depth += (c in "([{<") - (c in ")]}>")
            if c == "," and depth == 0:
                pieces.append(text[start:i].strip())
                start = i + 1
    return [p for p in [*pieces, text[start:].strip()] if p]


def plain(default: str) -> object:
    """A default in a form in which equal ones are equal: numbers, words, tuples."""
    try:
        value = ast.literal_eval(default)
    except (ValueError, SyntaxError):
        value = default.strip("'\"<>")
    if isinstance(value, (list, tuple)):
        return tuple(value)
    if isinstance(value, (bool, int, float)):
        return float(f"{float(value):.6g}")
    return value


def same_default(expected: str, found: str) -> bool:
    one, other = plain(expected), plain(found)
    none = (None, "None", "", ())  # no shape, no device
    if one in none and other in none:
        return True
    return one == other


def _split(piece: str) -> tuple[str, str | None]:
    name, equals, default = piece.partition("=")
    return name, default if equals else None


def differs(expected: str, value: Any) -> str:
    """Why what MXNet's signature takes isn't what ``value``'s takes; "" where it is."""
    if expected == "-":
        return ""
    try:
        found = of_python(value)
    except (ValueError, TypeError):
        return f"{type(value).__name__} tells no signature, expected ({expected})"
    if expected.startswith(OPERATOR):
        told = _operator(arguments(expected[len(OPERATOR) :]), arguments(found))
    else:
        told = _python(arguments(expected), arguments(found))
    return f"{told}: ({found}), expected ({expected})" if told else ""


def _operator(expected: list[str], found: list[str]) -> str:
    def own(pieces: list[str]) -> list[tuple[str, str | None]]:
        split = [_split(p) for p in pieces if p != "*" and not p.startswith("**")]
        return [(n, d) for n, d in split if n not in _TAKEN]

    ours, theirs = own(found), own(expected)
    for i, (name, default) in enumerate(theirs):
        array = name.endswith(":array")
        name = name.removesuffix(":array")
        if i >= len(ours):
            return f"{name} is missing"
        if ours[i][0] != name:
            return f"{ours[i][0]} stands in the place of {name}"
        if array or name.startswith("*"):
            continue
        if default is None or (name in _UNSPECIFIED and default == "None"):
            continue
        if ours[i][1] is None or not same_default(default, ours[i][1]):
            return f"{name} has another default"
    return ""


def _python(expected: list[str], found: list[str]) -> str:
    if expected[-2:] == ["*args", "**kwargs"]:  # whatever the operator takes
        return ""
    if expected[:1] == ["self"] and found[:1] == ["data"]:  # a function that is a method, too
        found = ["self", *found[1:]]
    elif expected[:1] == ["self"] and found[:1] != ["self"]:
        expected = expected[1:]  # methods of the core's types
    for mark in ("*", "**"):
        wanted = [p for p in expected if p.startswith(mark) and p.strip("*")]
        wanted = [p for p in wanted if p.startswith("**") is (mark == "**")]
        if wanted and not any(p.startswith(mark) and p.strip("*") for p in found):
            return f"{wanted[0]} is missing"
    ours = [_split(p) for p in found if not p.startswith("**")]
    theirs = [_split(p) for p in expected if not p.startswith("**")]
    for i, (name, default) in enumerate(theirs):
        if i >= len(ours):
            return f"{name} is missing"
        if ours[i][0] != name and not name.startswith("*"):
            return f"{ours[i][0]} stands in the place of {name}"
        if default is not None and ours[i][1] is None and not name.startswith("*"):
            return f"{name} is required"
        if default is not None and not same_default(default, ours[i][1] or ""):
            return f"{name} has another default"
    more = [n for n, d in ours[len(theirs) :] if d is None and not n.startswith("*")]
    return f"{more[0]} is required" if more and "*" not in found else ""
