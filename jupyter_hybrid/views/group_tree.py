"""The tree of a graph's groups: grown from paths, then tidied until each level can be read.

What stands alone is taken out of its group, repeats become one group, long rows are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from .group_labels import joined, label_of_passes, label_of_range, label_of_run, stem
from .group_paths import Key, Path, Step
from .repeats import alike, periods
from .schema import GroupKind

MOST = 40  # children of one group
_ROUNDS = 16  # of repeats of repeats


@dataclass
class Group:
    """A group; its children are groups and places of operators in the order."""

    key: Key
    children: list[Group | int] = field(default_factory=list)
    label: str = ""
    kind: GroupKind = "range"
    made: int = 0  # operators in it
    first: int = 0  # of them, in the order
    last: int = 0
    sign: int = 0  # equal for groups of the same structure
    repeats: bool = False  # holds a repeat

    def __post_init__(self) -> None:
        self.label, self.kind = self.key.label, self.key.kind


class Tree:
    """The groups of these steps; ``root`` is the picture itself.

    Args:
        steps: made nodes with their paths, in order.
        arity: how many values each node reads, by id.
        by_line: lines of a cell tell operators apart.
    """

    def __init__(self, steps: Sequence[Step], arity: dict[int, int], by_line: bool):
        self.nodes = [node for node, _ in steps]
        self._lines: list[int | None] = [
            n["line"] if by_line and n["scope"] in ("", "backward") else None for n in self.nodes
        ]
        self._known: dict[tuple[Any, ...], int] = {}
        # A loop comes back to its lines; lines that only look alike stay as the user wrote them.
        self._signs = [
            self._sign((n["op"], n["kind"], arity.get(n["id"], 0), line))
            for n, line in zip(self.nodes, self._lines, strict=True)
        ]
        self.root = Group(Key("range", None, ""))
        self._grow(steps)
        self._tidy(self.root)
        top = self.root.children
        while len(top) == 1 and isinstance(top[0], Group) and top[0].kind != "repeat":
            top = top[0].children  # the picture shall not open on a single box
        self.root.children = top

    def _grow(self, steps: Sequence[Step]) -> None:
        stack = [self.root]
        current: Path = ()
        for i, (_, path) in enumerate(steps):
            if path is not current and path != current:
                common = 0
                while common < min(len(path), len(current)) and path[common] == current[common]:
                    common += 1
                del stack[common + 1 :]
                for key in path[common:]:
                    group = Group(key)
                    stack[-1].children.append(group)
                    stack.append(group)
                current = path
            stack[-1].children.append(i)

    def _tidy(self, group: Group) -> None:
        children: list[Group | int] = []
        for child in group.children:
            if isinstance(child, Group):
                self._tidy(child)
                if child.made < 2:
                    children += child.children
                    continue
            children.append(child)
        group.children = self._cut(self._folded(children))
        only = group.children[0] if len(group.children) == 1 else None
        if isinstance(only, Group) and group is not self.root and group.kind != "part":
            group.label, group.children = joined(group, only), only.children
            group.kind = only.kind if only.kind == "repeat" else group.kind
        self._measured(group)

    def _measured(self, group: Group) -> Group:
        children = group.children
        if children:
            group.first, group.last = _first(children[0]), _last(children[-1])
        group.made = group.last + 1 - group.first
        group.sign = self._sign((group.kind, *map(self._sign_of, children)))
        group.repeats = group.kind == "repeat" or any(
            isinstance(c, Group) and c.repeats for c in children
        )
        return group

    def _sign(self, structure: tuple[Any, ...]) -> int:
        return self._known.setdefault(structure, len(self._known))

    def _sign_of(self, child: Group | int) -> int:
        return child.sign if isinstance(child, Group) else self._signs[child]

    # Repeats --------------------------------------------------------------------------------------
    def _folded(self, children: list[Group | int]) -> list[Group | int]:
        for _ in range(_ROUNDS):
            children = self._alike(children)
            found = periods(
                [self._sign_of(c) for c in children],
                [c.made if isinstance(c, Group) else 0 for c in children],
                [self._lines[_first(c)] for c in children],
            )
            if not found:
                break
            kept: list[Group | int] = []
            done = 0
            for start, period, times in found:
                kept += children[done:start]
                done = start + period * times
                passes = [children[i : i + period] for i in range(start, done, period)]
                kept.append(self._loop(passes))
            children = kept + children[done:]
        return children

    def _loop(self, passes: list[list[Group | int]]) -> Group:
        label = label_of_passes(
            [[c.label if isinstance(c, Group) else self.nodes[c]["op"] for c in p] for p in passes],
            self._lines[_first(passes[0][0]) : _last(passes[0][-1]) + 1],
        )
        steps: list[Group | int] = [
            self._measured(Group(Key("step", None, f"step {i + 1}"), p))
            for i, p in enumerate(passes)
        ]
        return self._measured(Group(Key("repeat", None, label), self._cut(steps)))

    def _alike(self, children: list[Group | int]) -> list[Group | int]:
        """With runs of groups of the same structure as one group each."""
        kept: list[Group | int] = []
        done = 0
        for start, end in alike([self._sign_of(c) for c in children]):
            run = [c for c in children[start:end] if isinstance(c, Group)]
            labels = [g.key.label for g in run]
            # Two say more by their names where these differ, as an encoder and a decoder, or
            # where they are stages of repeated blocks.
            if not run or (len(run) == 2 and (run[0].repeats or stem(labels) is None)):
                continue
            key = Key("repeat", *label_of_run(labels))
            kept += children[done:start]
            kept.append(self._measured(Group(key, self._cut(list(run)))))
            done = end
        return kept + children[done:]

    # Long rows ------------------------------------------------------------------------------------
    def _cut(self, children: list[Group | int]) -> list[Group | int]:
        """At most ``MOST`` children: runs of about equal size, and runs of runs of very many."""
        n = len(children)
        if n <= MOST:
            return children
        size = MOST
        while size * MOST < n:
            size *= MOST
        count = -(-n // size)
        ends = [n * i // count for i in range(count + 1)]
        return [self._range(children[a:b]) for a, b in pairwise(ends)]

    def _range(self, children: list[Group | int]) -> Group:
        first, last = _first(children[0]), _last(children[-1])
        steps = [c.label for c in children if isinstance(c, Group) and c.kind == "step"]
        kind, label = label_of_range(first, last, self._lines[first : last + 1], steps)
        return self._measured(Group(Key(kind, None, label), self._cut(children)))


def _first(child: Group | int) -> int:
    return child.first if isinstance(child, Group) else child


def _last(child: Group | int) -> int:
    return child.last if isinstance(child, Group) else child
