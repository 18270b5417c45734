"""What is looked at whenever a unit begins: kinds of values, handlers of signals, what NumPy warns
of; and which variables it gives back."""

from __future__ import annotations

import signal
import types
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import _core
from jupyter_hybrid.capture.numbers import RecordedInt
from jupyter_hybrid.capture.units import kinds, signals
from jupyter_hybrid.capture.units.kinds import NOTHING, OTHER, kind_of


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    made.run("import numpy as np")
    made.run("%hybrid mode auto")
    yield made
    made.run("%hybrid mode imperative")


class Array(np.ndarray):
    pass


READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False
BYTES = np.zeros(17, np.uint8)
STRIDED = np.lib.stride_tricks.as_strided


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, "int"),
        (-(2**63), "int"),
        (2**63, OTHER),
        (-(2**63) - 1, OTHER),
        (True, "bool"),
        (1.5, "float"),
        (1j, "complex"),
        (np.float64(1), ".d"),
        (np.float32(1), ".f"),
        (np.bool_(True), ".?"),
        (np.int8(1), ".b"),
        (np.complex128(1), ".D"),
        (np.complex64(1), OTHER),
        (np.longlong(1), OTHER),
        (np.uint64(2**63 - 1), ".L"),
        (np.uint64(2**63), OTHER),
        (RecordedInt(3), OTHER),
        (np.zeros(3), ("array", "d", 1, True)),
        (np.zeros((2, 3), np.uint8), ("array", "B", 2, True)),
        (np.zeros((2,) * 8, bool), ("array", "?", 8, True)),
        (np.zeros((1,) * 9), OTHER),
        (np.zeros(()), OTHER),
        (np.zeros(3, np.longlong), OTHER),
        (np.zeros(3, ">f8"), OTHER),
        (np.zeros(3, "f2"), OTHER),
        (np.zeros(3, object), OTHER),
        (np.zeros(3, [("a", "f8")]), OTHER),
        (np.zeros(3).view(Array), OTHER),
        (READ_ONLY, ("array", "d", 1, False)),
        (BYTES[1:].view("f8"), OTHER),  # not aligned
        (np.zeros((4, 4))[::2, ::-1], ("array", "d", 2, True)),
        (STRIDED(np.zeros(4), (3, 2), (8, 8)), OTHER),  # its elements share memory
        (STRIDED(np.zeros(4), (3, 2), (8, 8), writeable=False), ("array", "d", 2, False)),
        ([1.0, 2.0], ("list", "float", 1)),
        ([[1], [2]], ("list", "int", 2)),
        ((True,), ("tuple", "bool", 1)),
        ([1, 2.0], ("list", "float", 1)),  # what the next one is expected to be
        ([np.float32(1)], ("list", ".f", 1)),
        ([], ("list", None, 1)),
        ([[1], [2.0, 3]], ("list", ("list", "int", 1), 1)),
        ([[], []], ("list", ("list", None, 1), 1)),
        ((), OTHER),
        ((1, 2), ("tuple", "int", 1)),
        ((1, 2.0), ("tuple", kinds.Mixed(("int", "float"), "float"), 1)),
        ([1, "a"], OTHER),
        ([[1], 2], OTHER),
        ([1, 2**63], OTHER),
        ([1j], OTHER),
        ("ab", ("text", "B", 1)),
        (b"ab", ("text", "B", 0)),
        (None, ("is", None)),
        (np, ("is", np)),
        (np.sin, ("is", np.sin)),
        (len, ("is", len)),
        (float, ("is", float)),
        (np.sum, ("is", np.sum)),
        (np.full, ("is", np.full)),
        (shell, OTHER),
        ({}, OTHER),
        (NOTHING, None),
    ],
)
def test_kinds(value, kind):
    found = kind_of(value, -1)
    assert found == kind and type(found) is type(kind)
    if type(kind) is tuple:
        assert list(map(type, found)) == list(map(type, kind))


def test_one_kind_of_arrays_is_one_object():
    """They are compared at each beginning."""
    assert kind_of(np.zeros(3), -1) is kind_of(np.ones((2, 2))[0], 5)


def test_long_lists_are_not_looked_at_for_few_steps():
    many = [1.0] * (kinds.MANY * 6)
    assert kind_of(many, 2) == ("list", "float", 1)
    assert kind_of([*many, 1.0], 2) == OTHER


def test_who_handles_signals():
    def handler(number: int, frame: types.FrameType | None) -> None: ...

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        assert (signal.SIGUSR1, handler) in _core.units.handlers()
        for other in (signal.SIG_IGN, signal.SIG_DFL):
            signal.signal(signal.SIGUSR1, other)
            assert handler not in dict(_core.units.handlers()).values()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert signals.others() == []


def test_a_handler_between_two_runs(shell, steps):
    shell.run("import signal\nx = np.zeros(3)\nheard = []")
    shell.run(
        "def handler(*_):\n    global count\n    heard.append(count)\n    count = 0\n"
        "def run():\n    global count\n    for i in range(50):\n        count += 1\n"
        "        x[1] = count\n"
    )
    shell.run("count = 0\nrun()")
    before = signal.getsignal(signal.SIGUSR1)
    try:
        shell.run("signal.signal(signal.SIGUSR1, handler)\nrun()")
        assert steps == [50, 50] and shell.ns["count"] == 100
        shell.run("signal.raise_signal(signal.SIGUSR1)\nrun()")
        assert len(steps) == 3 and shell.ns["count"] == 50 and shell.ns["heard"] == [100]
        shell.run("signal.signal(signal.SIGUSR1, signal.SIG_DFL)\nrun()")
        assert steps == [50] * 4 and shell.ns["x"][1] == 100
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_numpy_warns_of_is_asked_each_time(shell, steps):
    body = "for i in range(3):\n    v = 1.0 / y[i]\n"
    shell.run("y = np.array([1.0, 0.0, 2.0])\nold = np.geterr()")
    told = []
    for errors in ("divide='ignore'", "divide='warn'", "under='warn'", "divide='ignore'"):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            shell.run(f"np.seterr(**old)\nnp.seterr({errors})\n{body}")
        told.append((len(warned), list(steps)))
        steps.clear()
    shell.run("np.seterr(**old)")
    assert told == [(0, [3]), (1, [0]), (1, []), (0, [3])]


@pytest.mark.parametrize(
    ("first", "text", "stays"),
    [
        (1000, "500 * 2", True),
        (1000, "1000 + i", False),
        (0.5, "x[0]", False),  # which is NumPy's
        (np.float64(0.5), "x[0]", True),
        (0.0, "-0.0", False),
        (-0.0, "-0.0", True),
        (float("nan"), "x[2]", False),
        (np.float64("nan"), "x[2]", True),
        (True, "i >= 0", True),
        (2, "i", True),
        (1 + 2j, "complex(1, 2)", True),
        (1 + 2j, "complex(1, 3)", False),
        (1 + 2j, "complex(3, 2)", False),
        (np.arange(2.0), "x", False),
        (np.arange(2.0), "v", True),
        (np.arange(2.0), "v[:]", False),
        (None, "i", False),
        (np.sin, "v", True),
    ],
)
def test_what_a_variable_already_held_stays_the_object(shell, steps, first, text, stays):
    shell.ns["first"] = first
    shell.run(
        "x = np.array([0.5, 2.0, np.nan])\ndef run():\n    v = first\n    for i in range(3):\n"
        f"        v = {text}\n    return v\nv = run()"
    )
    wanted = eval(text, {"np": np, "x": shell.ns["x"], "i": 2, "v": first})
    found = shell.ns["v"]
    assert steps == [3] and (found is first) == stays
    assert type(found) is type(wanted) and repr(found) == repr(wanted)


def test_functions_are_looked_at_each_time(shell, steps):
    shell.run(
        "def g(a, b=2.0):\n    return a * b\n"
        "def other(a, b):\n    return a + b\n"
        "def run():\n    s = 1.0\n    for i in range(3):\n        s = g(s)\n    return s\n"
        "found = [run()]"
    )
    shell.run("g.__defaults__ = (3.0,)\nfound.append(run())")
    shell.run("g.__code__ = other.__code__\nfound.append(run())")
    shell.run("g.__defaults__ = (3,)\nfound.append(run())")
    shell.run("g.__defaults__ = ('3',)")
    assert type(shell.run("run()", fails=True).error) is TypeError
    shell.run("g = lambda a: a - 1.0\nfound.append(run())")
    assert shell.ns["found"] == [8.0, 27.0, 10.0, 10.0, -2.0]
    assert sum(steps) == 5 * 3


def test_attributes_are_looked_at_each_time(shell, steps):
    shell.run(
        "class Held:\n    k = 2.0\n"
        "    def run(self):\n        s = 1.0\n        for i in range(3):\n"
        "            s *= self.k\n            self.s = s\n        return s\n"
        "held = Held()\nheld.s = 0.0\nfound = [held.run()]"
    )
    shell.run("Held.k = 3.0\nfound.append(held.run())")
    shell.run("held.k = 1.0\nfound.append(held.run())")
    assert steps == [3, 3, 3]
    shell.run("Held.k = property(lambda self: 4.0)\nfound.append(held.run())")
    shell.run("del Held.k\ndel held.s\nfound.append(held.run())")
    shell.run("found.append(held.run())")
    assert shell.ns["found"] == [8.0, 27.0, 1.0, 64.0, 1.0, 1.0] and shell.ns["held"].s == 1.0
    assert steps == [3, 3, 3, 2, 3]  # a first step as written makes what was deleted


def test_a_name_that_is_only_set_may_hold_a_pending_array():
    shell = Shell()
    shell.run("%%imperative\nimport numpy as np\nx = np.arange(4.0)\nn = 3")
    for first in ("x", "x + 1", "x[1:]"):
        shell.hybridize(f"p = {first}\nfor i in range(n):\n    p = n * 2\n", "--view none")
        assert shell.ns["p"] == 6


FINALIZER = """import numpy as np
class Ends:
    def __del__(self):
        global c
        c = 2
"""
SETS = "o = Ends()\nt = 0\nfor i in range(800):\n    o = i\n    t += c\n"


def test_what_a_step_sets_a_name_over_goes_in_that_step(shell, steps):
    """A finalizer may set what the loop reads."""
    shell.run(FINALIZER)
    for _ in range(3):
        shell.run("c = 1")
        shell.run("%%hybridize --view none\n" + SETS)
        assert shell.ns["t"] == 1600
    assert sum(steps) > 700  # the other steps do run compiled


@pytest.mark.parametrize(
    "value", [None, "text", b"", 2**70, np.float16(1), np.zeros((2, 2)), range(3), np, ...]
)
def test_what_ends_silently_puts_off_no_unit(shell, steps, value):
    shell.ns["o"] = value
    shell.run("%%hybridize --view none\nt = 0\nfor i in range(300):\n    o = i\n    t += o\n")
    assert sum(steps) == 300
