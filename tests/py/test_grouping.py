"""Groups of large pictures: what a graph is folded into, and which parameters fold into cards."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import pytest
from cells import Shell

from jupyter_hybrid import autograd, gluon, nd, sym
from jupyter_hybrid.gluon import naming, nn
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.collapsed import collapsed
from jupyter_hybrid.views.group_paths import GIVEN
from jupyter_hybrid.views.group_tree import MOST
from jupyter_hybrid.views.grouping import assign_groups
from jupyter_hybrid.views.opening import MANY
from jupyter_hybrid.views.repeats import Repeat, periods


@pytest.fixture(autouse=True)
def counted_anew(monkeypatch):
    monkeypatch.setattr(naming._state, "counter", Counter())


class Res(gluon.HybridBlock):
    def __init__(self, **options):
        super().__init__(**options)
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            self.body.add(nn.Conv2D(4, 3, padding=1, use_bias=False), nn.BatchNorm())

    def hybrid_forward(self, F, x):
        return F.Activation(self.body(x) + x, act_type="relu")


def resnet():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, padding=1, prefix="stem_"))
        for i in range(2):
            stage = nn.HybridSequential(prefix=f"stage{i + 1}_")
            with stage.name_scope():
                stage.add(Res(), Res(), Res())
            net.add(stage)
        net.add(nn.Dense(10, activation="relu", prefix="head_"))
    net.initialize()
    net.hybridize()
    return net


def hybridized(body, **names):
    shell = Shell()
    shell.ns.update(nd=nd, autograd=autograd, gluon=gluon, **names)
    shell.hybridize(body, "--view none")
    return spec_of(shell.report)


def all_groups(spec):
    """Also those that a small picture is not folded into."""
    return {**spec, "groups": assign_groups(spec["stages"], [])}


def trained():
    net, loss = resnet(), gluon.loss.L2Loss()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    x, y = nd.ones((2, 4, 8, 8)), nd.ones((2, 10))
    body = "with autograd.record():\n    l = loss(net(x), y)\nl.backward()\ntrainer.step(2)\n"
    net(x).wait_to_read()
    return hybridized(body, net=net, loss=loss, trainer=trainer, x=x, y=y)


def chain(ops, edges=None, **rest):
    """A stage of operators that each read the one before; ``rest``: a list for each key."""
    nodes = [
        {"id": i, "kind": "op", "op": op, "label": op, "name": "", "scope": "", "line": None,
         "code": "", "segment": 0, "origins": [], "members": [], "shape": [1], "head": False}
        for i, op in enumerate(ops)
    ]  # fmt: skip
    for key, values in rest.items():
        for node, value in zip(nodes, values, strict=True):
            node[key] = value
            if key == "line" and value:
                node["code"] = f"code {value}"
    pairs = edges or [(i, i + 1) for i in range(len(ops) - 1)]
    lines = [{"src": a, "dst": b, "out": 0, "arg": 0, "kind": "data"} for a, b in pairs]
    return {"name": "written", "graph": {"nodes": nodes, "edges": lines}, "changes": []}


def grouped(stage, segments=()):
    return {"stages": [stage], "groups": assign_groups([stage], list(segments))}


def spec_node(spec, name, stage=0):
    return next(n for n in spec["stages"][stage]["graph"]["nodes"] if n["label"] == name)


def path(spec, node):
    """Labels of the groups around a node."""
    found, group = [], node["group"]
    while group is not None:
        found.append(spec["groups"][group]["label"])
        group = spec["groups"][group]["parent"]
    return found[::-1]


def level(spec, parent=None, stage=0):
    """What stands in a group: labels of groups and operators, in order."""
    found = []
    for node in spec["stages"][stage]["graph"]["nodes"]:
        if node["kind"] in GIVEN:
            continue
        inside, group = node["op"], node["group"]
        while group != parent and group is not None:
            inside, group = group, spec["groups"][group]["parent"]
        if group == parent and (isinstance(inside, str) or inside not in found):
            found.append(inside)
    return [i if isinstance(i, str) else spec["groups"][i]["label"] for i in found]


def index(spec, label):
    return [g["label"] for g in spec["groups"]].index(label)


def made_in(spec):
    """How many operators each group holds."""
    count: Counter[int] = Counter()
    for node in spec["stages"][0]["graph"]["nodes"]:
        group = node["group"] if node["kind"] not in GIVEN else None
        while group is not None:
            count[group] += 1
            group = spec["groups"][group]["parent"]
    return count


def assert_sound(spec):
    """Parents stand before children, no group is for one operator, none has too many children,
    and the first stage has no cycle on any level: all siblings are ordered by their edges."""
    groups, graph = spec["groups"], spec["stages"][0]["graph"]
    assert all(g["parent"] is None or g["parent"] < i for i, g in enumerate(groups))
    count = made_in(spec)
    assert all(count[i] >= 2 for i in range(len(groups)))
    chains = {}
    children: dict[object, set] = {}
    for node in graph["nodes"]:
        chain = [("node", node["id"])]
        group = node["group"]
        while group is not None:
            chain.append(group)
            group = groups[group]["parent"]
        chains[node["id"]] = chain = [None, *chain[::-1]]
        if node["kind"] not in GIVEN:
            for parent, child in pairwise(chain):
                children.setdefault(parent, set()).add(child)
    assert all(len(inside) <= MOST for inside in children.values())
    after: dict[object, set] = {}
    before: Counter = Counter()
    for edge in graph["edges"]:
        a, b = chains[edge["src"]], chains[edge["dst"]]
        i = next((i for i, (p, q) in enumerate(zip(a, b, strict=False)) if p != q), None)
        if i is not None and b[i] not in after.setdefault(a[i], set()):
            after[a[i]].add(b[i])
            before[b[i]] += 1
    everything = {c for chain in chains.values() for c in chain}
    ready = [c for c in everything if not before[c]]
    seen = 0
    while ready:
        seen += 1
        for other in after.get(ready.pop(), ()):
            before[other] -= 1
            if not before[other]:
                ready.append(other)
    assert seen == len(everything)


# Blocks -------------------------------------------------------------------------------------------
def test_a_net_reads_as_its_stages():
    net = resnet()
    net(nd.ones((1, 4, 8, 8)))
    spec = spec_of(net)
    assert level(spec) == ["Convolution", "stage1 / res ×3", "stage2 / res ×3", "head"]
    assert level(spec, index(spec, "stage1 / res ×3")) == ["res0", "res1", "res2"]
    assert spec["groups"][0] == {"label": "stage1 / res ×3", "kind": "repeat", "parent": None}
    weight = spec_node(spec, "net_stage2_res1_conv0_weight")
    assert path(spec, weight) == ["stage2 / res ×3", "res1"]
    assert_sound(spec)


def test_a_symbol_of_blocks_has_their_scopes():
    net = resnet()
    nodes = net(sym.var("data")).graph().nodes
    scopes = {n.name: n.scope for n in nodes if n.kind == "op"}
    assert scopes["net_stem_fwd"] == "net/net_stem"
    assert all(scope.startswith("net") for scope in scopes.values())


def test_a_training_step_reads_forward_loss_backward_update():
    spec = trained()
    assert level(spec)[:3] == ["net", "l2loss0", "backward"]
    assert level(spec)[3].startswith("sgd / mul → sub ×")
    for stage in spec["stages"]:
        for node in stage["graph"]["nodes"]:
            in_backward = node["scope"].partition("/")[0] == "backward"
            assert (node["family"] == "gradient") == in_backward
    assert level(spec, index(spec, "backward"))[-1] == "net"
    moved = [n for n in spec["stages"][0]["graph"]["nodes"] if n["op"] == "moving_average"]
    for node in moved:  # and the identity behind each, which has no scope of its own
        assert path(spec, node)[0] == "net" and len(path(spec, node)) > 2
    assert_sound(spec)


def test_a_block_that_is_called_again_is_a_group_again():
    scopes = ["net/net_a"] * 2 + ["net"] + ["net/net_a"] * 2 + ["net"]
    spec = grouped(chain(["dot", "exp", "add", "dot", "exp", "sub"], scope=scopes))
    assert level(spec) == ["a", "add", "a (2nd call)", "sub"]


# What is open at first ----------------------------------------------------------------------------
def test_a_large_picture_opens_level_by_level_and_repeats_stay_closed():
    spec = trained()
    groups = spec["groups"]
    opened = set(spec["initial"]["open"])
    assert spec["initial"]["fold"]
    assert {groups[g]["label"] for g in opened} >= {"net", "backward"}
    assert all(groups[g]["kind"] != "repeat" for g in opened)
    assert all(groups[g]["parent"] is None or groups[g]["parent"] in opened for g in opened)
    drawn = collapsed(spec, spec["stages"][0])
    assert 10 < len(drawn["nodes"]) <= MANY < len(spec["stages"][0]["graph"]["nodes"])
    assert any(card["kind"] == "group" for card in drawn["nodes"])
    ids = {card["id"] for card in drawn["nodes"]}
    assert all(edge["src"] in ids and edge["dst"] in ids for edge in drawn["edges"])
    flat = sym.var("x")
    for _ in range(2_000):
        flat = sym.exp(flat * 0.5) if len(flat.name) % 2 else sym.tanh(flat)
    flat = spec_of(flat)
    assert len(collapsed(flat, flat["stages"][0])["nodes"]) <= MANY


class Recurrent(gluon.HybridBlock):
    def __init__(self, **options):
        super().__init__(**options)
        with self.name_scope():
            self.i, self.h, self.o = nn.Dense(8), nn.Dense(8), nn.Dense(3)

    def hybrid_forward(self, F, x):
        state = None
        for t in range(12):
            step = self.i(F.slice_axis(x, axis=1, begin=t, end=t + 1))
            state = F.tanh(step if state is None else step + self.h(state))
        return self.o(state)


def test_a_still_picture_has_sources_before_targets_whatever_stands_for_them():
    net = Recurrent()
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 12))).wait_to_read()
    spec = spec_of(net)  # closed groups read weights that stand behind them in the list
    for stage in spec["stages"]:
        drawn = collapsed(spec, stage)
        place = {card["id"]: card["y"] for card in drawn["nodes"]}
        assert all(place[e["src"]] < place[e["dst"]] for e in drawn["edges"])
    # Groups that read one another, as kernels of later stages can make them.
    rows = grouped(chain(["dot", "exp", "add", "tanh"], [(0, 1), (1, 2), (2, 3)]))
    rows["groups"] = [{"label": g, "kind": "block", "parent": None} for g in "ab"]
    for node, group in zip(rows["stages"][0]["graph"]["nodes"], (0, 1, 0, 1), strict=True):
        node |= {"group": group, "host": None, "w": 90, "h": 44, "detail": ""}
    for edge in rows["stages"][0]["graph"]["edges"]:
        edge |= {"out": 0, "label": "", "kind": "data"}
    rows["initial"] = {"open": [], "fold": False}
    drawn = collapsed(rows, rows["stages"][0])
    assert len(drawn["nodes"]) == 2 and all(len(e["points"]) >= 2 for e in drawn["edges"])


def test_a_part_of_one_operator_is_a_part_all_the_same():
    spec = hybridized(
        "import numpy as np\na = np.ones(3)\nprint(a.sum())\nb = a * 2\nprint(b)\n"
        "c = b + 1\nd = c - 1\ne = d * 3\n"
    )
    for stage in spec["stages"]:
        labels = {f["label"] for f in collapsed(spec, stage)["frames"]}
        assert "part 3" in {spec["groups"][g]["label"] for n in stage["graph"]["nodes"]
                            if (g := n["group"]) is not None}  # fmt: skip
        assert labels <= {"part 1", "part 2", "part 3"}


def test_a_still_picture_has_the_parts_of_a_cell_one_below_another():
    spec = hybridized(
        "import numpy as np\na = np.ones(3)\nprint(a.sum())\nb = a * 2 + np.exp(a) / (a + 7)\n"
        "print(b)\nc = b + 1\nd = c - 1\ne = d * 3\n"
    )
    for stage in spec["stages"]:
        drawn = collapsed(spec, stage)
        reach: dict[str, tuple[float, float]] = {}
        for card in drawn["nodes"]:
            part = spec["groups"][card["group"]]["label"]
            top, bottom = reach.get(part, (math.inf, -math.inf))
            half = card["h"] / 2
            reach[part] = min(top, card["y"] - half), max(bottom, card["y"] + half)
        assert list(reach) == ["part 1", "part 2", "part 3"]
        assert all(upper[1] < lower[0] for upper, lower in pairwise(reach.values()))


def test_lines_between_the_parts_of_a_cell_go_around_its_cards():
    spec = hybridized(
        "import numpy as np\na = np.ones(3)\nprint(a.sum())\nb = a * 2 + np.exp(a) / (a + 7)\n"
        "print(b)\nc = b + 1\nprint(c * 3)\n"
    )
    for stage in spec["stages"]:
        drawn = collapsed(spec, stage)
        cards = {card["id"]: card for card in drawn["nodes"]}
        led = [e for e in drawn["edges"] if e["kind"] == "order"]
        assert led
        for edge in led:
            others = [c for i, c in cards.items() if i not in (edge["src"], edge["dst"])]
            for x, y in curve(edge["points"]):
                assert 0 < x < drawn["width"]
                assert not any(
                    abs(x - c["x"]) < c["w"] / 2 and abs(y - c["y"]) < c["h"] / 2 for c in others
                )


def curve(points, steps=50):
    """Points on the line as it is drawn: between two it bends half way down."""
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        for t in (i / steps for i in range(steps + 1)):
            s = 1 - t
            x = (s**3 + 3 * s * s * t) * x0 + (3 * s * t * t + t**3) * x1
            yield x, s**3 * y0 + 3 * s * t * middle + t**3 * y1


def test_a_picture_of_one_repeat_shows_its_passes():
    x = sym.var("x", shape=(3,))
    for i in range(40):
        x = sym.tanh(sym.exp(x, name=f"block{i}_exp"), name=f"block{i}_tanh")
    spec = spec_of(x)
    assert level(spec) == ["block ×40"]
    assert len(collapsed(spec, spec["stages"][0])["nodes"]) == 41  # and the input


def test_a_small_picture_is_whole_with_frames_of_blocks_and_parts():
    x = nd.ones((2, 3))
    body = "with autograd.record():\n    l = loss(net(x), y)\nl.backward()\n"
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Dense(4, prefix="first_"), nn.Dense(2, prefix="second_"))
    net.initialize()
    spec = hybridized(body, net=net, x=x, y=nd.ones((2, 2)), loss=gluon.loss.L2Loss())
    assert [g["kind"] for g in spec["groups"]] == ["block"] * len(spec["groups"])
    assert all(g["parent"] is None for g in spec["groups"])
    assert spec["initial"]["open"] == list(range(len(spec["groups"])))
    stage = spec["stages"][0]
    assert len(collapsed(spec, stage)["nodes"]) == len(stage["graph"]["nodes"])


# Lines and parts ----------------------------------------------------------------------------------
def test_lines_of_a_cell_are_groups_of_what_they_compute():
    spec = all_groups(
        hybridized("y = nd.exp(x * 2 + 1)\nz = nd.tanh(y)\nw = (z + 1) * z\n", x=nd.ones((3,)))
    )
    assert level(spec) == ["y = nd.exp(x * 2 + 1)", "tanh", "w = (z + 1) * z"]
    assert {g["kind"] for g in spec["groups"]} == {"line"}
    assert_sound(spec)
    one = all_groups(hybridized("y = nd.exp(x * 2 + 1)\n", x=nd.ones((3,))))
    assert one["groups"] == []  # one line says nothing
    many = grouped(chain(["exp", "tanh"] * 50, line=range(1, 101)))
    assert level(many) == ["lines 1 – 33", "lines 34 – 66", "lines 67 – 100"]


def test_a_rolled_out_loop_of_lines_is_one_repeat():
    lines = [1, *[3, 4, 4, 5] * 16, 7]
    ops = ["zeros", *["dot", "mul", "add", "tanh"] * 16, "sum"]
    spec = grouped(chain(ops, line=lines))
    assert level(spec) == ["zeros", "lines 3 – 5 ×16", "sum"]
    repeat = index(spec, "lines 3 – 5 ×16")
    assert level(spec, repeat) == [f"step {i}" for i in range(1, 17)]
    assert level(spec, index(spec, "step 2")) == ["dot", "code 4", "tanh"]
    assert_sound(spec)


def test_parts_of_a_cell_stand_outermost():
    body = "a = nd.exp(x)\nb = a * 2\nprint(b.sum().asscalar())\nc = nd.tanh(b)\nd = c * c\n"
    spec = hybridized(body, x=nd.ones((3,)))
    assert level(spec) == ["part 1", "part 2"]
    assert [g["kind"] for g in spec["groups"]] == ["part", "part"]
    assert_sound(spec)


# Names, repeats and ranges ------------------------------------------------------------------------
def test_names_are_groups_where_nothing_else_is_known():
    x = sym.Embedding(sym.var("x"), input_dim=3, output_dim=4, name="model.embed")
    for i in range(12):
        y = sym.FullyConnected(x, num_hidden=4, name=f"model.layers.{i}.attn.q")
        x = x + sym.tanh(y, name=f"model.layers.{i}.attn.o")
        x = sym.FullyConnected(x, num_hidden=4, name=f"model.layers.{i}.ffn")
    spec = spec_of(sym.softmax(x, name="model.head"))
    assert level(spec) == ["Embedding", "layers ×12", "softmax"]
    assert level(spec, index(spec, "0")) == ["attn", "add", "FullyConnected"]
    counted = sym.var("x")
    for _ in range(5):
        counted = sym.broadcast_add(counted, counted)
    assert spec_of(counted)["groups"] == []


def test_a_rolled_out_loop_without_lines_is_one_repeat():
    x = sym.var("x")
    for _ in range(16):
        x = sym.tanh(x * 2 + sym.exp(x))
    spec = spec_of(x)
    assert level(spec) == ["mul_scalar → exp → add → tanh ×16"]
    assert [g["kind"] for g in spec["groups"]] == ["repeat", *["step"] * 16]
    assert_sound(spec)


def test_periods_are_found_where_the_body_begins():
    row = [9, 3, *[1, 2, 3] * 5, 8]
    lines = [1, 6, *[4, 5, 6] * 5, 9]
    assert periods(row, [0] * len(row), lines) == [Repeat(2, 3, 5)]
    assert periods([7] * 50, [0] * 50, [None] * 50) == []  # what is all alike has no body
    assert periods([1, 2] * 3, [0] * 6, [None] * 6) == []  # as it happens by chance
    assert periods([1, 2] * 3, [5, 0] * 3, [None] * 6) == [Repeat(0, 2, 3)]


def test_twenty_thousand_operators_are_ranges_of_ranges():
    draw = random.Random(3)
    n = 20_000
    ops = [draw.choice("abcdefghijkl") for _ in range(n)]
    edges = [(draw.randrange(max(0, i - 30), i), i) for i in range(1, n) for _ in range(2)]
    spec = grouped(chain(ops, edges))
    count = made_in(spec)
    top = [i for i, g in enumerate(spec["groups"]) if g["parent"] is None]
    assert spec["groups"][0] == {"label": "operators 1 – 1,538", "kind": "range", "parent": None}
    assert max(count[i] for i in top) - min(count[i] for i in top) <= 1
    assert_sound(spec)


# Given values and later stages --------------------------------------------------------------------
def test_parameters_have_the_operator_that_reads_them_as_host():
    spec = trained()
    nodes = spec["stages"][0]["graph"]["nodes"]
    by_id = {n["id"]: n for n in nodes}
    hosts = {n["label"]: by_id[n["host"]]["op"] for n in nodes if n["host"] is not None}
    assert hosts["net_stem_weight"] == hosts["net_stem_bias"] == "Convolution"
    assert hosts["net_stage1_res0_batchnorm0_gamma"] == "BatchNorm"
    assert hosts["net_stage1_res0_batchnorm0_running_var"] == "moving_average"
    shared = {"x", "y", "scaled_learning_rate"}  # and what a constant is
    assert hosts.keys() == {n["label"] for n in nodes if n["kind"] in GIVEN} - shared - {""}
    last = spec["stages"][-1]["graph"]
    reads = {(e["src"], e["dst"]) for e in last["edges"]}
    for node in last["nodes"]:
        assert node["host"] is None or (node["id"], node["host"]) in reads


def test_shared_weights_and_data_stand_before_their_readers():
    x, w = sym.var("x"), sym.var("w")
    for i in range(3):
        x = sym.FullyConnected(x, w, no_bias=True, num_hidden=4, name=f"rnn_t{i}_h2h")
        x = sym.tanh(x, name=f"rnn_t{i}_out")
    spec = all_groups(spec_of(sym.exp(x, name="out")))
    assert level(spec) == ["rnn / t ×3", "exp"]
    assert path(spec, spec_node(spec, "w")) == path(spec, spec_node(spec, "x")) == []
    # Of many inputs each stands with what reads it, those of several readers around those.
    y = sym.exp(sym.var("x"), name="start")
    for i in range(12):
        y = sym.broadcast_mul(y, w, name=f"net_{i}_mul")
        y = sym.broadcast_add(y, sym.var(f"bias{i}"), name=f"net_{i}_add")
    spec = all_groups(spec_of(y))
    assert path(spec, spec_node(spec, "bias3")) == ["net ×12", "3"]
    assert path(spec, spec_node(spec, "w")) == ["net ×12"]


def test_kernels_stand_where_their_members_did():
    spec = trained()
    before = {n["id"]: n["group"] for n in spec["stages"][0]["graph"]["nodes"]}
    for stage in spec["stages"][1:]:
        for node in stage["graph"]["nodes"]:
            if node["id"] in before:
                assert node["group"] == before[node["id"]]
    kernel = next(n for n in spec["stages"][-1]["graph"]["nodes"] if n["kind"] == "fused")
    assert kernel["id"] not in before and path(spec, kernel)[0] == "net"
    members = [path(spec, {"group": before[m["id"]]}) for m in kernel["members"]]
    assert all(m[: len(path(spec, kernel))] == path(spec, kernel) for m in members)


def test_names_with_markup_and_deep_paths_stay_text():
    evil = "<img src=x onerror=alert(1)>"
    scopes = [evil, evil, "a" * 5000, "a" * 5000, *["/".join("bcd" * 500)] * 2]
    spec = grouped(chain(["exp"] * 6, scope=scopes))
    assert level(spec)[0] == evil and level(spec)[1] == "a" * 5000
    assert_sound(spec)
    named = grouped(chain(["exp"] * 4, name=["//", "a/" * 3000 + "x", "a/" * 3000 + "y", "\0_\n"]))
    assert_sound(named)
    assert assign_groups([], []) == [] and grouped(chain([]))["groups"] == []


@pytest.mark.parametrize("seed", range(60))
def test_groups_of_any_graph_make_no_cycle(seed):
    draw = random.Random(seed)
    n = draw.randrange(2, 150)
    ops = [draw.choice(["exp", "add", "identity"]) for _ in range(n)]
    edges = [
        (draw.randrange(max(0, i - 20), i), i)
        for i in range(1, n)
        for _ in range(draw.randrange(3))
    ]
    scopes, scope = [], ""
    for _ in range(n):
        if draw.random() < 0.3:
            scope = draw.choice(["", "backward", "/".join(draw.choices("ab", k=3))])
        scopes.append(scope)
    stage = chain(
        ops,
        edges or [(0, 1)],
        scope=scopes if seed % 3 else [""] * n,
        line=[draw.choice([None, 3, 4, 5]) if seed % 3 == 1 else None for _ in range(n)],
        name=[draw.choice(["", "a_b_c", "x/y/z", "x/w", "add3"]) for _ in range(n)],
        segment=sorted(draw.randrange(2) for _ in range(n)),
    )
    read = {b for _, b in edges or [(0, 1)]}
    for node in stage["graph"]["nodes"]:
        if node["id"] not in read and draw.random() < 0.8:
            node["kind"] = draw.choice(GIVEN)
    assert_sound(grouped(stage, ["part 1, until line 3", "part 2"] if seed % 2 else []))
