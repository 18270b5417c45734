"""Floating-point warnings: those of plain NumPy, with its text, at the line, in its order."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout

import numpy as np
import pytest
from cells import Shell

SETUP = "import warnings\nimport numpy as np\nx = np.arange(6.0)\ninf = np.array([np.inf, -np.inf])"


@pytest.fixture(scope="module")
def shell() -> Shell:
    return Shell()


def warned(shell: Shell, body: str, head: str, action: str = "always", times: int = 1) -> list:
    """(text, line, whether it is the cell's line) of every warning of a fresh notebook."""
    shell.ip.reset(new_session=False)
    shell.run(SETUP)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(action)
        for _ in range(times):
            shell.run(f"{head}\n{body}")
    assert all(w.category is RuntimeWarning for w in found)
    return [(str(w.message), w.lineno, "site-packages" in w.filename) for w in found]


def same(shell: Shell, body: str, action: str = "always", times: int = 1) -> list:
    """The warnings under the magic, which are those of plain Python."""
    wanted = warned(shell, body, "# plain", action, times)
    assert warned(shell, body, "%%hybridize --view none", action, times) == wanted
    return wanted


PROGRAMS = {
    "several kinds of one loop": "a = np.array([1.0, 0, 2]) / np.array([0.0, 0, 1])",
    "the order of the code": "a = np.log(x - 1)\nb = 1 / x\nc = a * b\nd = (x * 1e200) ** 3",
    "functions": "a = np.exp(x * 1e3)\nb = np.sqrt(-x)\nc = np.arccos(x)\nd = np.arctanh(x)",
    "logarithms": "a = np.log2(x)\nb = np.log10(-x)\nc = np.log1p(-x)",
    "powers": "a = x**-1\nb = (x * 1e200) ** 2\nc = (x - 3) ** 0.5\nd = np.power(x - 3, 0.5)",
    "operators and functions of scalars": "a = x[0] / x[0]\nb = np.divide(x[1], 0)\nc = 1 // x[0]",
    "numbers of NumPy's": "s, o = np.float64(2), np.float64(0)\na = s / 0\nb = 1 // o\nc = s / o\n"
    "d = np.arcsin(s)\ns /= 0\ne = s**1e200 - s\nf = (x[2] * 1e300) ** 2",
    "roots of integers": "i = np.arange(-2, 3)\na = i**0.5\nb = (i * 1.0) ** 0.5",
    "integers": "i = np.arange(4)\na = 5 // i\nb = 5 % i\nc = i / i",
    "casts": "a = (x / 0.0).astype(int)\nb = (x * 1e300).astype(np.float32)",
    "sums and products": "a = np.sum(inf)\nb = np.mean(inf)\nc = np.dot(inf, inf * 0)",
    "methods": "a = inf.sum()\nb = (x * 1e200).prod()\nc = inf.cumsum()\nd = inf.mean()",
    "running sums": "a = np.cumsum(inf)\nb = np.cumprod(x * 1e200)\nc = np.add.accumulate(inf)",
    "products with a number": "a = np.dot(x * 1e308, 10.0)\nb = np.outer(x * 1e308, x)",
    "several loops": "i = np.arange(4)\na, b = divmod(5, i)\nc = np.divmod(i, 0)\n"
    "d = np.fmod(i, 0)\ne = np.fmod(x, 0)\nf = np.exp2(x * 1e3)\ng = np.remainder(i, 0)",
    "constants": "a = np.zeros(3) / 0\nb = np.log(np.zeros(4))\nc = np.ones(2) / 2",
    "in place": "y = x * 1\ny /= x\ny[1:] = y[1:] / y[:-1]\nx -= x\nz = 1 / x",
    "a print between": "a = 1 / x\nprint(a)\nb = 1 / (x - 1)\nprint(b)\nc = a / b",
    "a loop that reads": "y = x\nfor i in range(5):\n    y = y / (x - i)\n"
    "    if y[0] > 9:\n        break",
    "a function of the cell": "def half(p, q):\n    return p / q\na = half(x, x)\nb = half(1, x)",
    "rows of which one warns": "m = np.ones((4, 3))\nm[2, 1] = 0\na = m.sum(0) / m.prod(0)",
}  # fmt: skip
QUIET = {
    "NaN goes through": "y = np.where(x > 2, np.nan, x + 1)\na = np.maximum(y, 1)\nb = y > 2\n"
    "c = np.exp(y) + np.log(y) + np.tanh(y) + y**1.5\nd = np.sum(y), np.max(y), np.sort(y)",
    "infinity goes through": "y = np.where(x > 2, np.inf, x + 1)\na = np.exp(y)\nb = np.log(y)\n"
    "c = y + y\nd = 1 / y\ne = np.sqrt(y)",
    "elements that are not asked for": "a = np.divide(1.0, x, out=np.zeros(6), where=x > 0)\n"
    "b = 1 / x[x > 0]\ny = x * 1\ny[y > 0] /= y[y > 0]",
    "a spread of wanted elements": "a = np.std(x, where=x > 2, ddof=1)\nb = x.var(where=x > 1)",
    "the tail of a vector": "a = 1 / (x[1:4] + 0)\nb = np.log(x[1:4] * 1)\nc = x[1:] ** -0.5",
    "tails of threads": "y = np.ones(300_001)\na = np.log(1 / y + y) / y",
    "integers": "i = np.arange(1, 5)\na = i // 2\nb = 7 % i\nc = i / i",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_numpy_warns(shell, name):
    assert same(shell, PROGRAMS[name])


@pytest.mark.parametrize("name", ["the order of the code", "constants", "a print between"])
def test_every_run_warns(shell, name):
    assert len(same(shell, PROGRAMS[name], times=3)) == 3 * len(same(shell, PROGRAMS[name]))


@pytest.mark.parametrize("name", QUIET)
def test_no_warning_is_added(shell, name):
    assert same(shell, QUIET[name]) == []


def test_other_threads_tell(shell):
    body = "y = np.ones(1_000_000)\ny[777_777] = 0\na = np.log(1 / (y + y)) * 0"
    assert [text for text, *_ in same(shell, body)] == [
        "divide by zero encountered in divide",
        "invalid value encountered in multiply",
    ]


ERRSTATES = {
    "ignored": "with np.errstate(all='ignore'):\n    a = 1 / x\n    b = x / x",
    "one kind": "with np.errstate(divide='ignore'):\n    a = 1 / x\n    b = x / x\nc = 1 / x",
    "nested": "with np.errstate(all='ignore'):\n    a = 1 / x\n"
    "    with np.errstate(divide='warn'):\n"
    "        b = x / x\n        c = 1 / x\n    d = 1 / x\ne = a / b",
    "read later": "with np.errstate(divide='ignore'):\n    a = 1 / x\nb = 1 / (x - 1)\nc = a + b",
    "raised": "a = 1 / x\nwith np.errstate(invalid='raise'):\n    try:\n        b = x / x\n"
    "    except FloatingPointError as error:\n        text = str(error)\nc = np.sqrt(-x)",
    "another at one line": "for mode in ('warn', 'ignore', 'warn'):\n"
    "    with np.errstate(divide=mode):\n        print(1 / x)",
}  # fmt: skip


@pytest.mark.parametrize("name", ERRSTATES)
def test_errstate_where_the_operation_stands(shell, name):
    same(shell, ERRSTATES[name])
    same(shell, ERRSTATES[name], times=2)


def test_the_default_filter_shows_a_line_once(shell):
    body = "for i in range(3):\n    print(1 / x)\na = x / x"
    assert len(same(shell, body, "default")) == 2
    same(shell, body, "default", times=2)
    assert same(shell, body, "ignore") == []


def test_warnings_are_caught_where_the_operation_stands(shell):
    body = (
        "a = 1 / (x + 0)\n"
        "with warnings.catch_warnings(record=True) as inside:\n"
        "    warnings.simplefilter('always')\n"
        "    b = np.log(x - 1)\n"
        "    print(a)\n"
        "c = x / x\n"
        "kept = [(str(w.message), w.lineno) for w in inside]"
    )
    assert len(same(shell, body)) == 2
    assert shell.ns["kept"] == [
        ("divide by zero encountered in log", 5),
        ("invalid value encountered in log", 5),
    ]


def test_an_error_comes_at_its_line(shell):
    shell.ip.reset(new_session=False)
    shell.run(SETUP)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = "done = 0\na = x + 1\ndone = 1\nb = a / x\ndone = 2"
        result = shell.hybridize(body, "--view none", fails=True)
    assert str(result.error) == "divide by zero encountered in divide"
    assert shell.ns["done"] == 1


def test_filters_that_are_changed_in_their_own_list(shell):
    body = (
        "y = x + 0\n"
        "a = 1 / y\n"
        "warnings.simplefilter('ignore')\n"
        "b = 1 / y\n"
        "warnings.simplefilter('error')\n"
        "try:\n"
        "    c = np.log(y - 1)\n"
        "except RuntimeWarning as error:\n"
        "    text = str(error)\n"
        "warnings.simplefilter('always')\n"
        "d = y / y"
    )
    assert [line for _, line, _ in same(shell, body)] == [3, 12]
    assert shell.ns["text"] == "divide by zero encountered in log"


def test_a_module_has_a_registry_of_its_own(shell, tmp_path, monkeypatch):
    (tmp_path / "ratios_of_a_test.py").write_text("def ratio(p, q):\n    return p / q\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    body = "from ratios_of_a_test import ratio\na = ratio(1, x)"
    assert same(shell, body) == [("divide by zero encountered in divide", 2, False)]
    module = __import__("ratios_of_a_test")
    module.__dict__.pop("__warningregistry__", None)
    assert len(warned(shell, body, "%%hybridize --view none", "default")) == 1
    assert "__warningregistry__" in vars(module)


def test_a_value_that_is_read_later_warns_then(shell):
    shell.ip.reset(new_session=False)
    shell.run("from jupyter_hybrid import nd\nimport numpy as np")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        shell.hybridize("x = np.zeros(3)\ny = x * 2\na = 1 / y", "--view none")
        float(np.sum(shell.ns["a"]))
    assert [str(w.message) for w in found] == ["divide by zero encountered in divide"]


def show(message, category, filename, line, file=None, text=None):
    print(f"{line}: {message}")


@pytest.mark.held_up("the test shows the warnings", "show")
def test_a_warning_stands_before_what_is_printed_after_it(shell):
    """Both streams as one, as a terminal shows them."""
    body = "a = 1 / x\nprint(a)\nb = 1 / (x - 1)\nprint('sum', b.sum())\nc = 1 / (x - 2)"
    shown = []
    for head in ("# plain", "%%hybridize --view none"):
        shell.ip.reset(new_session=False)
        shell.run(SETUP)
        text = io.StringIO()
        with warnings.catch_warnings(), redirect_stdout(text):
            warnings.simplefilter("always")
            warnings.showwarning = show
            shell.ip.run_cell(f"{head}\n{body}")
        shown.append(text.getvalue())
    assert shown[0] == shown[1]
    assert [line[0] for line in shown[0].splitlines()] == ["2", "[", "4", "s", "6"]


def test_nd_arrays_never_warn(shell):
    body = "from jupyter_hybrid import nd\na = nd.zeros((3,)) / nd.zeros((3,))\nb = (1 / x)[1]"
    assert same(shell, body) == [("divide by zero encountered in divide", 4, False)]
    assert np.isnan(shell.ns["a"].asnumpy()).all()
