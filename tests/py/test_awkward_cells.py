"""Awkward Python in cells: both modes leave equal names, prints, exceptions and traceback lines."""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np
import pytest
from cells import Shell
from IPython.utils.capture import capture_output
from terminal import ipython

from tests.corpus.equality import Comparison

SETUP = """
import asyncio, contextlib, functools, itertools, sys, threading
import numpy as np
x = np.arange(6.0)
k = 3
"""
CELLS = {
    "a number that can't be updated in place": """
total = k * 2
y = x * total
total += (x, y)
""",
    "a generator that stays suspended": """
def rows(a):
    total = a * 0
    while True:
        total = total + a
        got = yield total.sum()
        if got is not None:
            a = got
g = rows(x)
first, second = next(g), next(g)
third = g.send(x * 2)
kept = [g]
del g, kept
""",
    "a suspended generator that is closed": """
log = []
def rows(a):
    try:
        yield a + 1
        yield a + 2
    finally:
        log.append(float(a.sum()))
g = rows(x * 2)
y = next(g)
g.close()
""",
    "a generator that throws": """
def rows(a):
    while True:
        try:
            yield a
        except ValueError as error:
            a = a * 10
            print("caught", error)
g = rows(x)
a = next(g)
b = g.throw(ValueError("ten"))
del g
""",
    "a generator expression read later": """
lazy = (v * k for v in (x, x + 1))
x = x - 1
k = 5
got = [v.sum() for v in lazy]
""",
    "yield from with a return value": """
def inner(a):
    yield a
    return a.sum()
def outer(a):
    total = yield from inner(a)
    yield total
got = list(outer(x + 1))
""",
    "a thread that is waited for": """
out = {}
def work(a):
    out["y"] = a * 2
    out["where"] = threading.current_thread() is threading.main_thread()
t = threading.Thread(target=work, args=(x + 1,))
t.start(); t.join()
z = out["y"] + 1
del t
""",
    "exec and eval": """
y = x * 2
exec("z = y + 1")
w = eval("z * k")
space = {"y": y}
exec("y = y + 1; t = y.sum()", space)
t = space["t"]
del space
""",
    "globals and vars": """
globals()["made"] = x * 2
y = made + globals()["x"]
def f():
    globals()["inside"] = x + 1
    return sorted(locals())
names = f()
z = inside * 2
v = vars()["x"] is x
""",
    "an exception with a cause": """
y = x * 2
try:
    raise KeyError("first")
except KeyError as error:
    z = y + 1
    raise ValueError("second") from error
""",
    "an exception in an except clause": """
y = x * 2
def helper(a):
    try:
        return a.nothing
    except AttributeError:
        return a[100]
z = helper(y)
""",
    "a cause that is suppressed": """
y = x + 1
try:
    y / {}
except TypeError:
    raise RuntimeError("only this") from None
""",
    "KeyboardInterrupt in the middle": """
y = x * 2
z = y + 1
y += 1
raise KeyboardInterrupt
w = 3
""",
    "SystemExit is caught": """
y = x * 2
try:
    sys.exit(3)
except SystemExit as leaving:
    code = leaving.code
z = y * code
""",
    "nonlocal counts": """
def counter():
    n, total = 0, x * 0
    def step(a):
        nonlocal n, total
        n += 1
        total = total + a
        return n, total.sum()
    return step
step = counter()
got = [step(x), step(x * 2), step(x - 1)]
del step
""",
    "a closure sees a later binding": """
def show():
    return y + offset
y, offset = x * 2, 1
a = show()
offset = 10
y = y * 2
b = show()
""",
    "late binding in a loop of lambdas": """
functions = [lambda a: a * i for i in range(3)]
late = [f(x) for f in functions]
early = [f(x) for f in [lambda a, i=i: a * i for i in range(3)]]
del functions
""",
    "a class body that computes": """
class Model:
    scale = k * 2
    weights = np.ones(6) * scale
    offset = weights.sum()
    def __call__(self, a):
        return a * self.weights + self.offset
    if scale > 5:
        big = True
    for n in range(3):
        scale += n
    del n
model = Model()
y = model(x)
scale, big, offset = Model.scale, Model.big, Model.offset
del model, Model
""",
    "a metaclass and descriptors": """
class Meta(type):
    def __new__(mcs, name, bases, body):
        body["doubled"] = body["base"] * 2
        return super().__new__(mcs, name, bases, body)
class Cell:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, owner, kind=None): return getattr(owner, self.name) + 1
    def __set__(self, owner, value): setattr(owner, self.name, value * 2)
class Holder(metaclass=Meta):
    base = x + 1
    value = Cell()
h = Holder()
h.value = x
h.value += 1
y, z = h.value, Holder.doubled
del h, Holder, Cell, Meta
""",
    "del and rebinding": """
y = x * 2
del x
z = y + 1
x = z * 2
def gone():
    del y
    return y
del y
y = 1
""",
    "del of items and slices": """
values = [x, x + 1, x * 2, x * 3]
del values[1:3]
table = {"a": x * 2, "b": x}
del table["b"]
y = values[1] + table["a"]
""",
    "a deleted local": """
def f(a):
    b = a * 2
    del a
    try:
        return a
    except UnboundLocalError as error:
        return b, type(error).__name__
got = f(x)
""",
    "global from a nested function": """
def outer():
    def inner():
        global made, k
        made = x * k
        k += 1
    inner()
    inner()
outer()
y = made + k
""",
    "match on structure and guards": """
def which(v):
    match v:
        case {"kind": "scale", "by": by, **rest} if not rest:
            return x * by
        case [first, *others]:
            return first + len(others)
        case np.ndarray(shape=(n,)):
            return v * n
        case int() | float() as number:
            return x + number
        case None:
            return "none"
        case _:
            return "other"
got = [which(v) for v in ({"kind": "scale", "by": 3}, [x, 1, 2], x, 4, 2.5, None, "a")]
match got[0].sum():
    case total if total > 10:
        big = True
    case total:
        big = False
""",
    "walrus in comprehensions and conditions": """
kept = [t for v in (x, -x, x * 2) if (t := v.sum()) > 0]
last = t
while (n := k - 1) > 0:
    k = n
if (y := x * 2).sum() > 1 and (z := y + 1) is not None:
    w = z
print([m := 5, m ** 2], m)
""",
    "async comprehension": """
async def rows(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield x * i
async def collect():
    return [r.sum() async for r in rows(3) if r is not None]
y = x + 1
got = await collect()
also = [r async for r in rows(2)]
z = y * 2 + also[1]
""",
    "async with and gather": """
@contextlib.asynccontextmanager
async def scaled(a):
    yield a * 2
    print("left")
async def add(a, b):
    await asyncio.sleep(0)
    return a + b
async with scaled(x) as y:
    one, two = await asyncio.gather(add(y, 1), add(y, 2))
z = one * two
""",
    "decorators": """
calls = []
def traced(f):
    @functools.wraps(f)
    def run(*args, **kwargs):
        calls.append((f.__name__, len(args), sorted(kwargs)))
        return f(*args, **kwargs)
    return run
def times(n):
    return lambda f: functools.wraps(f)(lambda *a, **b: f(*a, **b) * n)
@traced
@times(k)
def f(a, *, by=2):
    "doc"
    return a + by
@functools.lru_cache(maxsize=None)
def size(n):
    calls.append(n)
    return n * 2
y = f(x)
z = f(x, by=size(3) + size(3))
about = f.__name__, f.__doc__, f.__wrapped__ is not None
""",
    "a context manager swallows": """
class Swallow:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        self.kind, self.line = kind.__name__, trace.tb_lineno - base
        return True
base = sys._getframe().f_lineno
with Swallow() as s:
    y = x * 2
    y[0] = 7
    y[100]
    y = None
z = y + 1
kind, line = s.kind, s.line
with contextlib.suppress(ZeroDivisionError):
    w = x + 1
    1 / 0
del s, Swallow, base
""",
    "try finally with a return": """
log = []
def f(a):
    for i in range(5):
        try:
            a = a + 1
            if i == 2:
                return a
            continue
        finally:
            log.append(i)
            if i == 1:
                a = a * 10
def g(a):
    try:
        return a.missing
    except AttributeError:
        return a * 2
    else:
        return a
    finally:
        log.append("finally")
def h(a):
    try:
        raise ValueError
    finally:
        return a - 1
got = f(x), g(x), h(x)
""",
    "a recursion limit": """
depth = 0
def down(a):
    global depth
    depth += 1
    return down(a + 1)
y = x * 2
try:
    down(y)
except RecursionError as error:
    z = y + 1
    kind = type(error).__name__
depth = depth > 10
""",
    "for else and while else": """
for i in range(4):
    if i == k:
        y = x * i
        break
else:
    y = x
for i in range(2):
    y = y + i
else:
    y = y * 2
while k > 0:
    k -= 1
else:
    z = y + k
""",
    "star expressions": """
first, *middle, last = x * 2
(a, b), c = (x, x + 1), x * 3
def f(*args, **kwargs):
    return sum(args) + kwargs["t"]
y = f(*[a, b], c, **{"t": x})
merged = {**{"a": a}, "b": b}
chained = p = q = x + 1
same = p is q is chained
""",
    "chained and odd assignment": """
i = 0
values = [x, x + 1, x + 2]
i, values[i] = 1, x * 9
values[i] += values[0]
a = b = x * 2
a += 1
same = a is b
(c) = b[1:3]
c *= 100
""",
    "an assertion with a message": """
y = x * 2
total = y.sum()
assert total < 0, f"total {total:.1f} of {y.shape}"
""",
    "an error three calls deep": """
def one(a):
    b = a + 1
    return two(b)
def two(a):
    return [three(v) for v in (a, a * 2)]
def three(a):
    if a.shape != (6,):
        return a
    return a.reshape(4, 4)
y = one(x)
""",
    "an error in a comprehension in a class": """
class Broken:
    base = x * 2
    parts = [v[i] for v in (base,) for i in (0, 9)]
""",
    "an exception with a note": """
y = x * 2
try:
    raise ValueError("a")
except ValueError as error:
    error.add_note("noted") if hasattr(error, "add_note") else None
    z = y + 1
    raise
""",
    "an exception kept with its traceback": """
kept = None
try:
    y = x * 2
    y[50] = 1
except IndexError as error:
    kept = str(error), error.__traceback__.tb_lineno - sys._getframe().f_lineno
z = y + 1
""",
    "an iterator class": """
class Count:
    def __init__(self, a, n): self.a, self.n = a, n
    def __iter__(self): return self
    def __next__(self):
        if not self.n: raise StopIteration
        self.n -= 1
        self.a = self.a + 1
        return self.a
got = list(Count(x, 3))
a, b = Count(x, 2)
m = max(Count(x, 3), key=lambda v: v.sum())
del Count
""",
    "operators of a class meet arrays": """
class Unit:
    __array_priority__ = 1000
    __array_ufunc__ = None
    def __init__(self, v): self.v = v
    def __mul__(self, other): return ("mul", other * self.v)
    def __rmul__(self, other): return ("rmul", other * self.v)
    def __bool__(self): return False
u = Unit(2)
a, b = u * x, x * u
c = u or x
d = not u
del u, Unit
""",
    "sorting, maps and reductions of python": """
parts = [x, x * 2 - 4, -x]
ordered = sorted(parts, key=lambda v: v.sum())
total = functools.reduce(lambda a, b: a + b, parts)
pairs = list(map(lambda a, b: a * b, parts, parts[1:]))
kept = list(filter(lambda v: v[1] > 0, parts))
flat = list(itertools.chain.from_iterable(p[:2] for p in parts))
""",
    "conditional imports and names": """
import math as m, os.path
from math import pi as p
y = x * m.floor(p)
try:
    import no_such_module_here
except ImportError as error:
    z = y + len(type(error).__name__)
del m
""",
    "a string of odd formats": """
y = x * 2
text = f"{y.sum():>10.2f}|{y.shape!r:<8}|{k=}|{y[1]!s}|{'%d' % k}"
more = "{0.ndim} {1[1]:.1f}".format(y, x)
""",
    "two names swap in a loop": """
a, b = x * 1, x * 2
for _ in range(3):
    a, b = b, a + b
    a[0] = b[1]
""",
    "the last value is a lambda's": """
f = lambda a, *, k=2: (a * k if k else a)
y = f(x)
(lambda: f(y, k=0))()
""",
}


class _Run:
    """What a cell did: names, text, value, and the chain of exceptions with their lines."""

    def __init__(self, names: dict, out: str, value: Any, error: BaseException | None):
        self.names, self.out, self.value = names, out, value
        self.errors: list[tuple] = []
        while error is not None:
            frames = traceback.walk_tb(error.__traceback__)
            lines = [(f.f_code.co_name, n) for f, n in frames if f.f_code.co_filename[:4] == "<ipy"]
            self.errors.append((type(error).__name__, str(error), lines))
            hidden = error.__suppress_context__
            error = error.__cause__ or (None if hidden else error.__context__)


@pytest.fixture
def shell():
    made = Shell()
    before = made.ip.showtraceback
    made.ip.showtraceback = lambda *args, **kwargs: None
    yield made
    made.ip.showtraceback = before


def run(shell: Shell, text: str, magic: str) -> _Run:
    """The cell in a fresh namespace, below the line ``magic``."""
    shell.ip.reset(new_session=False)
    shell.run(SETUP)
    given = set(shell.ns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with capture_output(display=False) as captured:
            done = shell.ip.run_cell(f"{magic}\n{text}", store_history=False)
        names = [n for n in shell.ns if n[0] != "_" and (n in ("x", "k") or n not in given)]
        with capture_output():  # deferred names become real
            shell.ip.run_cell("".join(f"{n}; " for n in names))
    left = {n: shell.ns[n] for n in names}
    return _Run(left, captured.stdout, done.result, done.error_before_exec or done.error_in_exec)


_STAND_IN = "unseen code computes with a stand-in that an attribute or a class body holds"
_FREED = "a suspended generator is freed"
HELD_UP = {
    "a generator that stays suspended": _FREED,
    "a generator that throws": _FREED,
    "a metaclass and descriptors": _STAND_IN,
    "an iterator class": _STAND_IN,
}


def _cells() -> list[object]:
    marks = {name: pytest.mark.held_up(why) for name, why in HELD_UP.items()}
    return [pytest.param(name, marks=marks.get(name, ())) for name in CELLS]


@pytest.mark.parametrize("name", _cells())
def test_both_modes_do_the_same(shell, name):
    text = CELLS[name].lstrip("\n")
    wanted = run(shell, text, "%%imperative")
    got = run(shell, text, "%%hybridize --view none")
    found = Comparison(0.0)
    found.namespaces(wanted.names, got.names)
    found.text("printed text", wanted.out, got.out)
    if not wanted.errors:
        found.values("the value", wanted.value, got.value)
    assert not found.differences, "\n".join([text, *found.differences])
    assert got.errors == wanted.errors


def test_a_cell_runs_after_one_that_was_interrupted(shell):
    shell.ip.reset(new_session=False)
    shell.run(SETUP)
    shell.hybridize("y = x * 2\nraise KeyboardInterrupt\n", "--view none", fails=True)
    np.testing.assert_array_equal(shell.ns["y"], np.arange(6.0) * 2)
    assert shell.report is None or shell.hybridize("z = y + 1\n").error is None
    assert shell.report.mode == "symbolic" and not shell.report.graph_breaks


def test_a_terminal_shows_the_same_errors_in_both_modes(tmp_path):
    failing = [
        "an exception with a cause",
        "an exception in an except clause",
        "a cause that is suppressed",
        "an error three calls deep",
        "an error in a comprehension in a class",
        "an exception with a note",
    ]
    shown = []
    for magic in ("%%imperative", "%%hybridize  "):
        cells = ["%load_ext jupyter_hybrid", "; ".join(SETUP.split("\n")[1:-1])]
        cells += [f"{magic}\n{CELLS[name].strip()}" for name in failing]
        texts = ipython(cells, tmp_path)[2 : 2 + len(failing)]
        shown.append([t[t.find("-----") :].replace(magic, "MAGIC") for t in texts])
    for name, wanted, got in zip(failing, *shown, strict=True):
        assert "Error" in wanted, name
        assert got == wanted, name
