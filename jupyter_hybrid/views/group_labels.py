"""What groups are called. Names from the user's program stay as they are: they are text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .notation import THEN
from .schema import GroupKind

if TYPE_CHECKING:
    from .group_tree import Group

_MOST_LETTERS = 32
_MOST_TOLD = 4
_DIGITS = "0123456789"


def short(text: str) -> str:
    """A line of code as a label."""
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1].rstrip() + "…"


def joined(outer: Group, only: Group) -> str:
    """Of a group with its only child."""
    if only.kind == "repeat" and only.key.of is not None:
        return f"{outer.label} {only.key.of}"  # "layers ×12"
    joint = outer.key.joint if only.key.kind == "prefix" else " / "
    return outer.label + joint + only.label


def stem(labels: Sequence[str]) -> str | None:
    """What labels have in common: ``res`` of res0 and res1; None of mere numbers or of others."""
    if len(set(labels)) == 1:
        return labels[0]
    stems = {label.rstrip(_DIGITS) for label in labels}
    return (stems.pop().rstrip("_-. ") or None) if len(stems) == 1 else None


def label_of_run(labels: Sequence[str]) -> tuple[str | None, str]:
    """Of a repeat of groups: ``res ×3``. Before it ``×12`` where numbers are all that is known."""
    times = f"×{len(labels)}"
    common = stem(labels)
    if common is not None:
        return None, f"{common} {times}"
    if not any(label.strip(_DIGITS) for label in labels):
        return times, f"{labels[0]} – {labels[-1]} {times}"
    return None, f"{labels[0]} … {labels[-1]} {times}"


def label_of_passes(passes: Sequence[Sequence[str]], lines: Sequence[int | None]) -> str:
    """Of a rolled-out loop: the lines of its body, else what things are in it.

    Args:
        passes: the labels of the things in each.
        lines: of the operators of the first.
    """
    times = f"×{len(passes)}"
    known = [line for line in lines if line is not None]
    if len(known) == len(lines) and min(known) < max(known):
        return f"lines {min(known)} – {max(known)} {times}"
    labels = [stem(column) or column[0] for column in zip(*passes, strict=True)]
    told = [label for label in labels if label != "identity"] or labels
    if len(told) > _MOST_TOLD:
        told = [told[0], f"… {len(told) - 2} more …", told[-1]]
    return f"{THEN.join(told)} {times}"


def label_of_range(
    first: int, last: int, lines: Sequence[int | None], steps: Sequence[str]
) -> tuple[GroupKind, str]:
    """(kind, label) of a run of which nothing is known but where it stands.

    Args:
        first, last: its operators in the order, from 0.
        lines: of its operators.
        steps: the labels of its passes if that is what it holds.
    """
    if steps:
        return (
            "range",
            f"steps {steps[0].removeprefix('step ')} – {steps[-1].removeprefix('step ')}",
        )
    known = [line for line in lines if line is not None]
    if len(known) == len(lines) and known == sorted(known) and known[0] < known[-1]:
        return "line", f"lines {known[0]} – {known[-1]}"
    return "range", f"operators {first + 1:,} – {last + 1:,}"


def again(label: str, time: int) -> str:
    """Of a block's group when it is not the first beside its siblings."""
    if time == 1:
        return label
    ending = (
        "th" if time % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(time % 10, "th")
    )
    return f"{label} ({time}{ending} {'time' if label == 'backward' else 'call'})"
