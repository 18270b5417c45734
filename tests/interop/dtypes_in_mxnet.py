"""Run by genuine MXNet 1.9.1: writes tests/data/mxnet/dtypes.npz, what it computes by dtype.

python tests/interop/dtypes_in_mxnet.py
"""

from __future__ import annotations

from pathlib import Path

import mxnet as mx
import numpy as np
from dtype_cases import DTYPES, cases, inputs

FILE = Path(__file__).resolve().parent.parent / "data" / "mxnet" / "dtypes.npz"


def main() -> None:
    found = {}
    for dtype in DTYPES:
        for name, function in cases(dtype).items():
            arrays = [mx.nd.array(x, dtype=dtype) for x in inputs(dtype)]
            try:
                found[f"{dtype} {name}"] = function(mx.nd, *arrays).asnumpy()
            except mx.MXNetError:  # MXNet has no such kernel
                print("not in MXNet:", dtype, name)
    np.savez_compressed(FILE, **found)


if __name__ == "__main__":
    main()
