"""Which groups a picture opens at first: of small graphs all, of large ones until it is full."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from .group_paths import GIVEN
from .schema import Graph, Group, Stage

MANY = 60  # a graph of more nodes opens collapsed, to at most about as many cards
FEW = 6  # cards below which repeats are opened, too


def is_made(node: Mapping[str, Any]) -> bool:
    """False for inputs and constants, which nothing computes."""
    return node["kind"] not in GIVEN


def chain(groups: Sequence[Group], group: int | None) -> list[int]:
    """A group and those around it, outermost first."""
    around: list[int] = []
    while group is not None:
        around.append(group)
        group = groups[group]["parent"]
    return around[::-1]


def made_in(graph: Graph, groups: list[Group]) -> list[int]:
    """For each group, how many operators of a stage it holds."""
    counts = [0] * len(groups)
    for node in graph["nodes"]:
        if node["group"] is not None and is_made(node):
            counts[node["group"]] += 1
    for group in reversed(range(len(groups))):  # a parent stands before its children
        parent = groups[group]["parent"]
        if parent is not None:
            counts[parent] += counts[group]
    return counts


def outermost(stages: list[Stage], groups: list[Group]) -> list[Group]:
    """The groups that a small graph is drawn with: parts of the cell, and the outermost blocks.

    Renumbers the nodes' groups in place."""
    kept: dict[int, int] = {}
    nearest: list[int | None] = []
    chosen: list[Group] = []
    for i, group in enumerate(groups):
        around = None if group["parent"] is None else nearest[group["parent"]]
        in_block = around is not None and chosen[around]["kind"] == "block"
        if group["kind"] == "part" or (group["kind"] == "block" and not in_block):
            kept[i] = len(chosen)
            chosen.append({**group, "parent": around})
        nearest.append(kept.get(i, around))
    for stage in stages:
        for node in stage["graph"]["nodes"]:
            node["group"] = None if node["group"] is None else nearest[node["group"]]
    return chosen


def opening(graph: Graph, groups: list[Group], fold: bool) -> list[int]:
    """The groups to open: level by level while there are few cards; repeats stay closed
    where enough else is seen.

    Args:
        graph: of the first stage.
        fold: parameters stand on their operators' cards.
    """
    drawn = [n for n in graph["nodes"] if not (fold and n["host"] is not None)]
    inner: dict[int | None, set[int]] = defaultdict(set)
    cards: dict[int | None, int] = defaultdict(int)
    made = made_in(graph, groups)
    for node in drawn:
        around = None
        for group in chain(groups, node["group"]):
            if made[group] > 1:
                inner[around].add(group)
                around = group
        cards[around] += 1
    if len(drawn) <= MANY:
        return sorted(set().union(*inner.values()))

    def size(group: int | None) -> int:
        return cards[group] + len(inner[group])

    total = size(None)
    opened: list[int] = []
    queue, repeats = deque(sorted(inner[None])), deque[int]()
    while queue or (repeats and total < FEW):
        wanted = not queue  # a repeat is opened where next to nothing would be seen
        group = repeats.popleft() if wanted else queue.popleft()
        if groups[group]["kind"] == "repeat" and not wanted:
            repeats.append(group)
        elif total - 1 + size(group) <= MANY:
            opened.append(group)
            total += size(group) - 1
            if not wanted:  # its passes are alike: none is opened alone
                queue += sorted(inner[group])
    return sorted(opened)
