"""The table of the corpus: which cells are one graph, which broke and why, in Markdown."""

from __future__ import annotations

from collections import Counter

from .trial import CONDITION, Outcome

_HEAD = """# The corpus, cell by cell

Written by `python -m tests.corpus`; the cells are in `cells/`. Each runs imperatively and
hybridized, once under `--force` and replayed in the same namespace without it, and must leave
equal names, types, values, dtypes, shared memory, prints and exceptions (integers and bools equal,
floats within the file's stated bound, `nd` arrays bit for bit).

*Whole* means: every array operation of the cell is in its graph and nothing interrupted it. Showing
a value (`print`, `str`, `repr`, a format) is an effect that the cell asks for and does not count as
a break; reading one into Python (`float(x)`, `if x > 0`, `x.item()`) does. In a cell that raises,
the line that raises is its end, not a break. Nor is one where a call that may raise is computed
at once (`np.linalg.inv`): its operator is in a graph, the next graph goes on behind it.
"""


def share(
    outcomes: list[Outcome], operating: bool = False, refused: bool = False
) -> tuple[int, int]:
    """(captured whole, all) of the cells whose shapes do not depend on data.

    Args:
        operating: of those that operate on arrays, so that there is something to capture.
        refused: those among the whole that only the closed list cut (code ran that can't be seen)
            or a condition, which Python follows.
    """
    counted = [o for o in outcomes if not o.cell.data_dependent and (o.operates or not operating)]
    return sum(o.only_refused if refused else o.whole for o in counted), len(counted)


def _rate(whole: int, counted: int) -> str:
    return f"{whole} of {counted} ({100 * whole / max(counted, 1):.1f} %)"


def table(outcomes: list[Outcome]) -> str:
    """The whole document."""
    whole, counted = share(outcomes)
    wrong = sum(bool(o.differences) for o in outcomes)
    apart = len(outcomes) - counted
    lines = [
        _HEAD,
        f"- cells: {len(outcomes)}; wrong: {wrong}",
        f"- captured whole: {_rate(whole, counted)} of all cells without data-dependent shapes; "
        f"{apart} have such shapes",
        f"- captured whole: {_rate(*share(outcomes, operating=True))} of those of them that "
        "operate on arrays; the others have nothing to capture",
        f"- whole but for code that the closed list does not have and conditions on values: "
        f"{_rate(*share(outcomes, refused=True))} of all, "
        f"{_rate(*share(outcomes, operating=True, refused=True))} of those that operate on arrays",
        "",
        "| reason of a break | cells |",
        "|---|---|",
    ]
    reasons = Counter(r for o in outcomes for r in {reason for _, reason in o.breaks})
    lines += [f"| {_text(r)} | {n} |" for r, n in sorted(reasons.items(), key=_most)]
    group = ""
    for outcome in outcomes:
        if outcome.cell.group != group:
            group = outcome.cell.group
            lines += ["", f"## {group}", "", "| cell | graph | |", "|---|---|---|"]
        lines.append(f"| {_text(outcome.cell.name)} | {_graph(outcome)} | {_notes(outcome)} |")
    return "\n".join(lines) + "\n"


def _most(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _text(text: str) -> str:
    return text.replace("|", "\\|")


def _graph(outcome: Outcome) -> str:
    if outcome.differences:
        return "WRONG"
    if not outcome.whole and outcome.only_refused:
        conditions = all(reason == CONDITION for _, reason in outcome.breaks)
        return f"refused by: {CONDITION}" if conditions else "cut by the closed list"
    if not outcome.whole:
        return "broke"
    return f"whole, {outcome.nodes} nodes" if outcome.nodes else "no array operation"


def _notes(outcome: Outcome) -> str:
    notes = []
    if outcome.cell.data_dependent:
        notes.append("data-dependent shape")
    if outcome.error:
        notes.append(f"raises {outcome.error}")
    if outcome.prints:
        notes.append("shows values")
    notes += dict.fromkeys(f"line {line}: {_text(why)}" for line, why in outcome.breaks)
    return "; ".join(notes)
