"""Writes tests/data/mxnet/exports: what genuine MXNet 1.9.1 exports of the nets of ``whole_nets``,
and what they predict and learn there.

    python tests/interop/record_exports.py [NET ...]
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

from environment import mxnet_python
from genuine import run_script

FOLDER = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "exports"


def main(*names: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    words = ("exports_in_mxnet.py", "write", str(FOLDER), *names)
    # Without oneDNN it has no recurrent layers and no BatchNormReLU.
    run_script(mxnet_python(), *words, folder=FOLDER, onednn=True)
    for file in FOLDER.glob("*.json"):  # text that packs to a twentieth
        file.with_suffix(".json.xz").write_bytes(lzma.compress(file.read_bytes(), preset=9))
        file.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
