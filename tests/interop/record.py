"""Writes tests/data/mxnet/recorded: what genuine MXNet 1.9.1 computes of the nets of these tests.

    python tests/interop/record.py PYTHON

PYTHON is an interpreter that has MXNet. A file holds a net's symbol as MXNet writes it, its
parameters (``arg:``, ``aux:``), inputs (``in:``), outputs (``out0``, ...) and gradients of the sum
of the outputs' squares (``grad:``).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from genuine import run_script
from test_mxnet_reads_exports import NETS, my_mlp
from test_reads_mxnets_nets import OWN

from jupyter_hybrid import autograd, init, nd, random

FOLDER = HERE.parent / "data" / "mxnet" / "recorded"


def keep(name: str, start: str, inputs: dict[str, np.ndarray], python: str) -> None:
    """Has MXNet compute a program and keeps what came out."""
    np.savez(start + "-inputs.npz", **inputs)
    run_script(python, "run_in_mxnet.py", start, ",".join(inputs), folder=Path(start).parent)
    held = {key: value.asnumpy() for key, value in nd.load(start + "-0000.params").items()}
    symbol = Path(start + "-again-symbol.json").read_bytes()
    held["symbol"] = np.frombuffer(symbol, dtype=np.uint8)
    held |= {f"in:{key}": value for key, value in inputs.items()}
    held |= {k: v for k, v in np.load(start + "-genuine.npz").items() if not k.startswith("aux:")}
    np.savez_compressed(FOLDER / f"{name}.npz", **held)


def ours(make, folder: Path) -> tuple[str, dict[str, np.ndarray]]:
    """Exports a net made here."""
    random.seed(5)
    net, arrays = make()
    net.initialize(init.Normal(0.3))
    net.hybridize()
    with autograd.record():  # moves statistics
        net(*map(nd.array, arrays.values()))
    net.export(str(folder / make.__name__))
    return str(folder / make.__name__), arrays


def theirs(name: str, folder: Path) -> tuple[str, dict[str, np.ndarray]]:
    """A net that MXNet made and exported."""
    found = [np.load(path) for path in sorted(folder.glob(f"{name}-x*.npy"))]
    names = ["data"] if len(found) == 1 else [f"data{i}" for i in range(len(found))]
    return str(folder / name), dict(zip(names, found))


def main(python: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for make in NETS:
            if make is not my_mlp:  # large, and here already
                keep(make.__name__, *ours(make, folder), python)
        run_script(python, "write_in_mxnet.py", made, *OWN, folder=folder)
        for name in OWN:
            keep(name, *theirs(name, folder), python)


if __name__ == "__main__":
    main(sys.argv[1])
