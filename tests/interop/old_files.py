"""What MXNet 1.9.1 writes, in the forms of earlier versions."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

#: Of an array in a .params file; the oldest form has none.
MAGIC = {"V1": 0xF993FAC8, "V2": 0xF993FAC9, "V3": 0xF993FACA}
#: Inputs that 0.8 did not write: it had a place apart for states.
STATES = {"BatchNorm": 3}
#: What 0.8 wrote as its operators' own, and what people had noted, had names without underscores.
NOTES = ("lr_mult", "wd_mult", "ctx_group")


def symbol_of(text: str, version: str) -> str:
    """A symbol.json of "0.8", "0.9" or "1.0"."""
    document = json.loads(text)
    keep = list(range(len(document["nodes"])))
    if version == "0.8":
        hidden = {
            entry[0]
            for node in document["nodes"]
            for entry in node["inputs"][STATES.get(node["op"], len(node["inputs"])) :]
        }
        keep = [i for i in keep if i not in hidden]
    number = {old: new for new, old in enumerate(keep)}
    nodes = [_node(document["nodes"][i], version, number) for i in keep]
    heads = [[number[i], *rest] for i, *rest in document["heads"]]
    result: dict[str, Any] = {
        "nodes": nodes,
        "arg_nodes": [i for i, node in enumerate(nodes) if node["op"] == "null"],
        "heads": [head[:2] for head in heads] if version == "0.8" else heads,
    }
    if version != "0.8":
        found = {"0.9": 905, "1.0": 10000}[version]
        result["attrs"] = {"mxnet_version": ["int", found]}
    return json.dumps(result)


def _node(node: dict[str, Any], version: str, number: dict[int, int]) -> dict[str, Any]:
    inputs = [[number[i], *rest] for i, *rest in node["inputs"] if i in number]
    attrs = dict(node.get("attrs", {}))
    result = {"op": node["op"], "name": node["name"]}
    if version == "0.8":
        inputs = [entry[:2] for entry in inputs]
        notes = {k: attrs.pop(f"__{k}__") for k in NOTES if f"__{k}__" in attrs}
        attrs = {k: v for k, v in attrs.items() if not k.startswith("__")}
        result |= {"param": attrs, "backward_source_id": -1} | ({"attr": notes} if notes else {})
    elif attrs:
        result["attr" if version == "0.9" else "attrs"] = attrs
    return {**result, "inputs": inputs}


def params_of(content: bytes, version: str) -> bytes:
    """A .params file of V2 as one of "V0", which has no magic numbers, "V1" or "V3"."""
    header, count = content[:16], struct.unpack_from("<Q", content, 16)[0]
    at, arrays = 24, []
    for _ in range(count):
        magic, storage, rank = struct.unpack_from("<Iii", content, at)
        assert (magic, storage) == (MAGIC["V2"], 0)
        sizes = struct.unpack_from(f"<{rank}q", content, at + 12)
        rest = at + 12 + 8 * rank
        flag = struct.unpack_from("<i", content, rest + 8)[0]
        width = {0: 4, 1: 8, 2: 2, 3: 1, 4: 4, 5: 1, 6: 8}[flag]
        elements = 1
        for size in sizes:
            elements *= size
        at = rest + 12 + elements * width
        arrays.append(_shape(version, sizes) + content[rest:at])
    return header + struct.pack("<Q", count) + b"".join(arrays) + content[at:]


def _shape(version: str, sizes: tuple[int, ...]) -> bytes:
    if version == "V0":
        return struct.pack(f"<{1 + len(sizes)}I", len(sizes), *sizes)
    magic = struct.pack("<I", MAGIC[version])
    storage = struct.pack("<i", 0) if version == "V3" else b""
    return magic + storage + struct.pack(f"<i{len(sizes)}q", len(sizes), *sizes)


def arrays(form: str) -> dict[str, np.ndarray]:
    """Of each type and several shapes; V3 has scalars and sizes of 0, too."""
    types = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64"]
    made = {name: np.arange(6).reshape(2, 3).astype(name) for name in types}
    made |= {"line": np.arange(3.0, dtype=np.float32), "deep": np.ones((1, 2, 1, 3, 1), "float32")}
    if form == "V3":
        made |= {"scalar": np.array(2.5, "float32"), "empty": np.zeros((2, 0, 3), "float32")}
    return made
