"""Graphs with nodes that Python computes: run node by node on the calling thread."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import _core
from .._core import MXNetError
from ..custom_call import CustomCall


def executable(graph: Any, **options: Any) -> Any:
    """What runs a graph: compiled programs or, where a node is Custom, its operators in turn."""
    if any(node.op == "Custom" for node in graph.nodes):
        return HostGraph(graph)
    return _core.CachedGraph(graph, **options)


class HostGraph:
    """Stands in the place of a CachedGraph: every operator runs, and is recorded, by itself."""

    num_programs = 0

    def __init__(self, graph: Any):
        self.graph = graph
        self._calls = {
            node.id: CustomCall.decoded(node.attrs["op_type"], node.attrs["arguments"])
            for node in graph.nodes
            if node.op == "Custom"
        }

    def call(self, inputs: list[Any]) -> list[Any]:
        """The outputs for arrays in the order of ``graph.inputs``."""
        values: dict[tuple[int, int], Any] = {
            (node, 0): array for node, array in zip(self.graph.inputs, inputs, strict=True)
        }
        for node in self.graph.nodes:
            if node.kind == "constant":
                values[node.id, 0] = node.value
            if node.kind != "op":
                continue
            arguments = [values[entry] for entry in map(tuple, node.inputs)]
            if node.id in self._calls:
                made = self._calls[node.id].run(arguments)
            else:
                made = _core.invoke_core(node.op, arguments, node.attrs)
            for i, array in enumerate(made if isinstance(made, list) else [made]):
                values[node.id, i] = array
        return [values[entry] for entry in map(tuple, self.graph.outputs)]

    def report(self, training: bool = False, with_gradient: bool = False) -> NoReturn:
        """There is no program to show."""
        names = ", ".join(sorted({str(call.op_type) for call in self._calls.values()}))
        raise MXNetError(
            f"the graph runs node by node, not as a program: it has custom operators ({names}), "
            "which Python computes"
        )
