"""Random cells in both modes: nd bit for bit. 900 programs, 18,000 in the long tier."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from tests.corpus.catalogue import CorpusCell
from tests.corpus.programs import programs
from tests.corpus.trial import Hybrid, compare, imperatively

pytestmark = [
    pytest.mark.takes("a hundred programs or more"),
    pytest.mark.timeout(3600),
    pytest.mark.held_up("a generator of Hypothesis's is freed", "all_children"),
]

_LONG = os.environ.get("HYBRID_HYPOTHESIS") == "long"
_SETTINGS = settings(
    max_examples=5000 if _LONG else 250,
    derandomize=not _LONG,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
_LOOPS = settings(parent=_SETTINGS, max_examples=2000 if _LONG else 100)
_hybrid: list[Hybrid] = []


@pytest.fixture(scope="module", autouse=True)
def young_heap() -> Iterator[None]:
    """Holders are looked for among the objects of the programs, not of every test before."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def check(cell: CorpusCell) -> None:
    if not _hybrid:
        _hybrid.append(Hybrid())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = imperatively(cell, 1)
        got = _hybrid[0].run(cell, 1, "--view none --force")
        differences = compare(cell, wanted, got)
    assert not differences, "\n".join([cell.text, *differences])


@_SETTINGS
@given(programs("nd"))
def test_nd_programs_agree_bit_for_bit(cell):
    check(cell)


@_SETTINGS
@given(programs("np"))
def test_np_programs_agree(cell):
    check(cell)


@_LOOPS
@given(programs("nd", loops=True))
def test_nd_programs_with_long_loops_agree(cell):
    check(cell)


@_LOOPS
@given(programs("np", loops=True))
def test_np_programs_with_long_loops_agree(cell):
    check(cell)


@_LOOPS
@given(programs("nd", branches=True))
def test_nd_programs_with_branches_that_write_agree(cell):
    check(cell)


@_LOOPS
@given(programs("np", branches=True))
def test_np_programs_with_branches_that_write_agree(cell):
    check(cell)
