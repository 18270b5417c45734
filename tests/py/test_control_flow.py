"""Conditions and loops on values in a cell: Python follows the values, the steps are recorded."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from cells import Shell, imperative
from control_bodies import ALL, NEWTON, Body
from test_control_nodes import assert_same

CASES = {f"{group}: {name}": one for group, found in ALL.items() for name, one in found.items()}
READS = "a condition reads a value"
X = np.linspace(-1.0, 2.0, 12).reshape(3, 4)


@pytest.fixture
def shell() -> Shell:
    return Shell()


def check(shell: Shell, body: Body, options: str = "--force"):
    """Runs the cell both ways; every binding must be equal in type, dtype, shape and bits."""
    head = "import numpy as np\nfrom jupyter_hybrid import nd\n"
    expected, text = imperative(head + body.text, {k: copy.copy(v) for k, v in body.given.items()})
    shell.run(head)
    shell.ns.update({k: copy.copy(v) for k, v in body.given.items()})
    result = shell.hybridize(body.text, f"--view none {options}")
    assert result.out == text
    report = shell.report
    shell.run("pass")
    for name, value in expected.items():
        if name not in ("np", "nd") and not callable(value):
            shell.run(name)  # a deferred value is there
            assert_same(shell.ns[name], value, body.close, name)
    return report


def operators(report) -> list[str]:
    """Names of the operators that the cell's graphs contain."""
    return [n.op for segment in report.segments for n in segment.graph.nodes]


def reasons(report) -> list[str]:
    return [reason for _, reason in report.graph_breaks]


@pytest.mark.parametrize("name", CASES)
def test_python_follows(shell, name):
    for body in CASES[name]:
        report = check(shell, body)
        assert not {"cond", "while_loop", "foreach"} & set(operators(report))
        found = sum(p.count for p in report.graph_breaks if p[1] == READS)
        assert body.reads is None or found == body.reads, body.text
        if body.reads == 0:
            assert not report.graph_breaks


def test_the_line_of_a_condition_is_named(shell):
    report = check(shell, Body("y = x * 2\nif y.sum() > 0:\n    z = y - 1\nw = y * 3\n", ""))
    assert report.graph_breaks == [(3, READS)]


def test_an_empty_range_leaves_names_unbound(shell):
    check(shell, Body("y = x * 1\nfor i in range(0):\n    z = y\n", ""))
    assert "z" not in shell.ns
    assert "i" not in shell.ns


def test_the_steps_of_a_loop_are_recorded(shell):
    report = check(shell, Body("y = x\nfor i in range(10):\n    y = y * 0.5 + i\n", ""))
    assert operators(report).count("mul_scalar") == 10
    assert len(report.segments) == 1


def test_many_steps_are_several_programs(shell):
    body = "y = x * 1.0\nfor i in range(2000):\n    y = y * 0.5 + x\n"
    report = check(shell, Body(body, ""))
    assert not report.graph_breaks
    assert sum(segment.count for segment in report.segments) > 2
    assert len(report.segments) <= 3  # whole steps: the same program again


@pytest.mark.parametrize("limit", [1, 15, 100_000])
def test_the_limit_of_loops_has_no_effect_yet(shell, limit):
    body = Body("y = x\nfor i in range(10):\n    y = y * 0.5 + i\n", "")
    report = check(shell, body, f"--force --loop-limit {limit}")
    assert len(report.segments) == 1
    assert not report.graph_breaks


def test_an_array_of_outside_is_written_where_it_lives(shell):
    body = "for _ in range(300):\n    old = u.copy()\n    u[1:-1] = 0.5 * (old[:-2] + old[2:])\n"
    given = np.linspace(0, 1, 10) ** 2
    alias = given[2:5]
    expected, _ = imperative(body, {"u": given.copy()})
    shell.ns.update(u=given, alias=alias)
    shell.hybridize(body, "--force --view none")
    np.testing.assert_array_equal(given, expected["u"])
    np.testing.assert_array_equal(alias, expected["u"][2:5])
    assert shell.ns["u"] is given


@pytest.mark.parametrize("s", [1.0, -1.0])
def test_a_branch_writes_an_array_of_outside_where_it_lives(shell, s):
    given = np.array([1.0, 2.0])
    alias = given[1:]
    shell.ns.update(a=given, s=s)
    shell.hybridize("if (a * s).sum() > 0:\n    a[1] = 5\nelse:\n    a += 1\n")
    np.testing.assert_array_equal(given, [1, 5] if s > 0 else [2, 3])
    assert alias[0] == given[1]
    assert shell.ns["a"] is given


@pytest.mark.parametrize("s", [1.0, -1.0])
def test_a_read_only_array_raises_as_imperatively(shell, s):
    given = np.array([1.0, 2.0])
    given.flags.writeable = False
    shell.ns.update(a=given, s=s)
    result = shell.hybridize("if (a * s).sum() > 0:\n    a[1] = 5\n", fails=s > 0)
    assert "read-only" in str(result.error) if s > 0 else result.error is None


def test_a_function_of_an_earlier_cell(shell):
    shell.run("import numpy as np")
    shell.run("def f(x):\n    return x * x - 2.0\ndef df(x):\n    return 2.0 * x\n")
    body = "x = a * 1.0\nwhile abs(f(x)) > 1e-12:\n    x = x - f(x) / df(x)\n"
    shell.ns["a"] = np.array(1.0)
    shell.hybridize(body, "--force")
    assert reasons(shell.report) == [READS]
    assert abs(float(shell.ns["x"]) - 2**0.5) < 1e-12


def test_random_draws_happen_every_step(shell):
    body = "y = x * 1.0\nfor _ in range(300):\n    y = y * 0.5 + np.random.rand() + 0 * y\n"
    np.random.seed(3)
    expected, _ = imperative("import numpy as np\n" + body, {"x": X})
    shell.run("import numpy as np")
    shell.ns["x"] = X
    np.random.seed(3)
    shell.hybridize(body, "--view none")
    shell.run("_made = np.asarray(y)")
    np.testing.assert_array_equal(shell.ns["_made"], expected["y"])


# Errors, other code -----------------------------------------------------------------------------
def test_an_error_in_the_body_points_at_the_line(shell):
    body = "x = a * 1.0\nwhile x.sum() < 10:\n    x = x + np.ones(3)\n"
    shell.run("import numpy as np")
    shell.ns["a"] = np.ones(2)
    result = shell.hybridize(body, fails=True)
    assert "broadcast" in str(result.error)
    lines = []
    trace = result.error.__traceback__
    while trace is not None:
        if "jupyter_hybrid" not in trace.tb_frame.f_code.co_filename:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    assert 4 in lines


def test_names_of_the_runtime_do_not_stay_behind(shell):
    shell.run("import numpy as np")
    shell.ns["a"] = np.array(1.0)
    shell.hybridize("x = a * 1.0\nwhile True:\n    x = x * 2\n    if x > 9:\n        break\n")
    assert not [n for n in shell.ns if "jupyter_hybrid" in n]


def test_rewritten_functions_work_outside_the_cell(shell):
    shell.run("import numpy as np")
    shell.hybridize(
        "def f(n):\n    t = 0\n    for i in range(n):\n        if i % 2:\n            continue\n"
        "        t += i\n    while t > 100:\n        t -= 7\n    return t\n"
    )
    assert shell.run("f(50)").value == (600 - 7 * 72)


def test_len_range_and_zip_do_not_compute(shell):
    body = """
y = x * 2
n = len(y)
total = y[0] * 0
for i in range(len(y)):
    total = total + y[i]
for k, row in enumerate(y):
    total = total + row * k
for p, q in zip(y, y):
    total = total + p * q
"""
    assert not check(shell, Body(body, "")).graph_breaks


def test_running_again_compiles_nothing(shell):
    shell.run("import numpy as np")
    shell.ns["a"] = np.array(1.0)
    shell.hybridize(NEWTON, "--force")
    shell.hybridize(NEWTON, "--force")
    assert all(segment.cached for segment in shell.report.segments)


def test_what_entered_in_a_branch_is_found_at_the_end(shell):
    shell.run(
        "import numpy as np\n"
        "def bump(v):\n    v += 1\n    return v\n"
        "class Keeper:\n    def __init__(self, v):\n        self.v = v\n"
        "b, c = np.arange(4.0), np.arange(6)"
    )
    shell.hybridize("if c.sum() > 4:\n    q = bump(b)\nkeeper = Keeper(b)")
    assert type(shell.ns["keeper"].v) is np.ndarray
    assert shell.ns["keeper"].v is shell.ns["b"] is shell.ns["q"]
    assert shell.ns["b"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("face", ["np", "nd"])
@pytest.mark.parametrize("window", ["v = b[0:1]", "v = b.reshape((2, 2))[0:1]"])
@pytest.mark.parametrize("when", ["before", "in the cell"])
def test_a_branch_beside_windows(shell, face, window, when):
    make = "import numpy as np" if face == "np" else "from jupyter_hybrid import nd"
    setup = f"{make}\nb, c = {face}.ones((4,)), {face}.ones((3,))\n"
    setup += window + "\n" if when == "before" else ""
    body = window + "\n" if when != "before" else ""
    body += "if c.sum() > 0:\n    c += c + c\nelse:\n    b = b + b\nb[0] = 7\nw = v * 2\n"
    shell.run(setup)
    shell.hybridize(body)
    plain, _ = imperative(setup + body)
    for name in "bcvw":
        assert shell.ns[name].tolist() == plain[name].tolist(), name


@pytest.mark.parametrize("order", ["b[0] = 0.5\n    v = v + v", "v = v + v\n    b[0] = 0.5"])
def test_a_name_that_enters_a_loop_as_a_view_sees_what_the_loop_writes(shell, order):
    setup = "import numpy as np\nb, a = np.ones(4), np.ones(3)\n"
    body = f"v = b[0:1]\nfor i in range(9):\n    a = a + a\n    {order}\n"
    shell.run(setup)
    shell.hybridize(body, "--force")
    plain, _ = imperative(setup + body)
    for name in "abv":
        np.testing.assert_array_equal(shell.ns[name], plain[name])


@pytest.mark.parametrize("face", ["np", "nd"])
@pytest.mark.parametrize("cut", ["if x[:1].sum() > 3:\n    y[0:1] = 5\n    bump(x)\n", ""])
def test_a_function_that_writes_its_argument(shell, face, cut):
    body = "def bump(v):\n    v += 1\n    return v\n"
    body += "for i in range(30):\n    y[0:2] = y[0:2] * 0.5\n    bump(x)\n" + cut
    given = f"import numpy as np\nfrom jupyter_hybrid import nd\nx = {face}.ones(4)\ny = x * 8\n"
    plain, _ = imperative(given + body)
    shell.run(given)
    shell.hybridize(body, "--force --view none")
    for name in "xy":
        assert_same(shell.ns[name], plain[name], False, name)
