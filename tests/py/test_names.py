"""The names of a cell as switches: states, prices, and plans for another choice."""

from __future__ import annotations

import gc
import re
import weakref

import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, nd
from jupyter_hybrid.views import GraphViewer, linked, spec_of
from jupyter_hybrid.views.switchboard import switchboard

FOUR = "import numpy as np\na = np.ones(10)\nb = np.ones(10) * 2\nc = b * a\nd = c + 1"
SYNC = "a = x * 2\nb = a + 1\nprint(b)\nv = a[1:3]\nc = b * a + x\nheld = [c + 1]\nf = c * 2"


@pytest.fixture
def shell() -> Shell:
    return Shell()


def uncounted(program: str) -> str:
    """Program text without the counters in the names of nameless values."""
    return " ".join(re.sub(r"\b([a-z_]+)\d+\b", r"\1", program).split())


def states(report) -> dict[str, str]:
    return {n.name: n.state for n in report.names}


def test_states_and_lines_of_the_four_lines(shell):
    shell.hybridize(FOUR, "--view none")
    names = shell.report.names
    assert [(n.name, n.line, n.state) for n in names] == [
        ("a", 3, "deferred"),
        ("b", 4, "deferred"),
        ("c", 5, "deferred"),
        ("d", 6, "kept"),
    ]
    assert all(n.size == 80 and not n.fixed for n in names)


@pytest.mark.parametrize("kept", ["c, d", "a, b, c, d", "b", "a, d"])
@pytest.mark.parametrize("options", ["", "--no-fuse", "--no-plan"])
def test_a_choice_is_planned_as_the_cell_would_run_it(shell, kept, options):
    shell.hybridize(FOUR, f"--view none {options}")
    view = shell.report
    wanted = kept.split(", ")
    for name in "abcd":
        view = view.keep(name) if name in wanted else view.defer(name)
    assert view.magic == f"%%hybridize --out {kept}"
    shell.hybridize(FOUR, f"--view none {options} --out {kept.replace(', ', ',')}")
    real = shell.report
    assert view.bytes_planned == real.bytes_planned
    assert view.bytes_imperative == real.bytes_imperative
    assert view.arena_bytes == real.arena_bytes
    assert [k.text for k in view.kernels] == [k.text for k in real.kernels]
    assert [uncounted(p) for p in view.program.values()] == [
        uncounted(p) for p in real.program.values()
    ]


def test_price_is_the_difference_of_two_plans(shell):
    shell.hybridize(FOUR, "--view none")
    report = shell.report
    for name in report.names:
        with_it, without = report.keep(name.name), report.defer(name.name)
        assert name.bytes == with_it.bytes_planned - without.bytes_planned
        assert name.kernels == len(with_it.kernels) - len(without.kernels)
    assert {n.name: (n.bytes, n.kernels) for n in report.names}["d"] == (80, len(report.kernels))


def test_nothing_is_run_or_bound(shell):
    shell.hybridize(FOUR, "--view none")
    bound = dict(shell.ns)
    view = shell.report.keep("c").defer("d")
    assert view.run_s is None and view.changed
    assert states(view)["c"] == "kept" and states(view)["d"] == "deferred"
    assert shell.ns == bound
    assert states(shell.report)["c"] == "deferred"
    assert shell.ns["c"].tolist() == [2.0] * 10
    assert not view.defer("c").keep("d").changed


def test_a_planned_view_can_be_run_at_every_stage(shell):
    shell.hybridize(FOUR, "--view none")
    view = shell.report.keep("b", "c").defer("d")
    for stage in view.stages:
        values = {name: value.asnumpy().tolist() for name, value in stage.run().items()}
        assert values == {"b": [2.0] * 10, "c": [2.0] * 10}, stage.name


def test_nothing_kept_is_an_empty_plan(shell):
    shell.hybridize(FOUR, "--view none")
    view = shell.report.defer("d")
    assert (view.bytes_planned, len(view.kernels), view.magic) == (0, 0, "")


def test_names_that_the_cell_needs_cannot_be_deferred(shell):
    shell.run("import numpy as np\nx = np.arange(6.0)")
    shell.hybridize(SYNC, "--view none")
    report = shell.report
    fixed = {n.name: n.fixed for n in report.names}
    assert fixed["b"] == "line 4 needs it: print shows a value"
    assert fixed["a"] == "part 2 of the cell reads it" == fixed["v"]
    assert not fixed["c"] and not fixed["f"]
    assert {n.name: n.shares for n in report.names}["a"] == ("v",)
    with pytest.raises(ValueError, match="b can't be deferred: line 4 needs it"):
        report.defer("b")
    # Its value depends on an input, so it would not wait: only --out can leave it out.
    assert states(report.defer("c"))["c"] == "planned away"


def test_planned_away_by_out(shell):
    shell.hybridize(FOUR, "--view none --out d")
    assert states(shell.report) == {
        "a": "planned away",
        "b": "planned away",
        "c": "planned away",
        "d": "kept",
    }
    assert states(shell.report.keep("b"))["b"] == "kept"


def test_unknown_name_lists_the_known(shell):
    shell.hybridize(FOUR, "--view none")
    with pytest.raises(KeyError, match="'z' is no array that this cell made; its arrays are a, b"):
        shell.report.keep("z")


def test_tables_as_text(shell):
    shell.hybridize(FOUR, "--view none")
    rows = repr(shell.report.names).splitlines()
    assert rows[0].split() == ["name", "line", "state", "value", "keeping", "it"]
    assert rows[3].split()[:3] == ["c", "5", "deferred"]
    assert "+80 bytes" in rows[3]
    text = repr(shell.report.keep("c"))
    assert text.startswith("planned again, not run: %%hybridize --out c, d")
    assert "bytes     80 as run, 160 now" in text


def test_plans_are_kept_by_choice(shell):
    shell.hybridize(FOUR, "--view none")
    report = shell.report
    first = report.keep("c").segments[0].compiled
    assert report.keep("a").keep("c").defer("a").segments[0].compiled is first
    assert report.defer("d").keep("d").segments[0].compiled is report.segments[0].compiled


def test_a_cell_without_arrays_has_no_names(shell):
    shell.hybridize("k = 3", "--view none")
    assert shell.report.names == []
    assert repr(shell.report.names) == "no array names"


def test_switchboard_answers_with_the_spec_of_the_choice(shell):
    shell.hybridize(FOUR, "--view none")
    viewer = GraphViewer(shell.report)
    assert {n["name"]: n["state"] for n in viewer.spec["names"]}["c"] == "deferred"
    assert viewer.spec["replanned"] is None
    planned = switchboard.replan(viewer.spec["id"], ["c", "d"], "c")
    assert planned["id"] == viewer.spec["id"]
    assert planned["replanned"] == "%%hybridize --out c, d"
    assert planned["totals"]["bytes_planned"] == 160 and planned["totals"]["run_s"] is None
    assert {n["name"]: n["state"] for n in planned["names"]}["c"] == "kept"
    expected = spec_of(shell.report.keep("c"))
    assert planned["stages"] == expected["stages"] and planned["memory"] == expected["memory"]
    assert switchboard.replan(viewer.spec["id"], ["d", "c"], "c") is planned


def test_reports_and_pictures_do_not_keep_arrays_alive(shell):
    shell.run("from jupyter_hybrid import nd\nx = nd.ones((3, 4))")
    shell.hybridize("y = x * 2\nz = y + x", "--view none")
    viewer = GraphViewer(shell.report)
    alive = [weakref.ref(shell.ns.pop(name)) for name in ("x", "z")]
    gc.collect()
    assert [ref() for ref in alive] == [None, None]
    assert switchboard.replan(viewer.spec["id"], ["y"])["replanned"] == "%%hybridize --out y"
    with pytest.raises(MXNetError, match="the cell read is gone"):
        shell.report.stages[0].run()


def test_a_moved_switch_reaches_every_picture(shell):
    shell.hybridize(FOUR, "--view none")
    viewer = GraphViewer(shell.report)
    sent: list[dict] = []
    linked.add_sender(sent.append, lambda: False)
    try:
        message = {"type": "switch", "id": viewer.spec["id"], "name": "c", "kept": ["c", "d"]}
        assert linked.switched(message) is None
        assert viewer.spec["replanned"] == "%%hybridize --out c, d"
        assert [(m["type"], m["id"]) for m in sent] == [("spec", viewer.spec["id"])]
        assert sent[0]["spec"]["names"] == viewer.spec["names"]
    finally:
        linked._senders.remove(sent.append)
    viewer.keep_only("d")
    assert viewer.spec["replanned"] == "%%hybridize --out d"


@pytest.mark.parametrize("kept", [None, "c", [1], {"c": True}])
def test_bad_messages_are_refused(shell, kept):
    shell.hybridize(FOUR, "--view none")
    viewer = GraphViewer(shell.report)
    refused = linked.switched({"id": viewer.spec["id"], "kept": kept})
    assert refused == {
        "type": "refused",
        "id": viewer.spec["id"],
        "why": "a switch sends a list of names",
    }


def test_a_picture_of_another_kernel_is_refused(shell):
    refused = linked.switched({"id": "nobody", "kept": ["c"]})
    assert "run the cell again" in refused["why"]


def test_many_names_are_priced_when_they_are_asked_for(shell):
    body = "import numpy as np\nx0 = np.ones(8)\n"
    body += "\n".join(f"x{i} = x{i - 1} * {i + 1} + x{max(i - 3, 0)}" for i in range(1, 80))
    shell.hybridize(body, "--view none")
    spec = spec_of(shell.report)
    assert {n["price"] for n in spec["names"]} == {"not counted"}
    assert all(n.bytes is not None for n in shell.report.names)
    planned = spec_of(shell.report.keep("x5"))
    assert {n["name"]: n["price"] for n in planned["names"] if n["price"] != "not counted"} == {
        "x5": "+64 bytes, +0 kernels"
    }


def test_names_of_a_training_cell_are_planned_again(shell):
    shell.ns.update(nd=nd, autograd=autograd, X=nd.ones((4, 3)), w=nd.ones((5, 3)))
    shell.ns["w"].attach_grad()
    shell.hybridize(
        "with autograd.record():\n    o = nd.dot(X, w.T)\n    l = (o * o).sum()\nl.backward()\n"
        "m = l * 2\n",
        "--view none",
    )
    viewer = GraphViewer(shell.report)
    for kept in (["o"], ["l"], ["m"], ["o", "m"], ["o", "l", "m"]):
        viewer.keep_only(*kept)
        states = {n["name"]: n["state"] for n in viewer.spec["names"]}
        assert [n for n, state in states.items() if state == "kept"] == kept
