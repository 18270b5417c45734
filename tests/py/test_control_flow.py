"""Conditions and loops on array values: nodes of the graph where exact, Python's own elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

from jupyter_hybrid import _core

pytestmark = pytest.mark.skipif(
    not hasattr(_core, "trace_control"), reason="the core was built before control flow"
)
_PLAIN = (bool, int, float, str, type(None))


@pytest.fixture
def shell() -> Shell:
    return Shell()


def check(shell: Shell, body: str, options: str = "", **given):
    """Runs the cell both ways; every binding must be equal in type, dtype, shape and bits.

    These tests are about the graph: loops are recorded whether or not that pays.
    """
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()}
    expected, text = imperative("import numpy as np\n" + body, copies)
    shell.run("import numpy as np")
    shell.ns.update(given)
    result = shell.hybridize(body, f"--force {options}")
    assert result.out == text
    shell.run("pass")
    for name, value in expected.items():
        if name == "np" or callable(value) or name.startswith("_"):
            continue
        made = shell.ns[name]
        if not isinstance(value, _PLAIN):
            shell.run(f"_made = np.asarray({name}); _type = type({name})")
            assert np.asarray(value).dtype == shell.ns["_made"].dtype, name
            np.testing.assert_array_equal(np.asarray(value), shell.ns["_made"], err_msg=name)
            assert np.shape(value) == shell.ns["_made"].shape, name
        else:
            assert type(made) is type(value), name
            assert made == value or made != made, name
    return shell.report


def nodes(report) -> list[str]:
    """Names of the control-flow operators that the cell's graphs contain."""
    found = []
    for segment in report.segments:
        found += [n.op for n in segment.graph.nodes if n.op in ("cond", "while_loop", "foreach")]
    return found


def reasons(report) -> str:
    return " | ".join(reason for _, reason in report.graph_breaks)


X = np.linspace(-1.0, 2.0, 12).reshape(3, 4)


# if ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_if_on_a_sum_becomes_a_cond(shell, sign):
    report = check(
        shell,
        "y = x * 2\nif y.sum() > 0:\n    z = y - 1\nelse:\n    z = y + 1\nw = z * 3\n",
        x=X * sign,
    )
    assert nodes(report) == ["cond"]
    assert not report.graph_breaks


def test_a_name_that_one_branch_leaves_alone(shell):
    report = check(shell, "y = x * 2\nif y.sum() > 0:\n    y = -y\nz = y + 1\n", x=X)
    assert nodes(report) == ["cond"]


def test_an_array_that_may_be_an_input_breaks(shell):
    report = check(shell, "y = x\nif (x * 2).sum() > 0:\n    y = -x\n", x=X)
    assert nodes(report) == []
    assert "same array" in reasons(report)


def test_branches_of_different_dtype_break(shell):
    body = "y = x * 2\nif y.sum() > 0:\n    z = y.astype('float32')\nelse:\n    z = y + 0\n"
    report = check(shell, body, x=X)
    assert nodes(report) == []
    assert "float32" in reasons(report)


def test_a_name_bound_in_one_branch_breaks(shell):
    report = check(shell, "y = x * 2\nif y.sum() > 0:\n    only = y + 1\n", x=X)
    assert nodes(report) == []
    assert "only is bound in one branch only" in reasons(report)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_numbers_of_branches_break(shell, sign):
    report = check(
        shell, "if (x * 2).sum() > 0:\n    k = 1\nelse:\n    k = 2\ny = x * k\n", x=X * sign
    )
    assert "Python int" in reasons(report)


@pytest.mark.parametrize("scale", [1.0, -1.0, 0.01])
def test_nested_and_elif(shell, scale):
    body = """
y = x * 2
if y.sum() > 5:
    z = y - 1
    if z.max() > 2:
        z = z * 0.5
elif y.sum() > 0:
    z = y * 7
else:
    z = y * 9
"""
    report = check(shell, body, x=X * scale)
    assert nodes(report) == ["cond"]
    assert not report.graph_breaks


def test_print_in_a_branch_breaks_and_prints_once(shell):
    report = check(shell, "y = x * 2\nif y.sum() > 0:\n    print('yes')\n    z = y\n", x=X)
    assert nodes(report) == []
    assert "print" in reasons(report)


def test_concrete_conditions_are_followed(shell):
    report = check(shell, "n = 3\nif n > 2:\n    y = x + n\nelse:\n    y = x\n", x=X)
    assert not report.graph_breaks
    assert nodes(report) == []


# while ------------------------------------------------------------------------------------------
NEWTON = """
x = a * 1.0
while abs(x * x - 2.0) > 1e-12:
    x = x - (x * x - 2.0) / (2.0 * x)
y = x + 1
"""


def test_newton(shell):
    report = check(shell, NEWTON, a=np.array(1.0))
    assert nodes(report) == ["while_loop"]
    assert not report.graph_breaks
    text = report.segments[-1].graph.str() if hasattr(report.segments[-1].graph, "str") else ""
    text = text or str(report.segments[-1].graph)
    assert "  condition(" in text
    assert "  body(" in text


def test_newton_with_err_and_a_count(shell):
    body = """
x = a * 1.0
err = 1.0
steps = 0
while err > tol:
    new = 0.5 * (x + 2.0 / x)
    err = abs(new - x)
    x = new
    steps += 1
"""
    report = check(shell, body, a=np.array(1.0), tol=1e-14)
    assert "while_loop" in nodes(report)
    assert "steps: Python numbers that the loop computes" in reasons(report)


def test_a_loop_that_does_not_run(shell):
    body = NEWTON.replace("a * 1.0", "a[0] * 1.0")
    report = check(shell, body, a=np.sqrt(np.array([2.0])))
    assert nodes(report) == ["while_loop"]
    assert shell.ns["x"] == np.sqrt(2.0)


def test_collatz(shell):
    body = """
n = start * 1
steps = start * 0
while n != 1:
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    steps = steps + 1
"""
    report = check(shell, body, start=np.array(27))
    assert nodes(report) == ["while_loop"]
    assert not report.graph_breaks
    assert int(shell.ns["steps"]) == 111


def test_power_iteration(shell):
    body = """
v = np.ones(4)
change = np.array(1.0) * 1
while change > 1e-10:
    w = A @ v
    w = w / np.sqrt((w * w).sum())
    change = abs(w - v).max()
    v = w
"""
    rng = np.random.default_rng(0)
    m = rng.random((4, 4))
    report = check_close(shell, body, A=m @ m.T)
    assert "while_loop" in nodes(report)


def check_close(shell: Shell, body: str, **given):
    """As check, but to rounding: BLAS and reductions may add in another order than NumPy."""
    expected, _ = imperative("import numpy as np\n" + body, dict(given))
    shell.run("import numpy as np")
    shell.ns.update(given)
    shell.hybridize(body)
    for name, value in expected.items():
        if isinstance(value, (np.ndarray, np.generic)):
            shell.run(f"_made = np.asarray({name})")
            np.testing.assert_allclose(shell.ns["_made"], value, rtol=1e-9, atol=1e-9)
    return shell.report


@pytest.mark.parametrize("limit", [3.0, 50.0])
def test_while_true_with_break(shell, limit):
    body = """
x = a * 1.0
total = a * 0.0
while True:
    x = x * 1.5
    if x > limit:
        break
    total = total + x
"""
    report = check(shell, body, a=np.array(1.0), limit=limit)
    assert nodes(report) == ["while_loop"]


def test_while_with_continue(shell):
    body = """
i = a * 0
odd = a * 0
while i < 20:
    i = i + 1
    if i % 2 == 0:
        continue
    odd = odd + i
"""
    report = check(shell, body, a=np.array(1))
    assert nodes(report) == ["while_loop"]
    assert int(shell.ns["odd"]) == 100


def test_a_print_in_a_loop_happens_every_time(shell):
    body = "x = a * 1.0\nwhile x < 10:\n    x = x * 2\n    print('step')\n"
    report = check(shell, body, a=np.array(1.0))
    assert nodes(report) == []
    assert "print" in reasons(report)


def test_a_list_that_grows_is_not_converted(shell):
    body = "x = a * 1.0\nseen = []\nwhile x < 10:\n    x = x * 2\n    seen.append(1)\n"
    report = check(shell, body, a=np.array(1.0))
    assert nodes(report) == []
    assert shell.ns["seen"] == [1, 1, 1, 1]
    assert "append" in reasons(report)


def test_in_a_helper_function_of_the_cell(shell):
    body = """
def root(s):
    x = s
    while abs(x * x - s) > 1e-12:
        better = 0.5 * (x + s / x)
        x = better
    return x
y = root(a * 1.0)
z = root(y * 3.0)
"""
    report = check(shell, body, a=np.array(7.0))
    assert nodes(report) == ["while_loop", "while_loop"]


def test_a_function_of_an_earlier_cell_is_traced_when_it_only_computes(shell):
    shell.run("def f(x):\n    return x * x - 2.0\ndef df(x):\n    return 2.0 * x\n")
    body = "x = a * 1.0\nwhile abs(f(x)) > 1e-12:\n    x = x - f(x) / df(x)\n"
    shell.run("import numpy as np")
    shell.ns["a"] = np.array(1.0)
    shell.hybridize(body)
    assert nodes(shell.report) == ["while_loop"]
    assert abs(float(shell.ns["x"]) - 2**0.5) < 1e-12


def test_a_function_that_reads_a_carried_name_is_not_traced(shell):
    body = "x = a * 1.0\ndef g():\n    return x * 2\nwhile x < 10:\n    x = g()\n"
    report = check(shell, body, a=np.array(1.0))
    assert nodes(report) == []
    assert "reads x, which the loop changes" in reasons(report)


def test_types_that_change_break(shell):
    body = "x = a * 1\nwhile x.sum() < 10:\n    x = x * 1.5\n"
    report = check(shell, body, a=np.array([1, 2]))
    assert "while_loop" in nodes(report)  # from the second step on
    assert "a loop keeps shapes and dtypes" in reasons(report)


# for --------------------------------------------------------------------------------------------
def test_jacobi_of_many_steps_is_one_node(shell):
    body = """
for it in range(10_000):
    new = u.copy()
    new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    u = new
"""
    grid = np.zeros((12, 12))
    grid[0] = 1.0
    report = check(shell, "u = start * 1.0" + body, start=grid)
    assert nodes(report) == ["foreach"]
    assert not report.graph_breaks
    assert shell.ns["it"] == 9999


def test_a_carried_input_is_written_in_place(shell):
    body = """
for _ in range(1000):
    old = u.copy()
    u[1:-1] = 0.5 * (old[:-2] + old[2:])
"""
    given = np.linspace(0, 1, 10) ** 2
    alias = given[2:5]
    shell.ns["alias"] = alias
    expected, _ = imperative("import numpy as np\n" + body, {"u": given.copy()})
    shell.run("import numpy as np")
    shell.ns["u"] = given
    shell.hybridize(body)
    assert nodes(shell.report) == ["foreach"]
    np.testing.assert_array_equal(given, expected["u"])
    np.testing.assert_array_equal(alias, expected["u"][2:5])
    assert shell.ns["u"] is given


def test_an_alias_that_is_read_prevents_the_node(shell):
    body = """
v = u[1:]
for _ in range(600):
    u[:-1] = u[:-1] * 0.5 + v * 0.25
"""
    report = check(shell, body, u=np.linspace(0, 1, 6))
    assert nodes(report) == []


def test_the_counter_in_arithmetic_and_as_an_index(shell):
    body = """
total = x[0] * 0.0
for i in range(1000):
    total = total + x[i] * i + 1 / (i + 1)
last = i
"""
    report = check(shell, body, x=np.linspace(0, 1, 1000))
    assert nodes(report) == ["foreach"]
    assert not report.graph_breaks
    assert shell.ns["last"] == 999


def test_counting_numbers_are_known_without_running(shell):
    body = """
k = 5
y = x * 1.0
for i in range(10, 2000, 3):
    k += 2
    y = y + k * x
"""
    report = check(shell, body, x=X)
    assert nodes(report) == ["foreach"]
    assert not report.graph_breaks
    assert shell.ns["k"] == 5 + 2 * len(range(10, 2000, 3))


def test_short_loops_are_unrolled(shell):
    report = check(shell, "y = x\nfor i in range(10):\n    y = y * 0.5 + i\n", x=X)
    assert nodes(report) == []
    assert not report.graph_breaks


def test_the_limit_is_an_option(shell):
    body = "y = x\nfor i in range(10):\n    y = y * 0.5 + i\n"
    report = check(shell, body, "--loop-limit 15", x=X)
    assert nodes(report) == ["foreach"]


def test_what_is_no_node_is_computed_in_pieces(shell):
    body = "y = x\nseen = []\nfor i in range(60):\n    y = y * 0.5 + i\n    seen.append(i)\n"
    report = check(shell, body, "--loop-limit 50", x=X)
    assert nodes(report) == []
    assert "recorded many operators" in reasons(report)
    assert len(report.segments) > 2


def test_scan_over_the_rows_of_an_array(shell):
    body = """
s = np.zeros(3)
for row in data:
    s = s * 0.9 + row
"""
    report = check(shell, body, data=np.random.default_rng(1).random((1500, 3)))
    assert nodes(report) == ["foreach"]
    assert "row" in shell.ns


def test_an_empty_range_leaves_names_unbound(shell):
    report = check(shell, "y = x * 1\nfor i in range(0):\n    z = y\n", x=X)
    assert "z" not in shell.ns
    assert "i" not in shell.ns
    assert nodes(report) == []


def test_nested_loops(shell):
    body = """
y = x * 1.0
for i in range(60):
    for j in range(50):
        y = y * 0.99 + i - j
"""
    report = check(shell, body, x=X)
    assert "foreach" in nodes(report)


def test_a_while_in_a_for(shell):
    body = """
y = x * 1.0
for i in range(300):
    e = y.sum()
    while e > 1.0:
        y = y * 0.5
        e = y.sum()
    y = y + 1.0
"""
    report = check_close(shell, body, x=X)
    assert "foreach" in nodes(report)


def test_a_change_of_roles(shell):
    body = """
a = x * 1.0
b = x * 2.0
for _ in range(2501):
    a, b = b, a * 0.999
"""
    report = check(shell, body, x=X)
    assert nodes(report) == ["foreach"]


def test_two_names_of_one_array_stay_one(shell):
    body = """
a = x * 1.0
for _ in range(1500):
    b = a * 0.5 + 1.0
    a = b
a += 1
"""
    report = check(shell, body, x=X)
    assert nodes(report) == ["foreach"]


def test_random_draws_happen_every_step(shell):
    body = "y = x * 1.0\nfor _ in range(700):\n    y = y * 0.5 + np.random.rand() + 0 * y\n"
    np.random.seed(3)
    expected, _ = imperative("import numpy as np\n" + body, {"x": X})
    shell.run("import numpy as np")
    shell.ns["x"] = X
    np.random.seed(3)
    shell.hybridize(body)
    assert nodes(shell.report) == []
    shell.run("_made = np.asarray(y)")
    np.testing.assert_array_equal(shell.ns["_made"], expected["y"])


# errors, other code -----------------------------------------------------------------------------
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
    report = check(shell, body, x=X)
    assert not report.graph_breaks


def test_running_again_compiles_nothing(shell):
    shell.run("import numpy as np")
    shell.ns["a"] = np.array(1.0)
    shell.hybridize(NEWTON)
    shell.hybridize(NEWTON)
    assert all(segment.cached for segment in shell.report.segments)


def test_nd_arrays(shell):
    body = """
x = nd.array([1.0, 2.0]) * a
while nd.sum(x) < 100:
    x = x * 2
y = x + 1
if nd.sum(y) > 10:
    y = y * 3
"""
    shell.run("from jupyter_hybrid import nd")
    for start in (0.5, 1000.0):
        shell.ns["a"] = start
        shell.run(body)
        expected = shell.ns["y"].asnumpy()
        shell.hybridize(body)
        assert nodes(shell.report) == ["while_loop", "cond"]
        assert not shell.report.graph_breaks
        np.testing.assert_array_equal(shell.ns["y"].asnumpy(), expected)


@pytest.mark.parametrize("face", ["nd", "np"])
def test_a_function_that_writes_an_array_of_outside_prevents_the_node(shell, face):
    body = """
def bump(v):
    v += 1
    return v
for i in range(30):
    y[0:2] = y[0:2] * 0.5
    bump(x)
if x[:1].sum() > 3:
    y[0:1] = 5
    bump(x)
"""
    given = f"import numpy as np\nfrom jupyter_hybrid import nd\nx = {face}.ones(4)\ny = x * 8\n"
    left = []
    for run in (shell.run, lambda text: shell.hybridize(text, "--force --loop-limit 20")):
        shell.run(given)
        run(body)
        left.append(shell.run("[float(v) for v in (*x[:], *y[:])]").value if face == "np" else
                    shell.run("x.asnumpy().tolist() + y.asnumpy().tolist()").value)  # fmt: skip
    assert left[0] == left[1]
    assert "may write its argument in place" in reasons(shell.report)


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(30):\n    z = z * 1.5\n    y += x[0]",
        "for row in x:\n    z = z * 1.5\n    y[0:2] = 3",
        "for row in x:\n    z = z * 1.5\n    row += 1",
        "while z.sum() < 100:\n    z = z * 1.5\n    y += x[0]",
        "while z.sum() < 100:\n    z = z * 1.5",
    ],
)
def test_nd_arrays_written_in_place_beside_carried_ones(shell, loop):
    given = "from jupyter_hybrid import nd\nx = nd.ones((30, 4))\n"
    body = f"y, z = nd.ones(4) * 2, nd.ones(4) * 2\n{loop}\n"
    left = []
    for run in (shell.run, lambda text: shell.hybridize(text, "--force --loop-limit 20")):
        shell.run(given)
        run(body)
        left.append(shell.run("[a.asnumpy().tolist() for a in (x, y, z)]").value)
    assert left[0] == left[1]
    inplace = "+=" in loop or "] = " in loop
    assert nodes(shell.report) == ([] if inplace else ["while_loop"])


def test_a_truth_value_that_a_loop_changes_is_carried(shell):
    body = (
        "flag = False\ns = x * 0\nfor i in range(50):\n    if flag:\n        s = s + x * 100\n"
        "    else:\n        s = s + x\n    flag = i > 3\n"
    )
    report = check(shell, body, "--loop-limit 10", x=X)
    assert nodes(report) == ["foreach"]
