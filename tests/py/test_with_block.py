"""``with jupyter_hybrid.symbolic()``: a block is to its script what it would be without."""

from __future__ import annotations

import linecache
import os
import sys
import textwrap

import numpy as np
import pytest

import jupyter_hybrid
from jupyter_hybrid import MXNetError
from jupyter_hybrid.capture.source import budget, patience
from jupyter_hybrid.capture.source.hooks import install
from jupyter_hybrid.np_face import TracedArray


def ops(report):
    return [n.op for n in report.stages[0].graph.nodes if n.kind == "op"]


def test_a_block_in_a_function(capsys):
    x = np.arange(4.0)
    with jupyter_hybrid.symbolic() as cell:
        y = x * 2
        parts = [y * i for i in range(3)]
        x += 1
        total = (y + x).sum()
        print("total", total)
    report = cell.report()
    assert report.replay in ("compiled", "replayed")
    assert capsys.readouterr().out == "total 22.0\n"
    assert all(type(v) is np.ndarray for v in (x, y, *parts)) and type(total) is np.float64
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    np.testing.assert_array_equal(parts[2], [0, 4, 8, 12])
    assert {"mul_scalar", "add", "sum"} <= set(ops(report))


def test_a_block_runs_once_each_time_in_a_loop():
    count, replays = 0, []
    for i in range(3):
        with jupyter_hybrid.symbolic() as cell:
            count += 1
            y = np.ones(3) * 2
            z = y + 1
        replays.append(cell.report().replay)
        assert count == i + 1 and type(count) is int
        np.testing.assert_array_equal(z, [3, 3, 3])
    assert replays[1:] == ["replayed", "replayed"]


def test_a_block_keeps_closures_and_conditions():
    scale = 2.0

    def inner():
        return scale

    x = np.ones(2)
    with jupyter_hybrid.symbolic():
        if x.sum() > 1:
            scale = 5.0
        y = x * scale
    assert inner() == 5.0 and type(scale) is float
    np.testing.assert_array_equal(y, [5, 5])


def importing():
    global textwrap
    with jupyter_hybrid.symbolic() as cell:
        import linecache
        import os.path as where
        from math import pi
        from math import tau as whole

        y = np.ones(2) * pi
    with jupyter_hybrid.symbolic() as other:
        import textwrap
    return where, y, whole, linecache, cell, other


def test_a_functions_block_may_import():
    where, y, whole, module, cell, other = importing()
    assert (where, y[0] * 2, module) == (os.path, whole, linecache)
    assert cell.report().segments and "outside the function" in other.report().explain()


def test_out_plans_the_other_names_away():
    x = np.ones(100)
    with jupyter_hybrid.symbolic(out="z", passes=["fuse"]) as cell:
        y = x + 1
        z = y * 2
    np.testing.assert_array_equal(z, np.full(100, 4.0))
    assert type(y) is TracedArray and cell.report().bytes_planned == 800
    with pytest.raises(MXNetError, match="planned away"):
        float(y[0])


def test_an_error_in_a_block():
    x = np.ones(3)
    with pytest.raises(ZeroDivisionError) as caught, jupyter_hybrid.symbolic():
        y = x * 2
        1 / 0
    del caught
    with pytest.raises(ZeroDivisionError) as caught, jupyter_hybrid.symbolic():
        y = x * 3
        1 / 0
    assert caught.value.__context__ is None
    assert caught.traceback[-1].statement.lines[0].strip() == "1 / 0"
    assert type(y) is np.ndarray and y[0] == 3 and install().recorder is None


def leaving(kind):
    for i in range(3):
        with jupyter_hybrid.symbolic() as cell:
            x = np.ones(2) * i
            if i == 1:
                if kind == "return":
                    return cell, x
                if kind == "break":
                    break
    return cell, x


@pytest.mark.parametrize("kind", ["return", "break"])
def test_a_block_that_leaves_runs_as_written(kind):
    cell, x = leaving(kind)
    np.testing.assert_array_equal(x, [1, 1])
    assert "leaves the block" in cell.report().explain()


def test_blocks_that_run_as_written_and_say_why():
    with jupyter_hybrid.symbolic() as cell: y = np.ones(2) + 1  # fmt: skip  # noqa: E701
    assert "line of its with" in cell.report().explain() and y[0] == 2
    with jupyter_hybrid.symbolic() as cell:
        f = lambda a: a + y  # noqa: E731
    assert "makes a function" in cell.report().explain() and f(1)[0] == 3

    class Holder:
        with jupyter_hybrid.symbolic() as cell:
            z = np.ones(2)

    assert "class" in Holder.cell.report().explain() and Holder.z[0] == 1
    names = {"np": np, "symbolic": jupyter_hybrid.symbolic}
    exec("with symbolic() as cell:\n    y = np.ones(2) * 3\n", names)
    assert "no source" in names["cell"].report().explain() and names["y"][0] == 3


@pytest.mark.held_up("the frame of a function's block, on Python 3.10", "__block__")
def test_a_block_may_begin_with_try():
    x, seen = np.arange(3.0), []
    with jupyter_hybrid.symbolic() as cell:
        try:
            y = x * 2
            seen.append(float(y.sum()))
        except BaseException as error:
            seen.append(error)
        finally:
            seen.append("finally")
    assert seen == [6.0, "finally"] and cell.report().explain()
    with pytest.raises(ZeroDivisionError):  # noqa: SIM117
        with jupyter_hybrid.symbolic():
            try:
                1 / 0
            finally:
                seen.append("again")
    assert seen == [6.0, "finally", "again"]
    with jupyter_hybrid.symbolic() as cell:
        pass
    assert cell.report() is not None and install().recorder is None


@pytest.mark.held_up("a trace function looks on", "tracer")
def test_a_tracer_is_put_back():
    def tracer(*event):
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with jupyter_hybrid.symbolic() as cell:
            y = np.ones(2) * 2
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert cell.report().segments and y[0] == 2


def test_the_report_is_there_after_the_block():
    block = jupyter_hybrid.symbolic()
    with pytest.raises(MXNetError, match="not ended"):
        block.report()


# Frames and loops ---------------------------------------------------------------------------------
def run_script(folder, text):
    """The names of a script after it has run."""
    file = folder / "blocks.py"
    text = textwrap.dedent(text)
    file.write_text(text)
    linecache.checkcache(str(file))
    names = {"__name__": "blocks", "np": np, "jupyter_hybrid": jupyter_hybrid}
    names["callers_names"] = lambda: dict(sys._getframe(1).f_locals)
    exec(compile(text, str(file), "exec"), names)
    return names


def test_who_looks_at_its_callers_frame_sees_the_blocks(tmp_path):
    """As DataFrame.query does for names with an @."""
    names = run_script(
        tmp_path,
        """
        with jupyter_hybrid.symbolic() as cell:
            k = 3
            found = callers_names()["k"]

        def inside(a):
            before = 5
            with jupyter_hybrid.symbolic() as cell:
                later = 7
                for i in range(2):
                    found = callers_names()
            return [found[name] for name in ("a", "before", "later", "i")], cell

        several, other = inside(4)
        """,
    )
    assert names["found"] == 3 and names["several"] == [4, 5, 7, 1]
    for block in (names["cell"], names["other"]):
        assert block.report().mode == "symbolic"


LOOPS = """
def counted():
    n, y = 0, x * 2
    with jupyter_hybrid.symbolic() as cell:
        z = y + 1
        for v in x:
            if (v * x[:1]).itemsize and v * 2 > 0.5:  # a slice: no unit can run it
                n += 1
                z = z + v
    return n, z, cell

n, z, inner = counted()
with jupyter_hybrid.symbolic() as cell:
    m, w = 0, x * 2
    for v in x:
        if (v * x[:1]).itemsize and v * 2 > 0.5:
            m += 1
            w = w + v
"""


def test_a_loop_of_a_block_that_keeps_asking_is_left(tmp_path):
    head = "x = np.linspace(-1.0, 1.0, 300)\n"
    names = run_script(tmp_path, head + LOOPS)
    x = names["x"]
    assert names["n"] == names["m"] == (x > 0.25).sum()
    added = sum(x[x > 0.25].tolist())
    assert type(names["z"]) is type(names["w"]) is np.ndarray
    np.testing.assert_allclose(names["z"], x * 2 + 1 + added, rtol=1e-12)
    np.testing.assert_allclose(names["w"], x * 2 + added, rtol=1e-12)
    for block, lines in ((names["inner"], "lines 7-10"), (names["cell"], "lines 16-19")):
        breaks = block.report().graph_breaks
        assert sum(b.count for b in breaks) <= patience.CONTACTS + 1
        (why,) = [why for _, why in breaks if "left to Python" in why]
        assert why.startswith(f"{lines} left to Python: ")


def test_what_follows_a_long_part_of_a_block_runs_as_written(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    text = "x = np.arange(4.0)\nbox = {}\n" + textwrap.dedent(
        """
        def stored():
            with jupyter_hybrid.symbolic() as cell:
                ASKS
                z = y + 1
            return y, z, cell

        y, z, inner = stored()
        with jupyter_hybrid.symbolic() as cell:
            ASKS
            w = y + 1
        """
    )
    asks = "y = x * 2; box['y'] = float(y.sum()); y = y + box['y']"
    for indent in ("        ", "    "):
        lines = f"\n{indent}".join([asks] * 40)
        text = text.replace(f"{indent}ASKS\n", f"{indent}{lines}\n", 1)
    names = run_script(tmp_path, text)
    for name in "yzw":
        assert type(names[name]) is np.ndarray
    assert names["z"].tolist() == names["w"].tolist() == [13.0, 15.0, 17.0, 19.0]
    for block in (names["inner"], names["cell"]):
        assert sum(b.count for b in block.report().graph_breaks) < 40
