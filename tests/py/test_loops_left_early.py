"""Loops with ``break`` and ``continue`` on array values: one node where exact."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell
from test_control_flow import check, nodes, reasons


@pytest.fixture
def shell() -> Shell:
    return Shell()


A = np.array([1.0, 2.0])
LOOP = "x = a * 1.0\nfor i in range({}):\n    x += i\n"


@pytest.mark.parametrize(
    ("body", "last"),
    [
        (LOOP.format(50) + "    if x.sum() > 40:\n        break\n", 6),
        (LOOP.format(50) + "    if x.sum() > 1e9:\n        break\n", 49),
        (LOOP.format(50) + "    if x.sum() > 0:\n        break\n", 0),
        (LOOP.format("30, 0, -3") + "    if x[0] > 70:\n        continue\n    if x[1] > 120:\n"
         "        break\n    x[1] -= 1\n", 3),
        ("x = a * 1.0\nfor i in range(20):\n    y = x * 2\n    if y.max() > 20:\n        break\n"
         "    x = y + 1\n", 2),
    ],
)  # fmt: skip
def test_for_with_break(shell, body, last):
    report = check(shell, body + "z = x + 1\n", a=A.copy())
    assert nodes(report) == ["while_loop"]
    assert reasons(report) == "i: a Python number that the loop computes"
    assert shell.ns["i"] == last


def test_for_with_continue_alone_is_a_counted_loop(shell):
    body = (
        "x = a * 1.0\nfor i in range(700):\n    if x.sum() > 9000:\n        continue\n    x += i\n"
    )
    report = check(shell, body, a=A.copy())
    assert nodes(report) == ["foreach"]
    assert not report.graph_breaks


def test_a_counter_that_nobody_reads_is_not_computed(shell):
    body = """
def root(x):
    for _ in range(100):
        new = 0.5 * (x + a / x)
        change = abs(new - x).max()
        x = new + 0.0
        if change < 1e-9:
            break
    return x
z = root(a * 1.0)
"""
    report = check(shell, body, a=A.copy())
    assert nodes(report) == ["while_loop"]
    assert not report.graph_breaks


def test_numbers_of_a_loop_that_is_left(shell):
    body = LOOP.format(60) + "    t += 3\n    lr *= 0.5\n    if x.sum() > 30:\n        break\n"
    report = check(shell, "t, lr = 0, 1.0\n" + body, a=A.copy())
    assert nodes(report) == ["while_loop"]
    assert (shell.ns["t"], shell.ns["lr"]) == (18, 2.0**-6)


def test_a_counter_that_the_body_changes(shell):
    body = LOOP.format(20).replace("    x", "    i = i * 2\n    x")
    body += "    if x.sum() > 90:\n        break\n"
    assert nodes(check(shell, body, a=A.copy())) == ["while_loop"]


def test_inside_another_loop(shell):
    body = """
x = a * 1.0
for k in range(300):
    for i in range(20):
        x = x * 1.1
        if x.sum() > 9:
            break
    x = x * 0.5
"""
    report = check(shell, body, a=A.copy())
    assert nodes(report) == ["foreach"]


def test_a_name_bound_first_by_an_inner_loop(shell):
    body = """
x = a * 1.0
for k in range(300):
    x = x * 1.5 + 4
    while x.sum() > 1:
        inner = x * 0.5
        x = inner * 0.9
y = inner + 1
"""
    check(shell, body, a=A.copy())


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for i in range(50):\n    y = x * 1.5\n    if y.sum() > 20:\n        break\n    x = y\n"
         "x += 1\n", "x may be the same array as y"),
        ("y = x * 2\nfor i in range(20):\n    x = y\n    if x.sum() > 5:\n        break\nx += 1\n",
         "no node"),
        ("for row in np.outer(a, a):\n    x += row\n    if x.sum() > 3:\n        break\n",
         "leaves"),
        ("for i in range(20):\n    x += i\n    if x.sum() > 9:\n        print('out')\n"
         "        break\n", "print"),
        ("seen = []\nfor i in range(20):\n    x += i\n    seen.append(i)\n    if x.sum() > 9:\n"
         "        break\n", "append"),
    ],
)  # fmt: skip
def test_what_breaks(shell, body, reason):
    report = check(shell, "x = a * 1.0\n" + body, a=A.copy())
    assert nodes(report) == []
    assert reason in reasons(report)


def test_a_name_that_the_loop_makes_another_name_of_stays_the_same_array(shell):
    body = "x, y = a * 1.0, a * 2.0\nfor i in range(700):\n    z = y\n    x = x * 0.5 + z\nz += 1\n"
    check(shell, body, a=A.copy())


def test_dtypes_in_place_with_a_counter(shell):
    body = "x = (a * 1).astype(np.int8)\nfor i in range(700):\n    x += i % 5\n    x -= 2\n"
    check(shell, body, a=A.copy())


def test_nd_arrays(shell):
    body = """
x = nd.array([1.0, 2.0]) * a
for i in range(40):
    x = x * 1.5
    if nd.sum(x) > 100:
        break
y = x + i
"""
    shell.run("from jupyter_hybrid import nd")
    for start in (0.5, 1000.0, 1e-9):
        shell.ns["a"] = start
        shell.run(body)
        expected = shell.ns["y"].asnumpy(), shell.ns["i"]
        shell.hybridize(body)
        assert nodes(shell.report) == ["while_loop"]
        np.testing.assert_array_equal(shell.ns["y"].asnumpy(), expected[0])
        assert shell.ns["i"] == expected[1]
        assert type(shell.ns["i"]) is int
