"""Symbolic as the default mode, cells that await, magics in and around cells, tracebacks."""

from __future__ import annotations

import asyncio
import re

import nbformat
import numpy as np
import papermill
import pytest
from cells import Shell
from IPython.utils.capture import capture_output
from nbclient import NotebookClient
from terminal import ipython

from jupyter_hybrid import np_face
from jupyter_hybrid.capture.source.hooks import install
from jupyter_hybrid.cells import ways


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    shell.ns.update(np=np, x=np.arange(4.0))
    return shell


@pytest.fixture
def symbolic(shell):
    shell.run("%hybrid mode symbolic")
    yield shell
    shell.run("%hybrid mode imperative")


# Cells of all kinds -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body",
    ["", "\n", "# only a comment", "\n\n# a comment\n", "pass", "x?", "!true", "x;"],
)
def test_small_cells_run(shell, body):
    assert shell.run("%%hybridize --view none\n" + body).value is None


def test_line_magics_inside_run_outside_the_graph(shell):
    result = shell.hybridize(
        "y = x * 2\n%timeit -n1 -r1 y + 1\nnames = %who_ls ndarray\n"
        "out = !echo $y\nz = y + 1\nz[0] + 0.0\n",
        "--view none",
    )
    assert "loop" in result.out and result.value == 1.0
    assert shell.ns["out"] == ["[0. 2. 4. 6.]"]
    assert {"x", "y"} <= set(shell.ns["names"])
    reasons = [reason for _, reason in shell.report.graph_breaks]
    assert "%timeit runs outside the graph" in reasons
    np.testing.assert_array_equal(shell.ns["z"], [1, 3, 5, 7])


def test_a_line_magic_may_write_what_the_cell_reads(shell):
    shell.hybridize("y = x * 2\n%time y[:] = 7\nz = y + x\n", "--view none")
    np.testing.assert_array_equal(shell.ns["z"], 7 + np.arange(4.0))


@pytest.mark.parametrize(
    "first", ["%%time\n%%hybridize --view none", "%%hybridize --view none\n%%time"]
)
def test_time_above_or_below(shell, first):
    result = shell.run(first + "\ny = x * 2\ny + 1\n")
    assert "Wall time" in result.out
    assert shell.report.kernels and {line for k in shell.report.kernels for line in k.lines} == {
        3,
        4,
    }
    np.testing.assert_array_equal(shell.ns["y"], shell.ns["x"] * 2)


@pytest.mark.parametrize("first", ["%%capture got\n%%hybridize", "%%hybridize\n%%capture got"])
def test_capture_above_or_below(shell, first):
    assert shell.run(first + "\nprint('heard')\ny = x * 2\n").out == ""
    assert shell.ns["got"].stdout.startswith("heard")
    assert shell.report.kernels


@pytest.mark.parametrize(
    "first", ["%%timeit -n2 -r1\n%%hybridize", "%%hybridize\n%%timeit -n2 -r1"]
)
def test_timeit_binds_nothing_and_draws_nothing(shell, first):
    result = shell.run(first + "\nfresh = x * 2\n")
    assert "loop" in result.out and not result.shown and "fresh" not in shell.ns
    assert shell.report.kernels


@pytest.mark.parametrize(
    "first",
    ["%%timeit -n2 -r1\n%%hybridize --view none", "%%hybridize --view graph\n%%timeit -n2 -r1"],
)
def test_timeit_draws_nothing_whatever_view_is_asked_for(shell, first):
    result = shell.run(first + "\nfresh = x * 2\n")
    assert "loop" in result.out and not result.shown


@pytest.mark.parametrize("mode", ["auto", "symbolic"])
def test_timeit_has_its_setup_in_any_mode(shell, mode):
    shell.run(f"%hybrid mode {mode}")
    assert "loop" in shell.run("%%timeit -n1 -r1 q = x\nq * 2\n").out
    assert "loop" in shell.run("%%timeit -n 1 -r1\nx * 2\n").out


@pytest.mark.parametrize("mode", ["auto", "symbolic"])
@pytest.mark.parametrize(
    "first",
    ["", "%%time\n", "%%capture got\n", "%%time\n%%capture got\n", "%%timeit -n2 -r1\n"],
)
def test_the_history_is_ipythons(shell, first, mode):
    cells = [first + "q = x * 2\n%precision 3\nq + 1\n", first + "q = x"]
    with capture_output():
        for text in [*cells, f"%hybrid mode {mode}", *cells]:
            shell.ip.run_cell(text, store_history=True)
    told = shell.ns["In"][-5:]
    assert told[3:] == told[:2]


# Await --------------------------------------------------------------------------------------------
def test_a_cell_may_await(shell):
    result = shell.hybridize(
        "import asyncio\ny = x * 2\nawait asyncio.sleep(0)\nz = y + 1\n"
        "async def twice(a):\n    await asyncio.sleep(0)\n    return a * 2\n"
        "(await twice(z)).sum()\n",
        "--view none",
    )
    assert result.value == (shell.ns["x"] * 2 + 1).sum() * 2
    assert type(shell.ns["y"]) is np.ndarray
    assert shell.report.kernels
    assert [line for line, _ in shell.report.graph_breaks] == [4, 9]


def test_async_loops_and_managers(shell):
    shell.hybridize(
        "import asyncio, contextlib\n"
        "async def numbers():\n    for i in range(3):\n        await asyncio.sleep(0)\n"
        "        yield i\n"
        "@contextlib.asynccontextmanager\nasync def two():\n    await asyncio.sleep(0)\n"
        "    yield 2.0\n"
        "s = x * 0\nasync for i in numbers():\n    s = s + x * i\n"
        "async with two() as t:\n    s = s * t\n",
        "--view none",
    )
    np.testing.assert_array_equal(shell.ns["s"], np.arange(4.0) * 6)


def test_other_tasks_are_not_recorded(shell):
    seen = []

    async def other():
        for _ in range(3):
            seen.append((install().recorder, type(shell.ns.get("y", 0.0))))
            seen.append((None, type(shell.ns["x"] + 1)))
            await asyncio.sleep(0)

    shell.ns["other"] = other
    shell.hybridize(
        "import asyncio\ntask = asyncio.ensure_future(other())\ny = x * 2\nfor i in range(4):\n"
        "    y = y + 1\n    await asyncio.sleep(0)\nawait task\n",
        "--view none",
    )
    assert len(seen) == 6 and all(recorder is None for recorder, _ in seen)
    assert not any(kind is np_face.TracedArray for _, kind in seen)
    np.testing.assert_array_equal(shell.ns["y"], np.arange(4.0) * 2 + 4)


def test_an_awaited_error_and_what_was_bound_before(shell):
    failed = shell.hybridize(
        "import asyncio\ny = x * 2\nawait asyncio.sleep(0)\nz = y + 1\n"
        "await asyncio.sleep(0)\n1 / 0\n",
        "--view none",
        fails=True,
    )
    assert isinstance(failed.error, ZeroDivisionError)
    np.testing.assert_array_equal(shell.ns["z"], np.arange(4.0) * 2 + 1)
    assert install().recorder is None
    shell.hybridize("w = x + 1\nv = w\n", "--view none")  # the next cell records again
    assert shell.report.kernels


def test_a_cell_that_awaits_runs_as_written_where_that_is_faster(shell, monkeypatch):
    now = [0.0]

    async def other():  # what it waits for does not count
        now[0] += 100

    def work():
        now[0] += 9 if install().recorder else 1

    monkeypatch.setattr(ways, "clock", lambda: now[0])
    shell.ns |= {"other": other, "work": work}
    modes = []
    for run in range(5):
        shell.ns["x"] = np.arange(4.0) + run
        body = "import asyncio\nwork()\nawait asyncio.ensure_future(other())\nwork()\ny = x + 1"
        shell.hybridize(body, "--view none")
        modes.append(shell.report.mode)
        np.testing.assert_array_equal(shell.ns["y"], np.arange(4.0) + run + 1)
    assert modes == ["symbolic"] + ["imperative"] * 4


def test_imperative_cells_may_await_too(shell):
    assert shell.run("%%imperative\nimport asyncio\nawait asyncio.sleep(0, 5)\n").value == 5


def test_time_can_not_await(shell):
    body = "import asyncio\nawait asyncio.sleep(0)\n"
    assert "await" in str(shell.run("%%time\n%%hybridize\n" + body, fails=True).error)


# Default mode -------------------------------------------------------------------------------------
def test_default_mode_leaves_the_rest_alone(symbolic):
    symbolic.run("y = x * 2\nz = y + 1")
    before = symbolic.report
    assert before.kernels
    for cell in ("%%imperative\nw = x + 1", "%%bash\ntrue", "# nothing", "%who_ls", "x?", "!true"):
        symbolic.run(cell)
        assert symbolic.report is before
    assert "loop" in symbolic.run("%timeit -n1 -r1 x * 2").out and symbolic.report is before
    assert "Wall time" in symbolic.run("%%time\nw = x * 3").out and symbolic.report is not before


def test_default_mode_in_run_cell_called_from_a_cell(symbolic):
    symbolic.run("%%imperative\nget_ipython().run_cell('inner = x * 5')")
    assert symbolic.report.cell.lines == ["inner = x * 5"]
    np.testing.assert_array_equal(symbolic.ns["inner"], np.arange(4.0) * 5)


def test_run_executes_scripts_imperatively(symbolic, tmp_path):
    before = symbolic.run("q = x + 1") and symbolic.report
    (tmp_path / "script.py").write_text("import numpy as np\nmade = np.ones(3) * 2\n")
    symbolic.run(f"%run {tmp_path / 'script.py'}")
    assert symbolic.report is before
    np.testing.assert_array_equal(symbolic.ns["made"], [2, 2, 2])


def test_default_mode_awaits(symbolic):
    assert symbolic.run("import asyncio\nawait asyncio.sleep(0)\n(x * 2).sum()").value == 12.0


def test_history_keeps_what_was_typed(symbolic):
    typed = ["h1 = x * 2", "import asyncio\nawait asyncio.sleep(0)\nh2 = h1 + 1"]
    start = symbolic.ip.execution_count
    for cell in typed:
        symbolic.ip.run_cell(cell, store_history=True)
    assert [s.strip() for s in symbolic.ns["In"][start : start + 2]] == typed
    raw = symbolic.ip.history_manager.input_hist_raw
    assert raw[start : start + 2] == typed


def test_in_holds_what_ipython_makes_of_a_magic(shell):
    for magic, line in (("hybridize", "--view none"), ("imperative", "")):
        shell.ip.run_cell(f"%%{magic} {line}\na = 1\na + 1", store_history=True)
        assert shell.ns["In"][-1] == (
            f"get_ipython().run_cell_magic({magic!r}, {line!r}, 'a = 1\\na + 1\\n')"
        )
        assert shell.ns["_"] == 2


def test_a_future_import_holds_in_later_cells(shell):
    shell.hybridize("def f(a: int): pass\nkind = type(f.__annotations__['a']).__name__\n")
    assert shell.ns["kind"] == "type"


# Tracebacks ---------------------------------------------------------------------------------------
HEAD = ["%load_ext jupyter_hybrid", "import numpy as np; from jupyter_hybrid import nd"]
HELPER = "def helper(a):\n    b = a + 1\n    return b @ np.ones(99)"
ERRORS = {
    "trace": ("%%hybridize --view none\ny = np.ones(3)\nz = y + np.ones(4)\nw = 1", 3, "z = y +"),
    "python": ("%%hybridize --view none\ny = np.ones(3) * 2\n1 / 0", 3, "1 / 0"),
    "await": ("%%hybridize --view none\nimport asyncio\nawait asyncio.sleep(0)\n1 / 0", 4, "1 / 0"),
    "helper": ("%%hybridize --view none\ny = np.ones(3)\nhelper(y)", 3, "helper(y)"),
    "time": ("%%time\n%%hybridize --view none\ny = np.ones(3)\n1 / 0", 4, "1 / 0"),
    "syntax": ("%%hybridize\ny = 1\nz = = 2", None, "z = = 2"),
    "return": ("%%hybridize\ny = 1\nreturn y", None, "return y"),
    "kernel": (
        "%%hybridize --view none\na = nd.ones((3, 2))\n"
        "b = nd.take(a, nd.array([7]), mode='raise')\nc = b + 1\nprint(c)",
        3,
        "nd.take",
    ),
    "imperative": ("%%imperative\ny = 1\n1 / 0", 3, "1 / 0"),
}
DEFAULT = {
    "default": ("y = np.ones(3); 1 / 0", 1, "1 / 0"),
    "default syntax": ("y = = 3", None, "y = = 3"),
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> dict[str, str]:
    """What a terminal shows for each of the cells above."""
    cells = [*HEAD, HELPER, *(c for c, *_ in ERRORS.values()), "%hybrid mode symbolic"]
    cells += [*(c for c, *_ in DEFAULT.values()), "print(In[-2].strip())"]
    texts = ipython(cells, tmp_path_factory.mktemp("ipython"))
    assert len(texts) >= len(cells), texts
    texts = dict(zip(cells, texts, strict=False))
    named = {name: texts[cell] for name, (cell, *_) in {**ERRORS, **DEFAULT}.items()}
    return {**named, "history": texts[cells[-1]]}


@pytest.mark.parametrize("name", [*ERRORS, *DEFAULT])
def test_a_terminal_shows_the_users_own_line(shown, name):
    _, line, code = {**ERRORS, **DEFAULT}[name]
    text = shown[name]
    assert code in text, text
    assert "jupyter_hybrid/" not in text and "run_cell_magic" not in text, text
    assert "interactiveshell" not in text and "hidden" not in text, text
    if line is not None:
        arrows = [r for r in text.splitlines() if re.match(rf"-+> {line} ", r) and code in r]
        assert arrows, text
    else:
        assert "SyntaxError" in text and "Traceback" not in text


def test_a_terminal_shows_the_helper_of_an_earlier_cell(shown):
    assert re.search(r"-> 3     return b @ np.ones\(99\)", shown["helper"]), shown["helper"]


def test_a_terminal_keeps_what_was_typed(shown):
    assert shown["history"].startswith(DEFAULT["default syntax"][0] + "\n")


def test_a_cause_is_shown_without_our_frames(shell):
    failed = shell.hybridize(
        "y = x + 1\ntry:\n    y @ np.ones(9)\n"
        "except ValueError as e:\n    raise KeyError() from e\n",
        "--view none",
        fails=True,
    )
    text = "\n".join(failed.error._render_traceback_())
    assert "direct cause" in text and not re.search(
        r"jupyter_hybrid/(np_face|capture|cells)/", text
    )
    assert re.search(r"-> 4     y @ np.ones\(9\)", re.sub(r"\x1b\[[\d;]*m", "", text))


# Notebooks ----------------------------------------------------------------------------------------
NOTEBOOK = [
    "%load_ext jupyter_hybrid\nimport numpy as np\n%hybrid mode symbolic",
    "n = 3",
    "y = np.ones(n) * 2\nz = y + 1",
    "import asyncio, jupyter_hybrid\nawait asyncio.sleep(0)\nw = z * 2\nw.sum()",
    "%%imperative\nr = jupyter_hybrid.report()\nprint(r.replay, sorted(r.line_of(n) for n in "
    "r.stages[0].graph.nodes if n.kind == 'op'), In[-2].splitlines()[0])",
]


def notebook() -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_code_cell(source) for source in NOTEBOOK]
    cells[1].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def checked(book: nbformat.NotebookNode, total: str) -> None:
    outputs = [o for cell in book.cells for o in cell.get("outputs", [])]
    assert any(o.get("data", {}).get("text/plain", "").endswith(total) for o in outputs)
    printed = "".join(o.get("text", "") for o in outputs)
    assert "compiled [3, 4] import asyncio" in printed


def test_nbclient():
    book = notebook()
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    checked(book, "(18.0)")


def test_papermill(tmp_path):
    source, result = tmp_path / "in.ipynb", tmp_path / "out.ipynb"
    nbformat.write(notebook(), source)
    papermill.execute_notebook(source, result, parameters={"n": 5}, progress_bar=False)
    checked(nbformat.read(result, 4), "(30.0)")
