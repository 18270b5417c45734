"""Runs under genuine MXNet 1.9.1: exports the nets of ``whole_nets``, or loads exports.

    exports_in_mxnet.py write FOLDER [NET ...]
    exports_in_mxnet.py read FOLDER [NET ...]

``write`` leaves NAME-symbol.json, NAME-0000.params, NAME-gluon.params and what came out,
NAME.npz. ``read`` loads such files and leaves NAME-read.npz, arrays by ``way/what``.
"""

from __future__ import annotations

import sys

import mxnet as mx
import numpy as np
from whole_nets import NETS, read, write


def main(what: str, folder: str, *names: str) -> None:
    for name in names or NETS:
        start = f"{folder}/{name}"
        if what == "write":
            np.savez_compressed(start + ".npz", **write(mx, NETS[name], start))
        else:
            ways = read(mx, NETS[name], start)
            flat = {f"{way}/{k}": a for way, found in ways.items() for k, a in found.items()}
            np.savez(start + "-read.npz", **flat)


if __name__ == "__main__":
    main(*sys.argv[1:])
