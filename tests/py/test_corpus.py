"""Every cell of the corpus does the same in both modes; enough of them are one graph."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.corpus.catalogue import CorpusCell, read
from tests.corpus.table import share, table
from tests.corpus.trial import Hybrid, Outcome, attempt

# A generator expression that stays as written is asked about when it is made; an operator of a
# class computes with a stand-in that an attribute holds, and makes an instance of it.
pytestmark = pytest.mark.held_up("code as written in the cells", "<genexpr>", "__init__")
CELLS = read()
_outcomes: dict[str, Outcome] = {}


@pytest.fixture(scope="module")
def hybrid() -> Iterator[Hybrid]:
    yield Hybrid()
    gc.unfreeze()  # scripts look for the lists that were there before among what is not frozen


def outcome_of(cell: CorpusCell, hybrid: Hybrid) -> Outcome:
    if cell.id not in _outcomes:
        _outcomes[cell.id] = attempt(cell, hybrid)
    return _outcomes[cell.id]


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: c.id.replace(": ", "-").replace(" ", "_"))
def test_same_in_both_modes(cell, hybrid):
    found = outcome_of(cell, hybrid)
    assert not found.differences, "\n".join([cell.text, *found.differences])


def test_share_captured_whole(hybrid):
    outcomes = [outcome_of(cell, hybrid) for cell in CELLS]
    print(table(outcomes))
    assert len(CELLS) >= 150
    for operating, bound in ((False, 0.90), (True, 0.88)):
        whole, counted = share(outcomes, operating, refused=True)
        assert whole >= bound * counted, f"{whole} of {counted}"


def test_the_comparison_sees_differences():
    """A comparison that accepts everything would prove nothing."""
    import numpy as np

    from tests.corpus.equality import Comparison

    x = np.arange(3.0)
    apart: list[tuple] = [
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {}),
        ({"a": x}, {"a": x.astype("f")}),
        ({"a": x}, {"a": x + 1e-9}),
        ({"a": x, "b": x}, {"a": x, "b": x.copy()}),
        ({"a": x, "b": x[1:]}, {"a": x, "b": x[1:].copy()}),
        ({"a": [1, 2]}, {"a": [1, 2.0]}),
        ({"a": np.float64(1)}, {"a": 1.0}),
        ({"a": np.nan * x}, {"a": 0 * x}),
        ({"f": lambda n=1: n}, {"f": lambda n=2: n}),
    ]
    for wanted, got in apart:
        found = Comparison(1e-12)
        found.namespaces(wanted, got)
        assert found.differences, (wanted, got)
    found = Comparison(1e-12)
    found.text("text", "a 1.5", "a 1.6")
    found.text("text", "a 1", "a 2")
    assert len(found.differences) == 2
