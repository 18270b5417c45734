"""Programs on data that run under MXNet and here: what they give has to be the same.

    python tests/interop/data_cases.py FILE

under MXNet's interpreter writes the results to FILE (tests/data/mxnet/data.npz).
"""

from __future__ import annotations

import os
import random
import sys
import tempfile

import numpy as np


def flat(batches):
    """Batches as one list of numbers, each array before by its size and dtype's letter."""
    found = []
    for batch in batches:
        for array in batch if isinstance(batch, (list, tuple)) else [batch]:
            values = array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)
            found += [values.size, ord(values.dtype.char), *values.ravel().tolist()]
    return np.array(found, np.float64)


def loaders(mx):
    data = mx.gluon.data
    x = np.arange(22, dtype=np.float32).reshape(11, 2)
    sets = {
        "arrays": data.ArrayDataset(mx.nd.array(x), np.arange(11, dtype=np.int32)),
        "vectors": data.ArrayDataset(mx.nd.arange(11), list(range(11)), [i / 2 for i in range(11)]),
        "single": data.SimpleDataset(list(range(11))),
        "matrix": mx.nd.array(x),
        "numpy": x.astype(np.float16),
    }
    results = {}
    for name, dataset in sets.items():
        for last in ("keep", "discard", "rollover"):
            loader = data.DataLoader(dataset, 4, last_batch=last)
            results[f"{name} {last}"] = flat([*loader, *loader])
    np.random.seed(3)
    loader = data.DataLoader(sets["arrays"], 3, shuffle=True)
    results["shuffled"] = flat([*loader, *loader])
    sampler = data.BatchSampler(data.SequentialSampler(5, 2), 2, "keep")
    results["batch sampler"] = flat(data.DataLoader(sets["arrays"], batch_sampler=sampler))
    own = data.DataLoader(sets["single"], 3, sampler=[4, 4, 2, 0], batchify_fn=np.array)
    results["own batchify"] = flat(own)
    return results


def datasets(mx):
    data = mx.gluon.data
    pairs = data.ArrayDataset(list(range(11)), [i * i for i in range(11)])
    single = data.SimpleDataset(list(range(11)))
    made = {
        "filter": pairs.filter(lambda pair: pair[0] % 3),
        "take": pairs.take(4),
        "take all": pairs.take(None),
        "take more": single.take(99),
        "sample": single.sample(data.SequentialSampler(3, 5)),
        "transform": pairs.transform(lambda a, b: a + b),
        "transform eager": pairs.transform(lambda a, b: (b, a), lazy=False),
        "transform first": pairs.transform_first(lambda a: -a),
        "transform first of one": single.transform_first(lambda a: -a, lazy=False),
    } | {f"shard {i}": pairs.shard(3, i) for i in range(3)}
    return {name: flat(dataset[i] for i in range(len(dataset))) for name, dataset in made.items()}


MAGIC = (0xCED7230A).to_bytes(4, "little")
RECORDS = [
    b"", b"a", b"abcd", b"abcdefgh" * 33, MAGIC, b"ab" + MAGIC, MAGIC * 3, b"abcd" + MAGIC,
    b"abcd" + MAGIC + b"xyz", MAGIC + b"abcd" + MAGIC + MAGIC + b"q" + MAGIC, MAGIC[:3], MAGIC[1:],
    bytes(range(256)) * 5,
]  # fmt: skip


def as_bytes(*pieces):
    """Texts and bytes as numbers."""
    joined = b"|".join(p if isinstance(p, bytes) else str(p).encode() for p in pieces)
    return np.frombuffer(joined, np.uint8)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def records(mx):
    with tempfile.TemporaryDirectory() as folder:
        path, index = os.path.join(folder, "a.rec"), os.path.join(folder, "a.idx")
        writer = mx.recordio.MXRecordIO(path, "w")
        for record in RECORDS:
            writer.write(record)
        writer.close()
        results = {"file": as_bytes(content(path))}
        reader = mx.recordio.MXRecordIO(path, "r")
        read = [reader.read() for _ in range(len(RECORDS) + 2)]
        reader.reset()
        results["read"] = as_bytes(*map(repr, read), repr(reader.read()))
        writer = mx.recordio.MXIndexedRecordIO(index, path, "w")
        told = []
        for i, record in enumerate(RECORDS):
            told.append(writer.tell())
            writer.write_idx(i * 3, record)
        writer.close()
        results["index"] = as_bytes(content(index), content(path), told)
        reader = mx.recordio.MXIndexedRecordIO(index, path, "r")
        found = [reader.read_idx(key) for key in reader.keys[::-1]]
        results["indexed"] = as_bytes(reader.keys, sorted(reader.idx.items()), *map(repr, found))
        rows = mx.gluon.data.RecordFileDataset(path)
        results["dataset"] = as_bytes(len(rows), repr(rows[3]), repr(rows[5]))
    header = mx.recordio.IRHeader
    for name, made in {
        "number": header(7, 4, 2574, 0),
        "float": header(0, 2.5, 1, 2**63),
        "list": header(0, [1, 2, 3.5], 3, 4),
        "array": header(9, np.array([0.5], np.float64), 3, 4),
        "none": header(3, [], 3, 4),
    }.items():
        packed = mx.recordio.pack(made, b"content")
        again, rest = mx.recordio.unpack(packed)
        label = np.asarray(again.label, np.float32).tolist()
        results[f"pack {name}"] = as_bytes(packed, rest, again.flag, label, again.id, again.id2)
    return results


GROUPS = [loaders, datasets, records]


def cases(mx):
    """The results of all groups by name; they start from fixed seeds."""
    found = {}
    for group in GROUPS:
        random.seed(1)
        np.random.seed(2)
        found.update({f"{group.__name__}: {name}": v for name, v in group(mx).items()})
    return found


if __name__ == "__main__":
    import mxnet

    np.savez_compressed(sys.argv[1], **cases(mxnet))
