"""Functions of hybridized cells are what plain Python makes of them; recorded calls enter twins."""

from __future__ import annotations

import ast
import inspect
import pickle
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

import jupyter_hybrid
from jupyter_hybrid.capture import trace_state
from jupyter_hybrid.capture.source.definitions import definition_of
from jupyter_hybrid.capture.source.sources import NoSource

FUNCTIONS = '''
import functools
def keep(f): return f
def plain(a, k=2, *, scale=1.0, **more):
    """A docstring."""
    b: float = a * k * scale
    return b
pair = (lambda a: a + 1, lambda a: a + 2)
same = (lambda a: a * 2, lambda a: a * 2)
def make(k):
    count = 0
    def inner(a):
        nonlocal count
        count += 1
        return a * k + count
    return inner
inner = make(3)
class Held:
    limit = 4
    def __init__(self, k): self.__k = k
    @property
    def k(self): return self.__k
    def __twice(self, a): return a * self.__k * 2
    def both(self, a): return [self.__twice(b) for b in (a, a + self.limit)]
    @staticmethod
    def fixed(a, f=lambda a: a - 1): return f(a)
    class Inside(object):
        def name(self): return f"{self.__class__.__qualname__!r}"
class Sub(Held):
    def __init__(self): super().__init__(5)
@functools.wraps(plain)
@keep
def decorated(a):
    class Local:
        def twice(self, a): return a * 2
    return Local().twice(a)
if True:
    async def waits(a): return a
    def gives(a):
        for b in range(3):
            yield a + b
'''


def functions_in(namespace: dict[str, Any]) -> dict[str, types.FunctionType]:
    found = {}
    for name, value in namespace.items():
        if type(value) is tuple:
            found |= {f"{name}{i}": f for i, f in enumerate(value)}
        elif isinstance(value, type):
            for n, v in vars(value).items():
                v = getattr(v, "fget", None) or getattr(v, "__func__", v)
                found[f"{name}.{n}"] = v
                if isinstance(v, type):
                    found |= {f"{name}.{n}.{m}": w for m, w in vars(v).items()}
        else:
            found[name] = value
    return {n: f for n, f in found.items() if type(f) is types.FunctionType}


def described(code: types.CodeType) -> tuple:
    """Everything about code but its file and the line of its cell's magic."""
    constants = [described(c) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    if "__firstlineno__" in code.co_names:  # of a class, from 3.13 on
        constants.remove(code.co_firstlineno)
    lines = [(a, b, n and n - code.co_firstlineno) for a, b, n in code.co_lines()]
    return (
        code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars,
        code.co_cellvars, code.co_flags, lines, getattr(code, "co_qualname", ""),
    )  # fmt: skip


def plainly(body: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(body, "<plain>", "exec", dont_inherit=True), names)
    del names["__builtins__"]
    return names


@pytest.fixture
def shell() -> Iterator[Shell]:
    shell = Shell()
    shell.run("import numpy as np\nx = np.arange(4.0)")
    flags = shell.ip.compile.flags
    yield shell
    shell.ip.compile.flags = flags  # a cell's futures hold for later cells


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_a_cells_functions_have_the_code_that_plain_python_gives_them(shell, future):
    shell.hybridize(future + FUNCTIONS, "--view none")
    names = plainly(future + FUNCTIONS)
    made, wanted = functions_in({n: shell.ns[n] for n in names}), functions_in(names)
    assert made.keys() == wanted.keys()
    assert len(made) > 15
    for name, function in made.items():
        assert described(function.__code__) == described(wanted[name].__code__)
        assert function.__qualname__ == wanted[name].__qualname__
        assert function.__annotations__ == wanted[name].__annotations__


def test_each_is_found_in_its_text(shell):
    shell.hybridize(FUNCTIONS, "--view none")
    lines = FUNCTIONS.splitlines()
    for name, function in functions_in({n: shell.ns[n] for n in plainly(FUNCTIONS)}).items():
        found = definition_of(function.__code__)
        assert lines[found.place[0] - 2] == lines[function.__code__.co_firstlineno - 2]
        if name.startswith("pair"):  # two in a line
            assert ast.unparse(found.node.body) == f"a + {int(name[-1]) + 1}"


@pytest.mark.parametrize(
    "call",
    [
        "pair[0](x) + pair[1](x * 10)", "same[0](x) + same[1](x)", "inner(x) + inner(x)",
        "Held(3).both(x)[1] + Sub().k", "Held.fixed(x)", "decorated(x) + plain(x, scale=2.0, z=1)",
        "sum(gives(x)) + x", "Held.Inside().name() and x", "functools.partial(plain, k=x)(x)",
        "[f(x) for f in [lambda a, i=i: a * i + j for j in range(2) for i in range(3)]][-1]",
        "[f for f in [lambda a: a * j for j in range(3)]][1](x)",
        "max([3, 1], key=lambda v: -v) + x",
        "list(map(inner, [x, x + 1]))[1]", "keep(lambda: (lambda b: b + x))()(x)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["same", "earlier"])
def test_what_they_compute(shell, call, where):
    before = {"np": np, "x": np.arange(4.0)}
    wanted = imperative(f"{FUNCTIONS}\ny = {call}", before)[0]["y"]
    body = f"y = {call}"
    if where == "same":
        body = f"{FUNCTIONS}\n{body}"
    else:
        shell.hybridize(FUNCTIONS, "--view none")
    shell.hybridize(body, "--view none --force")
    np.testing.assert_array_equal(np.asarray(shell.ns["y"]), wanted)


def test_one_that_is_called_in_the_cell_is_part_of_its_graph(shell):
    shell.hybridize(f"{FUNCTIONS}\ny = inner(x) + pair[1](x) + plain(x)", "--view none --force")
    assert not shell.report.graph_breaks
    assert shell.ns["inner"].__closure__[0].cell_contents == 1


def test_functions_made_in_a_twin_are_as_written(shell):
    body = (
        "def outer(a):\n    def inner(b): return b + 1\n    class Local:\n"
        "        def get(self): return a\n    return inner, Local, inner(a)\n"
        "made, local, y = outer(x)\n"
    )
    shell.hybridize(body, "--view none --force")
    parts = [c for c in shell.ns["outer"].__code__.co_consts if isinstance(c, types.CodeType)]
    assert shell.ns["made"].__code__ in parts
    assert shell.ns["made"].__qualname__ == "outer.<locals>.inner"
    assert shell.ns["local"].__qualname__ == "outer.<locals>.Local"
    assert shell.ns["local"].get.__qualname__ == "outer.<locals>.Local.get"
    assert not trace_state.is_rewritten(shell.ns["local"].get.__code__)


def test_what_was_made_by_exec_is_unseen(shell):
    body = "made = {}\nexec('def f(a):\\n    return type(a)', made)\nkind = made['f'](x * 2)\n"
    shell.hybridize(body, "--view none --force")
    assert shell.ns["kind"] is np.ndarray
    with pytest.raises(NoSource):
        definition_of(shell.ns["made"]["f"].__code__)


@pytest.mark.parametrize(
    "body",
    [
        "exec('def later():\\n    return (x.__setitem__(i, 9.0) for i in range(2))')\n"
        "n = sum(i for i in range(3))\ng = later()\ny = x * 2\nlist(g)\nz = x * 2\n",
        "import functools, heapq\n@functools.wraps(heapq.heappush)\n"
        "def put(k):\n    x[0] = k\n"
        "y = x * 2\nfor k in range(3, 12):\n    put(k)\nz = x * 2\n",
    ],
    ids=["a generator expression of unseen code", "a wrapper of a plain function"],
)
def test_who_writes_is_looked_at_itself(shell, body):
    wanted = imperative(body, {"np": np, "x": np.arange(4.0)})[0]
    shell.hybridize(body, "--view none")
    np.testing.assert_array_equal(np.asarray(shell.ns["y"]), wanted["y"])
    np.testing.assert_array_equal(np.asarray(shell.ns["z"]), wanted["z"])


def test_source_of_another_text_is_no_source(shell):
    shell.hybridize("def f(a):\n    return a + 1\n", "--view none")
    code = shell.ns["f"].__code__
    other = code.replace(co_consts=(None, 2))
    assert definition_of(code).place == (2, "f")
    with pytest.raises(NoSource):
        definition_of(other)


def test_they_can_be_pickled_by_value(shell):
    cloudpickle = pytest.importorskip("cloudpickle")
    shell.hybridize("k = 3\ndef f(a):\n    return [b * k for b in a]\nz = f(x)", "--view none")
    there = pickle.loads(cloudpickle.dumps(shell.ns["f"]))
    assert trace_state.RUNTIME not in str(there.__code__.co_names)
    assert there([1, 2]) == [3, 6]


def test_private_names_of_a_decorated_method():
    class Held:
        def __init__(self, k):
            self.__k = k

        @jupyter_hybrid.hybridize
        def times(self, a):
            def inner(b):
                return b * self.__k

            return inner(a) + self.__k

    x = np.arange(4.0)
    np.testing.assert_array_equal(Held(3).times(x), x * 3 + 3)
    report = Held.__dict__["times"].report()
    assert not report.graph_breaks
    assert report.segments


def test_inspect_and_doctest_see_the_text(shell):
    body = 'def f(a):\n    """\n    >>> f(2)\n    3\n    """\n    return a + 1\n'
    shell.hybridize(body + "import doctest\nfailed = doctest.run_docstring_examples(f, globals())")
    assert inspect.getsource(shell.ns["f"]) == body


def test_recursion_takes_one_frame_a_call(shell):
    body = (
        "import sys\ndef depth(a, n):\n    if n:\n        return depth(a, n - 1)\n"
        "    frame, found = sys._getframe(), 0\n"
        "    while frame.f_code.co_name == 'depth':\n"
        "        frame, found = frame.f_back, found + 1\n"
        "    return found\nfound = depth(x, 400)\n"
    )
    shell.hybridize(body, "--view none --force")
    assert shell.ns["found"] == 401


def test_a_traceback_shows_each_line_once(shell):
    body = "def f(a, n):\n    if n:\n        return f(a, n - 1)\n    return a['no']\nf(x + 1, 2)\n"
    error = shell.hybridize(body, "--view none", fails=True).error
    found, step = [], error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_name in ("f", "<module>"):
            found.append(step.tb_lineno)
        step = step.tb_next
    assert found[-4:] == [6, 4, 4, 5]
    assert sys.exc_info() == (None, None, None)
