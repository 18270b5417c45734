"""Arithmetic by dtype against what genuine MXNet 1.9.1 computed (tests/data/mxnet/dtypes.npz)."""

import sys
from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import nd

TESTS = Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS / "interop"))

from dtype_cases import DTYPES, cases, inputs

GENUINE = np.load(TESTS / "data" / "mxnet" / "dtypes.npz")
#: Rounding steps of float16 that MXNet's own sums and products in float16 may be apart.
ROUGH = {"sum": 4, "mean": 4, "softmax": 4, "in place": 2}


@pytest.mark.parametrize("dtype", DTYPES)
def test_arithmetic_is_mxnets(dtype):
    compared = 0
    for name, function in cases(dtype).items():
        key = f"{dtype} {name}"
        if key not in GENUINE:
            continue
        found = function(nd, *(nd.array(x, dtype=dtype) for x in inputs(dtype))).asnumpy()
        wanted = GENUINE[key]
        assert found.dtype == wanted.dtype and found.shape == wanted.shape, key
        if found.dtype.kind != "f":
            np.testing.assert_array_equal(found, wanted, err_msg=key)
        else:
            steps = ROUGH.get(name, 1) if found.dtype == np.float16 else 60
            step = np.finfo(found.dtype).eps * steps
            near = step if name in ROUGH else max(step / 100, 1e-16)  # terms may cancel
            np.testing.assert_allclose(found, wanted, rtol=step, atol=near, err_msg=key)
        compared += 1
    assert compared > 25
