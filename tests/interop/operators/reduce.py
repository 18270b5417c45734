"""Sums, extremes, orders and what else takes axes away."""

from __future__ import annotations

from case import Call, Family
from drawn import DTYPES, FLOATS, distinct, given, real, whole

f = Family("reduce")
CASES = f.cases
nan = float("nan")
MODES = (
    {},
    {"axis": 1},
    {"axis": -1, "keepdims": True},
    {"axis": (0, 2)},
    {"axis": (0, -1), "keepdims": True},
    {"axis": 1, "exclude": True},
    {"axis": (), "keepdims": True},
)
for name in [
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "nansum",
    "nanprod",
    "sum_axis",
    "max_axis",
    "min_axis",
]:
    x = distinct(2, 3, 4) if name[:3] in ("max", "min") else real(2, 3, 4, low=0.5, high=1.5)
    modes = MODES if name[-4:] != "axis" else MODES[1:3]
    for mode in modes:
        f.add(name, x, **mode)
    f.every(DTYPES, name, distinct(2, 3), axis=1)
    f.add(name, real(5))
    f.add(name, real(1, 1), axis=0)
    f.add(name, real(3, 1, 5), axis=1)
f.add("nansum", given([[1.0, nan], [nan, 2.0]]), axis=0)
f.add("nanprod", given([[1.0, nan], [nan, 2.0]]), axis=0)
f.add("max", given([[1.0, 2.0, 2.0], [2.0, 1.0, 2.0]]), axis=1)  # equal ones share or do not

for order in (1, 2):
    for mode in ({}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}, {"axis": -1}):
        f.add("norm", real(2, 3, 4), ord=order, **mode)
    f.every(FLOATS, "norm", real(3, 4), ord=order, axis=0)
f.add("norm", real(3, 4), out_dtype="float64", axis=1)
for mode in ({"axes": 0}, {"axes": (0, 2)}, {"axes": (1,), "keepdims": True}, {"axes": -1}):
    f.add("moments", real(2, 3, 4), **mode)
f.every(FLOATS, "moments", real(3, 4), axes=(0,))

for name in ("argmax", "argmin"):
    for mode in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "keepdims": True}):
        f.add(name, distinct(2, 3, 4), **mode)
    f.every(DTYPES, name, distinct(3, 4), axis=1)
    f.add(name, given([[1.0, 1.0], [0.0, 0.0]]), axis=1)
f.add("argmax_channel", distinct(3, 5))

for mode in ({}, {"axis": 0}, {"axis": -2, "is_ascend": False}, {"axis": None}):
    f.add("sort", distinct(2, 3, 4), **mode)
    f.add("argsort", distinct(2, 3, 4), **mode)
f.every(DTYPES, "sort", distinct(3, 4), axis=1, is_ascend=False)
f.every(DTYPES, "argsort", distinct(3, 4), axis=1)
for dtype in ("float16", "float32", "float64", "int32", "int64", "uint8"):
    f.add("argsort", distinct(3, 4), dtype=dtype)
    f.add("topk", distinct(3, 4), k=2, dtype=dtype)
for kind in ("value", "indices", "mask", "both"):
    f.add("topk", distinct(3, 5), ret_typ=kind)
    f.add("topk", distinct(3, 5), ret_typ=kind, k=2, axis=0, is_ascend=True)
    f.add("topk", distinct(2, 5, 3), ret_typ=kind, k=3, axis=1)
    f.add("topk", distinct(2, 5), ret_typ=kind, k=3, axis=None)
    f.every(DTYPES, "topk", distinct(3, 4), ret_typ=kind, k=2)
f.add("topk", distinct(3, 5), k=0, ret_typ="value")
f.add("topk", distinct(3, 5), k=9, raises=True)

for mode in ({}, {"axis": 0}, {"axis": 2}, {"axis": 1, "dtype": "float64"}):
    f.add("cumsum", real(2, 3, 4), **mode)
f.every(DTYPES, "cumsum", real(3, 4), axis=1)

f.every(FLOATS, "pick", real(3, 4), whole(3, below=4))
for mode in ({"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": -2}, {"axis": 0, "mode": "wrap"}):
    f.add("pick", real(3, 4), whole(3 if mode["axis"] == 1 else 4, below=3, dtype="int32"), **mode)
f.add("pick", real(3, 4), given([-1, 5, 2]), mode="clip")
f.add("pick", real(3, 4), given([-1, 5, 2]), mode="wrap")
f.add("choose_element_0index", real(3, 4), whole(3, below=4))
f.add("softmax_cross_entropy", real(3, 5), whole(3, below=5))
f.add("batch_take", real(3, 4), whole(3, below=4, dtype="int32"))
f.add("fill_element_0index", real(3, 4), real(3), whole(3, below=4), call=Call(gradient=False))

for name in ("softmax", "log_softmax", "softmin"):
    for mode in ({}, {"axis": 0}, {"axis": -2}, {"temperature": 2.5}, {"dtype": "float64"}):
        f.add(name, real(2, 3, 4), **mode)
    f.every(FLOATS, name, real(3, 5), axis=1)
    f.add(name, real(1))
    f.add(name, real(3, 1), axis=1)
f.add("softmax", real(2, 4), given([2, 4], "int32", fixed=True), use_length=True)
f.add("softmax", real(2, 3, 4), whole(2, 4, below=4, low=1, dtype="int32"), use_length=True, axis=1)
for mode in ("instance", "channel"):
    f.add("SoftmaxActivation", real(2, 3, 4), mode=mode)

# Attributes that are left at one value above.
f.add("norm", real(3, 4), out_dtype="float32", axis=1)
