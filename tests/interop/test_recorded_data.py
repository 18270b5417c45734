"""Programs on data give what they gave under genuine MXNet 1.9.1 (data_cases.py)."""

from __future__ import annotations

from pathlib import Path

import data_cases
import numpy as np
import pytest

import jupyter_hybrid as mx

HELD = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "data.npz"


# Augmenters and colours are computed in float32, some in another order.
MOST = {"augmenters": 1e-4, "boxes": 1e-4, "box_iterators": 1e-4, "coloured": 1e-4, "turned": 1e-4}


def most(group, name):
    """How far apart numbers may be."""
    if group == "resized" and name.startswith("resized: float"):
        return 2e-4
    # OpenCV rounds some sums of bytes in float32, by its vector instructions.
    cubic_or_area = group == "resized" and name.endswith(("by 2", "by 3"))
    return 1 if cubic_or_area else MOST.get(group, 0)


@pytest.fixture(scope="module")
def ours():
    return data_cases.cases(mx)


@pytest.fixture(scope="module")
def theirs():
    with np.load(HELD) as held:
        return dict(held)


def test_every_case_is_recorded(ours, theirs):
    assert sorted(ours) == sorted(theirs)


@pytest.mark.parametrize("group", [g.__name__ for g in data_cases.GROUPS])
def test_same_results(group, ours, theirs):
    for name in ours:
        if name.startswith(group + ": "):
            np.testing.assert_allclose(ours[name], theirs[name], 0, most(group, name), err_msg=name)
