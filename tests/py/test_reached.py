"""A plain cell gets real arrays for deferred names, however its code reads them."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid.np_face import TracedArray

SETUP = """
import functools
import numpy as np
def read():
    return c
def through():
    return read()
def other(v):
    return v + a
def inner():
    return [(lambda: c)() for _ in range(1)][0]
class Reader:
    scale = 1
    def get(self):
        return c
    @property
    def value(self):
        return c
reader = Reader()
table = {"read": read}
part = functools.partial(read)
held = [(1, (part,))]
default = lambda f=read: f()
many = np.vectorize(lambda i: type(c) is np.ndarray)
"""
READS = {
    "a function": "read()",
    "a function of a function": "through()",
    "a lambda in a function": "inner()",
    "a method": "reader.get()",
    "a class": "Reader().value",
    "a dict of functions": "table['read']()",
    "a partial": "part()",
    "a partial in a list": "held[0][1][0]()",
    "a default argument": "default()",
    "the names themselves": "{k: v for k, v in globals().items()}['c']",
    "a text": "eval('c')",
}


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run(SETUP)
    made.hybridize("a = np.arange(4.0)\nc = a * 2\nd = c + 1\n")
    assert type(made.ns["c"]) is TracedArray
    return made


@pytest.mark.parametrize("way", READS)
def test_it_is_a_real_array(way: str, shell: Shell):
    shell.run(f"found = {READS[way]}\nkind = type(found)\n")
    assert shell.ns["kind"] is np.ndarray and type(shell.ns["found"]) is np.ndarray
    assert shell.ns["found"] is shell.ns["c"] and shell.ns["c"].tolist() == [0, 2, 4, 6]


def test_what_numpy_calls_gets_one_too(shell: Shell):
    shell.run("found = many(np.arange(3))\n")
    assert shell.ns["found"].all()


@pytest.mark.parametrize("text", ["other(d)", "np.sum(d) + len([1, 2])", "sorted([3, 1])", "1"])
def test_other_cells_leave_it_deferred(text: str, shell: Shell):
    shell.run(f"found = {text}\n")
    assert type(shell.ns["c"]) is TracedArray
