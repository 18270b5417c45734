"""Every optimizer against what genuine MXNet 1.9.1 computed (tests/interop/optimizer_cases.py)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import nd

HERE = Path(__file__).resolve().parents[1]
sys.path.append(str(HERE / "interop"))
import optimizer_cases

CASES = dict(optimizer_cases.cases())


@pytest.fixture(scope="module")
def recorded() -> Any:
    return np.load(HERE / "data" / "mxnet" / "optimizers.npz")


def has_half() -> bool:
    try:
        nd.ones((1,), dtype="float16").astype("float32")
    except mx.MXNetError:
        return False
    return True


@pytest.mark.parametrize("key", CASES)
def test_ten_steps(key: str, recorded: Any) -> None:
    half = "float16" in key
    if half and not has_half():
        pytest.skip("float16 can't be cast yet")
    np.testing.assert_allclose(
        CASES[key](mx), recorded[key], rtol=2e-3 if half else 1e-5, atol=1e-3 if half else 1e-7
    )


def test_all_that_was_recorded_is_compared(recorded: Any) -> None:
    assert set(recorded.files) == set(CASES)
