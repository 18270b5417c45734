"""What reads and writes by indices."""

from __future__ import annotations

from case import Call, Family
from drawn import DTYPES, FLOATS, given, real, whole

f = Family("indexing")
CASES = f.cases

f.every(DTYPES, "take", real(4, 3), whole(2, 2, below=4))
for axis in (0, 1, -1):
    for dtype in ("float32", "int32", "int64", "uint8"):
        f.add("take", real(4, 3, 5), whole(2, below=3, dtype=dtype), axis=axis)
f.add("take", real(4, 3), given([-1, 4, 9], fixed=True), mode="clip")
f.add("take", real(4, 3), given([-1, 4, 9], fixed=True), mode="wrap")
f.add("take", real(4, 3), whole(2, below=4), mode="raise")
f.add("take", real(4, 3), given([7], fixed=True), mode="raise", raises=True)
f.every(FLOATS, "Embedding", whole(2, 3, below=5), real(5, 4), input_dim=5, output_dim=4)
f.add("Embedding", whole(3, below=5, dtype="int32"), real(5, 2), input_dim=5, output_dim=2)
f.add("Embedding", whole(3, below=5), real(5, 2), input_dim=5, output_dim=2, sparse_grad=False)
f.add("one_hot", whole(2, 3, below=4), depth=4)
f.add("one_hot", whole(4, below=3, dtype="int32"), depth=3, on_value=2.0, off_value=-1.0)
f.add("one_hot", given([-1, 1, 9], fixed=True), depth=3)
for dtype in DTYPES:
    f.add("one_hot", whole(3, below=4), depth=4, dtype=dtype)
f.every(FLOATS, "gather_nd", real(3, 4, 2), whole(2, 3, below=3))
f.add("gather_nd", real(3, 4), whole(2, 2, 2, below=3, dtype="int64"))
f.add("gather_nd", real(3, 4), whole(1, 2, below=3, dtype="int32"))
f.every(FLOATS, "scatter_nd", real(3), given([[0, 1, 2], [2, 0, 1]], fixed=True), shape=(3, 4))
f.add("scatter_nd", real(2, 4), given([[2, 0]], "int64", fixed=True), shape=(3, 4))
f.add("ravel_multi_index", given([[3, 6, 6], [4, 5, 1]], fixed=True), shape=(7, 6))
f.add("ravel_multi_index", given([[1, 0], [2, 1], [3, 3]], "int64", fixed=True), shape=(2, 3, 4))
f.add("unravel_index", given([22, 41, 37], fixed=True), shape=(7, 6))
f.add("unravel_index", given([5, 23], "int64", fixed=True), shape=(2, 3, 4))
f.add("contrib.index_copy", real(4, 3), given([2, 0], "int64", fixed=True), real(2, 3))
f.add("onehot_encode", whole(3, below=4), real(3, 4), call=Call(gradient=False))

for name in ("SequenceMask", "SequenceLast", "SequenceReverse"):
    # Without lengths genuine SequenceLast's gradient corrupts its memory.
    f.every(FLOATS, name, real(4, 3, 2), call=Call(gradient=name != "SequenceLast"))
    f.every(FLOATS, name, real(4, 3, 2), given([1, 4, 2]), use_sequence_length=True)
    if name != "SequenceReverse":
        f.add(name, real(3, 4, 2), given([1, 4, 2]), use_sequence_length=True, axis=1)
f.add("SequenceMask", real(4, 2), given([1, 3]), use_sequence_length=True, value=-1.5)
f.add("SequenceMask", real(4, 2), given([1, 3], "int32"), use_sequence_length=True)

KEYS = [
    0,
    -1,
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    (0, 1),
    (slice(None), 1),
    Ellipsis,
]
KEYS += [
    (Ellipsis, -1),
    (None, 1),
    (slice(0, 2), slice(1, None)),
    [0, 2],
    ([0, 2], [1, 0]),
    (slice(None), [0, 2]),
]
for key in KEYS:
    f.every(("float32", "int32"), ".__getitem__", real(4, 3, 2), key)
    if key is not Ellipsis:
        f.add(".__setitem__", real(4, 3, 2), key, 7.0, call=Call(gradient=False))
f.add(".__setitem__", real(4, 3), slice(None), 0.5, call=Call(gradient=False))
f.add(".__setitem__", real(4, 3), 1, real(3), call=Call(gradient=False))
f.add(".__setitem__", real(4, 3), slice(0, 2), real(2, 3), call=Call(gradient=False))
f.add(".__setitem__", real(4, 3), (slice(None), 1), real(4), call=Call(gradient=False))
f.add(
    ".__setitem__",
    real(4, 3),
    (slice(1, 3), slice(0, 2)),
    real(1, 2),
    call=Call(gradient=False),
)
f.add(".__getitem__", real(4, 3), 9, raises=True)
f.add(".__getitem__", real(4, 3), whole(2, below=4))
f.add(".__getitem__", real(4, 3), whole(2, below=4, dtype="int32"))

# Attributes that are left at one value above.
f.add("Embedding", whole(3, below=7), real(7, 3), input_dim=7, output_dim=3, dtype="float32")
f.add(
    "Embedding",
    whole(3, below=7),
    real(7, 3, dtype="float64"),
    input_dim=7,
    output_dim=3,
    dtype="float64",
    sparse_grad=True,
    call=Call(gradient=False),
)
f.add("scatter_nd", real(2, 4), given([[0, 4]], fixed=True), shape=(5, 4))
f.add("SequenceReverse", real(4, 3, 2), given([1, 4, 2]), use_sequence_length=True, axis=0)
