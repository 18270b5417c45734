"""Groups: what a large picture is folded into, decided once and for all of its stages.

Block, scope, line of the cell, beginning of a name; repeated blocks and rolled-out loops as one;
and where nothing is known, runs of operators. The browser opens and closes groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from . import schema
from .group_labels import again
from .group_paths import GIVEN, paths
from .group_tree import Group, Tree
from .hosts import Readers
from .schema import Graph, Node, Stage

_FEW_INPUTS = 8  # so many stand before everything: what a block reads comes from outside


def assign_groups(stages: list[Stage], segments: list[str]) -> list[schema.Group]:
    """Sets ``group`` and ``host`` of every node of these stages.

    ``group`` is the index of the innermost group or None, ``host`` the id of the operator on whose
    card the parameter may be written, or None. In the first stage, groups as boxes give a picture
    without cycles on every level; a kernel of a later stage may stand between two of them and can
    close a cycle.

    Args:
        stages: of a spec.
        segments: labels of the segments of its cell.

    Returns:
        ``{"label", "kind", "parent"}`` of each group, a parent before its children.
    """
    if not stages:
        return []
    graph = stages[0]["graph"]
    steps, by_line = paths(graph, segments)
    arity = Counter(e["dst"] for e in graph["edges"] if e["kind"] == "data")
    tree = Tree(steps, arity, by_line)
    groups = Groups(tree)
    readers = Readers(graph)
    place = {node["id"]: i for i, node in enumerate(tree.nodes)}
    data = [n for n in graph["nodes"] if n["kind"] == "input" and n["id"] not in readers.hosts]
    for node in graph["nodes"]:
        if node["kind"] in GIVEN:
            groups.of[node["id"]] = _of_given(node, groups, readers, place)
    for node in data if len(data) <= _FEW_INPUTS else ():
        groups.of[node["id"]] = groups.part(groups.of[node["id"]])
    for node in graph["nodes"]:
        node["group"] = groups.of[node["id"]]
        node["host"] = readers.hosts.get(node["id"])
    given = {node["id"] for node in graph["nodes"] if node["kind"] in GIVEN}
    for stage in stages[1:]:
        _later(stage, groups, readers.hosts, given)
    return groups.listed


class Groups:
    """The groups of a tree as a list.

    Attributes:
        listed: as in the spec.
        of: group of every node, by id.
    """

    def __init__(self, tree: Tree):
        self.listed: list[schema.Group] = []
        self.of: dict[int, int | None] = {}
        self._depths: list[int] = []
        self._list(tree, tree.root, None, 0)

    def _list(self, tree: Tree, group: Group, parent: int | None, depth: int) -> None:
        calls: Counter[Any] = Counter()
        for child in group.children:
            if not isinstance(child, Group):
                self.of[tree.nodes[child]["id"]] = parent
                continue
            label = child.label
            if child.key.kind == "block":
                calls[child.key] += 1
                label = again(label, calls[child.key])
            self.listed.append({"label": label, "kind": child.kind, "parent": parent})
            self._depths.append(depth)
            self._list(tree, child, len(self.listed) - 1, depth + 1)

    def common(self, groups: Iterable[int | None]) -> int | None:
        """The innermost group that holds all of these; None when only the picture does."""
        found: int | None = None
        for i, group in enumerate(groups):
            found = group if i == 0 else self._common(found, group)
            if found is None:
                return None
        return found

    def part(self, group: int | None) -> int | None:
        """The part of the cell that a group is in; None outside of parts."""
        while group is not None and self.listed[group]["kind"] != "part":
            group = self.listed[group]["parent"]
        return group

    def _common(self, a: int | None, b: int | None) -> int | None:
        while a != b:
            if a is None or b is None:
                return None
            if self._depths[a] >= self._depths[b]:
                a = self.listed[a]["parent"]
            else:
                b = self.listed[b]["parent"]
        return a


def _of_given(node: Node, groups: Groups, readers: Readers, place: dict[int, int]) -> int | None:
    """An input or constant stands with its first reader; data that is read in several places
    stands before them."""
    id = node["id"]
    if id not in readers.all:
        return None
    everyone = sorted(readers.all[id], key=place.__getitem__)
    own = sorted(readers.own.get(id, ()), key=place.__getitem__) or everyone[:1]
    shared = node["kind"] == "input" and id not in readers.hosts
    found = groups.common(groups.of[i] for i in (own if shared else own[:1]))
    # Whoever reads it comes behind the first reader: a group with that one closes no cycle.
    first = groups.of[everyone[0]]
    return found if groups.common((found, first)) == found else groups.common((found, first))


def _later(stage: Stage, groups: Groups, hosts: dict[int, int], given: set[int]) -> None:
    """A node keeps its group; a new one stands in the innermost that holds all it is made of."""
    graph = stage["graph"]
    new = [node for node in graph["nodes"] if node["id"] not in groups.of]
    if new:
        made_of: dict[int, list[int]] = {
            n["id"]: [*(m["id"] for m in n["members"]), *n["origins"]] for n in new
        }
        for change in stage["changes"]:
            if change["into"] in made_of:
                made_of[change["into"]].append(change["node"])
        _place(new, made_of, graph, groups)
    for node in graph["nodes"]:
        node["group"] = groups.of[node["id"]]
        node["host"] = None
    _later_hosts(graph, hosts, given)


def _place(
    new: list[Node],
    made_of: dict[int, list[int]],
    graph: Graph,
    groups: Groups,
) -> None:
    of = groups.of
    rest: list[Node] = []
    for node in new:
        known = [of[i] for i in made_of[node["id"]] if i in of]
        if known:
            of[node["id"]] = groups.common(known)
        else:
            rest.append(node)
    if not rest:
        return
    alone = {n["id"] for n in rest}
    made = {n["id"] for n in graph["nodes"] if n["kind"] not in GIVEN}
    sources: dict[int, list[int]] = {}
    targets: dict[int, list[int]] = {}
    for edge in graph["edges"]:
        if edge["dst"] in alone and edge["src"] in made:
            sources.setdefault(edge["dst"], []).append(edge["src"])
        if edge["src"] in alone:
            targets.setdefault(edge["src"], []).append(edge["dst"])
    for row, near in ((rest, sources), (rest[::-1], targets)):
        for node in row:
            known = [of[i] for i in near.get(node["id"], ()) if i in of]
            if known and node["id"] not in of:
                of[node["id"]] = groups.common(known)
    for node in rest:
        of.setdefault(node["id"], None)


def _later_hosts(graph: Graph, hosts: dict[int, int], given: set[int]) -> None:
    """Hosts by the first stage, where what has become of them reads the parameter still."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    for edge in graph["edges"] if hosts else ():
        host = hosts.get(edge["src"])
        if host is not None:
            reader = nodes[edge["dst"]]
            if (
                edge["dst"] == host
                or host in reader["origins"]
                or any(m["id"] == host for m in reader["members"])
            ):
                nodes[edge["src"]]["host"] = edge["dst"]
    fresh = {i for i, n in nodes.items() if n["kind"] in GIVEN} - given
    if fresh:  # such as weights with a batch norm folded in
        found = Readers(graph).hosts
        for i in fresh & found.keys():
            nodes[i]["host"] = found[i]
