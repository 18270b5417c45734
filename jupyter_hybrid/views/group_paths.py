"""Where each operator of a graph belongs: part, scopes, line or name, from the outside in.

Operators and effects are "made" nodes here. A path is what the groups around a made node are made
from (:mod:`.group_tree`), and the order is the one in which groups are intervals: since it is
topological, a picture in which each group is one box has no cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from .. import _core
from .group_labels import short
from .schema import Edge, Graph, GroupKind, Node

GIVEN = ("input", "constant")
_DEEPEST = 40  # nobody opens more boxes than that to see one operator


class Key(NamedTuple):
    """One group on a path."""

    kind: GroupKind
    of: Any  # a segment, a scope's name, a line, a token: what sets it apart from its siblings
    label: str
    joint: str = " / "  # between its label and that of an only child


Path = tuple[Key, ...]
Step = tuple[Node, Path]


def is_gradient(scope: str) -> bool:
    return scope == "backward" or scope.startswith("backward/")


def paths(graph: Graph, segments: list[str]) -> tuple[list[Step], bool]:
    """The made nodes of a stage's graph, each with its path, in the order of their groups.

    Returns:
        The nodes, and whether lines of a cell tell them apart.
    """
    made = [n for n in graph["nodes"] if n["kind"] not in GIVEN]
    by_line, named = _what_tells(made)
    if not named:
        steps = _by_name(made, segments)
    else:
        steps = _by_scope(made, segments, by_line, graph["edges"])
    return steps, by_line


def _what_tells(made: list[Node]) -> tuple[bool, bool]:
    """Whether lines tell made nodes apart, and whether lines or scopes do."""
    scopes = {n["scope"] for n in made}
    tops = {s.partition("/")[0] for s in scopes if s}
    lines = {n["line"] for n in made if n["line"] and n["scope"] in ("", "backward")}
    by_line = bool(lines) and len(tops) + len(lines) > 1
    return by_line, by_line or bool(tops)


def _outermost(segments: list[str], node: Node) -> Path:
    if len(segments) < 2:
        return ()
    return (Key("part", node["segment"], segments[node["segment"]].partition(",")[0]),)


# Scopes and lines ---------------------------------------------------------------------------------
def _by_scope(
    made: list[Node], segments: list[str], by_line: bool, edges: list[Edge]
) -> list[Step]:
    known: dict[tuple[int, str, int | None], Path] = {}
    of: dict[int, Path] = {}
    loose: set[int] = set()
    for node in made:
        scope = node["scope"]
        line = node["line"] if by_line and scope in ("", "backward") else None
        if not scope and line is None and (by_line or node["op"] == "identity"):
            loose.add(node["id"])  # such as the identity of a moving average
            continue
        key = (node["segment"], scope, line)
        path = known.get(key)
        if path is None:
            path = _outermost(segments, node) + _scopes(scope)
            if line is not None:
                path += (Key("line", line, short(node["code"]) or f"line {line}"),)
            known[key] = path
        of[node["id"]] = path
    return list(_with_loose(made, of, loose, edges))


def _scopes(scope: str) -> Path:
    """``net0/net0_dense0``: a block within a block, labelled without what both begin with."""
    found: list[Key] = []
    outer: list[str] = []
    for name in scope.split("/"):
        # A block without a prefix of its own has its parent's name: no group within the group.
        if not name or name in outer[-1:] or len(found) == _DEEPEST:
            continue
        begins = next((o + "_" for o in reversed(outer) if name.startswith(o + "_")), "")
        found.append(Key("block", name, name[len(begins) :] or name))
        outer.append(name)
    return tuple(found)


def _with_loose(
    made: list[Node], of: dict[int, Path], loose: set[int], edges: list[Edge]
) -> Iterator[Step]:
    """The order as recorded, but what has neither scope nor line stands behind its latest source.
    It interrupts no group there, and the order stays topological."""
    sources: dict[int, list[int]] = {}
    for edge in edges if loose else ():
        if edge["dst"] in loose:
            sources.setdefault(edge["dst"], []).append(edge["src"])
    anchor: dict[int, int] = {}  # the place of the node that each stands at or behind
    behind: dict[int, list[Node]] = {}
    for i, node in enumerate(made):
        known = [anchor[s] for s in sources.get(node["id"], ()) if s in anchor]
        place = anchor[node["id"]] = max(known, default=i)
        if place != i:
            behind.setdefault(place, []).append(node)
    path: Path = ()
    for i, node in enumerate(made):
        if anchor[node["id"]] == i:
            path = of.get(node["id"], path)
            yield node, path
            for other in behind.get(i, ()):
                yield other, path


# Names --------------------------------------------------------------------------------------------
def _by_name(made: list[Node], segments: list[str]) -> list[Step]:
    """By what names begin with: ``layer1/block0/conv1``. A node whose name says nothing belongs
    where both its neighbours do."""
    tokens = [_tokens(n["name"]) for n in made]
    if not any(tokens):
        return [(n, _outermost(segments, n)) for n in made]
    after: list[Path] = [()] * len(made)
    following: Path = ()
    for i in range(len(made) - 1, -1, -1):
        following = after[i] = following if tokens[i] is None else tokens[i] or ()
    steps: list[Step] = []
    before: Path = ()
    for node, own, following in zip(made, tokens, after, strict=True):
        before = _common(before, following) if own is None else own
        steps.append((node, _outermost(segments, node) + before))
    return steps


def _tokens(name: str) -> Path | None:
    """The groups a name asks for; None when it is only an operator's, counted."""
    if not name or name.rstrip("0123456789_").lstrip("_").lower() in _operators():
        return None
    joint = next((j for j in "/." if j in name), "_")
    tokens = [t for t in name.split(joint) if t][:-1]
    return tuple(Key("prefix", t, t, joint) for t in tokens[:_DEEPEST])


@cache
def _operators() -> frozenset[str]:
    """What operators are called here and in MXNet, as counted names begin with it."""
    tables: tuple[Callable[[], list[dict[str, Any]]], ...] = (_core.op_table, _core.mx_table)
    names = {row["name"].lower() for table in tables for row in table()}
    return frozenset(n.strip("_") for n in names) | {"plus", "minus", "fwd"}


def _common(a: Path, b: Path) -> Path:
    n = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    return (a if len(a) < len(b) else b) if n is None else a[:n]
