"""The decorator and the with-block: cells' machinery in scripts, modules and tests."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import jupyter_hybrid
from jupyter_hybrid import MXNetError, autograd, nd
from jupyter_hybrid.capture.source.hooks import install
from jupyter_hybrid.np_face import TracedArray, holders

SCALE = 3.0


@jupyter_hybrid.hybridize
def affine(x, y=2.0, *, power=1):
    """What it does."""
    a = x * SCALE + y
    return np.exp(a) ** power - 1


@jupyter_hybrid.hybridize(no=["fuse"])
def unfused(x):
    return (x + 1) * 2 - x


def ops(report, stage=0):
    return [n.op for n in report.stages[stage].graph.nodes if n.kind == "op"]


# The decorator ------------------------------------------------------------------------------------
def test_values_and_replay():
    x = np.linspace(0, 1, 7)
    for run in range(3):
        result = affine(x, 1.5)
        assert type(result) is np.ndarray
        np.testing.assert_allclose(result, np.exp(x * 3 + 1.5) - 1, rtol=1e-14)
        assert affine.report().replay == ("replayed" if run else "compiled")
    assert affine.__name__ == "affine" and affine.__doc__ == "What it does."
    assert len(affine.report().kernels) == 1


def test_what_changed_between_calls():
    affine(np.ones(3))
    affine(np.ones(5))
    (difference,) = affine.report().differences
    assert (difference.kind, difference.name) == ("shape", "x")
    assert (difference.before, difference.after) == ("(3,)", "(5,)")


def test_lines_are_the_files():
    affine(np.ones(3))
    first = affine._function.__code__.co_firstlineno
    lines = {line for k in affine.report().kernels for line in k.lines}
    assert lines == {first + 3, first + 4}


def test_options():
    np.testing.assert_array_equal(unfused(np.arange(3.0)), np.arange(3.0) + 2)
    assert len(unfused.report().kernels) == 3
    with pytest.raises(ValueError, match="unknown pass 'wrong'"):
        jupyter_hybrid.hybridize(no=["wrong"])


def test_containers_scalars_views_and_nothing():
    @jupyter_hybrid.hybridize
    def many(x):
        y = x * 2
        return {"y": y, "parts": [y[1:], (y.sum(), len(y))], "n": 3, "same": x}, None

    x = np.arange(4.0)
    found, nothing = many(x)
    assert nothing is None and found["same"] is x and found["n"] == 3 and type(found["n"]) is int
    assert type(found["y"]) is np.ndarray and type(found["parts"][0]) is np.ndarray
    np.testing.assert_array_equal(found["parts"][0], [2, 4, 6])
    assert found["parts"][1] == (12.0, 4) and type(found["parts"][1][0]) is np.float64
    found["y"][1] = -1
    assert found["parts"][0][0] == -1  # a view of y, as written


def test_effects_happen_once_and_in_order(capsys):
    @jupyter_hybrid.hybridize
    def noisy(x, log):
        print("before")
        y = x + 1
        log.append(y * 2)
        x[0] = 100
        print("sum", y.sum())
        return y

    x, log = np.zeros(3), []
    np.testing.assert_array_equal(noisy(x, log), [1, 1, 1])
    assert capsys.readouterr().out == "before\nsum 3.0\n"
    assert len(log) == 1 and type(log[0]) is np.ndarray and x[0] == 100


def test_closures_defaults_and_recursion():
    total = np.zeros(2)

    @jupyter_hybrid.hybridize
    def add(x, *rest, times=2, **more):
        nonlocal total
        total = total + x * times
        return add(*rest, **more) if rest else total

    add(np.ones(2), np.ones(2), times=3)
    assert type(total) is np.ndarray
    np.testing.assert_array_equal(total, [5, 5])


def test_methods_and_super():
    class Base:
        def scale(self):
            return 2

    class Model(Base):
        @jupyter_hybrid.hybridize
        def __call__(self, x):
            self.last = x * super().scale()
            return self.last + 1

    model = Model()
    np.testing.assert_array_equal(model(np.ones(2)), [3, 3])
    assert type(model.last) is np.ndarray


def test_nd_arrays_and_nesting():
    @jupyter_hybrid.hybridize
    def outer(v):
        return nd.dot(v, v.T) + float(affine(np.ones(1))[0])

    v = nd.arange(6).reshape((2, 3))
    result = outer(v)
    assert type(result) is nd.NDArray
    inner = float(np.exp(np.float64(5)) - 1)
    np.testing.assert_allclose(
        result.asnumpy(), [[5 + inner, 14 + inner], [14 + inner, 50 + inner]], 1e-6
    )
    assert "dot" in ops(outer.report())


@pytest.mark.held_up("the body itself is as written", "f")
def test_a_function_without_source_is_followed_through_the_protocols():
    names = {"np": np}
    exec("def f(x):\n    return np.sqrt(x) + 1\n", names)
    f = jupyter_hybrid.hybridize(names["f"])
    np.testing.assert_array_equal(f(np.array([4.0, 9.0])), [3, 4])
    assert "sqrt" in ops(f.report())


def test_what_can_not_be_hybridized():
    def numbers():
        yield 1

    async def later():
        pass

    for wrong in (numbers, later, 5, np.add):
        with pytest.raises(TypeError, match="hybridize"):
            jupyter_hybrid.hybridize(wrong)
    with pytest.raises(MXNetError, match="has not been called"):
        jupyter_hybrid.hybridize(lambda x: x).report()


def test_errors_leave_nothing_behind():
    @jupyter_hybrid.hybridize
    def failing(x, kept):
        kept.append(x * 2)
        return 1 / 0

    kept = []
    with pytest.raises(ZeroDivisionError) as caught:
        failing(np.ones(2), kept)
    assert install().recorder is None and type(kept[0]) is np.ndarray
    assert caught.traceback[-1].frame.code.name == "failing"
    assert affine(np.ones(2)).shape == (2,) and affine.report().segments


def test_under_autograd_it_runs_as_written():
    v = nd.ones((3,))
    v.attach_grad()
    square = jupyter_hybrid.hybridize(lambda a: (a * a).sum())
    with autograd.record():
        result = square(v)
    result.backward()
    assert v.grad.tolist() == [2, 2, 2] and "autograd" in square.report().explain()


def test_other_threads_are_not_recorded():
    inside, outside, seen = threading.Event(), threading.Event(), []

    def work():
        inside.wait(10)
        seen.append(install().recorder)
        seen.append((nd.ones((2,)) * 3).tolist())
        seen.append(affine(np.zeros(1), 0.0).tolist())
        outside.set()

    @jupyter_hybrid.hybridize
    def waiting(x):
        y = x + 1
        inside.set()
        assert outside.wait(10)
        return y * 2

    thread = threading.Thread(target=work)
    thread.start()
    np.testing.assert_array_equal(waiting(np.ones(2)), [4, 4])
    thread.join()
    assert seen == [None, [3, 3], [0.0]]
    assert "another thread" in affine.report().explain()
    assert len(ops(waiting.report())) == 2


# The with-block -----------------------------------------------------------------------------------
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


# Scripts ------------------------------------------------------------------------------------------
SCRIPT = """
import sys
import numpy as np
import jupyter_hybrid

@jupyter_hybrid.hybridize
def step(x):
    y = x * 2
    return y + 1

x = np.arange(3.0)
step(x)
print(step(x).tolist(), step.report().replay)
with jupyter_hybrid.symbolic() as cell:
    def twice(a):
        return a * 2
    y = twice(x)
    z = y + np.ones(3)
    n = 3
    del n
print(z.tolist(), type(y).__name__, type(z).__name__, "n" in globals())
print(cell.report().explain())
print(twice(x).tolist(), "IPython" in sys.modules)
with jupyter_hybrid.symbolic():
    w = x + 1
    w = w @ np.ones(7)
"""


def test_a_plain_script(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == [
        "[1.0, 3.0, 5.0] replayed",
        "[1.0, 3.0, 5.0] ndarray ndarray False",
        "compiled: this cell was not compiled before",
        "captured whole",
        "[0.0, 2.0, 4.0] False",
    ]
    assert "w = w @ np.ones(7)" in done.stderr and "jupyter_hybrid/" not in done.stderr
    assert "_Skip" not in done.stderr and "ValueError" in done.stderr


@pytest.mark.held_up("the body itself is as written", "f")
def test_a_function_edited_after_its_import_is_not_rewritten(tmp_path, monkeypatch):
    source = textwrap.dedent(
        """
        import numpy as np
        import jupyter_hybrid

        @jupyter_hybrid.hybridize
        def f(x):
            return x + 1
        """
    )
    file = tmp_path / "edited_module.py"
    file.write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import edited_module

    file.write_text(source.replace("x + 1", "x - 1"))
    np.testing.assert_array_equal(edited_module.f(np.ones(2)), [2, 2])


def test_arrays_in_known_places_are_found_without_searching_the_heap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def searched(*_args: object) -> None:
        raise AssertionError("every object of the process was looked at")

    monkeypatch.setattr(holders, "replace", searched)

    @jupyter_hybrid.hybridize
    def several(x):
        parts = [x + 1, x * 2]
        return {"first": parts[0], "all": parts}

    found = several(np.ones(3))
    assert type(found["first"]) is np.ndarray
    assert found["all"][0] is found["first"]
