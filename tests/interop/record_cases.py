"""Writes tests/data/mxnet/cases: what genuine MXNet 1.9.1 computes of every case (`make interop`).

python tests/interop/record_cases.py [FAMILY ...]
"""

from __future__ import annotations

import sys

from environment import mxnet_python
from families import families
from genuine import compute
from packed import FOLDER


def main(*wanted: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    names = [name for name in families() if not wanted or name in wanted]
    print(compute(mxnet_python(), FOLDER, names), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
