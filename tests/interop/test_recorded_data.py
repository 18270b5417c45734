"""Programs on data give what they gave under genuine MXNet 1.9.1 (data_cases.py)."""

from __future__ import annotations

from pathlib import Path

import data_cases
import numpy as np
import pytest

import jupyter_hybrid as mx

HELD = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "data.npz"


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
            # Bicubic rounds otherwise in the OpenCV of today: one grey level. Augmenters compute in
            # float32, some in another order.
            most = (
                1
                if name.startswith("images: resize")
                else 1e-4 * (group in ("augmenters", "boxes", "box_iterators"))
            )
            np.testing.assert_allclose(ours[name], theirs[name], 0, most, err_msg=name)
