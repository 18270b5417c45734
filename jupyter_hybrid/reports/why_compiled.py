"""Why a cell was compiled again: what differs from its most similar earlier compilation."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..capture.options import Options
from .times import captured_text, times_text

if TYPE_CHECKING:
    from .report import Report

_TOLD = 8  # differences in a sentence
_KEPT = 64  # compilations in all
_LOOKED_AT = 8  # of them, the latest of the same text, and as many of the same cell
_SAME_CELL = 0.5  # share of equal lines from which a text counts as the same cell
_OPTIONS = ("out", "donate", "passes", "dims", "remat", "plan")


@dataclass(frozen=True)
class Difference:
    """One thing that differs from an earlier compilation.

    Attributes:
        kind: shape, dtype, device, input, code, constant, attribute, option, operations or cache.
        name: of the input, the option, the operator or the line.
        before: as text; None when there was nothing.
        after: as text; None when there is nothing now.
        line: of the cell, 1-based; None where no line can be named.
    """

    kind: str
    name: str
    before: str | None
    after: str | None
    line: int | None = None

    def __str__(self) -> str:
        at = f" in line {self.line}" if self.line and self.kind != "code" else ""
        if self.kind == "constant":
            return f"constant {self.before} -> {self.after}{at}"
        if self.kind in ("shape", "dtype", "device"):
            return f"{self.kind} of {self.name} {self.before} -> {self.after}"
        if self.kind == "cache":
            return "its program was no longer kept"
        if self.before is None:
            return f"{self.kind} {self.name} is new{at}: {self.after}"
        if self.after is None:
            return f"{self.kind} {self.name} is gone{at}: {self.before}"
        return f"{self.kind} {self.name}{at} {self.before} -> {self.after}"


@dataclass
class _Node:
    op: str
    attrs: dict[str, Any]
    line: int | None
    value: str | None


@dataclass
class _Compilation:
    """What is remembered of one compiled run of a cell."""

    lines: list[str]  # below the magic lines
    first_line: int
    options: Options
    programs: tuple[int, ...]  # hashes of the segments' graphs
    text: int  # hash of the lines
    inputs: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    nodes: list[_Node] = field(default_factory=list)


# By the cell's id, where it has one.
_kept: deque[tuple[str | None, _Compilation]] = deque(maxlen=_KEPT)


def clear() -> None:
    """Forgets every compilation."""
    _kept.clear()


def note(report: Report) -> Callable[[], list[Difference] | None]:
    """Remembers a compiled run. The function returned finds what differs from the most similar
    earlier one of its cell, which takes a while: None when the cell was not compiled before (as
    far as is remembered)."""
    new, id = _compilation(report), report.cell.id
    earlier = _candidates(id, new)

    def differences() -> list[Difference] | None:
        found = [_differences(old, new) for old in earlier if _same_cell(old, new)]
        return min(reversed(found), key=len, default=None)  # of several, the latest

    _kept.append((id, new))
    return differences


def _candidates(id: str | None, new: _Compilation) -> list[_Compilation]:
    """Earlier compilations that may be of the same cell, the latest last."""
    found: list[_Compilation] = []
    seen = Counter[bool]()  # by whether they are of the same text
    for key, old in reversed(_kept):
        if key is None or id is None or key == id:
            seen[old.text == new.text] += 1
            if seen[old.text == new.text] <= _LOOKED_AT:
                found.append(old)
    return found[::-1]


def _compilation(report: Report) -> _Compilation:
    first = report.cell.first_line
    lines = [line.rstrip() for line in report.cell.lines[first - 1 :]]
    programs = tuple(s.graph.hash for s in report.segments)
    made = _Compilation(lines, first, report.options, programs, hash(tuple(lines)))
    for segment in report.segments:
        for node in segment.graph.nodes:
            if node.kind == "input":
                types = (str(node.shapes[0]), str(node.dtypes[0]), str(node.ctx))
                made.inputs.setdefault(node.name or f"input {len(made.inputs)}", types)
                continue
            value = node.value
            made.nodes.append(
                _Node(
                    node.op or node.kind,
                    node.attrs,
                    report.line_of(node),
                    str(value.tolist()) if value is not None and value.size == 1 else None,
                )
            )
    return made


def _same_cell(old: _Compilation, new: _Compilation) -> bool:
    if old.lines == new.lines:
        return True
    alike = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False).ratio()
    if max(len(old.lines), len(new.lines)) <= 2:  # a short cell: by its letters
        text = difflib.SequenceMatcher(None, "\n".join(old.lines), "\n".join(new.lines))
        alike = max(alike, text.ratio() - 0.2)
    return alike >= _SAME_CELL


def _differences(old: _Compilation, new: _Compilation) -> list[Difference]:
    if old.programs == new.programs and old.options == new.options:
        return [Difference("cache", "program", None, None)]
    found = [*_of_options(old.options, new.options), *_of_code(old, new)]
    found += _of_inputs(old.inputs, new.inputs)
    if not any(d.kind in ("code", "constant") for d in found):
        found += _of_nodes(old.nodes, new.nodes, any(d.kind == "shape" for d in found))
    return found or [Difference("operations", "of the graph", "other order", "this order")]


def _of_options(old: Options, new: Options) -> Iterator[Difference]:
    for name in sorted({*old.without} ^ {*new.without}):
        change = (None, "given") if name in new.without else ("given", None)
        yield Difference("option", f"--no-{name}", *change)
    for name in _OPTIONS:
        before, after = getattr(old, name, None), getattr(new, name, None)
        if before != after:
            yield Difference("option", f"--{name}", _list(before), _list(after))


def _list(names: Any) -> str | None:
    if isinstance(names, (str, int)):
        return str(names)
    return ",".join(map(str, names)) if names else None


def _of_code(old: _Compilation, new: _Compilation) -> Iterator[Difference]:
    matcher = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    for what, a, a_end, b, b_end in matcher.get_opcodes():
        if what == "equal":
            continue
        for i in range(max(a_end - a, b_end - b)):
            before = old.lines[a + i].strip() if a + i < a_end else None
            after = new.lines[b + i].strip() if b + i < b_end else None
            if not before and not after:
                continue
            here = b + i < b_end
            line = (new.first_line + b if here else old.first_line + a) + i
            numbers = _changed_numbers(before, after)
            if numbers:
                for one, other in numbers:
                    yield Difference("constant", "number", one, other, line)
            else:
                yield Difference("code", f"line {line}", before, after, line)


def _changed_numbers(before: str | None, after: str | None) -> list[tuple[str, str]]:
    """The numbers that differ in two lines that are equal otherwise; else nothing."""
    if before is None or after is None:
        return []
    try:
        one, other = (
            [(t.type, t.string) for t in tokenize.generate_tokens(io.StringIO(s).readline)]
            for s in (before, after)
        )
    except (tokenize.TokenError, SyntaxError):
        return []
    changed = [(a, b) for a, b in zip(one, other) if a[1] != b[1]]
    numbers = all(kind == tokenize.NUMBER for pair in changed for kind, _ in pair)
    if len(one) != len(other) or not numbers:
        return []
    return [(a[1], b[1]) for a, b in changed]


def _of_inputs(
    old: dict[str, tuple[str, str, str]], new: dict[str, tuple[str, str, str]]
) -> Iterator[Difference]:
    for name in old.keys() & new.keys():
        for kind, before, after in zip(("shape", "dtype", "device"), old[name], new[name]):
            if before != after:
                yield Difference(kind, name, before, after)
    for name in sorted(old.keys() ^ new.keys()):
        was, now = (" ".join(x[name][1::-1]) if name in x else None for x in (old, new))
        yield Difference("input", name, was, now)


def _of_nodes(old: list[_Node], new: list[_Node], resized: bool) -> Iterator[Difference]:
    """Other values or attributes of the same operators; the first other operator."""
    for one, other in zip(old, new):
        if one.op != other.op:
            yield Difference("operations", "recorded", one.op, other.op, other.line)
            return
        if one.value != other.value and not resized:
            yield Difference("constant", one.op, one.value, other.value, other.line)
        for name, value in other.attrs.items():
            before = one.attrs.get(name)
            if before == value:
                continue
            if name in ("scalar", "value"):
                yield Difference("constant", one.op, str(before), str(value), other.line)
            else:
                what = f"{name} of {one.op}"
                yield Difference("attribute", what, str(before), str(value), other.line)
    if len(old) != len(new):
        longer = old[len(new) :] or new[len(old) :]
        more = f"{len(longer)} more, first {longer[0].op}"
        gone = len(old) > len(new)
        before, after = (more, None) if gone else (None, more)
        yield Difference("operations", "recorded", before, after, longer[0].line)


def sentence(report: Report) -> str:
    """How the cell's program was had, and why it was compiled if it was."""
    if report.replay == "skipped":
        return "skipped: the cell has no effects, so its program ran without its body"
    resized = [s for s in report.segments if s.compiled.resized]
    if resized and report.replay == "replayed":
        names = ", ".join(dict.fromkeys(d.name for d in report.options.dims))
        return f"replayed: the body ran; for another {names} its program was planned again"
    if report.replay == "replayed":
        return "replayed: the body ran, and its graph's hash found the program"
    if report.replay == "imperative":
        if any(loop.is_compiled for loop in report.units):
            return "no graph was recorded: loops ran compiled, the rest as written"
        how = "ran as written" if report.mode == "imperative" else "recorded no array"
        return f"nothing was compiled: it {how}"
    if report.differences is None:
        return "compiled: this cell was not compiled before"
    why = "; ".join(map(str, report.differences[:_TOLD]))
    if len(report.differences) > _TOLD:
        why += f"; and {len(report.differences) - _TOLD} more"
    if report.options.dims and any(d.kind in ("attribute", "constant") for d in report.differences):
        return f"compiled again, since an attribute depends on the size: {why}"
    return f"compiled again: {why}"


def explain(report: Report) -> str:
    """Text of ``%hybrid explain``: what was captured, compiled and left out, and why."""
    lines = [sentence(report)]
    if report.error:
        lines.insert(0, f"{report.error}; what follows is of what was recorded until then")
    if report.not_skipped and report.replay != "skipped":
        lines.append(f"not skipped: {report.not_skipped}")
    lines += [b.text for b in (*report.graph_breaks, *report.cuts)]
    if not report.graph_breaks and report.segments and not report.error:
        lines.append(captured_text(report))
    if report.took_s and report.loops_s:
        lines.append(f"took {times_text(report)}")
    lines += [loop.paragraph for loop in report.units]
    lines += report.net_texts
    for name, price in report.deferred:
        lines.append(f"{name} is deferred: reading it costs {price}")
    return "\n".join(lines)
