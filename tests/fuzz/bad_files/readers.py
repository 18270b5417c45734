"""How files of each kind are read, whole, as a user would; bad ones raise MXNetError."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from jupyter_hybrid import MXNetError, gluon, image, nd, recordio, sym
from jupyter_hybrid.compat.onnx import get_model_metadata, import_model, import_to_gluon


def read_params(path: Path) -> None:
    nd.load(path)


def read_symbol(path: Path) -> None:
    """The graph, the shapes that follow in it, its text, and a block of it."""
    symbol = sym.load(path)
    inputs = [name for name in symbol.list_arguments() if name.startswith("data")]
    symbol.infer_shape_partial()
    symbol.tojson()
    gluon.SymbolBlock(symbol, [sym.var(name) for name in dict.fromkeys(inputs)])


def read_records(path: Path) -> None:
    reader = recordio.MXRecordIO(path, "r")
    while (record := reader.read()) is not None:
        recordio.unpack(record)
    reader.close()


def read_index(path: Path) -> None:
    """The index of ``good.rec``, which lies beside it, and the records that it names."""
    reader = recordio.MXIndexedRecordIO(path, path.with_name("good.rec"), "r")
    for key in reader.keys[:20]:
        reader.read_idx(key)
    reader.close()


def read_image(path: Path) -> None:
    image.imread(os.fspath(path))
    image.imdecode(path.read_bytes(), flag=0)


def read_onnx(path: Path) -> None:
    import_to_gluon(path)
    import_model(path)
    get_model_metadata(path)


READERS: dict[str, Callable[[Path], None]] = {
    "params": read_params,
    "symbol": read_symbol,
    "rec": read_records,
    "idx": read_index,
    "image": read_image,
    "onnx": read_onnx,
}
#: What a bad file is answered with.
REFUSED = MXNetError
