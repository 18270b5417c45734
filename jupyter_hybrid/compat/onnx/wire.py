"""What an ONNX file takes in memory, told from its bytes before anything is made of them.

Two bytes may stand for a message that takes hundreds once it is parsed. So the bytes are walked as
protobuf's encoding has them (protobuf.dev/programming-guides/encoding), by the fields of
``onnx.proto`` that hold messages, texts or numbers in lists.
"""

from __future__ import annotations

import numpy as np

from ...base import MXNetError

#: Bytes that parsed messages may take: what every file may, and for each of its own bytes.
_FREE, _PER_BYTE = 8 << 20, 3
_DEEPEST = 100  # protobuf's own limit
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_STRING, _NUMBER = 40, 12  # bytes of one in a list

#: message -> (bytes that it takes, its fields that hold messages, lists of texts, of numbers)
_MESSAGES: dict[str, tuple[int, dict[int, str], tuple[int, ...], tuple[int, ...]]] = {
    "Model": (300, {7: "Graph", 8: "Pair", 14: "Pair", 20: "Training", 25: "Function"}, (), ()),
    "Training": (100, {1: "Graph", 2: "Graph", 3: "Pair", 4: "Pair"}, (), ()),
    "Function": (
        *(250, {7: "Node", 8: "Pair", 9: "Pair", 11: "Attribute", 12: "ValueInfo", 14: "Pair"}),
        *((4, 5, 6), ()),
    ),
    "Graph": (
        300,
        {
            **{1: "Node", 5: "Tensor", 11: "ValueInfo", 12: "ValueInfo", 13: "ValueInfo"},
            **{14: "Annotation", 15: "Sparse", 16: "Pair"},
        },
        (),
        (),
    ),
    "Node": (220, {5: "Attribute", 9: "Pair", 10: "Pair"}, (1, 2), ()),
    "Attribute": (
        380,
        {
            **{5: "Tensor", 6: "Graph", 10: "Tensor", 11: "Graph", 14: "Type", 15: "Type"},
            **{22: "Sparse", 23: "Sparse"},
        },
        (9,),
        (7, 8),
    ),
    "Tensor": (300, {3: "Pair", 13: "Pair", 16: "Pair"}, (6,), (1, 4, 5, 7, 10, 11)),
    "Sparse": (120, {1: "Tensor", 2: "Tensor"}, (), (3,)),
    "Annotation": (80, {2: "Pair"}, (), ()),
    "ValueInfo": (120, {2: "Type", 4: "Pair"}, (), ()),
    "Type": (80, {1: "Shaped", 4: "Element", 5: "Map", 8: "Shaped", 9: "Element"}, (), ()),
    "Shaped": (60, {2: "Shape"}, (), ()),
    "Element": (40, {1: "Type"}, (), ()),
    "Map": (50, {2: "Type"}, (), ()),
    "Shape": (60, {1: "Pair"}, (), ()),
    "Pair": (100, {}, (), ()),  # two fields at most: a dimension, an operator set, a property
}


class _Walk:
    def __init__(self, content: bytes):
        self._content = content
        self._left = _FREE + _PER_BYTE * len(content)

    def message(self, kind: str, at: int, end: int, depth: int = 0) -> None:
        """Spends what the message takes; ``at`` to ``end`` are its bytes."""
        if depth > _DEEPEST:
            raise MXNetError(f"onnx: messages are nested in more than {_DEEPEST} others")
        size, inner, texts, numbers = _MESSAGES[kind]
        self._spend(size)
        while at < end:
            key, at = self._number(at, end)
            field, form = key >> 3, key & 7
            begin, at = self._value(form, at, end)
            if field in numbers:
                self._spend(_NUMBER * self._count(begin, at) if form == _BYTES else _NUMBER)
            elif form != _BYTES:
                continue
            elif field in inner:
                self.message(inner[field], begin, at, depth + 1)
            elif field in texts:
                self._spend(_STRING)

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise MXNetError(
                f"onnx: {len(self._content)} bytes hold more messages, names and numbers than a "
                f"model of their size: they would take more than {_PER_BYTE} times that"
            )

    def _value(self, form: int, at: int, end: int) -> tuple[int, int]:
        """Begin and end of a field's value."""
        if form == _VARINT:
            return at, self._number(at, end)[1]
        if form in (_FIXED64, _FIXED32):
            length = 8 if form == _FIXED64 else 4
        elif form == _BYTES:
            length, at = self._number(at, end)
        else:
            raise MXNetError(f"onnx: not a model: wire type {form} at byte {at}")
        if at + length > end:
            raise MXNetError(f"onnx: truncated: a field of {length} bytes at byte {at}")
        return at, at + length

    def _number(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for place in range(10):
            if at + place >= end:
                break
            byte = self._content[at + place]
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value, at + place + 1
        raise MXNetError(f"onnx: not a model, or truncated, at byte {at}")

    def _count(self, begin: int, end: int) -> int:
        """At most how many numbers a packed list has beyond one for four bytes: these are free."""
        packed = np.frombuffer(self._content, np.uint8, end - begin, begin)
        return max(int(np.count_nonzero(packed < 0x80)) - len(packed) // 4, 0)


def check_size(content: bytes) -> None:
    """Raises MXNetError where a model's messages take far more memory than its bytes."""
    _Walk(content).message("Model", 0, len(content))
