"""What Python warns of in a cell's text comes each time, once a compilation, as in IPython."""

from __future__ import annotations

import warnings

import pytest
from cells import Shell

from jupyter_hybrid.cells import ways

BODIES = {
    "a comparison": "a = 3\n\nx = a is 3\ny = np.arange(3) * a",
    "an escape": "s = '\\d'\ny = np.arange(3.0) + 1",
    "a call that is none": "try:\n    'text'(y)\nexcept TypeError:\n    y = np.ones(3) * 2",
    "a function and a loop": (
        "def f(v):\n    assert (v is 3, 'always')\n    return v * 2\n"
        "for i in range(3):\n    y = f(np.ones(3) * i)\n    z = i is 2"
    ),
    "a deferred name": "y = np.ones(300_000) * 3\nz = y.sum() is 3",
    "an await": "import asyncio\nawait asyncio.sleep(0)\nz = np.ones(3) is 3",
}


@pytest.fixture
def shell(monkeypatch) -> Shell:
    monkeypatch.setattr(ways, "clock", lambda: 0.0)
    return Shell()


def warned(shell: Shell, cell: str, action: str) -> list[tuple]:
    """What three runs of a cell warn of: category, text, whether it has the cell's name, line."""
    shell.ip.reset(new_session=False)
    shell.run("import numpy as np\ny = np.ones(2)")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(action)
        for _ in range(3):
            shell.run(cell)
    return [(w.category, str(w.message), w.filename == "<>", w.lineno) for w in found]


@pytest.mark.parametrize("options", ["--view none", "--view none --force"])
@pytest.mark.parametrize("action", ["always", "default", "ignore"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_as_plain_cells(body: str, action: str, options: str, shell: Shell):
    wanted = warned(shell, f"# plain\n{body}", action)
    assert bool(wanted) == (action != "ignore")
    assert warned(shell, f"%%hybridize {options}\n{body}", action) == wanted
    if "--force" not in options:
        assert warned(shell, f"%%imperative\n{body}", action) == wanted


def test_filters_that_make_them_errors(shell: Shell):
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)
        for head in ("# plain", "%%hybridize --view none"):
            made = shell.run(f"{head}\nx = 1\nx = 2 is 3", fails=True)
            assert isinstance(made.error, SyntaxError)
            assert made.error.lineno == 3
            assert shell.ns["x"] == 1
