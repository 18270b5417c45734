"""Layers and losses give what genuine MXNet 1.9.1 gave when record_gluon.py was run."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from gluon_runs import compute

import jupyter_hybrid

FOLDER = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "gluon"
CASES = {
    f"{path.stem}/{name}": case
    for path in sorted(FOLDER.glob("*.npz"))
    for name, case in import_module(f"gluon_{path.stem}").CASES.items()
}


@cache
def recorded(group: str) -> dict[str, dict[str, np.ndarray]]:
    """Of each case what was recorded, by name."""
    found: dict[str, dict[str, np.ndarray]] = {}
    with np.load(FOLDER / f"{group}.npz") as held:
        for key, array in held.items():
            name, what = key.split("/", 1)
            found.setdefault(name, {})[what] = array
    return found


@pytest.mark.parametrize("active", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", CASES)
def test_same_as_genuine(name, active):
    group, case = name.split("/")
    wanted = recorded(group)[case]
    found = compute(jupyter_hybrid, CASES[name], active)
    assert sorted(found) == sorted(wanted)
    for key, array in wanted.items():
        if array.dtype.kind == "U":
            np.testing.assert_array_equal(found[key], array)
        else:
            scale = max(1.0, float(np.abs(array).max(initial=0)))
            tolerance = CASES[name].tolerance
            np.testing.assert_allclose(
                found[key] / scale, array / scale, rtol=tolerance, atol=tolerance, err_msg=key
            )


def test_every_recorded_case_is_compared():
    for path in FOLDER.glob("*.npz"):
        named = {name.split("/")[1] for name in CASES if name.startswith(path.stem + "/")}
        assert named == set(recorded(path.stem))
