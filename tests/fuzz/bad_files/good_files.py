"""Good files to begin with: those of genuine MXNet in tests/data, and what our writers write."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from jupyter_hybrid import gluon, init, nd, random, recordio, sym
from jupyter_hybrid.compat.onnx import export_model
from jupyter_hybrid.gluon import nn, rnn
from jupyter_hybrid.image_files import codec

GENUINE = Path(__file__).resolve().parents[2] / "data" / "mxnet"


Net = tuple[gluon.HybridBlock, list[tuple[int, ...]]]  # with the shapes of its inputs


def _mlp() -> Net:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.LayerNorm(), nn.Dropout(0.5), nn.Dense(2))
    return net, [(2, 3)]


def _convolutional() -> Net:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    net.add(nn.MaxPool2D(), nn.Conv2DTranspose(2, 2), nn.GlobalAvgPool2D(), nn.Dense(2))
    return net, [(1, 2, 6, 6)]


class _Attention(nn.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.key = nn.Embedding(7, 4), nn.Dense(4, flatten=False)

    def hybrid_forward(self, F, x):
        h = self.words(x)
        weights = F.softmax(F.batch_dot(self.key(h), h, transpose_b=True) / 2, axis=-1)
        left, right = F.split(F.batch_dot(weights, h), num_outputs=2, axis=2)
        return F.concat(F.transpose(left, axes=(0, 2, 1)), F.swapaxes(right, 1, 2), dim=1)


def _attention() -> Net:
    return _Attention(), [(2, 3)]


def _recurrent() -> Net:
    states = [(4, 2, 3)] * 2
    return rnn.LSTM(3, num_layers=2, bidirectional=True), [(4, 2, 3), *states]


NETS: dict[str, Callable[[], Net]] = {
    "mlp": _mlp,
    "convolutional": _convolutional,
    "attention": _attention,
    "recurrent": _recurrent,
}


def _write_nets(folder: Path) -> None:
    for name, make in NETS.items():
        net, shapes = make()
        net.initialize(init.Normal(0.1))
        net.hybridize()
        given, *states = map(nd.ones, shapes)
        net(given, *([states] if states else []))
        symbol, params = net.export(str(folder / name))
        if name != "recurrent":  # which is read from ONNX, not written
            export_model(symbol, params, shapes, onnx_file_path=str(folder / "onnx" / name))
        shutil.move(symbol, folder / "symbol" / name)
        shutil.move(params, folder / "params" / name)


def _write_model(
    path: Path, nodes: list[Any], inputs: list[Any], known: dict[str, Any], rank: Any
) -> None:
    helper = onnx.helper
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, shape) for n, shape in inputs],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, rank)],
        [onnx.numpy_helper.from_array(np.asarray(a), n) for n, a in known.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())


def _write_models(folder: Path) -> None:
    """What only other systems write: recurrent layers, and shapes that are computed."""
    node = onnx.helper.make_node
    ones = np.ones((1, 12, 2), np.float32)
    _write_model(
        folder / "lstm",
        [node("LSTM", ["x", "w", "r"], ["h"], hidden_size=3), node("Squeeze", ["h", "one"], ["y"])],
        [("x", (4, 2, 2))],
        {"w": ones, "r": np.ones((1, 12, 3), np.float32), "one": np.array([1], np.int64)},
        ("a", "b", "c"),
    )
    numbers = {name: np.array([n], np.int64) for name, n in zip("abcd", (0, 1, -1, 2))}
    _write_model(
        folder / "shapes",
        [
            node("Shape", ["x"], ["s"]),
            node("Gather", ["s", "a"], ["n"], axis=0),
            node("Concat", ["n", "c"], ["t"], axis=0),
            node("Reshape", ["x", "t"], ["flat"]),
            node("Slice", ["flat", "a", "d", "b"], ["cut"]),
            node("Pad", ["cut", "pads"], ["padded"]),
            node("Tile", ["padded", "reps"], ["tiled"]),
            node("ConstantOfShape", ["t2"], ["zeros"]),
            node("Cast", ["zeros"], ["more"], to=1),
            node("Expand", ["more", "wide"], ["expanded"]),
            node("Add", ["tiled", "expanded"], ["sum"]),
            node("ReduceMean", ["sum"], ["y"], axes=[1], keepdims=0),
        ],
        [("x", ("n", 3, 2))],
        {
            **numbers,
            "pads": np.array([0, 1, 0, 1], np.int64),
            "reps": np.array([1, 2], np.int64),
            "t2": np.array([1, 8], np.int64),
            "wide": np.array([1, 8], np.int64),
        },
        ("a",),
    )


def _write_loops(folder: Path) -> None:
    """Control flow, whose bodies are graphs in the file."""
    data, state = sym.var("data"), sym.var("state")
    total, states = sym.contrib.foreach(lambda x, s: (x + s[0], [x * s[0]]), data, [state])
    (folder / "foreach").write_text(sym.Group([total, *states]).tojson())
    chosen = sym.contrib.cond(sym.var("p") < 1, lambda: data * 2, lambda: data + state)
    (folder / "cond").write_text(chosen.tojson())


def _write_arrays(folder: Path) -> None:
    kinds = ("float32", "float64", "float16", "uint8", "int32", "int8", "int64")
    arrays = {kind: nd.ones((2, 3), dtype=kind) for kind in kinds}
    nd.save(folder / "dict", arrays)
    nd.save(folder / "list", [*arrays.values(), nd.zeros((0, 2))])
    values = np.arange(6, dtype=np.float32).tobytes()
    head, tail = struct.pack("<QQQ", 0x112, 0, 1), struct.pack("<Q", 0)
    first = struct.pack("<Iiqqiii", 0xF993FAC8, 2, 2, 3, 1, 0, 0)
    (folder / "first").write_bytes(head + first + values + tail)
    (folder / "oldest").write_bytes(head + struct.pack("<IIIiii", 2, 2, 3, 1, 0, 0) + values + tail)


def _picture(height: int, width: int) -> np.ndarray:
    rng = np.random.RandomState(0)
    blocks = np.kron(rng.randint(0, 255, (8, 10, 3)), np.ones((height // 8, width // 10, 1)))
    return (blocks + rng.randint(-9, 9, blocks.shape)).clip(0, 255).astype(np.uint8)


def _write_images(folder: Path) -> None:
    small, large = _picture(48, 60), _picture(400, 600)
    for kind in (".jpg", ".png", ".bmp", ".webp", ".tiff", ".ppm", ".pgm"):
        made = small[:, :, 0] if kind == ".pgm" else small
        (folder / f"small{kind}").write_bytes(codec.encode(made, kind, 90))
    for kind in (".jpg", ".png", ".webp"):
        (folder / f"large{kind}").write_bytes(codec.encode(large, kind, 60))
    cv2 = codec.opencv()
    for name, options in {
        "progressive": [cv2.IMWRITE_JPEG_PROGRESSIVE, 1],
        "restarts": [cv2.IMWRITE_JPEG_RST_INTERVAL, 4],
    }.items():
        (folder / f"{name}.jpg").write_bytes(cv2.imencode(".jpg", large, options)[1].tobytes())
    shutil.copy(GENUINE / "picture.jpg", folder)


def _write_records(folder: Path) -> None:
    paths = str(folder / "idx" / "index"), str(folder / "rec" / "records")
    writer = recordio.MXIndexedRecordIO(*paths, "w")
    for i in range(8):
        content = bytes(range(i * 20)) + struct.pack("<I", 0xCED7230A) * (i % 3)
        writer.write_idx(i, recordio.pack((0, [i] * i, i, 0), content))
    writer.close()


def write(folder: Path) -> None:
    """A folder of files for each kind."""
    random.seed(3)
    for kind in ("params", "symbol", "rec", "idx", "image", "onnx"):
        (folder / kind).mkdir()
    _write_nets(folder)
    _write_models(folder / "onnx")
    _write_loops(folder / "symbol")
    _write_arrays(folder / "params")
    _write_images(folder / "image")
    _write_records(folder)
    for path in GENUINE.glob("*.nd"):
        shutil.copy(path, folder / "params")
    for path in GENUINE.glob("*-symbol.json"):
        shutil.copy(path, folder / "symbol")
