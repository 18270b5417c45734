"""What a report is made of: the cell's graph after each pass, and its kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..capture.compute import Segment
from .stage_inputs import find_inputs, given_to


@dataclass
class Kernel:
    """One kernel of the compiled cell: the nodes it computes and the lines they came from."""

    id: int
    op: str
    nodes: list[int]
    lines: list[int]
    text: str


def visible(stages: Sequence[Any]) -> list[Any]:
    """Those that a picture shows: the first, the plan, and what has changed something."""
    return [s for i, s in enumerate(stages) if i == 0 or s.changed or s.name == "plan"]


@dataclass
class ReportStage:
    """The cell's graph after one pass.

    ``graph`` joins the graphs of all segments; ``parts`` holds each by itself, whose nodes have
    ids that ``offsets`` were added to.
    """

    name: str
    label: str
    graph: Any
    changes: list[Any]
    changed: bool
    why_skipped: str
    parts: list[tuple[Segment, Any]] = field(repr=False, default_factory=list)
    namespace: dict[str, Any] = field(repr=False, default_factory=dict)
    offsets: list[int] = field(repr=False, default_factory=list)

    def run(self) -> dict[str, Any]:
        """Runs this stage's graph on the arrays that now have the names of the cell's inputs;
        output name -> NDArray. Raises MXNetError where one is gone."""
        results: dict[str, Any] = {}
        sources = find_inputs([segment for segment, _ in self.parts], self.namespace).sources
        made: list[Any] = []
        for index, (segment, graph) in enumerate(self.parts):
            values = graph.run(given_to(sources[index], made), segment.keys)
            made.append(values)
            for i, value in enumerate(values):
                name = graph.output_names[i] if i < len(graph.output_names) else ""
                results[name or f"segment{index}_output{i}"] = value
        return results

    @property
    def program(self) -> str:
        """The stage as Python-like text."""
        return self.program_with_nodes[0]

    @property
    def program_with_nodes(self) -> tuple[str, list[int]]:
        """The same text, and for each of its lines the node that it computes, of a fused node's
        the member; -1 for none."""
        texts, all_nodes = [], []
        for (_, graph), offset in zip(self.parts, self.offsets, strict=True):
            text, nodes = graph.program_with_nodes
            texts.append(text)
            all_nodes += [-1] * (len(texts) > 1)  # an empty line between the parts
            all_nodes += [node if node < 0 else node + offset for node in nodes]
        return "\n".join(texts), all_nodes


@dataclass
class ShiftedChange:
    """What a pass did, with the node's number in the joined graph."""

    node: int
    action: str
    into: int | None
    why: str
    step: int  # of the joined graph's rewrites; -1: of none
    rule: str


def shifted(changes: Iterable[Any], offset: int, steps: int) -> list[ShiftedChange]:
    """Changes of a part whose nodes begin at ``offset``; ``steps`` rewrites were done before."""
    return [
        ShiftedChange(
            c.node + offset,
            c.action,
            None if c.into is None else c.into + offset,
            c.why,
            c.step + steps if c.step >= 0 else -1,
            c.rule,
        )
        for c in changes
    ]
