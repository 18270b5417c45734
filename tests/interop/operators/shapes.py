"""What moves, cuts, joins and repeats elements."""

from __future__ import annotations

from case import Call, Family
from drawn import DTYPES, FLOATS, given, real

f = Family("shapes")
CASES = f.cases
PLAIN = Call(gradient=False)

SHAPES = [
    ({"shape": (4, 6)}, (2, 3, 4)),
    ({"shape": (-1,)}, (2, 3, 4)),
    ({"shape": (0, -1)}, (2, 3, 4)),
    ({"shape": (-2,)}, (2, 3, 4)),
    ({"shape": (-3, 4)}, (2, 3, 4)),
    ({"shape": (-4, 1, 2, -2)}, (2, 3, 4)),
    ({"shape": (2, -4, -1, 3, 0)}, (2, 3, 4)),
    ({"shape": (-1, 0), "reverse": True}, (10, 5, 4)),
    ({"shape": (8, 0, 0, 0), "reverse": True}, (8, 3, 2, 1)),
]
for attrs, shape in SHAPES:
    for name in ("Reshape", "reshape"):
        f.add(name, real(*shape), **attrs)
    f.add(".reshape", real(*shape), call=Call(), **attrs)
f.every(DTYPES, "reshape", real(2, 6), shape=(3, -1))
f.add("reshape", real(2, 6), shape=(5, -1), raises=True)
f.add(".reshape", real(2, 6), (3, 4))
f.add(".reshape", real(2, 6), 3, 4)
f.add("reshape_like", real(2, 6), real(3, 4))
f.add("reshape_like", real(30, 7), real(15, 2, 4), lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2)
f.add("reshape_like", real(2, 3, 4), real(6, 4), lhs_begin=0, lhs_end=-1, rhs_begin=0, rhs_end=1)
for name in ("Flatten", "flatten"):
    f.every(DTYPES, name, real(2, 3, 4))
    f.add(name, real(5, 1))

for axes in ((), (1, 0, 2), (2, 1, 0), (0, 2, 1)):
    f.add("transpose", real(2, 3, 4), axes=axes)
f.every(DTYPES, "transpose", real(2, 3))
f.add("transpose", real(5))
for name in ("SwapAxis", "swapaxes"):
    f.add(name, real(2, 3, 4), dim1=0, dim2=2)
    f.add(name, real(2, 3, 4), dim1=1, dim2=-1)
    f.every(DTYPES, name, real(2, 3), dim1=0, dim2=1)
for axis in (0, 1, -1, -3):
    f.add("expand_dims", real(2, 3), axis=axis)
f.every(DTYPES, "expand_dims", real(2, 3), axis=1)
for axis in (None, 1, (0, 3), -1):
    f.add("squeeze", real(1, 1, 3, 1), axis=axis)
f.every(DTYPES, "squeeze", real(1, 3))
f.add("squeeze", real(2, 3), axis=0, raises=True)
f.add("moveaxis", real(2, 3, 4), 0, 2)
f.add("moveaxis", real(2, 3, 4), -1, 0)
f.add("moveaxis", real(2, 3, 4), [0, 1], [1, 0])
for name in ("flip", "reverse"):
    for axis in (0, 1, (0, 2)):
        f.add(name, real(2, 3, 4), axis=axis)
    f.every(DTYPES, name, real(2, 3), axis=1)
for name in ("depth_to_space", "space_to_depth"):
    f.every(DTYPES, name, real(2, 8, 2, 4), block_size=2)
    f.add(name, real(1, 9, 3, 3), block_size=3)
    f.add(name, real(1, 2, 3, 3), block_size=1)

CUTS = [
    {"begin": (0, 1), "end": (2, 3)},
    {"begin": (None, 1), "end": (None, 3)},
    {"begin": (-2,), "end": (None,)},
    {"begin": (0, 0, 3), "end": (2, 3, 0), "step": (1, 2, -1)},
    {"begin": (None, None), "end": (None, None), "step": (-1, 2)},
    {"begin": (1, -3), "end": (2, -1)},
]
for name in ("slice", "crop"):
    for attrs in CUTS:
        f.add(name, real(3, 4, 5), **attrs)
    f.every(DTYPES, name, real(3, 4), begin=(0, 1), end=(2, 4))
for axis, begin, end in ((0, 1, 2), (1, 0, None), (-1, -3, -1), (2, 1, 5)):
    f.add("slice_axis", real(3, 4, 5), axis=axis, begin=begin, end=end)
f.every(DTYPES, "slice_axis", real(3, 4), axis=1, begin=1, end=3)
f.add("slice_axis", real(3, 4), axis=2, begin=1, end=3, raises=True)
f.add("slice_like", real(3, 4), real(2, 3))
f.add("slice_like", real(3, 4), real(2, 3), axes=(0,))
f.add("slice_like", real(3, 4, 5), real(2, 3, 5), axes=(0, -2))

for name, extra in (("SliceChannel", "axis"), ("split", "axis")):
    for n, axis, squeeze in ((2, 1, False), (3, 0, False), (4, -2, True), (1, 1, False)):
        f.add(name, real(3, 4, 2), num_outputs=n, squeeze_axis=squeeze, **{extra: axis})
    f.every(DTYPES, name, real(2, 4), num_outputs=2)
f.add("split", real(3, 4), num_outputs=3, axis=1, raises=True)
f.add("split_v2", real(6, 4), 3)
f.add("split_v2", real(6, 4), (1, 4))
f.add("split_v2", real(6, 4), (1, 2), axis=1)
f.add("split_v2", real(3, 4), 3, axis=0, squeeze_axis=True)

for name in ("Concat", "concat"):
    for dim in (0, 1, -1):
        shapes = [[2, 3, 4], [2, 3, 4], [2, 3, 4]]
        for i, shape in enumerate(shapes):
            shape[dim] = i + 1
        f.add(name, *[real(*shape) for shape in shapes], dim=dim)
    f.every(DTYPES, name, real(2, 3), real(2, 1))
    f.add(name, real(2, 3))
f.add("concatenate", [real(2, 3), real(1, 3)], call=PLAIN)
f.add("concatenate", [real(2, 3), real(2, 1)], axis=1, call=PLAIN)
for axis in (0, 1, -1):
    f.add("stack", real(2, 3), real(2, 3), real(2, 3), axis=axis)
f.every(DTYPES, "stack", real(2), real(2))

for reps in ((2,), (2, 1, 3), (1, 2), (2, 2, 1, 1)):
    f.add("tile", real(2, 3), reps=reps)
f.every(DTYPES, "tile", real(2, 3), reps=(2, 1))
for repeats, axis in ((2, None), (3, 1), (2, -2), (1, 0)):
    f.add("repeat", real(2, 3), repeats=repeats, axis=axis)
f.every(DTYPES, "repeat", real(2, 3), repeats=2, axis=1)
for name in ("broadcast_axis", "broadcast_axes"):
    f.add(name, real(1, 3, 1), axis=(0, 2), size=(2, 4))
    f.add(name, real(1, 3, 1), axis=2, size=5)
    f.every(DTYPES, name, real(1, 3), axis=0, size=2)
for shape in ((2, 3, 4), (0, 3, 4)):
    f.add(
        "broadcast_to",
        real(2, 1, 1) if not shape[0] else real(1, 3, 1),
        shape=(2, 3, 4) if shape[0] else (0, 3, 4),
    )
f.every(DTYPES, "broadcast_to", real(1, 3), shape=(2, 3))
f.add("broadcast_to", real(2, 3), shape=(3, 3), raises=True)
f.add("broadcast_like", real(1, 3), real(2, 3))
f.add("broadcast_like", real(1, 3, 1), real(4, 7, 5), lhs_axes=(0, 2), rhs_axes=(0, 2))
f.add("broadcast_like", real(1, 2), real(9, 5), lhs_axes=(0,), rhs_axes=(-1,))

PADS = ((0, 0, 0, 0, 1, 2, 2, 1), (0, 0, 0, 0, 0, 1, 1, 0))
for name in ("Pad", "pad"):
    for width in PADS:
        for mode in ("constant", "edge", "reflect"):
            f.add(name, real(2, 1, 3, 4), mode=mode, pad_width=width)
    f.every(FLOATS, name, real(1, 2, 3, 3), mode="constant", pad_width=PADS[0], constant_value=1.5)
    f.add(name, real(1, 1, 2, 3, 3), mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 2, 0, 0, 1))
    f.add(name, real(1, 1, 3, 3, 3), mode="reflect", pad_width=(0, 0, 0, 0, 1, 1, 2, 0, 0, 1))
for k in (0, 1, -1, 2):
    f.add("diag", real(3, 4), k=k)
    f.add("diag", real(3), k=k)
f.every(DTYPES, "diag", real(3, 3))
f.add("diag", real(2, 3, 4), axis1=0, axis2=2)
f.add("diag", real(2, 3, 4), k=1, axis1=-2, axis2=-1)

f.add("Crop", real(1, 2, 5, 6), num_args=1, offset=(1, 2), h_w=(3, 3))
f.add("Crop", real(1, 2, 5, 6), num_args=1, h_w=(3, 4), center_crop=True)
f.add("Crop", real(1, 2, 5, 6), real(1, 2, 3, 4), num_args=2)
f.add("Crop", real(1, 2, 5, 6), real(1, 2, 3, 4), num_args=2, center_crop=True)
f.add("im2col", real(2, 3, 5, 6), kernel=(2, 3))
f.add("im2col", real(1, 2, 5, 6), kernel=(2, 2), stride=(2, 1), dilate=(1, 2), pad=(1, 0))
f.add("col2im", real(1, 8, 20), output_size=(5, 6), kernel=(2, 2), stride=(1, 1))
f.add("contrib.arange_like", real(2, 3))
f.add("contrib.arange_like", real(2, 3), axis=1, start=2, step=0.5)
f.add("contrib.arange_like", real(2, 4), repeat=2)
f.add("contrib.index_array", real(2, 3))
f.add("contrib.index_array", real(2, 3, 2), axes=(0, -1))
f.add("contrib.boolean_mask", real(4, 3), given([1, 0, 1, 1], fixed=True))

# Attributes that are left at one value above.
f.add(
    "col2im",
    real(1, 6, 12),
    output_size=(4, 5),
    kernel=(2, 3),
    stride=(1, 2),
    dilate=(2, 1),
    pad=(1, 1),
)
f.add("contrib.arange_like", real(2, 3), ctx="cpu(0)", call=PLAIN)
f.add("contrib.boolean_mask", real(4, 3), given([1, 0, 0, 1], fixed=True), axis=0)
