"""Hosts: the one operator on whose card a parameter can be written, and who reads what is given."""

from __future__ import annotations

from functools import cache

from .. import _core
from .group_paths import GIVEN, is_gradient
from .schema import Graph, Node

_PARAMETERS = {
    "weight", "bias", "gamma", "beta", "running_mean", "running_var", "moving_mean",
    "moving_var", "parameters", "alpha",
}  # fmt: skip


@cache
def _arguments() -> dict[str, list[str]]:
    return {op["name"]: [i["name"] for i in op["inputs"]] for op in _core.op_table()}


class Readers:
    """Who reads the inputs and constants of a stage's graph.

    Attributes:
        all: the readers of each, by id.
        own: those of them that use it, neither for a gradient nor to update it.
        hosts: the operator of each parameter that has exactly one such reader.
    """

    def __init__(self, graph: Graph):
        nodes = {n["id"]: n for n in graph["nodes"]}
        given = {i for i, n in nodes.items() if n["kind"] in GIVEN}
        scopes = {s for s in {n["scope"] for n in graph["nodes"]} if is_gradient(s)}
        gradient = {i for i, n in nodes.items() if n["scope"] in scopes} if scopes else set()
        trained = _trained(graph, gradient)
        self.all: dict[int, list[int]] = {}
        self.own: dict[int, list[int]] = {}
        self.hosts: dict[int, int] = {}
        states: dict[int, int] = {}
        for edge in graph["edges"]:
            source, target = edge["src"], edge["dst"]
            if source not in given:
                continue
            self.all.setdefault(source, []).append(target)
            if target in gradient:
                continue
            if nodes[target]["op"] == "moving_average" and edge["arg"] == 0:
                states.setdefault(source, target)
                continue
            argument = _argument(nodes[target], edge["arg"])
            if argument == "update" or (target in trained and argument != "parameter"):
                continue
            own = self.own.setdefault(source, [])
            own.append(target)
            if argument == "parameter" and len(own) == 1:
                self.hosts[source] = target
            else:
                self.hosts.pop(source, None)
        for source, target in states.items():  # in training nothing else reads them
            if source not in self.own:
                self.own[source] = [target]
                self.hosts[source] = target


def _trained(graph: Graph, gradient: set[int]) -> set[int]:
    """The gradients' nodes, what depends on them, as the update of a parameter does, and what
    only such updates read, as its decay."""
    trained = set(gradient)
    readers: dict[int, list[int]] = {}
    for edge in graph["edges"]:
        readers.setdefault(edge["src"], []).append(edge["dst"])
        if edge["src"] in trained:
            trained.add(edge["dst"])
    updates = trained - gradient
    for node in reversed(graph["nodes"]):
        read_by = readers.get(node["id"], ())
        if node["kind"] not in GIVEN and read_by and updates.issuperset(read_by):
            updates.add(node["id"])
    return trained | updates


def _argument(node: Node, index: int) -> str:
    """What a node reads there: a "parameter", what it is to "update", or something else."""
    names = _arguments().get(node["op"], ()) if node["kind"] == "op" else ()
    if "grad" in names:
        return "update"
    return "parameter" if index < len(names) and names[index] in _PARAMETERS else ""
