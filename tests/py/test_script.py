"""script(): programs with control flow on values, each as the plain function run eagerly."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import nd
from jupyter_hybrid.scripts.control.trees import leaves

RNG = np.random.default_rng(7)


def plain(value):
    return value.asnumpy() if isinstance(value, nd.NDArray) else np.asarray(value)


def assert_same(made, wanted):
    """Equal in form, type, dtype, shape and bits."""
    a, b = list(leaves("", made)), list(leaves("", wanted))
    assert [name for name, _ in a] == [name for name, _ in b]
    for (_, x), (_, y) in zip(a, b, strict=True):
        assert type(x) is type(y)
        assert plain(x).dtype == plain(y).dtype
        assert plain(x).shape == plain(y).shape
        np.testing.assert_array_equal(plain(x), plain(y))


def same(function, *args, **options):
    """The scripted function, whose result equals the function's own."""
    scripted = mx.script(**options)(function) if options else mx.script(function)
    assert_same(scripted(*args), function(*args))
    return scripted


def kinds(scripted):
    return [n.op for n in scripted.graph.nodes if n.op in ("cond", "while_loop", "foreach")]


# Numerical methods ------------------------------------------------------------------------------
def newton(a):
    x = a
    while (x * x - a).abs() > 1e-4:
        x = (x + a / x) / 2
    return x


def test_newtons_iteration():
    scripted = same(newton, nd.array([2.0]))
    assert kinds(scripted) == ["while_loop"]
    for value in (0.25, 9.0, 1e4):
        assert_same(scripted(nd.array([value])), newton(nd.array([value])))
    assert scripted.num_programs == 1


def power(matrix, v):
    last = v * 0
    while ((v - last) * (v - last)).sum() > 1e-8:
        last = v
        v = nd.dot(matrix, v)
        v = v / (v * v).sum().sqrt()
    return v, (v * nd.dot(matrix, v)).sum()


def test_power_iteration_until_a_tolerance():
    scripted = same(power, nd.array([[2.0, 1.0], [1.0, 3.0]]), nd.array([1.0, 1.0]))
    assert kinds(scripted) == ["while_loop"]


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:  # noqa: SIM108
            n = n / 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def test_collatz_counts_in_python_numbers():
    scripted = same(collatz, nd.array([27.0]))
    assert [scripted(nd.array([float(n)])) for n in (1, 2, 3, 97)] == [0, 1, 7, 118]


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_greatest_common_divisor(dtype):
    same(gcd, nd.array([48], dtype=dtype), nd.array([18], dtype=dtype))


def search(sorted_values, wanted):
    low, high = 0, len(sorted_values)
    while low < high:
        middle = (low + high) // 2
        if sorted_values[middle] == wanted:
            return middle
        if sorted_values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return -1


def test_binary_search_returns_early():
    scripted = same(search, nd.arange(10), nd.array([3.0]))
    values = nd.arange(10)
    found = [scripted(values, nd.array([float(v)])) for v in range(-1, 12)]
    assert found == [-1, *range(10), -1, -1]
    assert scripted.num_programs == 1


def clip_by_norm(x, limit=1.0):
    norm = (x * x).sum().sqrt()
    if norm > limit:
        return x * (limit / norm)
    return x


def test_clipping_by_norm():
    scripted = same(clip_by_norm, nd.array([3.0, 4.0]))
    assert_same(scripted(nd.array([0.1, 0.2])), nd.array([0.1, 0.2]))
    small = nd.array([0.1, 0.2])
    assert_same(scripted(small, limit=0.01), clip_by_norm(small, limit=0.01))
    assert scripted.num_programs == 2  # a number is part of the program


# Loops ------------------------------------------------------------------------------------------
def masked_rnn(xs, mask, h, w):
    for t in range(20):
        new = nd.tanh(nd.dot(xs[t], w) + h)
        keep = nd.broadcast_mul(mask[t].reshape((-1, 1)), nd.ones_like(h))
        h = nd.where(keep, new, h)
    return h


@pytest.mark.parametrize("unroll", [0, 10_000])
def test_a_network_over_time_with_a_mask(unroll):
    xs, w = nd.array(RNG.random((20, 3, 4))), nd.array(RNG.random((4, 4)))
    mask = nd.array((RNG.random((20, 3)) > 0.5).astype("float32"))
    scripted = same(masked_rnn, xs, mask, nd.zeros((3, 4)), w, unroll=unroll)
    assert kinds(scripted) == ([] if unroll else ["foreach"])


def nested(x):
    total = nd.zeros((1,))
    for _ in range(10):
        s = nd.zeros((1,))
        for j in range(10):
            if x[j] < 0:
                continue
            s = s + x[j]
            if s > 3:
                break
        if s > 5:
            break
        total = total + s
    return total


def test_nested_loops_with_break_and_continue():
    for seed in range(3):
        same(nested, nd.array(np.random.default_rng(seed).standard_normal(10)))


def first_row_above(xs, limit):
    for row in xs:
        if row.sum() > limit:
            return row * 2
    return xs[0] * 0


def test_a_loop_over_rows_is_left_by_return():
    xs = nd.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    scripted = same(first_row_above, xs, nd.array([6.0]))
    assert kinds(scripted) == ["while_loop", "cond"]
    for limit in (0.0, 7.0, 10.0, 99.0):
        given = xs, nd.array([limit])
        assert_same(scripted(*given), first_row_above(*given))


def counted(n, x):
    s = x * 0
    for i in range(int(n)):
        s = s + x * i
    return s


def test_a_range_with_a_bound_of_an_array():
    scripted = same(counted, nd.array([5.0]), nd.array([1.0, 2.0]))
    assert kinds(scripted) == ["while_loop"]
    for n in (0.0, 1.0, 2.9):
        assert_same(
            scripted(nd.array([n]), nd.array([1.0, 2.0])),
            counted(nd.array([n]), nd.array([1.0, 2.0])),
        )


def stepped(low, high, x):
    last = -1
    for i in range(low.asscalar(), high.asscalar(), 3):
        x = x + i
        last = last + 1
    return x, last


def test_a_range_between_two_arrays_with_a_step():
    def args(low, high):
        return nd.array([low], dtype="int32"), nd.array([high], dtype="int32"), nd.array([0.5])

    scripted = same(stepped, *args(2, 12))
    for low, high in ((0, 1), (4, 4), (9, -3), (-7, 8)):
        assert_same(scripted(*args(low, high)), stepped(*args(low, high)))


def beam(scores):
    best, at = scores[0], 0
    for i in range(1, 12):
        if scores[i] > best:
            best = scores[i]
            at = i
    return best, at


@pytest.mark.parametrize("unroll", [0, 10_000])
def test_the_index_of_the_best_score(unroll):
    same(beam, nd.array(RNG.random(12)), unroll=unroll)


def endless(x):
    while True:
        x = x * 2
        if x.sum() > 100:
            return x
        if x.sum() < -100:
            break
    return x * 0


def test_an_endless_loop_that_returns():
    scripted = same(endless, nd.array([1.0, 2.0]))
    assert_same(scripted(nd.array([-1.0, -2.0])), endless(nd.array([-1.0, -2.0])))


# Conditions -------------------------------------------------------------------------------------
def conditions(x, y):
    if (x > 0 and y > 0) or not x < 5:
        z = x + y
    elif 0 < y < 10:
        z = x - y
    else:
        z = x * y
    return z if z > 0 else -z


def test_and_or_not_chains_and_conditional_expressions():
    scripted = mx.script(conditions)
    for x in (-3.0, 2.0, 7.0):
        for y in (-1.0, 4.0, 12.0):
            given = nd.array([x]), nd.array([y])
            assert_same(scripted(*given), conditions(*given))
    assert scripted.num_programs == 1


def guarded(values, i):
    k = int(i)
    if k < 4 and values[k] > 0:
        return values[k]
    return values[0] * 0


def test_what_and_guards_is_not_evaluated():
    scripted = same(guarded, nd.array([1.0, -2.0, 3.0, 4.0]), nd.array([2.0]))
    for i in (1.0, 9.0):
        given = nd.array([1.0, -2.0, 3.0, 4.0]), nd.array([i])
        assert_same(scripted(*given), guarded(*given))


def local_names(x):
    if x.sum() > 0:
        half = x / 2
        y = half + 1
    else:
        y = x
    return y


def test_a_name_of_one_branch_may_stay_in_it():
    scripted = same(local_names, nd.array([1.0]))
    assert_same(scripted(nd.array([-1.0])), local_names(nd.array([-1.0])))


# Values -----------------------------------------------------------------------------------------
def containers(p, xs):
    state = (p["h"], [p["c"], 0])
    while state[0].sum() < 10:
        h, (c, n) = state
        state = (h + c, [c * 1.5, n + xs[0]])
    return {"h": state[0], "n": state[1][1], "rest": state[1]}


def test_tuples_lists_and_dicts_go_in_and_come_out():
    same(containers, {"h": nd.array([1.0]), "c": nd.array([0.5])}, [1, 2])


def collected(x):
    outs = []
    for _ in range(4):
        x = x * 2 if x.sum() < 10 else x + 1
        outs.append(x)
    return outs, [o.sum() for o in outs]


def test_a_list_of_its_own_is_filled_by_an_unrolled_loop():
    same(collected, nd.array([1.0, 2.0]))


def numpy_face(x, tolerance):
    n = 0
    while np.abs(x).max() > tolerance:
        x = x * 0.5
        if x.mean() < 0:
            x = -x
        n += 1
    return x, n, x.sum()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numpy_functions_on_numpy_arrays(dtype):
    same(numpy_face, np.array([[1.0, -7.0], [2.0, 1.0]], dtype), 0.01)


def numbers_of(x):
    big = float(x.sum())
    if big > 3:
        big = big / 2
    count = int(x.sum()) + 1
    return max(count, 2), big, bool(x.sum() > 1), not count > 3


def test_python_numbers_of_arrays():
    scripted = same(numbers_of, nd.array([1.0, 3.5]))
    assert scripted(nd.array([-1.0, 0.5])) == numbers_of(nd.array([-1.0, 0.5]))


def unchanged(x, y):
    return y, x, 3, None, "text"


def test_what_is_handed_through_is_the_same_object():
    x, y = nd.array([1.0]), nd.array([2.0])
    made = mx.script(unchanged)(x, y)
    assert made[0] is y
    assert made[1] is x
    assert made[2:] == (3, None, "text")


# Functions --------------------------------------------------------------------------------------
def halved(x):
    if x.sum() > 3:
        return x / 2
    return x + 1


def uses_a_helper(x):
    for _ in range(3):
        x = halved(x)
    return x


def test_helpers_are_followed():
    scripted = same(uses_a_helper, nd.array([1.0, 2.0]))
    assert kinds(scripted) == ["cond"] * 3


SCALE = nd.array([2.0])
STEPS = 3


def reads_names(x):
    for _ in range(STEPS):
        if x.sum() < 20:
            x = x * SCALE
    return x


def test_names_of_outside_are_read_anew(monkeypatch):
    scripted = same(reads_names, nd.array([1.0]))
    SCALE[:] = 3.0  # the array's contents
    assert_same(scripted(nd.array([1.0])), reads_names(nd.array([1.0])))
    monkeypatch.setitem(globals(), "STEPS", 1)
    monkeypatch.setitem(globals(), "SCALE", nd.array([5.0]))
    assert_same(scripted(nd.array([1.0])), nd.array([5.0]))


def test_closures_keywords_and_defaults():
    offset = nd.array([10.0])
    table = np.array([1.0, 2.0])

    def inner(x, *rest, factor=2, **more):
        if x.sum() > 0:
            x = x * factor + offset
        for r in rest:
            x = x + r
        return x + more["last"] if more else x

    scripted = mx.script(inner)
    one = nd.array([1.0])
    for args, kwargs in (((one,), {}), ((one, one, one), {"factor": 3}), ((one,), {"last": one})):
        assert_same(scripted(*args, **kwargs), inner(*args, **kwargs))

    def of_numpy(x):
        return x + table if x.sum() > 0 else x - table

    scripted = mx.script(of_numpy)
    assert_same(scripted(np.ones(2)), of_numpy(np.ones(2)))
    table[:] = 7.0
    assert_same(scripted(np.ones(2)), of_numpy(np.ones(2)))


def test_as_a_decorator_inside_another_script_and_in_a_list():
    @mx.script
    def inner(x):
        return x * 2 if x.sum() < 4 else x

    @mx.script(max_iterations=60)
    def outer(x):
        while x.sum() < 50:
            x = inner(x) + 1
        return x

    assert outer(nd.array([1.0])).asscalar() == 50
    assert "while_loop" in outer.code
    assert kinds(outer) == ["while_loop"]
    assert [type(r).__name__ for r in map(inner, [nd.array([1.0])])] == ["NDArray"]


def test_the_text_shows_the_bodies():
    scripted = same(newton, nd.array([2.0]))
    for text in (scripted.code, str(scripted.graph)):
        assert "while_loop" in text
        assert "line " in text
    assert "scripted newton" in repr(scripted)
    assert scripted.arguments == ["a"]
    assert len(scripted.report().stages) > 3


def test_a_limit_of_iterations_is_an_error_when_it_is_passed():
    def forever(x):
        while x > 0:
            x = x + 1
        return x

    scripted = mx.script(max_iterations=50)(forever)
    with pytest.raises(mx.MXNetError, match="max_iterations = 50"):
        scripted(nd.array([1.0])).asnumpy()
    assert scripted(nd.array([-1.0])).asscalar() == -1
    assert scripted(nd.array([-49.5])).asscalar() == -49.5

    def five(x):
        while x < 5:
            x = x + 1
        return x

    assert mx.script(max_iterations=5)(five)(nd.array([0.0])).asscalar() == 5  # just enough
    with pytest.raises(ValueError, match="max_iterations"):
        mx.script(max_iterations=-1)


def test_in_a_hybridized_cell_it_is_part_of_the_graph():
    shell = Shell()
    shell.ns.update(halved=mx.script(halved), nd=nd)
    shell.run("x = nd.array([1.0, 4.0])")
    shell.hybridize("y = halved(x * 2) + 1")  # compiled before the cell goes on
    np.testing.assert_array_equal(shell.ns["y"].asnumpy(), [2.0, 5.0])
    shell.hybridize("z = halved(x * 3) + 1")
    np.testing.assert_array_equal(shell.ns["z"].asnumpy(), [2.5, 7.0])
    assert shell.report.graph_breaks == []
    assert [n.op for n in shell.report.segments[-1].graph.nodes].count("cond") == 1
