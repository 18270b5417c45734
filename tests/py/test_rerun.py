"""Cells run again: replayed, skipped, compiled with the reason; %hybrid explain and clear."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from cells import Shell, imperative

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, nd

BODY = "a = x * k\nb = np.exp(a) + 1\nprint('ran')\n"
PURE = "a = x * k\nb = np.exp(a) + 1\nm = b.sum()\nb[0:2, 1] + n\n"


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    shell.run("%hybrid clear")
    shell.ns.update(np=np, x=np.arange(12.0).reshape(3, 4), k=2.0, n=3)
    return shell


def run(shell: Shell, body: str, options: str = ""):
    shell.hybridize(body, options + " --view none")
    return shell.report


def again(shell: Shell, body: str, options: str = "") -> list[tuple]:
    """What differs from the first compilation, as (kind, name, before, after, line)."""
    report = run(shell, body, options)
    assert report.replay == "compiled"
    found = [(d.kind, d.name, d.before, d.after, d.line) for d in report.differences]
    assert all(str(d) in report.explain() for d in report.differences)
    return found


# Replayed -----------------------------------------------------------------------------------------
def test_a_known_graph_is_replayed(shell):
    first = run(shell, BODY)
    assert (first.replay, first.differences) == ("compiled", None)
    assert "not compiled before" in first.explain()
    second = run(shell, BODY)
    assert second.replay == "replayed" and second.compile_s == 0
    assert "replayed" in repr(second) and "hash" in second.explain()


def test_what_changed_shape_dtype_and_constants_from_outside(shell):
    run(shell, BODY)
    shell.ns["x"] = np.ones((5, 4))
    assert again(shell, BODY) == [("shape", "x", "(3, 4)", "(5, 4)", None)]
    shell.ns["x"] = np.ones((5, 4), "float32")
    assert ("dtype", "x", "float64", "float32", None) in again(shell, BODY)
    shell.ns["k"] = 3.0
    ((kind, _, before, after, line),) = again(shell, BODY)
    assert (kind, before, after, line) == ("constant", "2.0", "3.0", 2)


def test_what_changed_code_and_options(shell):
    run(shell, BODY)
    assert again(shell, BODY.replace("+ 1", "+ 4")) == [("constant", "number", "1", "4", 3)]
    assert again(shell, BODY.replace("np.exp(a) + 1", "np.sin(a) + 4")) == [
        ("code", "line 3", "b = np.exp(a) + 4", "b = np.sin(a) + 4", 3)
    ]
    assert again(shell, BODY, "--no-fuse") == [("option", "--no-fuse", None, "given", None)]
    assert again(shell, BODY, "--passes cse") == [("option", "--passes", None, "cse", None)]
    assert again(shell, BODY, "--plan exact") == [("option", "--plan", "fast", "exact", None)]
    assert again(shell, BODY, "--remat 99999") == [("option", "--remat", None, "99999", None)]


def test_what_changed_branch_taken(shell):
    body = "if k > 5:\n    y = x + 1\nelse:\n    y = x * 2\nprint('done')\n"
    run(shell, body)
    shell.ns["k"] = 9.0
    found = again(shell, body)
    assert [d[0] for d in found] == ["operations"] and found[0][4] == 3


def test_the_most_similar_compilation_is_compared_with(shell):
    run(shell, BODY)
    shell.ns["x"] = np.ones((5, 4))
    run(shell, BODY)
    assert again(shell, BODY.replace("+ 1", "+ 7")) == [("constant", "number", "1", "7", 3)]


def test_another_cell_is_not_the_same_cell(shell):
    run(shell, BODY)
    assert run(shell, "q = x.T @ x\nprint(q.shape)\nw = q - 1\nv = w\n").differences is None


def test_explain_and_clear(shell):
    shell.ns["x"] = np.ones((2, 2))
    run(shell, BODY)
    run(shell, BODY)
    assert "replayed" in shell.run("%hybrid explain").out
    cleared = shell.run("%hybrid clear").out
    assert "forgotten" in cleared and not cleared.startswith("0")
    assert run(shell, BODY).replay == "compiled"
    assert "%hybrid explain" in str(shell.run("%hybrid nonsense", fails=True).error)


# Skipped ------------------------------------------------------------------------------------------
def test_a_pure_cell_is_skipped_with_equal_values(shell):
    first = shell.hybridize(PURE, "--view none")
    wanted = {name: shell.ns[name] for name in "abm"}
    second = shell.hybridize(PURE, "--view none")
    assert shell.report.replay == "skipped" and "skipped" in repr(shell.report)
    np.testing.assert_array_equal(second.value, first.value)
    for name, value in wanted.items():
        assert type(shell.ns[name]) is type(value)
        np.testing.assert_array_equal(shell.ns[name], value)
        assert shell.ns[name] is not value or np.isscalar(value)
    names, _ = imperative(
        PURE.replace("b[0:2, 1] + n\n", ""), {"np": np, "x": shell.ns["x"], "k": 2.0}
    )
    np.testing.assert_allclose(shell.ns["b"], names["b"], rtol=1e-15)


def test_a_skipped_cell_binds_its_names_in_the_order_of_its_body(shell):
    body = "if k > 5:\n    r = x\n    q = x\nq = x * k\nr = q.reshape(-1)\na = r + 1\n"
    assert run(shell, body).replay == "compiled"
    for _ in range(2):
        for name in "qra":
            del shell.ns[name]
        assert run(shell, body).replay == "skipped"
        assert [n for n in shell.ns if n in ("q", "r", "a")] == ["q", "r", "a"]


def test_a_skipped_cell_reads_what_the_arrays_hold_now(shell):
    body = "y = x + 1\nz = y * 2\n"
    run(shell, body)
    shell.ns["x"][:] = 5
    assert run(shell, body).replay == "skipped"
    np.testing.assert_array_equal(shell.ns["z"], np.full((3, 4), 12.0))
    shell.ns["x"] = np.zeros((3, 4))
    assert run(shell, body).replay == "skipped"
    np.testing.assert_array_equal(shell.ns["z"], np.full((3, 4), 2.0))


def test_results_of_skipped_runs_share_no_memory(shell):
    body = "y = x + 1\nz = y * 2\n"
    run(shell, body)
    run(shell, body)
    first = shell.ns["z"]
    kept = first.copy()
    run(shell, body)
    assert shell.report.replay == "skipped"
    shell.ns["z"][:] = -1
    np.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize(
    "change",
    [
        lambda ns: ns.update(k=3.0),
        lambda ns: ns.update(k=2),
        lambda ns: ns.update(x=np.ones((4, 3))),
        lambda ns: ns.update(x=np.ones((3, 4), "float32")),
        lambda ns: ns.update(n=-4),
        lambda ns: ns.update(x=np.ma.ones((3, 4))),
        lambda ns: ns.update(k=np.float32(2)),
        lambda ns: ns.update(k=np.ones(4)),
    ],
)
def test_any_other_guard_runs_the_body(shell, change):
    run(shell, PURE)
    assert run(shell, PURE).replay == "skipped", shell.report.not_skipped
    change(shell.ns)
    source = {name: shell.ns[name] for name in ("np", "x", "k", "n")}
    assert run(shell, PURE).replay != "skipped"
    wanted, _ = imperative(PURE, source)
    np.testing.assert_allclose(shell.ns["m"], wanted["m"], rtol=1e-6)


def test_zero_and_minus_zero_differ(shell):
    shell.ns["k"] = 0.0
    body = "y = x + 1\nz = np.copysign(y, k)\n"
    run(shell, body)
    shell.ns["k"] = -0.0
    run(shell, body)
    np.testing.assert_array_equal(shell.ns["z"], -(shell.ns["x"] + 1))


def test_a_replaced_function_runs_the_body(shell, monkeypatch):
    body = "y = np.exp(x)\nz = y + 1\n"
    run(shell, body)
    assert run(shell, body).replay == "skipped"
    monkeypatch.setattr(np, "exp", np.negative)
    assert run(shell, body).replay != "skipped"
    np.testing.assert_array_equal(shell.ns["z"], 1 - shell.ns["x"])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("y = x + np.random.rand(4)\nz = y\n", "np.random.rand"),
        ("y = x + 1\nprint('hello')\n", "not known to be pure"),
        ("y = np.ones(3)\nz = y * 2\n", "y is deferred"),
        ("y = x * 2\nw = [y]\n", "w is a list"),
        ("y = holder.x + 1\nz = y * 2\n", "holder"),
        ("y = (x > 3) and x\nz = 1\n", "captured whole"),
        ("y = x + 1\nholder.y = y\n", "binds an attribute"),
        ("y = x + 1\nx.sort()\n", "x.sort"),
        ("y = x * 2\nz = y.T * 2\nw = z[1:]\n", "view of an array that is not in C order"),
        ("y = make()(x)\n", "calls a result"),
        ("global y\ny = x + 1\n", "has a global"),
        ("try:\n    y = x + 1\nfinally:\n    pass\n", "has a try statement"),
        ("y = x + 1\nm = np\n", "np is a module"),
        ("seen.append(1)\ny = x + len(seen)\n", "changes what it reads"),
        ("y = sum(map(abs, x[0]))\n", "map() is not known"),
        ("def f(a, *, b=print('made')):\n    return a\ny = f(x)\n", "print() is not known"),
        ("@make\ndef f(a):\n    return a\ny = x + 1\n", "has a decorator"),
        ("def f():\n    return 1\ny = x + f()\ndef f():\n    return 2\n", "binds f again"),
    ],
)
def test_in_doubt_the_body_runs(shell, body, why):
    class Holder:
        x = np.ones(3)

    shell.ns.update(holder=Holder(), make=lambda *_: np.exp, seen=[])
    for _ in range(2):
        shell.hybridize(body, "--view none", fails="and x" in body)
    if "and x" not in body:
        assert shell.report.replay != "skipped"
        assert why in shell.report.not_skipped


def test_two_names_of_one_array_run_the_body(shell):
    shell.ns["w"] = shell.ns["x"]
    run(shell, "y = x + w\nz = y * 2\n")
    assert run(shell, "y = x + w\nz = y * 2\n").replay == "replayed"
    assert "two names mean the same array" in shell.report.not_skipped


def test_nd_cells_are_skipped_but_never_while_autograd_records(shell):
    shell.ns["v"] = nd.ones((3,))
    body = "q = v * 3 + 1\nq\n"
    run(shell, body)
    assert run(shell, body).replay == "skipped"
    assert shell.ns["q"].tolist() == [4, 4, 4]
    shell.ns["v"].attach_grad()
    with autograd.record():
        shell.hybridize(body + "r = q.sum()\n", "--view none")
        assert run(shell, body).replay != "skipped"


def test_a_skipped_cell_keeps_no_results(shell):
    shell.ns["x"] = np.ones((1000, 2048))
    for _ in range(3):
        assert run(shell, "y = x + 1\nz = y * 2\n").replay in ("compiled", "skipped")
    z = weakref.ref(shell.ns["z"])
    run(shell, "w = k * 2\n")  # the last report is of another cell
    del shell.ns["z"]
    gc.collect()
    assert z() is None


def test_what_skips_a_cell_keeps_no_input_alive(shell):
    shell.ns["x"] = np.ones((100, 100))
    body = "y = x.sum() + 1\nz = y * 2\n"
    run(shell, body)
    assert run(shell, body).replay == "skipped"
    x = weakref.ref(shell.ns["x"])
    shell.ns["v"] = np.ones(3)
    run(shell, "w = v * 2\nu = w\n")  # the last report is of another cell
    del shell.ns["x"]
    gc.collect()
    assert x() is None


def test_moved_lines_find_the_program_and_show_their_own_lines(shell):
    run(shell, BODY)
    report = run(shell, "# a comment\n" + BODY)
    assert report.replay == "replayed"
    assert {line for k in report.kernels for line in k.lines} == {3, 4}
    named = run(shell, "# a comment\n\n" + BODY.replace("b =", "other ="))
    assert named.replay == "replayed"
    assert "other" in named.stages[-1].graph.output_names


# Named dimensions ---------------------------------------------------------------------------------
SIZED = "a = x * 2.0\nb = np.exp(a) + y\nc = b.sum(axis=1)\nprint(c.shape)\n"


def sized(shell: Shell, n: int) -> None:
    shell.ns["x"] = np.arange(4.0 * n).reshape(n, 4) / 10
    shell.ns["y"] = np.full((n, 4), 0.5)


@pytest.mark.parametrize("passes", ["", "--no-fuse", "--no-plan", "--passes cse"])
def test_another_size_of_a_named_dimension_needs_no_passes(shell, passes):
    options = f"--dims x:0=n,y:0=n {passes}"
    sized(shell, 5)
    first = run(shell, SIZED, options)
    for n in (9, 3, 700):
        sized(shell, n)
        report = run(shell, SIZED, options)
        assert report.replay == "replayed" and "another n" in report.explain()
        assert report.compile_s == 0
        wanted, _ = imperative(SIZED, {k: shell.ns[k] for k in ("np", "x", "y")})
        for name in "abc":
            np.testing.assert_allclose(np.asarray(shell.ns[name]), wanted[name], rtol=1e-14)
        assert len(report.kernels) == len(first.kernels)
        assert report.bytes_planned == first.bytes_planned // 5 * n
        shapes = {s for node in report.stages[-1].graph.nodes for s in node.shapes}
        assert shapes <= {(n, 4), (n,)}
        for stage in report.stages:
            np.testing.assert_array_equal(stage.run()["c"].asnumpy(), shell.ns["c"])


def test_a_size_in_an_attribute_compiles_again_and_says_where(shell):
    body = "a = x * 2.0\nb = np.zeros((len(x), 4)) + a\nprint(b.shape)\n"
    sized(shell, 5)
    run(shell, body, "--dims x:0=n")
    sized(shell, 6)
    report = run(shell, body, "--dims x:0=n")
    assert report.replay == "compiled" and "an attribute depends on the size" in report.explain()
    assert any(d.kind == "attribute" and d.line == 3 for d in report.differences)


@pytest.mark.parametrize(
    ("dims", "x", "y"),
    [
        ("x:0=n", (6, 4), (6, 4)),  # y is not named
        ("x:0=n,y:0=n", (6, 4), (1, 4)),  # one name, two sizes
        ("x:0=n,y:0=n", (1, 4), (1, 4)),  # 1 broadcasts
        ("x:0=n,y:0=n", (5, 3), (5, 3)),  # another axis
    ],
)
def test_what_is_not_named_compiles_again(shell, dims, x, y):
    sized(shell, 5)
    run(shell, SIZED, f"--dims {dims}")
    shell.ns.update(x=np.ones(x), y=np.ones(y))
    assert run(shell, SIZED, f"--dims {dims}").replay == "compiled"
    wanted, _ = imperative(SIZED, {k: shell.ns[k] for k in ("np", "x", "y")})
    np.testing.assert_allclose(shell.ns["c"], wanted["c"], rtol=1e-14)


def test_a_reshape_by_a_computed_size_compiles_again(shell):
    body = "a = (x + y).reshape(-1)\nb = a * 2\nprint(b.shape)\n"
    for n in (5, 7):
        sized(shell, n)
        report = run(shell, body, "--dims x:0=n,y:0=n")
        assert report.replay == "compiled"
        np.testing.assert_array_equal(shell.ns["b"], (shell.ns["x"] + shell.ns["y"]).ravel() * 2)


@pytest.mark.parametrize("wrong", ["x", "x:0", "x:n=0", "0:x=n", "x:0=n;y"])
def test_bad_dimensions_are_named(shell, wrong):
    failed = shell.hybridize("y = x + 1\n", f"--dims '{wrong}'", fails=True)
    assert "--dims: expected x:0=n" in str(failed.error)


def test_the_report_is_of_the_cell_that_failed(shell):
    shell.run("v = np.ones(3)")
    shell.hybridize("w = v + 1")
    shell.hybridize("w = v * 2\nprint(w)\nu = w + no_such_name", fails=True)
    report = shell.report
    assert (
        report.error == "the cell failed in line 4: NameError: name 'no_such_name' is not defined"
    )
    assert len(report.segments) == 1 and report.graph_breaks == [(3, "print shows a value")]
    assert report.error in repr(report) and report.error in shell.run("%hybrid explain").out
    shell.hybridize("w = no_such_name", fails=True)
    assert "line 2" in shell.report.error and "failed" in repr(shell.report)
    shell.hybridize("w = v + 1")
    assert shell.report.error == ""


@pytest.mark.parametrize("cell", ["%%hybridize --nonsense\nw = 1", "%%hybridize\nw = ("])
def test_a_cell_that_was_not_recorded_leaves_no_report(shell, cell):
    shell.hybridize("w = np.ones(3) + 1")
    shell.run(cell, fails=True)
    said = "the last cell failed before anything was recorded"
    assert said in shell.run("%hybrid explain").out
    with pytest.raises(mx.MXNetError, match=said):
        _ = shell.report


def test_breaks_that_come_again_are_listed_once(shell):
    shell.run("v = np.ones(3)")
    shell.hybridize("for i in range(12):\n    print(v + i)", "--force")  # all of them
    report = shell.report
    (place,) = report.graph_breaks
    line, reason = place
    assert (line, reason) == (3, "print shows a value") == place
    assert place.count == 12 and 0 < place.seconds <= report.settle_s + report.compile_s
    for text in (repr(report), report.explain()):
        assert text.count("print shows a value") == 1
        assert "line 3: print shows a value, 12 times" in text


def test_differences_are_found_when_they_are_asked_for(shell, monkeypatch):
    """A cell whose text changes each time is not compared with all its earlier texts."""
    from jupyter_hybrid.reports import why_compiled

    looked = []
    original = why_compiled._same_cell
    monkeypatch.setattr(why_compiled, "_same_cell", lambda *a: looked.append(1) or original(*a))
    shell.run("v = np.ones(3)")
    for k in range(20):
        shell.hybridize(f"w = v * 2\nu = w + {k}.5", "--view none")
    assert looked == []
    assert [str(d) for d in shell.report.differences] == ["constant 18.5 -> 19.5 in line 3"]
    assert 0 < len(looked) <= 2 * why_compiled._LOOKED_AT
