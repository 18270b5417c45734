"""Structured operators give what genuine MXNet 1.9.1 gave when record_structured.py was run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from structured_cases import GROUPS
from structured_runs import compute

import jupyter_hybrid

FILE = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "structured.npz"
CASES = {f"{group}/{name}": case for group, cases in GROUPS.items() for name, case in cases.items()}


@cache
def recorded() -> dict[str, dict[str, np.ndarray]]:
    """Of each case what was recorded, by name."""
    found: dict[str, dict[str, np.ndarray]] = {}
    with np.load(FILE) as held:
        for key, array in held.items():
            name, what = key.rsplit("/", 1)
            found.setdefault(name, {})[what] = array
    return found


@pytest.mark.parametrize("name", CASES)
def test_same_as_genuine(name):
    wanted, found = recorded()[name], compute(jupyter_hybrid, CASES[name])
    assert sorted(found) == sorted(wanted)
    tolerance = CASES[name].tolerance
    for key, array in wanted.items():
        assert (found[key].shape, found[key].dtype) == (array.shape, array.dtype), key
        np.testing.assert_allclose(
            found[key], array, rtol=tolerance, atol=tolerance, err_msg=key, equal_nan=True
        )


def test_every_recorded_case_is_compared():
    assert set(CASES) == set(recorded())
