"""Cases of operators: what genuine MXNet 1.9.1 computes is ours.

``make test`` compares with tests/data/mxnet/cases (`make interop` writes it), ``make test-all`` has
MXNet compute all of them anew. What we refuse or lack is no failure:
``python tests/interop/outcomes.py`` counts it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case import Case
from compare import difference
from differences import ALL
from families import families
from genuine import compute
from outcomes import Outcome, outcome, recorded_outcomes
from packed import FOLDER, read

FAMILIES = families()
MOST_BYTES = 5_000_000


def compare(found: dict[str, Outcome]) -> None:
    differ = {name: each.told for name, each in found.items() if each.kind == "differs"}
    wrong = [f"{name}: {told}" for name, told in differ.items() if name not in ALL]
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)
    same = [name for name, each in found.items() if each.kind == "same" and name in ALL]
    assert not same, f"no longer different, strike them from differences.py: {same}"


@pytest.mark.parametrize("family", FAMILIES)
def test_same_as_recorded(family):
    compare(recorded_outcomes(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_case_is_recorded(family):
    recorded = read(FOLDER / f"{family}.npz")
    cases = {case.name: case for case in FAMILIES[family]}
    assert list(recorded) == list(cases), "run make interop"
    refused = {name for name, results in recorded.items() if "error" in results}
    assert {name for name, case in cases.items() if case.raises} <= refused
    useful = {case.covers[0] for name, case in cases.items() if name not in refused or case.raises}
    assert useful == {case.covers[0] for case in cases.values()}, "operators without a good case"


def test_recordings_are_small():
    assert sum(path.stat().st_size for path in FOLDER.parent.rglob("*.*")) <= MOST_BYTES


@pytest.fixture(scope="module")
def computed(mxnet_python, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    compute(mxnet_python, folder, list(FAMILIES))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_same_as_computed_now(family, computed):
    live = read(computed / f"{family}.npz")
    compare({case.name: outcome(case, live[case.name]) for case in FAMILIES[family]})
    recorded = read(FOLDER / f"{family}.npz")
    for case in FAMILIES[family]:
        kept, new = recorded[case.name], live[case.name]
        assert ("error" in kept) == ("error" in new), case.name
        if case.values and "error" not in kept:
            told = difference(case, kept, new)
            assert not told, f"{case.name} was recorded otherwise: {told}"


def test_a_difference_is_told():
    case = Case("x", ("nd.x",), lambda mx: {})
    one = {"out0": np.array([1.0, 2.0], np.float32)}
    assert not difference(case, one, {"out0": np.array([1.0, 2.000001], np.float32)})
    assert "differs at [1]" in difference(case, one, {"out0": np.array([1.0, 2.1], np.float32)})
    assert "float64" in difference(case, one, {"out0": np.array([1.0, 2.0])})
    assert "missing" in difference(case, one, {})
    nan = {"out0": np.array([1.0, np.nan], np.float32)}
    assert difference(case, one, nan) and not difference(case, nan, nan)
