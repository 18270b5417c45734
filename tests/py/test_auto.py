"""Mode auto: cells as written, whose hot loops run compiled, and which go the fastest way later."""

from __future__ import annotations

import ast
import sys

import numpy as np
import pytest
from cells import Clock, Shell, imperative

import jupyter_hybrid as mx
from jupyter_hybrid.capture.source import compiled
from jupyter_hybrid.capture.source.loops import Pace, may_try
from jupyter_hybrid.capture.source.plain import PlainCopies
from jupyter_hybrid.cells import trifles, ways
from jupyter_hybrid.cells.magics import HybridMagics

SETUP = "import numpy as np\nx = np.arange(300.0)\n"
LOOP = "for i in range(1, 300):\n    x[i] += 0.5 * x[i - 1]\n"


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def test_the_mode_is_set_told_and_left(shell):
    assert shell.run("%hybrid mode").out.startswith("cells run as written, until measuring tells")
    result = shell.run("%hybrid mode fast", fails=True)
    assert "symbolic [--force]|imperative|auto" in str(result.error)
    assert "imperatively" in shell.run("%hybrid mode imperative").out


@pytest.mark.parametrize(
    "body",
    [
        "y = x * 2\nprint(y.sum())\ny[:3]\n",
        "print([k for k in range(3)])\nfor k in 'ab':\n    print(k)\nelse:\n    print('end')\n",
        "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nm = f(10)\nm\n",
        "n = 0\nwhile True:\n    n += 1\n    if n > 9:\n        break\nelse:\n    n = -1\nn\n",
        "def g():\n    for k in range(3):\n        yield k\nr = list(g())\n",
        "class A:\n    n = 0\n    for k in range(3):\n        n += k\na = A().n\n",
        "import asyncio\nawait asyncio.sleep(0)\nz = 1\n",
        LOOP,
    ],
)
def test_a_cell_does_what_it_does_as_written(shell, body):
    plain = Shell()
    plain.run("%hybrid mode imperative")
    plain.run(SETUP)
    wanted = plain.run(body)
    names = {k: v for k, v in plain.ns.items() if not k.startswith("_")}
    shell.run("%hybrid mode auto")
    for _ in range(3):
        shell.run(SETUP)
        result = shell.run(body)
        assert (repr(result.value), result.out) == (repr(wanted.value), wanted.out)
        for name in "yxrnmaz":
            assert repr(shell.ns.get(name)) == repr(names.get(name))


def test_what_ipython_does_with_cells_stays_its_own(shell):
    shell.ip.ast_node_interactivity = "all"
    try:
        shown = shell.run("1 + 1\n2 + 2\n").out.splitlines()
        assert [line[-1] for line in shown] == ["2", "4"]
    finally:
        shell.ip.ast_node_interactivity = "last_expr"

    class Negated(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            return ast.copy_location(ast.Constant(-node.value), node)

    shell.ip.ast_transformers.append(Negated())
    try:
        shell.run("five = 5\nsix = 6\n")
    finally:
        shell.ip.ast_transformers.pop()
    assert (shell.ns["five"], shell.ns["six"]) == (-5, -6)


def test_a_hot_loop_is_compiled_while_it_runs(shell, steps, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e-9)
    shell.run(SETUP)
    wanted = imperative(SETUP + LOOP)[0]["x"]
    shell.run(LOOP + "# hot\n")
    assert steps == [298]  # but for the first one
    np.testing.assert_array_equal(shell.ns["x"], wanted)
    text = repr(mx.report())
    assert "way       the cell runs with its loops compiled, in " in text
    assert "unit      lines 1-2: 298 steps ran compiled" in text


def test_a_loop_that_takes_no_time_is_not_compiled(shell, steps, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e9)
    shell.run(SETUP)
    shell.run(LOOP)
    assert steps == []
    assert "as written" in mx.report().ran and not mx.report().units


def test_a_loop_that_runs_again_is_compiled_sooner(shell, steps, monkeypatch):
    monkeypatch.setattr(ways, "_HOT_SHARES", (1.0, 1e-18))
    monkeypatch.setattr(compiled, "HOT_S", 1e9)
    shell.run(SETUP)
    for _ in range(2):
        shell.run(LOOP + "# sooner\n")
    assert steps == [299]
    assert "way       the cell runs with its loops compiled" in repr(mx.report())


@pytest.mark.parametrize("hot_s", [0.0, 1e-9, 1e9])
def test_an_error_is_pythons(shell, steps, monkeypatch, hot_s):
    monkeypatch.setattr(compiled, "HOT_S", hot_s)
    shell.run(SETUP)
    result = shell.run("for i in range(290, 320):\n    x[i] = 0\n# fails\n", fails=True)
    assert type(result.error) is IndexError
    assert (shell.ns["i"], shell.ns["x"][290:].tolist()) == (300, [0.0] * 10)
    files, traceback = [], result.error.__traceback__
    while traceback is not None:
        files.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    ours = {f.rpartition("/")[2] for f in files if "/jupyter_hybrid/" in f}
    assert ours == {"magics.py"} and "ipython-input" in files[-1]  # which IPython does not show


def test_functions_are_themselves_everywhere_but_where_they_are_called(shell, steps):
    shell.run(
        "import sys\nimport inspect\n"
        "def add(n):\n    s = 0\n    for k in range(n):\n        s += k\n"
        "    return s, sys._getframe().f_code.co_name\n"
        "total = add(5)\nsame = add is globals()['add'] and inspect.getsource(add)\n"
        "code = add.__code__\n"
    )
    assert shell.ns["total"] == (10, "add") and steps == [5]
    assert shell.ns["same"].startswith("def add") and shell.ns["add"].__code__ is shell.ns["code"]
    assert "__jupyter_hybrid__" not in shell.ns["code"].co_names


def test_a_function_that_changes_between_calls_is_called_as_it_is(shell, steps):
    shell.run(
        "def f(n=2):\n    s = 0\n    for k in range(n):\n        s += 1\n    return s\n"
        "def g(n=2):\n    return -n\n"
        "one = f()\nf.__defaults__ = (3,)\ntwo = f()\nf.__code__ = g.__code__\nthree = f()\n"
    )
    assert [shell.ns[n] for n in ("one", "two", "three")] == [2, 3, -3]


def test_a_slow_cell_is_recorded_once_that_is_worth_it(shell, monkeypatch):
    shell.run(SETUP)
    monkeypatch.setattr(ways, "clock", Clock(9.0, 8.0, 9.0, 4.0, 4.0, 4.0))
    body = "y = x * 2 + 1\nkept = [y]\n"
    modes = []
    for _ in range(5):
        shell.run(body)
        modes.append(mx.report().mode)
        np.testing.assert_array_equal(shell.ns["y"], shell.ns["x"] * 2 + 1)
    assert modes == ["imperative", "symbolic", "imperative", "symbolic", "symbolic"]
    assert mx.report().ran == "the cell runs recorded, in 4 s; as written it takes 9 s"


def test_who_is_not_worth_it_stays_as_written(shell, monkeypatch):
    shell.run(SETUP)
    monkeypatch.setattr(ways, "clock", Clock(*[0.001] * 5))
    for _ in range(5):
        shell.run("y = x * 2 + 1\nz = [y]\nprint(end='')\n")
        assert mx.report().mode == "imperative"


def test_under_a_trace_function_nothing_is_compiled(shell, steps):
    shell.run(SETUP)
    sys.settrace(lambda *_: None)
    try:
        shell.run(LOOP + "# traced\n")
    finally:
        sys.settrace(None)
    assert steps == []
    np.testing.assert_array_equal(shell.ns["x"], imperative(SETUP + LOOP)[0]["x"])


def test_the_magic_and_timing_work_beside_it(shell, steps):
    shell.run(SETUP)
    assert "Wall time" in shell.run("%%time\n" + LOOP).out
    shell.hybridize("y = x + 1\n")
    assert mx.report().mode == "symbolic" and not mx.report().ran


def test_a_loop_that_does_not_gain_goes_as_written_ever_longer():
    pace = Pace()
    taken = []
    for _ in range(300):
        taken.append(pace.goes_by_unit())
        if taken[-1]:
            pace.note(False)
    assert taken[:4] == [True, True, True, False] and sum(taken) == 6
    while not pace.goes_by_unit():
        assert not pace.is_hopeless
    pace.note(True)
    assert all(pace.goes_by_unit() for _ in range(9))


def test_a_loop_that_never_gains_is_not_asked_any_more(shell, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e-9)
    shell.run("q = list(range(1, 5_000))\nfound = 0\n")
    loops = "for n in [1] * 20_000:\n    for p in q:\n        break\n"
    body = f"{loops}    print(end='')\n    found += p\n"
    before = len(may_try)
    shell.run(body)
    assert shell.ns["found"] == 20_000
    assert may_try[before:] == [False, False]  # the outer one's are Python's by their text
    shell.run(body)
    assert shell.ns["found"] == 40_000


@pytest.mark.parametrize("hot_s", [0.0, 1e-9])
def test_short_runs_of_an_inner_loop_go_as_written(shell, steps, monkeypatch, hot_s):
    """What goes through a long list and ends soon gains nothing by a unit, which looks at it."""
    monkeypatch.setattr(compiled, "HOT_S", hot_s)
    shell.run("q = list(range(1, 50_000))\n")
    shell.run(
        "found = {}\nfor n in range(400):\n    for p in q:\n        if p > 1:\n"
        "            break\n    found[n] = p\n"
    )
    assert shell.ns["found"] == dict.fromkeys(range(400), 2)
    if hot_s:
        assert len(steps) < 20


def test_what_a_hot_loop_gains_is_not_tried_again(shell, steps, monkeypatch):
    """Its first steps tell what the others would take: nobody waits for a trial as written."""
    monkeypatch.setattr(compiled, "HOT_S", 1e-9)
    monkeypatch.setattr(ways, "clock", Clock(*[1e-6] * 5))
    for _ in range(5):
        shell.run("%%imperative\n" + SETUP)
        shell.run("# gains\n" + LOOP)
        assert mx.report().ran.startswith("the cell runs with its loops compiled, in ")


def test_a_trifle_is_ipythons_own_until_it_takes_longer(shell, monkeypatch):
    ours = []
    monkeypatch.setattr(ways, "_WORTH_S", 1e9)
    monkeypatch.setattr(trifles, "_LONGER_S", 1e9)
    monkeypatch.setattr(HybridMagics, "_ran", noted(HybridMagics._ran, ours))
    shell.run("%hybrid mode auto")
    cell = "z = n + 1\n"
    for run in range(4):
        shell.run(f"%%imperative\nn = {run}")
        shell.run(cell)
        assert shell.ns["z"] == run + 1
        assert mx.report().cell.source == cell
        assert mx.report().ran.startswith("the cell runs as written, in ")
    assert len(ours) < 8 and ours.count(cell) == 2
    shell.run("%%imperative\nn = 'a'")
    assert "TypeError" in repr(shell.run(cell, fails=True).error)
    with pytest.raises(mx.MXNetError, match="TypeError"):
        mx.report()
    shell.run("%%imperative\nn = 7")
    shell.ip.transform_cell(cell)  # nobody runs it: the next cell is another
    shell.run("%%hybridize\nw = n")
    assert mx.report().cell.source == "w = n\n"
    monkeypatch.setattr(trifles, "_LONGER_S", 0.0)
    monkeypatch.setattr(trifles, "_LONGER", 0)
    for count in (2, 3):
        shell.run(cell)
        assert ours.count(cell) == count


@pytest.mark.parametrize(
    ("cell", "is_ipythons"),
    [
        ("unknown(x)\ny = x + 1", True),  # nobody sees into it
        ("y = x + 1\nz = y.sum()", False),  # it may run as one program
        ("unknown(x)\nfor i in range(3000):\n    s += i\n", False),  # its loop may run compiled
        ("unknown(x)\ny = [str(v) for v in range(3)]", True),
        ("unknown(x)\ndef g():\n    return 1\n", False),
        ("import math\nunknown(x)\nmath = 5\n", True),
    ],
)
def test_who_can_only_run_as_written_is_ipythons_own(shell, monkeypatch, cell, is_ipythons):
    monkeypatch.setattr(ways, "_WORTH_S", 0.0)  # however little it takes
    monkeypatch.setattr(trifles, "_LONGER_S", 1e9)
    ours = []
    shell.run("import numpy as np\nx = np.ones(50)\ns = 0")
    shell.run(
        "class Unknown:\n    def __call__(self, x):\n        return exec('1')\nunknown = Unknown()"
    )
    shell.run("%hybrid mode auto")
    monkeypatch.setattr(HybridMagics, "_ran", noted(HybridMagics._ran, ours))
    for _ in range(7):
        shell.run(cell)
        assert shell.ns.get("math", 5) == 5  # nothing of it is run beside it
    assert (len(ours) < 7) == is_ipythons


def noted(function, seen):
    def ran(self, magic, line, cell):
        seen.append(cell)
        return function(self, magic, line, cell)

    return ran


def test_who_defines_functions_is_no_trifle(shell, monkeypatch):
    monkeypatch.setattr(ways, "_WORTH_S", 1e9)
    shell.run("%hybrid mode auto")
    cell = "def g():\n    return 1\nh = lambda: 2\n"
    made = set()
    for _ in range(4):
        shell.run(cell)
        made.add(shell.ns["g"].__code__)
    assert len(made) == 1


def test_a_long_comprehension_is_compiled_in_its_second_run(shell, steps, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e-9)
    monkeypatch.setattr(ways, "_LONG_S", 0.0)  # who took longer and ran as written gained nothing
    shell.run("%hybrid mode auto")
    for ran in (0, 20_000):
        shell.run("y = [3.0 * i for i in range(20_000)]")
        assert sum(steps) == ran
    assert shell.ns["y"] == [3.0 * i for i in range(20_000)]


def test_functions_that_call_each_other_and_begin_no_loop_are_let_go(shell, monkeypatch):
    """Each call asks for what stands for its function: millions of them would cost seconds."""
    shell.run("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n")
    asked = []
    twin = PlainCopies.twin

    def counted(*given):
        asked.append(given[1])
        return twin(*given)

    monkeypatch.setattr(PlainCopies, "twin", counted)
    shell.run("f = fib(18)\n")
    assert shell.ns["f"] == 2584
    assert 3 < len(asked) < 1000


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_short_runs_of_a_loop_are_let_go(shell, steps, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e9)
    monkeypatch.setattr(compiled, "_SHORT_S", 1.0)  # on a busy machine a run takes any time
    tried = []
    begin = compiled.Tried.__init__
    monkeypatch.setattr(compiled.Tried, "__init__", lambda *given: tried.append(0) or begin(*given))
    shell.run(
        f"total = 0\ni = 0\nwhile i < 5_000:\n    for k in range({steps}):\n        total += k\n"
        "    i += 1\n    print(end='')\n"
    )
    assert shell.ns["total"] == 5_000 * (steps == 2)
    assert 3 < len(tried) < 200


def test_who_asks_for_the_report_is_not_the_last_cell(shell):
    """Nor do errors of such cells hide what they asked for."""
    shell.run(SETUP + "import jupyter_hybrid as mx")
    shell.run("%hybrid mode auto")
    shell.hybridize("y = np.exp(x) + 1", "--view none --force")
    for _ in range(4):  # it would be IPython's own after some
        shell.run("stages = len(mx.report().stages)")
        assert shell.ns["stages"] > 1
    shell.run("mx.report().run_stage('nope')", fails=True)
    assert len(mx.report().stages) > 1
    shell.run("1 // 0", fails=True)
    told = {str(shell.run("mx.report()", fails=True).error) for _ in range(3)}
    assert told == {
        "the last cell failed before anything was recorded: "
        "ZeroDivisionError: integer division or modulo by zero"
    }
