"""Hand-made files that claim, nest or repeat far more than their bytes hold, by kind."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx as library

from jupyter_hybrid.image_files import codec

MANY = 200_000
HEAD = struct.pack("<QQ", 0x112, 0)


def _array(shape: tuple[int, ...], data: bytes = b"", count: int = 1) -> bytes:
    sizes = struct.pack(f"<{len(shape)}q", *shape)
    body = struct.pack("<Iii", 0xF993FAC9, 0, len(shape)) + sizes + struct.pack("<iii", 1, 0, 0)
    return HEAD + struct.pack("<Q", count) + body + data + struct.pack("<Q", 0)


def params() -> Iterator[tuple[str, bytes]]:
    for shape in ((10**12,), (10**6, 10**6), (1 << 32, 1 << 32), (1 << 62, 4), (256,) * 8, (-1,)):
        yield f"an array of shape {shape}", _array(shape)
    yield "2^64 - 1 arrays", HEAD + b"\xff" * 8 + bytes(64)
    yield "arrays that are absent", HEAD + struct.pack("<Q", MANY) + bytes(4 * MANY + 8)
    rank = struct.pack("<QIii", 1, 0xF993FAC9, 0, (1 << 31) - 1)
    yield "2^31 dimensions", HEAD + rank + bytes(64)
    small = _array((1,), b"1234")[24:-8] * MANY
    yield "small arrays, the last cut off", HEAD + struct.pack("<Q", MANY) + small[:-2]
    names = _array((1,), b"1234")[:-8] + struct.pack("<QQ", 1, 1 << 63) + b"name"
    yield "a name of 2^63 bytes", names
    yield "2^61 names", names[:-20] + struct.pack("<Q", 1 << 61)


def _nodes(nodes: str, heads: str = "[[0,0,0]]") -> bytes:
    return f'{{"nodes":[{nodes}],"heads":{heads}}}'.encode()


X = '{"op":"null","name":"x","inputs":[]}'


def _relu(**parts: str) -> str:
    node = {"op": '"relu"', "name": '"y"', "inputs": "[[0,0,0]]", **parts}
    return "{" + ",".join(f'"{key}":{value}' for key, value in node.items()) + "}"


def _loops(depth: int) -> str:
    """A loop in a loop in a loop ..., each of them twice in its body."""
    inner = "" if depth == 0 else f",{_loops(depth - 1)}"
    attrs = '{"in_data_locs":"(0,)","in_state_locs":"()","remain_locs":"()"}'
    body = f'{{"nodes":[{X}{inner}],"heads":[[0,0,0]]}}'
    return f'{{"op":"_foreach","name":"f","inputs":[[0,0,0]],"attrs":{attrs},"subgraphs":[{body}]}}'


def symbol() -> Iterator[tuple[str, bytes]]:
    yield "lists in lists", b"[" * MANY
    yield "objects in objects", b'{"nodes":' * MANY
    yield "numbers for nodes", _nodes("0," * 5 * MANY + "0")
    yield "nodes, and a head that is none", _nodes(f"{X}," * MANY + X, "[[-1,0,0]]")
    yield "nodes that no head needs", _nodes(f"{X}," * MANY + X)
    yield "heads", _nodes(X, "[" + "[0,0,0]," * MANY + "[0,0,0]]")
    yield "inputs of a node", _nodes(f"{X},{_relu(inputs='[' + '[0,0],' * MANY + '[0,0]]')}")
    for key in ("a{}", "__a{}__"):
        attrs = ",".join(f'"{key.format(i)}":""' for i in range(MANY))
        yield f"attributes {key}", _nodes(f"{X},{_relu(attrs='{' + attrs + '}')}")
    yield "a name of megabytes", _nodes('{"op":"no","name":"' + "é" * 2 * MANY + '"}')
    yield "a long number", _nodes("1" * 10 * MANY)
    yield "a long tuple", _nodes(f"{X},{_op('transpose', axes='(' + '1, ' * MANY + ')')}")
    yield "a wide character", ('{"nodes":"' + "x" * 20 * MANY + '\U0001f600"}').encode()
    yield "outputs", _nodes(f"{X},{_op('split', num_outputs='1000000000000')}", "[[1,0,0]]")
    yield "shapes", _nodes(f"{X},{_op('tile', reps='(1000000, 1000000, 1000000)')}", "[[1,0,0]]")
    declared = '{"op":"null","name":"x","attrs":{"__shape__":"(1000000000000, 1000000)"}}'
    yield "a declared shape", _nodes(declared)
    yield "loops in loops", _nodes(f"{X},{_loops(18)}")
    loop = _loops(0).replace(X, f"{X}," * MANY + X)
    yield "a loop's nodes", _nodes(f"{X},{loop}", "[[1,0,0]]")
    loops = ",".join([_loops(0).split('"subgraphs":[')[1][:-2]] * (MANY // 10))
    yield "a loop's bodies", _nodes(f"{X},{_loops(0)[:-2]},{loops}]}}", "[[1,0,0]]")


def _op(op: str, **attrs: str) -> str:
    texts = ",".join(f'"{key}":"{value}"' for key, value in attrs.items())
    return _relu(op=f'"{op}"', attrs="{" + texts + "}")


MAGIC = 0xCED7230A


def rec() -> Iterator[tuple[str, bytes]]:
    yield "a record of 2^29 bytes", struct.pack("<II", MAGIC, (1 << 29) - 1) + bytes(64)
    part = struct.pack("<II", MAGIC, 2 << 29)
    yield "parts without an end", struct.pack("<II", MAGIC, 1 << 29) + part * 5 * MANY
    yield "2^32 labels", struct.pack("<IIIfQQ", MAGIC, 24, 0xFFFFFFFF, 0, 0, 0)
    record = struct.pack("<II", MAGIC, 24) + bytes(24)
    yield "records, the last cut off", record * MANY + record[:-1]


def idx() -> Iterator[tuple[str, bytes]]:
    rows = b"".join(b"%d\t0\n" % i for i in range(MANY))
    yield "rows, the last without a position", rows + b"5"
    yield "a row without an end", b"1" * 20 * MANY
    yield "a position of 10^30", b"0\t" + b"1" + b"0" * 30 + b"\n"
    yield "a number of megabytes", b"0\t" + b"9" * 5 * MANY + b"\n"


def _png(
    width: int, height: int, packed: bytes, *more: tuple[bytes, bytes], bits: int = 1
) -> bytes:
    rows = [(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)), *more]
    made = b"\x89PNG\r\n\x1a\n"
    for kind, body in [*rows, (b"IDAT", packed), (b"IEND", b"")]:
        made += struct.pack(">I", len(body)) + kind + body
        made += struct.pack(">I", zlib.crc32(kind + body))
    return made


def _resized(kind: str, width: int, height: int, side: int = 8, quality: int = 90) -> bytes:
    """A valid image whose header claims another size."""
    pixels = np.random.RandomState(0).randint(0, 255, (side, side, 3)).astype(np.uint8)
    made = bytearray(codec.encode(pixels, kind, quality))
    if kind == ".jpg":
        at = next(made.index(m) for m in (b"\xff\xc0", b"\xff\xc2") if m in made)
        made[at + 5 : at + 9] = struct.pack(">HH", height, width)
    elif kind == ".png":
        made[16:24] = struct.pack(">II", width, height)
        made[29:33] = struct.pack(">I", zlib.crc32(made[12:29]))
    elif kind == ".bmp":
        made[18:26] = struct.pack("<ii", width, height)
    elif kind == ".ppm":
        made[: made.index(b"\n255")] = b"P6\n%d %d" % (width, height)
    elif kind == ".webp":  # without loss
        (word,) = struct.unpack_from("<I", made, 21)
        word = word >> 28 << 28 | (height - 1) << 14 | width - 1
        made[21:25] = struct.pack("<I", word)
    elif kind == ".tiff":
        for tag, value in ((256, width), (257, height)):
            at = made.index(struct.pack("<HH", tag, 3), 8)
            made[at + 2 : at + 12] = struct.pack("<HII", 4, 1, value)
    return bytes(made)


def image() -> Iterator[tuple[str, bytes]]:
    many = 10**5
    for kind in (".png", ".bmp", ".ppm", ".tiff"):
        yield f"{kind} of 10^5 x 10^5", _resized(kind, many, many)
    yield ".jpg of 65500 x 65500", _resized(".jpg", 65500, 65500)
    yield ".webp of 16383 x 16383", _resized(".webp", 16383, 16383)
    for width, height in ((300, 60000), (6000, 4000), (8, 65535)):
        yield f".jpg of {width} x {height}", _resized(".jpg", width, height, 200, 80)
    yield ".jpg of 12000 x 11000, larger", _resized(".jpg", 12000, 11000, 700, 95)
    yield ".webp of 5000 x 5000", _resized(".webp", 5000, 5000, 200, 60)
    yield ".tiff of 5000 x 3000", _resized(".tiff", 5000, 3000, 200)
    yield ".gif of 65535 x 65535", b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0)
    zeros = zlib.compress(bytes((30_000 // 8 + 1) * 30_000), 9)
    yield "a .png of 30000 x 30000, cut off", _png(30_000, 30_000, zeros[: len(zeros) // 2])
    yield "a .png of 30000 x 30000", _png(30_000, 30_000, zeros)
    text = b"key\0\0" + zlib.compress(bytes(1 << 28), 9)
    yield "a text of 256 MiB in a .png", _png(1, 1, zlib.compress(b"\0\0"), (b"zTXt", text))
    profile = b"key\0\0" + zlib.compress(bytes(1 << 28), 9)
    yield "a profile of 256 MiB in a .png", _png(1, 1, zlib.compress(b"\0\0"), (b"iCCP", profile))
    yield "a .png whose chunk has 2^31 bytes", _png(1, 1, b"")[:33] + b"\x7f\xff\xff\xffIDAT"


def _model(nodes: Any = (), known: Any = (), inputs: Any = (("x", (2, 3)),)) -> bytes:
    helper, kind = library.helper, library.TensorProto.FLOAT
    graph = helper.make_graph(
        list(nodes),
        "made",
        [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs],
        [helper.make_tensor_value_info("y", kind, ("a", "b"))],
        list(known),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()


def _numbers(name: str, *values: int) -> Any:
    return library.numpy_helper.from_array(np.array(values, np.int64), name)


def _stored(name: str, dims: Any, raw: bytes = b"", **external: str) -> Any:
    tensor = library.TensorProto(name=name, dims=dims, data_type=library.TensorProto.FLOAT)
    if external:
        tensor.data_location = library.TensorProto.EXTERNAL
        for key, value in external.items():
            tensor.external_data.add(key=key, value=value)
    else:
        tensor.raw_data = raw
    return tensor


def _messages(field: int, body: bytes) -> bytes:
    """A graph of many equal messages, as protobuf."""
    model = _model()
    graph = (struct.pack("<BB", field << 3 | 2, len(body)) + body) * 2 * MANY
    size = b"".join(bytes([len(graph) >> 7 * i & 0x7F | (0x80 if i < 3 else 0)]) for i in range(4))
    return model + b"\x3a" + size + graph


def onnx() -> Iterator[tuple[str, bytes]]:
    node = library.helper.make_node
    use = [node("Add", ["x", "w"], ["y"])]
    for dims in ([10**12], [10**6, 10**6], [1 << 62, 4], [-1], [1 << 62] * 2000, [1] * MANY):
        yield f"an initializer of {len(dims)} x {dims[0]}", _model(use, [_stored("w", dims)])
    for location in ("/etc/passwd", "../secret", "link", "nothing", "", "a\0b", ".", "data"):
        stored = _stored("w", [2, 3], location=location, offset="4096")
        yield f"external data in {location!r}", _model(use, [stored])
    wide = [_stored(f"w{i}", [256, 1024], location="data") for i in range(300)]
    sums = [node("Add", ["x", wide[0].name], ["y"])]
    yield "the same external data 300 times", _model(sums, wide, [("x", (256, 1024))])
    far = _stored("w", [2, 3], location="data", offset=str(1 << 62), length="24")
    yield "external data at 2^62", _model(use, [far])
    vast = _stored("w", [1 << 40], location="sparse")
    yield "external data of 4 TiB", _model(use, [vast])
    for field, body in (
        (1, b""),
        (5, b""),
        (11, b""),
        (1, b"\x2a\x00" * 30),
        (1, b"\x0a\x00" * 30),
    ):
        yield f"field {field} of a graph, {len(body)} bytes each", _messages(field, body)
    inner = _model(use)
    for _ in range(12):
        branch = library.ModelProto.FromString(inner).graph
        inner = _model([node("If", ["x"], ["y"], then_branch=branch, else_branch=branch)])
    yield "branches in branches", inner
    for op, numbers, attrs in (
        ("Tile", (10**6, 10**6), {}),
        ("Expand", (10**6, 10**6, 2, 3), {}),
        ("Reshape", (1 << 40, -1), {}),
        ("Pad", (0, 10**12, 0, 0), {}),
        ("Unsqueeze", tuple(range(2, 60)), {}),
        ("Split", (1,) * 3000, {}),
    ):
        made = [node(op, ["x", "w"], ["y"], **attrs)]
        yield f"{op} by {len(numbers)} numbers", _model(made, [_numbers("w", *numbers)])
    yield (
        "ConstantOfShape",
        _model([node("ConstantOfShape", ["w"], ["y"])], [_numbers("w", 10**12)]),
    )
    numbers = [_numbers(name, n) for name, n in zip("abc", (0, 10**18, 1))]
    yield "Range", _model([node("Range", ["a", "b", "c"], ["y"])], numbers)
    doubling = [node("Concat", ["w", "w"], ["w1"], axis=0)]
    doubling += [node("Concat", [f"w{i}"] * 2, [f"w{i + 1}"], axis=0) for i in range(1, 60)]
    doubling += [node("Reshape", ["x", "w60"], ["y"])]
    yield "a list doubled 60 times", _model(doubling, [_numbers("w", 1)])
    lstm = [node("LSTM", ["x", "w", "w"], ["y"], hidden_size=10**12)]
    yield "LSTM", _model(lstm, [_stored("w", [1, 1, 1], bytes(4))], [("x", (1, 1, 1))])
    yield "a text of megabytes", _model([node("Relu", ["x"], ["y"], name="é" * 5 * MANY)])


def write_beside(folder: Path) -> None:
    """What models with external data find in their folder."""
    (folder / "data").write_bytes(bytes(1 << 20))
    (folder / "link").symlink_to("/etc/passwd")
    (folder.parent / "secret").write_bytes(bytes(1 << 13))
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 30)


KINDS: dict[str, Callable[[], Iterator[tuple[str, bytes]]]] = {
    "params": params,
    "symbol": symbol,
    "rec": rec,
    "idx": idx,
    "image": image,
    "onnx": onnx,
}
