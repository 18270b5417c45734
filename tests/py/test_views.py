"""Pictures as text: spec, layout, SVG, DOT, saved files; names with markup stay text."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest
import traitlets
from cells import Shell

import jupyter_hybrid as jh
from jupyter_hybrid import gluon, nd, sym
from jupyter_hybrid.capture import program_cache
from jupyter_hybrid.views import GraphViewer, dot, spec_of, svg, text, view
from jupyter_hybrid.views.layout import GAP_X, GAP_Y, Box, layered
from jupyter_hybrid.views.packed import packed

CELL = """import numpy as np
a = np.ones(10)
b = np.ones(10) * 2
c = b * a
d = c + 1
"""


@pytest.fixture
def report():
    program_cache.clear()
    shell = Shell()
    shell.hybridize(CELL, "--view none")
    return shell.report


def test_spec_holds_what_the_report_says(report):
    spec = spec_of(report)
    assert json.loads(json.dumps(spec)) == spec
    names = [stage["name"] for stage in spec["stages"]]
    assert names[0] == "written" and names[-1] == "plan" and "fuse" in names
    assert {s["name"] for s in spec["skipped"]} >= {"gradient", "fold"}
    assert all(s["why"] for s in spec["skipped"])
    assert spec["totals"]["bytes_imperative"] == 320
    assert spec["totals"]["kernels_before"] == 5 and spec["totals"]["kernels_after"] == 2
    written = spec["stages"][0]["graph"]["nodes"]
    lines = {node["line"] for node in written if node["kind"] == "op"}
    assert lines == {3, 4, 5, 6}
    assert {n["code"] for n in written if n["line"] == 5} == {"c = b * a"}
    fused = [n for n in spec["stages"][-1]["graph"]["nodes"] if n["kind"] == "fused"]
    assert [m["line"] for m in fused[0]["members"]] == [4, 5, 6]


def test_memory_buffers_do_not_overlap(report):
    memory = spec_of(report)["memory"]
    arena = [b for b in memory["buffers"] if b["kind"] == "arena"]
    for i, one in enumerate(arena):
        for other in arena[i + 1 :]:
            in_time = one["start"] <= other["end"] and other["start"] <= one["end"]
            in_space = (
                one["offset"] < other["offset"] + other["bytes"]
                and other["offset"] < one["offset"] + one["bytes"]
            )
            assert not (in_time and in_space)
    assert memory["lower_bound"] <= memory["planned"] <= memory["imperative"]


def test_layout_keeps_order_and_gaps():
    boxes = [Box(i, 100, 40) for i in range(6)]
    edges = [(0, 2), (1, 2), (2, 3), (2, 4), (0, 5), (3, 5), (4, 5)]
    made = layered(boxes, edges)
    for source, target in edges:
        assert made.boxes[source].y < made.boxes[target].y
    rows: dict[float, list[Box]] = {}
    for box in made.boxes.values():
        rows.setdefault(box.y, []).append(box)
        assert box.width / 2 <= box.x <= made.width - box.width / 2
    for row in rows.values():
        row.sort(key=lambda b: b.x)
        for left, right in pairwise(row):
            assert right.x - left.x >= (left.width + right.width) / 2 + GAP_X - 1e-6


def test_an_input_of_many_steps_has_one_line_down_the_picture():
    boxes = [Box(0, 60, 30, late=True), *(Box(i, 80, 30) for i in range(1, 500))]
    chain = [(i, i + 1) for i in range(1, 499)]
    edges = [*((0, i) for i in range(1, 500)), *chain]
    made = layered(boxes, edges)
    assert max(map(len, made.lines)) < 25  # bends that are needed, not one a layer
    assert made.width < 500
    for (source, target), line in zip(edges, made.lines, strict=True):
        first, last = made.boxes[source], made.boxes[target]
        assert line[0] == (first.x, first.y + 15) and line[-1] == (last.x, last.y - 15)
        heights = [y for _, y in line]
        assert heights == sorted(set(heights))
    # Curves leave the line between distant bends: where one begins or ends there are two.
    longest = [y for _, y in made.lines[498]]
    assert longest[2] - longest[1] == longest[-2] - longest[-3] == 30 + GAP_Y


def test_svg_is_well_formed_and_needs_no_program(report):
    picture = svg(spec_of(report))
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("svg")
    assert "c = b * a" in picture and "as written" in picture


def test_markup_in_names_stays_text():
    name = '<script>alert("x")</script>&<b>'
    symbol = sym.var(name) + sym.var("y") * 2
    spec = spec_of(symbol)
    picture = svg(spec)
    ElementTree.fromstring(picture)
    assert "<script>" not in picture and "&lt;script&gt;" in picture
    assert "<script>" in json.dumps(spec)  # as data it is untouched
    assert "script" in dot(spec).source


def test_what_hides_in_names_is_written_out(tmp_path):
    """Bidi and control characters, and what can't be seen, in every form for people."""
    x = sym.var("a\u202egnp.exe", shape=(2,))
    spec = spec_of(sym.exp(x, name="b\x00\x1b[31m\u3164red") + 1)
    drawn = svg(spec)
    ElementTree.fromstring(drawn)  # NUL is not XML
    nd.save(str(tmp_path / "p.params"), {"a\u202egnp.exe": nd.ones((2,))})
    table = view(tmp_path / "p.params")
    for form in (drawn, dot(spec).source, text(spec), repr(table), table._repr_html_()):
        assert "a\\u202egnp.exe" in form.replace("\\\\", "\\")
        assert not set("\u202e\x00\x1b\u3164") & set(form)
    assert "\u202e" in spec["stages"][0]["graph"]["nodes"][0]["label"]  # data stay as they are


def test_a_long_name_leaves_the_figures_beside_it(tmp_path):
    long = "stage_" * 50 + "weight"
    nd.save(str(tmp_path / "p.params"), {long: nd.ones((2,)), "bias": nd.ones((2,))})
    table = view(tmp_path / "p.params")
    head, row, other, _ = repr(table).splitlines()
    assert max(map(len, (head, row, other))) < 130
    assert row.startswith("stage_stage_") and "_weight  (2,)" in row and "…" in row
    ((cell, *_), _) = ElementTree.fromstring(f"<a>{table._repr_html_()}</a>").iterfind(
        ".//tbody/tr"
    )
    assert cell.get("title") == long and len(cell.text) <= 60


def test_viewer_traits_and_saved_files(report, tmp_path):
    viewer = GraphViewer(report)
    viewer.stage = 0
    assert "as written" in viewer.svg()
    with pytest.raises(traitlets.TraitError, match="expected 0 to"):
        viewer.stage = 99
    for ending in (".svg", ".json", ".dot", ".txt", ".html"):
        target = tmp_path / f"picture{ending}"
        viewer.save(target)
        assert target.stat().st_size > 100
    with pytest.raises(ValueError, match="expected one of"):
        viewer.save(tmp_path / "picture.gif")
    viewer.save(tmp_path / "picture.png")
    pixels = (tmp_path / "picture.png").read_bytes()
    assert pixels.startswith(b"\x89PNG")
    drawn = ElementTree.parse(tmp_path / "picture.svg").getroot()
    size = [2 * int(drawn.attrib[side]) for side in ("width", "height")]
    assert list(struct.unpack(">II", pixels[16:24])) == size
    assert len(set(pixels)) > 100  # a picture, not one colour
    assert "digraph" in viewer.dot().source
    assert GraphViewer(viewer.spec, stage="plan").stage == len(viewer.spec["stages"]) - 1
    with pytest.raises(ValueError, match=r"stage: expected one of written, .*, plan, got 'nope'"):
        GraphViewer(viewer.spec, stage="nope")


def test_viewer_composes_with_ipywidgets(report):
    import ipywidgets

    viewer = GraphViewer(report)
    slider = ipywidgets.IntSlider(min=0, max=len(viewer.spec["stages"]) - 1)
    traitlets.link((slider, "value"), (viewer, "stage"))
    slider.value = 0
    assert viewer.stage == 0
    assert viewer in ipywidgets.VBox([slider, viewer]).children


def test_bundle_has_every_form(report):
    bundle, _ = report._repr_mimebundle_()
    assert set(bundle) >= {
        "application/vnd.jupyter-hybrid.graph.v1+json",
        "application/vnd.jupyter.widget-view+json",
        "image/svg+xml",
        "text/plain",
    }


def test_hybridized_block_can_be_drawn():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(4, activation="relu"), gluon.nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 3)))
    assert "FullyConnected" in text(spec_of(net))


def test_what_can_not_be_drawn_is_refused():
    with pytest.raises(TypeError, match="got ndarray"):
        spec_of(np.ones(3))


def test_cell_with_a_print_in_the_middle_is_drawn_in_parts():
    shell = Shell()
    shell.hybridize("import numpy as np\nx = np.ones(4) * 2\nprint(x)\ny = x + 1\n", "--view none")
    spec = spec_of(shell.report)
    segments = {n["segment"] for n in spec["stages"][0]["graph"]["nodes"]}
    assert segments == {0, 1}
    assert any(n["kind"] == "effect" for n in spec["stages"][0]["graph"]["nodes"])
    assert spec["breaks"][0]["line"] == 4
    assert spec["breaks"][0]["reason"] == "print shows a value"
    assert [(e["line"], e["reason"]) for e in spec["ends"]] == [(4, "print shows a value")]
    ids = [b["id"] for b in spec["memory"]["buffers"]]
    assert len(ids) == len(set(ids))


def test_cards_and_plan_agree_on_buffers_in_every_part():
    shell = Shell()
    shell.hybridize(
        "import numpy as np\nx = np.ones(4) * 2\nprint(x)\ny = x + 1\n", "--out y --view none"
    )
    spec = spec_of(shell.report)
    buffers = {b["id"]: b for b in spec["memory"]["buffers"]}
    cards = {n["id"]: n["buffer"] for n in spec["stages"][-1]["graph"]["nodes"]}
    assert sorted(buffers) == list(range(len(buffers)))
    assert {b for b in cards.values() if b is not None} == set(buffers)
    assert all(cards[b["node"]] == number for number, b in buffers.items())


def test_dot_takes_names_with_markup_as_text():
    source = GraphViewer(sym.var("a") + sym.var("</svg>")).dot().source
    assert 'label="</svg>' in source


def test_where_a_segment_ends_without_a_break():
    shell = Shell()
    shell.run("import numpy as np\na = np.eye(3) * 2")
    shell.hybridize("b = a + 1\nc = np.linalg.inv(b)\nd = c * 2\nprint(d.sum())\ne = d - 1")
    spec = spec_of(shell.report)
    assert [b["line"] for b in spec["breaks"]] == [5]
    assert {e["line"] for e in spec["ends"]} == {3, 5}
    assert all(e["reason"] for e in spec["ends"])
    assert len(spec["ends"]) == len(shell.report.segments) - 1
    assert [n for n in spec["notes"] if n.startswith("computed where it stands: line 3")]


def test_a_viewer_opens_on_the_view_asked_for():
    f = jh.compile(jh.Variable("x") * 2)
    with pytest.raises(ValueError, match="no memory plan"):
        GraphViewer(f, view="memory")
    f(x=[1, 2])
    shown = GraphViewer(f, view="memory")
    assert shown.spec["initial"]["view"] == "memory"
    assert shown.stage == len(shown.spec["stages"]) - 1
    assert GraphViewer(f, view="program").spec["initial"]["view"] == "program"
    assert GraphViewer(f).spec["initial"]["view"] == "graph"
    assert GraphViewer(f, stage=0).spec["initial"]["stage"] == 0
    with pytest.raises(ValueError, match="expected one of graph, memory, program, got 'plan'"):
        GraphViewer(f, view="plan")


def test_a_symbol_shows_the_shapes_that_follow_and_no_false_size():
    x = sym.var("x", shape=(4, 8))
    y = sym.FullyConnected(x, sym.var("w", shape=(3, 8)), no_bias=True, num_hidden=3)
    nodes = spec_of(y)["stages"][0]["graph"]["nodes"]
    assert {n["label"]: (n["shape"], n["bytes"]) for n in nodes} == {
        "x": ([4, 8], 128), "w": ([3, 8], 96), "FullyConnected": ([4, 3], 48),
    }  # fmt: skip
    unknown = spec_of(sym.exp(sym.var("a")))["stages"][0]["graph"]["nodes"]
    assert [(n["shape"], n["bytes"]) for n in unknown] == [(None, None)] * 2
    wrong = spec_of(sym.broadcast_add(x, sym.var("b", shape=(5,))))
    assert "shapes can't be inferred" in wrong["notes"][0] and wrong["stages"][0]["graph"]["nodes"]


def test_what_blocks_compute_is_named_after_them():
    shell = Shell()
    shell.run(
        "from jupyter_hybrid import autograd, gluon, nd\n"
        "net = gluon.nn.HybridSequential(prefix='net_')\n"
        "with net.name_scope():\n    net.add(gluon.nn.Dense(3), gluon.nn.Dense(2))\n"
        "net.initialize()\nx = nd.ones((4, 5))\nnet(x)"
    )
    shell.hybridize("with autograd.record():\n    y = net(x).sum()\ny.backward()")
    nodes = spec_of(jh.report())["stages"][0]["graph"]["nodes"]
    forward = [n["name"] for n in nodes if n["op"] == "FullyConnected"]
    assert len(forward) == 2 and all(name.endswith("_fwd") for name in forward)
    assert "dense0" in forward[0] and "dense1" in forward[1]
    assert not {"fwd", "fwd_backward"} & {n["name"] for n in nodes}
    assert sum("dense1_fwd_backward" in n["name"] for n in nodes) >= 2


@pytest.mark.parametrize("told", ["", "    print(y)\n"])
def test_gradients_know_what_they_are_of(told):
    shell = Shell()
    shell.run(
        "from jupyter_hybrid import autograd, gluon, nd\n"
        "net = gluon.nn.HybridSequential()\n"
        "net.add(gluon.nn.Dense(3, activation='relu'), gluon.nn.Dense(2))\n"
        "net.initialize()\nx = nd.ones((4, 5))\nnet(x)"
    )
    shell.hybridize(
        f"with autograd.record():\n    y = net(x)\n{told}    z = (y * y).sum()\nz.backward()"
    )
    first, *_, last = spec_of(jh.report())["stages"]
    nodes = {n["id"]: n for n in first["graph"]["nodes"]}
    linked = [(n["name"], nodes[i]) for n in nodes.values() for i in n["forward"]]
    blocks = [(name, of["name"]) for name, of in linked if of["name"].endswith("_fwd")]
    assert all(name.startswith(of) for name, of in blocks)
    assert len(blocks) == (0 if told else 4)  # not what another part of the cell computed
    assert {of["op"] for _, of in linked} >= {"sum", "mul"}
    assert all(n["family"] == "gradient" for n in last["graph"]["nodes"] if n["forward"])
    assert told or sum(len(n["forward"]) for n in last["graph"]["nodes"]) > 3


# Notation ---------------------------------------------------------------------------------------
def test_a_kernel_has_the_names_of_what_it_makes_and_no_others():
    shell = Shell()
    shell.run("import numpy as np\nx, w = np.ones((30, 40)), np.ones((40, 4))")
    shell.hybridize(
        "d = np.exp(x)\ny = (d * 2 - 1).sum(axis=0)\nh = np.maximum(x * 3, 0) * 2\n"
        "z = (h + 1) @ w\nt = np.tanh(d) + y\ndel h\n",
        "--force",
    )
    fused = [
        n for n in spec_of(shell.report)["stages"][-1]["graph"]["nodes"] if n["kind"] == "fused"
    ]
    labels = {n["label"]: n["name"] for n in fused}
    assert labels["* 3 → maximum(·, 0) → * 2 → + 1"] != "h"  # h is an inner one's
    assert labels["d, ·, · = exp → * 2 → - 1 → tanh"] == "d"


def test_cards_are_written_as_in_a_textbook():
    shell = Shell()
    shell.hybridize(
        "import numpy as np\na = np.ones(5)\nb = a * 2\nc = 1 - np.tanh(b) / a\n"
        "d = np.maximum(c, b)\ne = (d > 0.5) & (c < b)\n",
        "--out b, c, d, e",
    )
    nodes = spec_of(shell.report)["stages"][0]["graph"]["nodes"]
    told = {n["label"]: n["detail"] for n in nodes}
    assert told["b = a * 2"] == ""  # the number is in the label
    assert {"tanh(b)", "· / a", "c = 1 - ·", "d = maximum(c, b)", "d > 0.5", "c < b"} <= set(told)
    assert any(label.startswith("e = ") and "·" not in label for label in told)
    fused = [n for s in spec_of(shell.report)["stages"] for n in s["graph"]["nodes"]
             if n["kind"] == "fused"]  # fmt: skip
    assert any("* 2 → " in n["label"] for n in fused)
    assert not any("·" in n["label"] for n in fused)  # that is a value without a name
    x = sym.var("x")
    scalars = [x + 123456789, x * 0.5, 2 - x, x * 2.0, sym.var("a - b") * 2, x / 0.1234567890123]
    labels = {spec_of(y)["stages"][0]["graph"]["nodes"][-1]["label"] for y in scalars}
    assert labels == {"x + 123456789", "x * 0.5", "2 - x", "x * 2", "(a - b) * 2", "x / 0.123457"}
    of_one = [sym.maximum(x, 0), sym.minimum(sym.var("a - b"), 2), sym.hypot(x, 2.5)]
    labels = {spec_of(y)["stages"][0]["graph"]["nodes"][-1]["label"] for y in of_one}
    assert labels == {"maximum(x, 0)", "minimum(a - b, 2)", "hypot(x, 2.5)"}
    # A label is read as Python reads it; what it shortens stands in full below.
    nodes = [spec_of(y)["stages"][0]["graph"]["nodes"][-1] for y in (
        (-2) ** x, sym.var("a-b") * 2, x < 3, x / 0.1234567890123)]  # fmt: skip
    assert [(n["label"], n["detail"]) for n in nodes] == [
        ("(-2) ** x", ""), ("(a-b) * 2", ""), ("x < 3", ""),
        ("x / 0.123457", "scalar=0.1234567890123"),
    ]  # fmt: skip
    drawn = spec_of(sym.Activation(x + sym.var("a_very_long_name_of_a_variable"), act_type="relu"))
    labels = [n["label"] for n in drawn["stages"][0]["graph"]["nodes"]]
    assert "add" in labels and "Activation" in labels


def test_a_cell_that_runs_again_draws_its_stages_once():
    shell = Shell()
    body = "y = nd.exp(x) * 2\nz = (y + 1).sum()"
    shell.run("from jupyter_hybrid import nd\nx = nd.ones((3, 4))")
    pictures = []
    for _ in range(3):
        shell.hybridize(body)
        pictures.append(spec_of(shell.report))
    assert pictures[1]["stages"] is pictures[2]["stages"]
    assert pictures[0]["stages"] == pictures[1]["stages"]
    anew = {**pictures[1], "stages": [*pictures[1]["stages"]]}
    assert packed(pictures[1]) == packed(anew)
    shell.run("x = nd.ones((3, 5))")
    shell.hybridize(body)
    assert spec_of(shell.report)["stages"] != pictures[1]["stages"]


def test_operators_of_each_run_are_named_alike():
    shell = Shell()
    shell.run("from jupyter_hybrid import nd\nx = nd.ones((3, 4))")
    named = []
    for _ in range(3):
        shell.hybridize("y = nd.exp(x) * 2\nz = (y + 1).sum()")
        named.append([n.name for n in shell.report.segments[-1].graph.nodes])
    assert named[0] == named[1] == named[2]
