"""What other code sees when a cell stores or calls a method: the cell's own statement.

Libraries look at it: at who else has the object, at what the calling frame is about to do, and
they warn of its line.
"""

from __future__ import annotations

import sys
import warnings

import pytest
from cells import Shell

SEEN = """
import dis, sys, warnings
import numpy as np
seen = []
class Watched(dict):
    def __getitem__(self, key):
        return 1.0
    def __setitem__(self, key, value):
        frame = sys._getframe(1)
        # From 3.12 on slices have an instruction of their own; rewritten ones are objects.
        doing = dis.opname[frame.f_code.co_code[frame.f_lasti]].replace("SLICE", "SUBSCR")
        seen.append((sys.getrefcount(self), doing, str(key), type(value).__name__))
        warnings.warn("stored", stacklevel=2)
class Holder:
    def __init__(self):
        self.own = Watched()
    @property
    def new(self):
        return Watched()
def made():
    return Watched()
h = Holder()
table = {"own": Watched(), "all": [Watched()]}
x = np.arange(3.0)
"""
STORES = [
    "made()[0] = 1",
    "made()[0] = x * 2",
    "made()[x.sum()] = x * 2 + 1",
    "made()[0] += x.mean()",
    "made()[0] -= 1",
    "h.new[1:2] = 3",
    "h.own['a'] = x + 1",
    "h.own['a'] += 1",
    "table['own'][None, 1] = 2",
    "table['all'][0][x[1]] = 2",
    "table['all'][0][1] **= 2",
    "Watched()[0] = 1\nmade()[0] = 2",
    "for i in range(3):\n    made()[i] = x * i",
    "with np.errstate(all='ignore'):\n    made()[2] = 1",
    "w = Watched()\nw[0] += 1\nw[0] -= x[2]",
    "def f(v):\n    v.new[0] = v.own[1]\n    v.own[0] += 1\nf(h)",
    "y = x * 2\nmade()[y.max()] = y",
]


@pytest.fixture
def shell() -> Shell:
    return Shell()


def stored(shell: Shell, cell: str) -> list:
    """What the classes above have seen of a cell, and the lines that were warned of."""
    shell.run(SEEN)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        shell.run(cell)
    hybridized = cell.startswith("%%")
    return [shell.ns["seen"], [(str(w.message), w.lineno - hybridized) for w in given]]


@pytest.mark.parametrize("cell", STORES)
def test_the_cells_own_statement_stores(cell: str, shell: Shell):
    seen, lines = stored(shell, cell)
    assert {doing for _, doing, *_ in seen} == {"STORE_SUBSCR"} and len(seen) == len(lines)
    assert stored(shell, f"%%hybridize --view none\n{cell}") == [seen, lines]


@pytest.mark.parametrize("cell", ["w[0] = x * 2", "w[x[1]] = 1", "w[1:] = x[0], [x * 3]"])
def test_what_a_named_one_is_given_and_warns_of(cell: str, shell: Shell):
    (plain,), lines = stored(shell, f"w = Watched()\n{cell}")
    (seen,), again = stored(shell, f"%%hybridize --view none\nw = Watched()\n{cell}")
    assert seen[2:] == plain[2:] and again == lines


def test_an_error_is_at_the_statement(shell: Shell):
    shell.run("class Fails:\n    def __setitem__(self, key, value): raise KeyError(key)")
    for store in ("Fails()[2] = 1", "[[1], [2]][0][3] = 1"):
        error = shell.hybridize(f"y = 1\n{store}", "--view none", fails=True).error
        assert type(error) is (KeyError if "Fails" in store else IndexError)
        lines = []
        place = error.__traceback__
        while place is not None:
            lines.append((place.tb_frame.f_code.co_name, place.tb_lineno))
            place = place.tb_next
        assert ("<module>", 3) in lines


def test_nothing_is_kept_of_a_store_that_fails(shell: Shell):
    """The holder, the key and the value go when the cell's own names do."""
    shell.run("import weakref\nclass Gone(list): pass\ngone = []")
    shell.hybridize(
        "def made():\n    new = Gone([1])\n    gone.append(weakref.ref(new))\n    return new\n"
        "made()[0] = 2\nmade()[0] += 1\ntry:\n    made()[5] = 1\nexcept IndexError:\n    pass",
        "--view none",
    )
    assert [ref() for ref in shell.ns["gone"]] == [None] * 3


COUNTED = """
import sys
import numpy as np
source = '''
class Counted:
    def holders(self, *args, **kwargs):
        seen.append((sys.getrefcount(self), sys._getframe(1).f_lineno, args, kwargs))
    @property
    def new(self):
        return Counted()
'''
seen = []
exec(source, globals())
def made():
    return Counted()
class Held:
    def __init__(self, first, second):
        self.own = first, second
    def keep(self, value, *, also):
        self.own = value, also
kept = Counted()
table = {"kept": Counted(), "held": Held(1, 2)}
x = np.arange(3.0)
"""
CALLS = [
    "made().holders()",
    "y = x * 2\nmade().holders(1, y.sum(), inplace=x[1])",
    "for i in range(3):\n    y = x * i\n    made().holders(i, y=y.sum())",
    "kept.new.holders(k=1)",
    "table['kept'].holders(2)",
    "Counted().new.holders(1, k=2)",
    "def f(v):\n    v.new.holders(1, b=x.mean())\nf(kept)",
    "table['held'].keep(x[1] * 2, also=[x.sum()])\nseen.append(table['held'].own)",
]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a method's call is taken apart since then")
@pytest.mark.parametrize("cell", CALLS)
def test_a_method_has_its_object_as_in_plain_python(cell: str, shell: Shell):
    found = []
    for head in ("# plain\n", "%%hybridize --view none\n"):
        shell.run(COUNTED)
        shell.run(head + cell)
        found.append(shell.ns["seen"])
    assert found[0] and found[0] == found[1]
