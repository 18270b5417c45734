"""What a cell's badge says: how its own last run went."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import pytest
from cells import Shell

from jupyter_hybrid.cells.outcomes import outcomes


@pytest.fixture
def ran():
    """Runs a notebook's cell; (mode, by a magic of its own, way, failed) of its last run."""
    shell = Shell()
    outcomes.clear()

    def run(source, cell="c"):
        with redirect_stdout(StringIO()):
            shell.ip.run_cell(source, cell_id=cell)
        return told(cell)

    yield run
    shell.run("%hybrid mode imperative")


def told(cell):
    (found,) = (m for m in outcomes.messages() if m["cell"] == cell)
    return found["mode"], found["explicit"], found["way"], found["failed"]


HYBRIDIZED = "%%hybridize --view none\n"


def test_what_a_run_was(ran):
    ran("import numpy as np\nx = np.ones(9)")
    assert ran("y = x + 1") == ("imperative", False, "written", "")
    assert ran(HYBRIDIZED + "y = x + 1") == ("symbolic", True, "recorded", "")
    assert ran(HYBRIDIZED + "n = 2") == ("symbolic", True, "nothing", "")
    assert ran("%%imperative\ny = x + 1") == ("imperative", True, "written", "")
    assert ran("%%time\n" + HYBRIDIZED + "y = x * 2") == ("symbolic", True, "recorded", "")


def test_what_failed_is_told_so(ran):
    assert ran("%%hybridize --bogus\ny = 1") == ("symbolic", True, "written", "refused")
    assert "--bogus" in outcomes.messages()[0]["why"]
    assert ran(HYBRIDIZED + "1 / 0") == ("symbolic", True, "written", "raised")
    assert outcomes.messages()[0]["why"] == "ZeroDivisionError: division by zero"
    assert ran(HYBRIDIZED + "x = = 1") == ("symbolic", True, "written", "raised")
    assert ran("1 / 0") == ("imperative", False, "written", "raised")
    assert ran("2 / 1") == ("imperative", False, "written", "")


def test_a_later_mode_changes_nothing(ran):
    loop = "x = [0.5] * 40_000\nfor i in range(1, len(x)):\n    x[i] += 0.5 * x[i - 1]"
    ran("y = 1", "before")
    ran("%hybrid mode auto", "mode")
    assert ran(loop, "loop") == ("auto", False, "compiled", "")
    ran("%hybrid mode symbolic", "mode")
    assert told("loop") == ("auto", False, "compiled", "")
    assert told("before") == ("imperative", False, "written", "")
    assert told("mode")[0] == "auto"  # in which it was run
    assert ran("import numpy as np\ny = np.ones(3) * 2", "before")[:3] == (
        "symbolic",
        False,
        "recorded",
    )
