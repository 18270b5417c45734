"""What every node of a stage computes, and the operators inside its fused kernels.

A kernel keeps what is inside it in registers. The stage before it was fused has the same operators
as nodes: their values are told where that stage gives the kernel's results bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..array_bytes import nbytes
from .node_values import MOST_BYTES, Closed, NodeValue, Values, bytes_of, entries_of, figures
from .stage_difference import same_bits
from .stage_inputs import find_inputs, given_to
from .stage_program import FREE, Bounds, check_length
from .stages import visible

if TYPE_CHECKING:
    from .report import Report
    from .stages import ReportStage

Entry = tuple[int, int]  # (node, output)


def values_of(report: Report, name: str, bounds: Bounds = FREE) -> Values:
    """Figures of what each node of a stage gives, in running order; the operators of a kernel stand
    before it.

    Raises:
        MXNetError: an input is gone, or all values together are too large to be held.
    """
    stage = report.stage(name)
    sources = find_inputs(report.segments, report.namespace).sources
    made: list[list[Any]] = []
    found = Values()
    for part in range(len(stage.parts)):
        given = given_to(sources[part], made)
        one = _Part(report, stage, part, given, bounds)
        found += one.values()
        found.closed += one.closed
        made.append([one.arrays[entry] for entry in stage.parts[part][1].outputs])
    return found


class _Part:
    """One part of a cell at a stage, computed with all that it has."""

    def __init__(
        self, report: Report, stage: ReportStage, part: int, given: list[Any], bounds: Bounds
    ):
        self._given, self._bounds, self._part = given, bounds, part
        self._keys = stage.parts[part][0].keys
        self._graph, self._offset = stage.parts[part][1], stage.offsets[part]
        before = visible(report.stages[: report.stages.index(stage)])
        self._before = [(s.label, s.parts[part][1]) for s in reversed(before)]
        self.closed: list[Closed] = []
        self.arrays = self._computed(self._graph, entries_of(self._graph))

    def values(self) -> Iterator[NodeValue]:
        inside = self._inside()
        called = self._graph.value_names()
        for node in self._graph.nodes:
            yield from inside.get(node.id, ())
            self._bounds.go_on()
            for out, label in enumerate(called[node.id][: len(node.shapes)]):
                yield figures(node, out, self._offset, label, self.arrays[node.id, out])

    def _computed(self, graph: Any, entries: list[Entry]) -> dict[Entry, Any]:
        self._bounds.go_on()
        program = graph.with_values(entries).program(self._given, training=True, share=False)
        check_length(program, self._bounds)
        made = program.run(self._given, self._keys, recorded=True)
        arrays = dict(zip(entries, made, strict=True))
        arrays |= {(i, 0): array for i, array in zip(graph.inputs, self._given, strict=True)}
        arrays |= {(n.id, 0): n.value for n in graph.nodes if n.kind == "constant"}
        return arrays

    def _inside(self) -> dict[int, list[NodeValue]]:
        """By kernel the values of its operators, where they are known."""
        kernels = [n for n in self._graph.nodes if n.kind == "fused" and len(n.members) > 1]
        by_stage: dict[str, tuple[Any, list[Any]]] = {}
        for kernel in kernels:
            source = self._source(kernel)
            if source is None:
                self._close(kernel, "no stage has its operators as nodes")
            else:
                by_stage.setdefault(source[0], (source[1], []))[1].append(kernel)
        found: dict[int, list[NodeValue]] = {}
        for label, (graph, of_stage) in by_stage.items():
            found |= self._opened(label, graph, of_stage)
        return found

    def _source(self, kernel: Any) -> tuple[str, Any] | None:
        """The last stage in which its operators were nodes, by label, and its graph."""
        members = {m.id for m in kernel.members}
        for label, graph in self._before:
            if members <= {n.id for n in graph.nodes if n.kind != "fused"}:
                return label, graph
        return None

    def _opened(self, label: str, graph: Any, kernels: list[Any]) -> dict[int, list[NodeValue]]:
        nodes = {n.id: n for n in graph.nodes}
        members = [nodes[m.id] for kernel in kernels for m in kernel.members]
        size = bytes_of(members) + sum(nbytes(a.shape, a.dtype) for a in self.arrays.values())
        if size > MOST_BYTES:
            for kernel in kernels:
                self._close(kernel, f"with them all values together would take {size:,} bytes")
            return {}
        entries = [(n.id, out) for n in members if n.kind == "op" for out in range(len(n.shapes))]
        arrays = self._computed(graph, entries)
        called = graph.value_names()
        found: dict[int, list[NodeValue]] = {}
        for kernel in kernels:
            if not self._gives_the_same(kernel, arrays):
                self._close(kernel, f"“{label}” gives other results")
                continue
            found[kernel.id] = [
                figures(
                    nodes[m.id],
                    out,
                    self._offset,
                    name,
                    arrays[m.id, out],
                    kernel=kernel.id + self._offset,
                    stage=label,
                )
                for m in kernel.members
                for out, name in enumerate(called[m.id][: len(nodes[m.id].shapes)])
            ]
        return found

    def _gives_the_same(self, kernel: Any, before: dict[Entry, Any]) -> bool:
        pairs: Iterable[tuple[Any, Any]] = (
            (self.arrays[kernel.id, out], before[entry])
            for out, entry in enumerate(kernel.member_outputs)
        )
        return all(same_bits(a.asnumpy(), b.asnumpy()) for a, b in pairs)

    def _close(self, kernel: Any, why: str) -> None:
        self.closed.append(Closed(kernel.id + self._offset, why))
