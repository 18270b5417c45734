"""script(): loops that are left early, with an else clause, over ranges of values."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from cells import Shell
from test_script import kinds, plain, same

import jupyter_hybrid as mx
from jupyter_hybrid import nd

FACES = [nd.array, lambda x: np.array(x, "float32")]
VALUES = ([1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.0, 0.0])


def agrees(function, *others):
    """One program gives what the function gives, for both faces and many values."""
    for face in FACES:
        scripted = mx.script(function)
        for one in VALUES:
            for two in VALUES:
                a = [face(one), face(two)]
                wanted = function(*a, *others)
                made = scripted(*a, *others)
                np.testing.assert_array_equal(np.array(made[:]), np.array(wanted[:]))
        assert scripted.num_programs == 1


# Left early while it is unrolled ----------------------------------------------------------------
def over_a_tuple(a, b):
    s = a
    for v in (a, b, a * 2):
        if v.sum() < 0:
            break
        if v.max() > 2:
            continue
        s = s + v
    return s


def over_pairs(a, b):
    s = a * 0
    for i, (v, w) in enumerate(zip([a, b, a], [b, a, a])):
        if v.sum() > w.sum() + i:
            s = s - 1
            break
        s = s + v * i
    return s


def counted(a, b):
    for i in range(5):
        if b.sum() > 4 and i > 1:
            break
        b = a * i + b
        if i == 3:
            continue
        b = b - 0.5
    return b


def returns_from_a_tuple(a, b):
    for v in (a, b):
        if v.sum() > 2:
            return v * 10
    return a + b


def both_loops(a, b):
    for v in (a, b):
        for w in (1, 2, 3):
            if v.sum() * w > 4:
                break
            a = a + w
        if a.sum() > 20:
            break
        b = b * 0.5
    return a + b


def stays_after_the_last_line(a, b):
    for _ in range(4):
        if b.mean() <= 0:
            break
        break
        b = a * b
    return b


@pytest.mark.parametrize(
    "function",
    [
        over_a_tuple,
        over_pairs,
        counted,
        returns_from_a_tuple,
        both_loops,
        stays_after_the_last_line,
    ],
    ids=lambda f: f.__name__,
)
def test_break_and_continue_in_loops_that_are_no_nodes(function):
    agrees(function)


def test_a_loop_of_unknown_length_whose_names_are_only_read():
    def f(a, b):
        for _ in range(int(a.sum()) % 5):
            if b.mean() <= 0:
                break
            break
            b = a * b
        return b

    agrees(f)


def test_a_long_loop_is_still_a_node():
    def f(x):
        for i in range(1000):
            if x.sum() > 50:
                break
            x = x + i
        return x

    assert kinds(same(f, nd.array([1.0, 2.0]))) == ["while_loop"]


# else ---------------------------------------------------------------------------------------------
def for_else(a, b):
    s = b * 2
    for v in (a, b):
        if v.sum() < 0:
            break
        s = s + v
    else:
        s = s * 2
    return s


def while_else(a, b):
    i = 0
    while i < 5:
        if a.sum() < 0:
            break
        i += 1
        a = a * 0.5
    else:
        a = a * 2 + i
    return a


def else_of_a_value(a, b):
    while a.sum() < 6:
        a = a + 1
        if a.max() > 3.5:
            break
    else:
        a = a * 100
    return a


def else_that_leaves_the_outer_loop(a, b):
    for v in (a, b):
        for w in (a, b, v):
            if w.sum() > 2:
                break
            a = a + 1
        else:
            break
        b = b + a
    else:
        return b * 10
    return b


def else_without_break(a, b):
    for _ in range(int(a.sum())):
        a = b
    else:
        a = a * 3
    return a


def else_that_returns(a, b):
    for v in (a, b):
        if v.sum() < 0:
            return v
        if v.sum() == 0:
            break
    else:
        return a * b
    return a - b


@pytest.mark.parametrize(
    "function",
    [for_else, while_else, else_of_a_value, else_that_leaves_the_outer_loop, else_without_break,
     else_that_returns],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_the_else_clause_of_a_loop(function):
    agrees(function)


# Elements written in place ---------------------------------------------------------------------
def scaled_element(a, b):
    b = b * 1
    b[1] *= 0.25
    if a.sum() > 0:
        b[0] += a[1] * 0 + 2
    else:
        b[:] *= 3
        b[0:1] -= 1
    for i in range(2):
        b[i] /= i + 2
    return b


def test_elements_of_an_nd_array_are_updated_in_place():
    agrees(scaled_element)


def test_a_slice_that_has_a_name_is_not_written():
    def f(a):
        b = a * 1
        c = b[0:1]
        c *= 2
        return b

    with pytest.raises(mx.ScriptError, match="slice or element of it has a name") as caught:
        mx.script(f)(nd.array([1.0, 2.0]))
    assert caught.value.code == "c *= 2"


# Ranges of values -------------------------------------------------------------------------------
RANGES = [
    "[i for i in range(n)]", "sum(i for i in range(n))", "[a * i for i in range(n)]",
    "max(range(n))", "list(range(n))", "[*range(n)]", "len(range(n))", "2 in range(n)",
    "[v for i, v in zip(range(n), (a, a))]", "[i + j for i, j in enumerate(range(n))]",
    "list(reversed(range(n)))", "range(n)[2]", "{i: a for i in range(n)}",
]  # fmt: skip


@pytest.mark.parametrize("expression", RANGES)
def test_only_a_for_statement_walks_through_a_range_of_a_value(expression):
    source = f"def f(a):\n    n = int(a.sum())\n    return {expression}\n"
    name = f"<range of a value: {expression}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict = {}
    exec(compile(source, name, "exec"), names)
    with pytest.raises(mx.ScriptError, match=r"write that loop|list_reverseiterator") as caught:
        mx.script(names["f"])(nd.array([3.0, 2.0]))
    assert caught.value.line == 3
    assert "CountedRange" not in str(caught.value)


def test_unpacking_a_range_of_a_value():
    def f(a):
        first, *rest = range(int(a.sum()))
        return a * first * len(rest)

    with pytest.raises(mx.ScriptError, match="write that loop"):
        mx.script(f)(nd.array([3.0, 2.0]))


def test_names_that_swap_many_times_are_traced_in_good_time():
    lines = [f"    if a.sum() > b.sum() + {i}: a, b = b, a\n" for i in range(24)]
    source = "def f(a, b):\n" + "".join(lines) + "    return a\n"
    name = "<many swaps>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict = {}
    exec(compile(source, name, "exec"), names)
    agrees(names["f"])  # doubled with every swap once


def test_a_cell_hands_a_range_of_a_value_to_python():
    shell = Shell()
    shell.run("import numpy as np\nx = np.ones(3)")
    shell.hybridize(
        "n = 0\ns = 0.0\nwhile x.sum() < 30:\n    n += 1\n"
        "    for i, v in zip(range(n), x):\n        s = s + v * i\n    x = x * 1.5\n"
    )
    assert shell.run("float(s)").value == 56.34375


# Numbers ----------------------------------------------------------------------------------------
def gcd(a, b):
    x, y = int(a), int(b)
    while y:
        x, y = y, x % y
    return x


def quotients(a, b):
    x, y = int(a), int(b)
    return x // y, x % y, divmod(x, 7), x // -3, x % -3, x / y, 10 / float(b), x**2, x or y, x and y


@pytest.mark.parametrize("function", [gcd, quotients])
def test_numbers_that_are_known_only_when_it_runs(function):
    scripted = mx.script(function)
    for x, y in ((48, 18), (-48, 18), (48, -18), (7, 3), (-7, -3), (0, 5), (1000003, 17)):
        assert scripted(nd.array([x]), nd.array([y])) == function(nd.array([x]), nd.array([y]))
    assert scripted.num_programs == 1


def test_a_division_by_zero_is_an_error_when_it_runs():
    with pytest.raises(mx.MXNetError, match="division by zero"):
        mx.script(quotients)(nd.array([3.0]), nd.array([0.0]))


def values_of_truth(a, b):
    c = a.sum() and b.sum()
    d = a.sum() or b.sum()
    e = -1 < a.sum() < 5
    return c + d + max(a.sum(), b.sum(), d), a if e else b


def test_and_or_and_chains_as_values():
    for face in FACES:
        scripted = mx.script(values_of_truth)
        for one in VALUES:
            for two in VALUES:
                wanted = values_of_truth(face(one), face(two))
                made = scripted(face(one), face(two))
                for x, y in zip(made, wanted, strict=True):
                    np.testing.assert_array_equal(plain(x), plain(y))


# The target afterwards --------------------------------------------------------------------------
def known_break(a, b):
    for i in range(30):
        if i == 2:
            b = b + 1
            break
    return a * i + b


def target_of_a_value(a, b):
    for i in range(5):
        if a.sum() + i > 2:
            break
    return b * i


def target_of_pairs(a, b):
    n = -1
    for n, v in enumerate((a, b, a * 2)):
        if v.sum() > n + 1:
            break
        b = b + v
    return b * n + v


def target_of_rows(a, b):
    for v in (a, b, a + b):
        if v.max() > 2:
            break
        for w in (v, a):
            if w.min() < 0:
                break
            b = b + 1
        b = b + w
    return v + w + b


@pytest.mark.parametrize(
    "function", [known_break, target_of_a_value, target_of_pairs], ids=lambda f: f.__name__
)
def test_the_target_is_that_of_the_step_that_was_left(function):
    agrees(function)


def test_a_target_that_only_some_cases_bind_is_refused_when_read():
    with pytest.raises(mx.ScriptError, match="w is bound in one branch only"):
        agrees(target_of_rows)
