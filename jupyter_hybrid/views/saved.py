"""What an output takes in a notebook's file: at most :attr:`Limit.bytes`.

A large spec is saved compressed. What is still too much goes, the least needed first: the viewer as
HTML, stages between, texts and reasons, the spec itself. The picture says so, and a page that is
open on the kernel gets all of it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any

from . import linked
from .packed import packed
from .page import compressed, fragment
from .schema import MIME, Spec

_PLAIN = 64 * 1024  # characters of JSON that stay as they are
_INDENT = 12  # characters of a line break in a notebook's file, where each number has a line


class Limit:
    """Of one output, in bytes; ``%hybrid output`` sets it."""

    bytes = 2 << 20


limit = Limit()


def forms(spec: Spec, data: dict[str, Any], still: str, words: str) -> dict[str, Any]:
    """What needs no kernel: our JSON, the viewer as HTML, SVG and text.

    Args:
        data: the packed spec.
        still: its SVG.
        words: its text.
    """
    bundle, takes = _bundle(data, still, words)
    if takes <= limit.bytes:
        return bundle
    for smaller, lost in _smaller(spec):
        note = _note(lost, takes)
        bundle, now = _bundle(packed(_with_note(smaller, note)), still, words)
        if now <= limit.bytes:
            break
    else:
        note = _note("shows a still picture alone", takes)
        text = f"{words}\n{note}"
        bundle = {"text/html": f"{still}<p>{html.escape(note)}</p>", "text/plain": text}
    if linked.is_drawn():
        linked.tell_whole(_with_note(spec, note))
    return bundle


def _bundle(data: dict[str, Any], still: str, words: str) -> tuple[dict[str, Any], int]:
    """The forms, and how many bytes they take; without HTML where the viewer is too much."""
    text = json.dumps(data)
    tight = compressed(text, 1)
    plain = len(text) <= _PLAIN
    outline = {key: data[key] for key in ("version", "id", "title")}
    saved = data if plain else {**outline, "gzip": tight}
    size = len(text) + _INDENT * text.count(",") if plain else len(tight)
    size += len(still.encode()) + len(words.encode())
    page = fragment(tight, still, limit.bytes - size)
    bundle = {MIME: saved, "image/svg+xml": still, "text/plain": words}
    if page:
        bundle["text/html"] = page
    return bundle, size + len(page.encode())


def _smaller(spec: Any) -> Iterator[tuple[Any, str]]:
    """Specs with ever less, and what each does."""
    last = len(spec["stages"]) - 1
    first_shown = spec["initial"]["stage"]
    seen: set[int] = set()
    for keep in ({0, first_shown, last}, {0, last}):
        if len(keep) <= last and len(keep) != len(seen):
            seen = keep
            yield _of_stages(spec, sorted(keep)), f"holds {len(keep)} of {last + 1} stages"
    bare = _of_stages(spec, sorted({0, last}))
    bare["stages"] = [_bare(stage) for stage in bare["stages"]]
    yield bare, f"holds {len(bare['stages'])} of {last + 1} stages, without program and reasons"


def _of_stages(spec: Any, keep: list[int]) -> Any:
    """The stages that are kept; each also has the changes of those left out before it."""
    stages, before = [], -1
    for index in keep:
        stage = dict(spec["stages"][index])
        for left_out in reversed(spec["stages"][before + 1 : index] if before >= 0 else []):
            stage["changes"] = _after(left_out["changes"], stage["changes"])
        stages.append(stage)
        before = index
    shown = min(range(len(keep)), key=lambda i: abs(keep[i] - spec["initial"]["stage"]))
    return {**spec, "stages": stages, "initial": {**spec["initial"], "stage": shown}}


def _after(earlier: list[Any], later: list[Any]) -> list[Any]:
    """Changes one after the other, with their steps: what went into a node that went on went
    there."""
    went = {c["node"]: c["into"] for c in later if c["into"] is not None}
    first = 1 + max((c["step"] for c in earlier), default=-1)
    return [{**c, "into": went.get(c["into"], c["into"])} for c in earlier] + [
        {**c, "step": c["step"] + first if c["step"] >= 0 else -1} for c in later
    ]


def _bare(stage: dict[str, Any]) -> dict[str, Any]:
    nodes = [{**node, "code": "", "body": ""} for node in stage["graph"]["nodes"]]
    return {
        **stage,
        "graph": {**stage["graph"], "nodes": nodes},
        "changes": [{**change, "why": ""} for change in stage["changes"]],
        "program": "",
        "program_nodes": [],
        "kernels": [],
    }


def _with_note(spec: Any, note: str) -> Any:
    return {**spec, "notes": [*spec["notes"], note]}


def _note(lost: str, takes: int) -> str:
    return (
        f"as saved, this output {lost}: the whole would take {takes / 2**20:.1f} MB of the "
        f"{limit.bytes / 2**20:g} MB that an output may (%hybrid output MB)"
    )
