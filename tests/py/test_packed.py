"""Specs as columns: what is sent says the same as the rows, and a stage's rows come once."""

from __future__ import annotations

import json

from cells import Shell

from jupyter_hybrid import nd, sym
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.packed import packed


def rows(table, before=()):
    """What the page makes of a table."""
    if isinstance(table, list):
        return table
    made = [{} for _ in range(table["count"])]
    for key, column in table["columns"].items():
        for i, row in enumerate(made):
            if isinstance(column, list):
                row[key] = column[i]
            else:
                row[key] = column["all"] if "all" in column else column["of"][column["at"][i]]
    if "same" not in table:
        return made
    fresh = iter(made)
    return [before[i] if i >= 0 else next(fresh) for i in table["same"]]


def unpacked(sent):
    nodes, edges, stages = [], [], []
    for stage in sent["stages"]:
        nodes = rows(stage["graph"]["nodes"], nodes)
        edges = rows(stage["graph"]["edges"], edges)
        changes, kernels = rows(stage["changes"]), rows(stage["kernels"])
        graph = {"nodes": nodes, "edges": edges}
        stages.append({**stage, "graph": graph, "changes": changes, "kernels": kernels})
    memory = sent["memory"]
    if memory is not None:
        memory = {**memory, **{k: rows(memory[k]) for k in ("steps", "buffers", "held")}}
    return {**sent, "stages": stages, "groups": rows(sent["groups"]), "memory": memory}


def net():
    net = nn.HybridSequential()
    for _ in range(20):
        net.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 4, 8, 8))).wait_to_read()
    return net


def test_columns_say_the_same_as_rows():
    shell = Shell()
    shell.hybridize("import numpy as np\na = np.ones(5)\nb = a + 1\nc = b * a\n")
    specs = [spec_of(net()), spec_of(shell.report), spec_of(sym.exp(sym.var("x")))]
    for spec in specs:
        sent = json.loads(json.dumps(packed(spec)))
        assert unpacked(sent) == json.loads(json.dumps(spec))


def test_a_stage_sends_what_is_new_in_it():
    spec = spec_of(net())
    sent = packed(spec)
    assert len(spec["stages"]) > 2
    first, second = (stage["graph"]["nodes"] for stage in sent["stages"][:2])
    assert first["count"] == len(spec["stages"][0]["graph"]["nodes"]) and "same" not in first
    changed = sum(
        row not in spec["stages"][0]["graph"]["nodes"]
        for row in spec["stages"][1]["graph"]["nodes"]
    )
    assert second["count"] == changed
    assert len(json.dumps(sent)) * 3 < len(json.dumps(spec))


def test_short_lists_and_unlike_columns_stay_lists():
    spec = spec_of(sym.exp(sym.var("x")))
    assert isinstance(packed(spec)["stages"][0]["graph"]["nodes"], list)
    table = packed(spec_of(net()))["stages"][0]["graph"]["nodes"]
    assert isinstance(table["columns"]["id"], list)
    assert table["columns"]["device"] == {"all": "cpu(0)"}
    assert set(table["columns"]["op"]) == {"of", "at"}
