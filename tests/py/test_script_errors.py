"""What script() refuses: always by name, with file, line and code; never a wrong answer."""

from __future__ import annotations

import gc
import random
from pathlib import Path

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import nd

LINES = Path(__file__).read_text().splitlines()
STATE: list = []
COUNTS = {"calls": 0}
OTHER = nd.array([1.0])


def prints(x):
    if x > 0:
        print("positive")  # here
        x = x + 1
    return x


def prints_always(x):
    print(x.shape)  # here
    return x


def one_branch(x):
    if x > 0:
        y = x
    return y  # here


def other_shapes(x):
    if x > 0:  # here
        return x
    return nd.zeros((2,))


def other_dtypes(x):
    if x > 0:  # here  # noqa: SIM108
        y = x
    else:
        y = x.astype("float64")
    return y


def other_kinds(x):
    if x > 0:  # here
        return x
    return None


def other_forms(x):
    if x > 0:  # here
        return x, x
    return x


def a_value(x):
    return x * float(x.asnumpy().sum())  # here


def writes_its_argument(x):
    x[0] = 3  # here
    return x


def adds_to_its_argument(x):
    x += 1  # here
    return x


def writes_a_global(x):
    OTHER[:] = x  # here
    return x


def fills_a_list_of_outside(x):
    STATE.append(x)  # here
    return x


def fills_a_list_in_a_loop(x):
    found = []
    while x < 9:
        found.append(x)  # here
        x = x + 1
    return found


def changes_a_dict(x):
    COUNTS["calls"] += 1  # here
    return x


def draws_in_a_loop(x):
    while x < 9:
        x = x + nd.random.uniform()  # here
    return x


def calls_a_library(x):
    while x < 9:
        x = x + random.random()  # here
    return x


def grows(x):
    while x.sum() < 9:  # here
        x = nd.concat(x, x, dim=0)
    return x


def loses_its_kind(x):
    y = 0
    while x < 9:  # here
        y = y + x
        x = x + 1
    return y


def bound_in_a_loop(x):
    while x < 9:
        y = x
        x = x + 1
    return y  # here


def truth_of_many(x):
    while nd.concat(x, x, dim=0) > 0:  # here
        x = x - 1
    return x


def as_an_index(x):
    names = ["a", "b"]
    return names[int(x)]  # here


def raises_on_a_value(x):
    if x < 0:  # here
        raise ValueError("negative")
    return x


def may_be_the_same(x):
    y = x * 1
    z = other_or_same(x, y)
    z += 1  # here
    return y + z


def other_or_same(x, y):
    if x > 0:
        return y
    return y * 2


REFUSED = [
    (prints, "calls print"),
    (prints_always, "prints"),
    (one_branch, "y is bound in one branch only"),
    (other_shapes, r"float32 \(1,\) in one branch and float32 \(2,\) in the other"),
    (other_dtypes, "float32 .* in one branch and float64"),
    (other_kinds, "different kinds in the branches"),
    (other_forms, "a tuple of 2 in one case and no container in another"),
    (a_value, "needs the value of an array"),
    (writes_its_argument, "in place that was there before"),
    (adds_to_its_argument, "in place that was there before"),
    (writes_a_global, "written|in place"),
    (fills_a_list_of_outside, "append"),
    (fills_a_list_in_a_loop, "append"),
    (changes_a_dict, "an element of a dict"),
    (draws_in_a_loop, "random"),
    (calls_a_library, "random"),
    (grows, r"\(1,\) before a step and .*\(2,\)"),
    (loses_its_kind, "y is of different kinds before a step and after it"),
    (bound_in_a_loop, "y is bound only in its body"),
    (truth_of_many, "one element"),
    (as_an_index, "the value of an int is needed"),
    (raises_on_a_value, "contains `raise`"),
    (may_be_the_same, "may be the same array"),
]


def test_lists_are_refused_while_gc_freeze_hides_those_that_were_there():
    gc.freeze()
    try:
        with pytest.raises(mx.ScriptError, match="append"):
            mx.script(fills_a_list_of_outside)(nd.array([1.0]))
    finally:
        gc.unfreeze()
    assert not STATE


@pytest.mark.parametrize(("function", "reason"), REFUSED, ids=[f.__name__ for f, _ in REFUSED])
def test_the_first_call_refuses_by_line_and_reason(function, reason):
    scripted = mx.script(function)
    with pytest.raises(mx.ScriptError, match=reason) as caught:
        scripted(nd.array([1.0]))
    error = caught.value
    assert error.file == __file__
    assert "# here" in LINES[error.line - 1], f"line {error.line}: {error}"
    assert error.code == LINES[error.line - 1].strip()
    assert error.code in str(error)
    assert str(error.line) in str(error)
    assert not STATE
    assert COUNTS == {"calls": 0}
    assert OTHER.asscalar() == 1
    # Nothing stays behind: the next script and plain arrays work.
    assert mx.script(lambda_free)(nd.array([2.0])).asscalar() == 4


def lambda_free(x):
    return x * 2 if x > 0 else x


def tries(x):
    try:  # here
        return x
    except ValueError:
        return x


def opens(x):
    with mx.autograd.pause():  # here
        return x


def goes_global(x):
    global STATE  # here
    STATE = x
    return x


def sets_an_attribute(x):
    x.name = "x"  # here
    return x


def imports(x):
    import math  # here

    return x * math.pi


def walrus(x):
    while (y := x.sum()) < 9:  # here
        x = x + y
    return x


def generates(x):  # here
    yield x


@pytest.mark.parametrize(
    "function",
    [tries, opens, goes_global, sets_an_attribute, imports, walrus, generates],
    ids=lambda f: f.__name__,
)
def test_what_the_source_shows_is_refused_at_once(function):
    with pytest.raises(mx.ScriptError) as caught:
        mx.script(function)
    assert "# here" in LINES[caught.value.line - 1]


def helper_in_another_place(x):
    if x > 0:
        return float(x.asnumpy().sum())  # inner
    return 1.0


def calls_it(x):
    return x * helper_in_another_place(x)


def test_the_line_is_that_of_the_helper():
    with pytest.raises(mx.ScriptError) as caught:
        mx.script(calls_it)(nd.array([1.0]))
    assert caught.value.code.endswith("# inner")


def test_an_error_of_the_users_own_is_raised_as_it_is():
    def checked(x):
        if len(x.shape) != 2:
            raise ValueError("expected a matrix")
        return x

    with pytest.raises(ValueError, match="expected a matrix"):
        mx.script(checked)(nd.array([1.0]))
    assert mx.script(checked)(nd.ones((1, 1))).shape == (1, 1)


def test_no_function():
    with pytest.raises(TypeError, match="a function or a block"):
        mx.script(3)
    with pytest.raises(mx.ScriptError, match=r"source|definition"):
        mx.script(eval("lambda x: x"))


def test_an_index_beyond_the_array_is_an_error_when_it_runs():
    def pick(x, i):
        return x[int(i)]

    scripted = mx.script(pick)
    x = nd.array([1.0, 2.0])
    assert scripted(x, nd.array([1.0])).asscalar() == 2
    assert scripted(x, nd.array([-2.0])).asscalar() == 1
    for i in (2.0, -3.0):
        with pytest.raises(mx.MXNetError, match=r"out of|index"):
            scripted(x, nd.array([i])).asnumpy()
    for i in (float("nan"), float("inf"), 1e30):
        with pytest.raises(mx.MXNetError, match="exact_int"):
            scripted(x, nd.array([i])).asnumpy()


def test_an_int_that_leaves_its_bounds_is_an_error_when_it_runs():
    def doubled(x):
        n = 1
        while x > 0:
            n = n * 2
            x = x - 1
        return n

    scripted = mx.script(doubled)
    assert scripted(nd.array([20.0])) == 2**20
    with pytest.raises(mx.MXNetError, match="exact_int"):
        scripted(nd.array([200.0]))


def test_numpy_arguments_that_are_no_numbers():
    def f(x):
        return x

    with pytest.raises(mx.ScriptError, match="dtype <U1"):
        mx.script(f)(np.array(["a"]))
