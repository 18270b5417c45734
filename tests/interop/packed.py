"""Many small arrays in one small ``.npz``: an index, and the bytes of all of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

#: What genuine MXNet computed of the cases, a file a family.
FOLDER = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "cases"

Cases = dict[str, dict[str, np.ndarray]]


def write(path: Path, cases: Cases) -> None:
    """Equal bytes, equal file: arrays stand in the index's order."""
    index: dict[str, dict[str, list]] = {}
    data: list[bytes] = []
    place = 0
    for name, results in cases.items():
        index[name] = {}
        for key, given in results.items():
            array = np.ascontiguousarray(given)
            index[name][key] = [array.dtype.str, list(np.shape(given)), place]
            data.append(array.tobytes())
            place += array.nbytes
    text = json.dumps(index, separators=(",", ":")).encode()
    np.savez_compressed(
        path, index=np.frombuffer(text, np.uint8), data=np.frombuffer(b"".join(data), np.uint8)
    )


def read(path: Path) -> Cases:
    with np.load(path) as held:
        index, data = json.loads(held["index"].tobytes()), held["data"].tobytes()
    cases: Cases = {}
    for name, results in index.items():
        cases[name] = {}
        for key, (dtype, shape, place) in results.items():
            count = int(np.prod(shape, dtype=np.int64))
            cases[name][key] = np.frombuffer(data, dtype, count, place).reshape(shape)
    return cases
