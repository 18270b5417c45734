"""Writes in place inside the branches of an ``if`` on an array value: made once, after the node."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from cells import Shell, imperative
from test_control_flow import check, nodes, reasons


@pytest.fixture
def shell() -> Shell:
    return Shell()


A = np.array([1.0, 2.0])
SIGNS = pytest.mark.parametrize("s", [1.0, -1.0])
TEST = "if (a * s).sum() > 0:\n"


@SIGNS
@pytest.mark.parametrize(
    "body",
    [
        "x = a * 1.0\n" + TEST + "    x[0] = 1\ny = x * 2\n",
        "x = a * 1.0\n" + TEST + "    x += 1\nelse:\n    x[1] *= 2\n    x -= a\ny = x * 2\n",
        "x = a * 1.0\nv = x[1:]\n" + TEST + "    x[1] = 7\nw = v + 1\n",
        "x = a * 1.0\nv = x[1:]\n" + TEST + "    v[0] = 9\n    v += 3\ny = x * 2\n",
        "x = a * 1.0\nz = x\n" + TEST + "    x[1] = 7\nz += 1\n",
        "x = a * 1.0\n" + TEST + "    x[1] = 7\n    z = x\nelse:\n    z = x\nz += 1\n",
        "x = a * 1.0\n" + TEST + "    z = x = x + 1\nelse:\n    z = x = x * 7\nz += 1\n",
        "x, y = a * 1.0, a * 2.0\n" + TEST + "    x[0], y[1] = y[0], x[1]\nelse:\n    x += y\n",
        "x = a * 1.0\n" + TEST + "    x[0] = 3\n    if x.sum() > 4:\n        x += 10\n",
        "x = a * 1.0\nfor i in range(600):\n    if x.sum() > 8:\n        x[0] *= 0.5\n"
        "    else:\n        x += 1\n",
        "x = a * 1.0\nwhile x.sum() < 50:\n    if x[0] > x[1]:\n        x[1] *= 2\n"
        "    else:\n        x[0] += 3\n",
    ],
)  # fmt: skip
def test_writes_become_part_of_the_node(shell, body, s):
    report = check(shell, body, a=A.copy(), s=s)
    assert nodes(report)
    assert not report.graph_breaks


@SIGNS
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("v = x[1:]\n" + TEST + "    x[1] = 1\n    y = v * 1\nelse:\n    y = v * 2\n",
         "read by another name"),
        ("v = x[::-1]\n" + TEST + "    x[1] = 1\n    y = v * 1\nelse:\n    y = v * 2\n",
         "read by another name"),
        ("v = x[:1]\n" + TEST + "    x[0] = 1\n    v[0] = 3\n", "the same memory"),
        (TEST + "    x[1] = 1\n    z = x\nelse:\n    z = x * 2\nz += 1\n", "same array"),
        (TEST + "    x[1] = 1\n    x = x * 2\nz = x + 1\n", "bound anew"),
        (TEST + "    z = x\nelse:\n    z = x + 1\n    x = x + 2\nz += 1\n", "same array"),
        ("def touch():\n    return x[0] * 2\n" + TEST + "    x[0] = 1\n    z = touch()\n"
         "else:\n    z = x[0]\n", "reads x"),
    ],
)  # fmt: skip
def test_what_may_share_memory_breaks(shell, body, reason, s):
    report = check(shell, "x = a * 1.0\n" + body, a=A.copy(), s=s)
    assert nodes(report) == []
    assert reason in reasons(report)


@SIGNS
def test_an_existing_array_is_written_where_it_lives(shell, s):
    given = A.copy()
    alias = given[1:]
    shell.run("import numpy as np")
    shell.ns.update(a=given, s=s)
    shell.hybridize("if (a * s).sum() > 0:\n    a[1] = 5\nelse:\n    a += 1\n")
    assert nodes(shell.report) == ["cond"]
    np.testing.assert_array_equal(given, [1, 5] if s > 0 else [2, 3])
    assert alias[0] == given[1]
    assert shell.ns["a"] is given


@SIGNS
def test_a_read_only_array_raises_as_imperatively(shell, s):
    given = A.copy()
    given.flags.writeable = False
    shell.ns.update(a=given, s=s)
    body = "if (a * s).sum() > 0:\n    a[1] = 5\n"
    if s > 0:
        assert "read-only" in str(shell.hybridize(body, fails=True).error)
    else:
        shell.hybridize(body)
        assert "read-only" in reasons(shell.report)


def test_sieve(shell):
    body = """
prime = np.ones(60, dtype=bool)
prime[:2] = False
for i in range(2, 8):
    if prime[i]:
        prime[i * i :: i] = False
count = prime.sum()
"""
    report = check(shell, body)
    assert nodes(report) == ["cond"] * 6
    assert not report.graph_breaks
    assert shell.ns["count"] == 17


@pytest.mark.parametrize("s", [1, -1])
@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("y = x * 2\nif nd.sum(x * s) > 0:\n    y[0:2] = 5\nz = y * 2\n", ["cond"]),
        ("if nd.sum(x * s) > 0:\n    x[0:2] = 5\nelse:\n    x += 1\nz = x * 2\n", ["cond"]),
        ("y = x * 1\nif nd.sum(x * s) > 0:\n    z = y\n    y += 1\nelse:\n    z = y\nz += 1\n",
         ["cond"]),
        ("if nd.sum(x * s) > 0:\n    w[0:2] = 5\nelse:\n    w += 1\nz = w + v.sum()\n", ["cond"]),
        ("y = x * 1\nv = y[1:3]\nif nd.sum(x * s) > 0:\n    y[0:2] = 5\nelse:\n    v += 1\n", []),
        ("if nd.sum(x * s) > 0:\n    v[:] = 5\n    w[0] = 3\n", []),
        ("if nd.sum(x * s) > 0:\n    w[:] = 5\n    z = v * 1\nelse:\n    z = v * 2\n", []),
        ("y = x * 1\nif nd.sum(x * s) > 0:\n    z = y[1:3]\n    y += 1\nelse:\n    z = y[1:3]\n"
         "z += 1\n", []),
    ],
)  # fmt: skip
def test_nd_arrays(shell, body, made, s):
    given = f"from jupyter_hybrid import nd\nx = nd.ones(4) * 3\ns = {s}\nw = x + 1\nv = w[1:3]\n"
    left = []
    for run in (shell.run, shell.hybridize):
        shell.ns.pop("z", None)
        shell.run(given)
        run(body)
        names = "{k: v.asnumpy().tolist() for k, v in list(globals().items()) if k in 'xyzvw'}"
        left.append(shell.run(names).value)
    assert left[0] == left[1]
    assert nodes(shell.report) == made


def test_the_condition_of_a_loop_sees_what_the_step_before_wrote(shell):
    report = check(shell, "x = a * 1.0\nwhile x.sum() < 50:\n    x[1] *= 2\n", a=A.copy())
    assert nodes(report) == ["while_loop"]


def test_what_entered_in_a_branch_that_was_given_up_is_found_at_the_end():
    shell = Shell()
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


def test_an_array_written_in_a_branch_is_bound_without_a_search_of_the_heap(monkeypatch):
    shell = Shell()
    shell.run("import numpy as np\nb, c = np.arange(4.0), np.arange(6)\nfirst = b")
    monkeypatch.setattr(gc, "get_referrers", None)
    shell.hybridize("if c.sum() > 4:\n    b[0] = 9")
    assert type(shell.ns["b"]) is np.ndarray
    assert shell.ns["b"] is shell.ns["first"]
    assert shell.ns["b"].tolist() == [9, 1, 2, 3]


@pytest.mark.parametrize("face", ["np", "nd"])
@pytest.mark.parametrize("window", ["v = b[0:1]", "v = b.reshape((2, 2))[0:1]"])
@pytest.mark.parametrize("when", ["before", "in the cell"])
def test_a_branch_that_may_keep_an_array_with_windows_is_left_to_python(face, window, when):
    make = "import numpy as np" if face == "np" else "from jupyter_hybrid import nd"
    setup = f"{make}\nb, c = {face}.ones((4,)), {face}.ones((3,))\n"
    setup += window + "\n" if when == "before" else ""
    body = window + "\n" if when != "before" else ""
    body += "if c.sum() > 0:\n    c += c + c\nelse:\n    b = b + b\nb[0] = 7\nw = v * 2\n"
    shell = Shell()
    shell.run(setup)
    shell.hybridize(body)
    plain, _ = imperative(setup + body)
    for name in "bcvw":
        got, wanted = shell.ns[name], plain[name]
        assert got.tolist() == wanted.tolist(), name


@pytest.mark.parametrize("order", ["b[0] = 0.5\n    v = v + v", "v = v + v\n    b[0] = 0.5"])
def test_a_name_that_enters_a_loop_as_a_view_sees_what_the_loop_writes(order):
    setup = "import numpy as np\nb, a = np.ones(4), np.ones(3)\n"
    body = f"v = b[0:1]\nfor i in range(9):\n    a = a + a\n    {order}\n"
    shell = Shell()
    shell.run(setup)
    shell.hybridize(body, "--loop-limit 12")
    plain, _ = imperative(setup + body)
    for name in "abv":
        np.testing.assert_array_equal(shell.ns[name], plain[name])


@pytest.mark.parametrize("face", ["np", "nd"])
def test_a_loop_that_is_refused_for_its_number_has_written_nothing(face):
    make = "import numpy as np" if face == "np" else "from jupyter_hybrid import nd"
    setup = f"{make}\na, k = {face}.ones((2,)), 3\n"
    body = "for i in range(9):\n    a += a + a\n    if k % 2 == 0:\n        k = k + 1\n"
    shell = Shell()
    shell.run(setup)
    shell.hybridize(body, "--loop-limit 12")
    assert shell.ns["a"].tolist() == [3.0**9] * 2
    assert shell.ns["k"] == 3
