"""Cells over code that can't be seen into leave what plain Python leaves, wherever the helper is.

A cell's helper stands in the cell, in an earlier hybridized cell, in a plain cell or in a module.
The short tier runs two of the four places of each cell, the long one all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hostile.catalogue import PLACES, Hostile, Step, read
from hostile.known import HELD_UP, KNOWN
from hostile.runner import Runner, compare

from jupyter_hybrid.cells import ways

CELLS = read()
_PAIRS = (("same", "plain"), ("earlier", "module"))  # the short tier's, in turn


@pytest.fixture(scope="module")
def runner(tmp_path_factory) -> Iterator[Runner]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("hostile")
        patch.chdir(folder)  # modules of the helpers lie below the notebook's folder
        with Runner(folder) as runner:
            patch.setattr(runner.shell.ip, "showtraceback", lambda *args, **kwargs: None)
            patch.setattr(ways, "clock", lambda: 0.0)
            yield runner


def trials() -> list[object]:
    """Every cell with every place; what is known to differ must differ."""
    found = []
    for i, cell in enumerate(CELLS):
        places, why = KNOWN.get(cell.id, ("", ""))
        for place in PLACES:
            marks = [] if place in _PAIRS[i % 2] else [pytest.mark.slow]
            if place in places.split():
                marks.append(pytest.mark.xfail(reason=why, strict=True))
            if cell.id in HELD_UP:
                marks.append(pytest.mark.held_up(HELD_UP[cell.id]))
            name = f"{cell.topic}-{cell.name}-{place}".replace(" ", "_")
            found.append(pytest.param(cell, place, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("cell", "place"), trials())
def test_same_as_plain_python(cell: Hostile, place: str, runner: Runner):
    found = runner.differences(cell, place, 1)
    found += [f"run again, {text}" for text in runner.differences(cell, place, 2)]
    assert not found, "\n".join([cell.helper + cell.body, *found])


def test_enough_cells_and_a_table_that_fits():
    assert len(CELLS) >= 200
    assert set(KNOWN) | set(HELD_UP) <= {cell.id for cell in CELLS}
    assert all(set(places.split()) <= set(PLACES) for places, _ in KNOWN.values())


_APART = {
    "a value": ("a = 1", "a = 1.0"),
    "an array": ("a = x * 2", "a = x * 3"),
    "identity": ("a = b = [x]", "a, b = [x], [x]"),
    "identity of tuples": ("a = b = (x,)", "a, b = (x,), (x,)"),
    "a print": ("print(x)", "print(x + 1)"),
    "an error": ("x.reshape(4)", "x.reshape(5)"),
    "a shown value": ("x", "x + 1"),
    "a warning": ("a = np.sqrt(-1.0)", "with np.errstate(all='ignore'):\n    a = np.sqrt(-1.0)"),
    "a draw": ("a = np.random.rand() > 2", "a = np.random.rand(2).sum() > 2"),
}


@pytest.mark.parametrize("what", _APART)
def test_the_comparison_sees(what: str, runner: Runner):
    """A comparison that accepts everything would prove nothing; one that accepts nothing, too."""
    setup = "import numpy as np\nx = np.arange(6.0)\n"
    first, again, other = (
        runner.run([Step(setup + text, False)], False)
        for text in (*_APART[what][:1] * 2, _APART[what][1])
    )
    assert not compare(first, again)
    assert compare(first, other)
