"""Everything that an ndarray or a NumPy scalar has, asked of one that a cell made."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

START = (
    "import copy, math, operator, pickle\nimport numpy as np\na = np.arange(6.0).reshape(2, 3)\n"
)
ARRAY = "x = a * 2\n"
SCALAR = "x = (a * 2).sum()\n"


@pytest.fixture
def shell() -> Shell:
    return Shell()


def told(value):
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tolist(), value.flags.writeable
    if isinstance(value, (list, tuple)):
        return [told(v) for v in value]
    return type(value), value


def same(shell: Shell, body: str) -> None:
    expected, _ = imperative(START + body)
    shell.run(START)
    shell.hybridize(body, "--view none")
    for name in ("r", "x", "a"):
        assert told(shell.ns[name]) == told(expected[name]), name


@pytest.mark.parametrize(
    "expression",
    [
        "np.ndarray.sum(x)", "np.ndarray.sum(a, axis=0)", "np.ndarray.__add__(x, 1)",
        "np.ndarray.copy(x)", "np.ndarray.__len__(x)", "np.ndarray.tolist(x)",
        "np.ndarray.fill(x, 3.0)", "np.ndarray.__setitem__(x, 0, 5.0)",
        "(x.min.__name__, x.max.__qualname__, x.sort.__name__)", "x.sum.__self__ is x",
        "x.sum().is_integer()", "x.__array_interface__['shape']", "x.ctypes.shape[:]",
        "x.__reduce__()[1][1]", "copy.copy(x)", "copy.deepcopy(x)", "pickle.loads(pickle.dumps(x))",
        "x.resize((3, 2), refcheck=False)", "x.setflags(write=False)", "x.__iadd__(1)",
        "x.__abs__.__name__", "x.max.__doc__ == np.ndarray.max.__doc__",
        "isinstance(x.flat, np.flatiter)",
    ],
)  # fmt: skip
def test_what_an_array_has(shell, expression):
    same(shell, ARRAY + f"r = {expression}")


def test_an_iterator_over_the_elements(shell):
    same(
        shell,
        ARRAY
        + "f = x.flat\nr = [next(f), next(f), f.index, f.coords]\nf[5] = 50\n"
        + "for i, v in enumerate(x.flat):\n    x.flat[i] = v + r[1]\n"
        + "r += [list(f), list(f), f.index]\ng = x.flat\nnext(g)\n",
    )
    assert type(shell.ns["g"]) is np.flatiter
    assert shell.ns["g"].index == 1 and shell.ns["g"].base is shell.ns["x"]


@pytest.mark.parametrize("statement", ["x.nothing = 1", "x.nothing", "'a' - x[:0].T.shape"])
def test_errors_name_numpys_array(shell, statement):
    errors = []
    for head in ("# plain", "%%hybridize --view none"):
        shell.run(START)
        errors.append(str(shell.run(f"{head}\n{ARRAY}{statement}", fails=True).error))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("statement", ["x.shape = (3, 2)", "x.shape = 6", "x.dtype = 'int64'"])
def test_what_is_set_on_an_array(shell, statement):
    same(shell, ARRAY + statement + "\nr = x + 1")


@pytest.mark.parametrize(
    "expression",
    [
        "x.is_integer()", "x.as_integer_ratio()", "x.hex()", "x.fromhex('0x1p0')",
        "np.float64.is_integer(x)", "float.hex(x)", "math.floor(x), math.ceil(x), math.trunc(x)",
        "round(x), round(x, 1)", "hash(x)", "{x: 1}[30.0]", "isinstance(x, float)",
        "isinstance(x, np.floating), isinstance(x, np.ndarray)", "type(x)", "x is x",
        "x.max.__qualname__", "x.item(), x.tolist()", "x.T, x.real, x.shape, x.ndim, x.size",
        "copy.copy(x)", "copy.deepcopy(x)", "pickle.loads(pickle.dumps(x))", "f'{x:.2f} {x!r}'",
        "divmod(x, 7.0)", "[x] * 2", "x.__ceil__()", "x.__getnewargs__()", "x.conjugate()",
    ],
)  # fmt: skip
def test_what_a_scalar_has(shell, expression):
    same(shell, SCALAR + f"r = {expression}")


@pytest.mark.parametrize(
    "expression", ["np.ndarray.sum(x)", "x.nothing", "np.ndarray.__len__(x)", "x.is_integer(1)"]
)
def test_what_a_scalar_refuses(shell, expression):
    same(shell, SCALAR + f"try:\n    r = {expression}\nexcept Exception as e:\n    r = str(e)")


def test_numpy_still_reads_traced_arrays_by_their_array_method(shell):
    same(shell, ARRAY + "r = np.asarray(x) is x\ny = np.array(x, copy=True)\ny[0] = 7")


def test_scalars_are_numpys_own_when_the_cell_has_ended(shell):
    shell.run(START)
    shell.hybridize("x = a * 2\ns = x.sum()\nk = {'m': x.max(), 'l': [x.min()]}\nt = s\n")
    found = [shell.ns["s"], shell.ns["k"]["m"], shell.ns["k"]["l"][0]]
    assert [type(v) for v in found] == [np.float64] * 3
    assert shell.ns["t"] is shell.ns["s"]


def test_what_a_cell_made_is_resized_later_as_any_array(shell):
    shell.run(START)
    shell.hybridize("x = a * 2\ny = x + 1")
    assert shell.ns["y"].flags.owndata and shell.ns["y"].base is None
    shell.run("y.resize((3, 3), refcheck=False)\nx.resize((2, 2), refcheck=False)")
    assert shell.ns["y"].tolist() == [[1, 3, 5], [7, 9, 11], [0, 0, 0]]
    assert shell.ns["x"].tolist() == [[0, 2], [4, 6]]
