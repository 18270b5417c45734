"""Products of matrices, factors, and what attention is made of."""

from __future__ import annotations

from case import Family
from drawn import FLOATS, given, positive, real

f = Family("matrix")
CASES = f.cases
TWO = ("float32", "float64")

f.every(FLOATS, "dot", real(2, 3), real(3, 4))
f.add("dot", real(3, 2), real(3, 4), transpose_a=True)
f.add("dot", real(2, 3), real(4, 3), transpose_b=True)
f.add("dot", real(3, 2), real(4, 3), transpose_a=True, transpose_b=True)
f.add("dot", real(5), real(5))
f.add("dot", real(2, 3, 4), real(4, 2))
f.add("dot", real(2, 3), real(3))
f.add("dot", real(1, 1), real(1, 7))
f.add("dot", real(2, 3), real(2, 3), raises=True)
f.every(FLOATS, "batch_dot", real(2, 3, 4), real(2, 4, 5))
for a, b in ((True, False), (False, True), (True, True)):
    left, right = real(2, *((4, 3) if a else (3, 4))), real(2, *((5, 4) if b else (4, 5)))
    f.add("batch_dot", left, right, transpose_a=a, transpose_b=b)
f.add("batch_dot", real(1, 1, 3), real(1, 3, 1))
f.every(FLOATS, "khatri_rao", real(2, 3), real(4, 3))
f.add("khatri_rao", real(2, 2), real(3, 2), real(1, 2))
f.every(FLOATS, "FullyConnected", real(2, 3), real(4, 3), real(4), num_hidden=4)
f.add("FullyConnected", real(2, 3), real(4, 3), num_hidden=4, no_bias=True)
f.add("FullyConnected", real(2, 3, 2), real(4, 6), real(4), num_hidden=4)
f.add("FullyConnected", real(2, 3, 2), real(4, 2), real(4), num_hidden=4, flatten=False)
f.add("FullyConnected", real(1, 1), real(1, 1), real(1), num_hidden=1)

for prefix in ("linalg_", "linalg."):
    for kwargs in (
        {},
        {"alpha": 2.0, "beta": 0.5},
        {"transpose_a": True},
        {"transpose_b": True},
        {"transpose_a": True, "transpose_b": True},
    ):
        a, b = kwargs.get("transpose_a"), kwargs.get("transpose_b")
        left, right = real(2, *((4, 3) if a else (3, 4))), real(2, *((5, 4) if b else (4, 5)))
        f.every(TWO, prefix + "gemm", left, right, real(2, 3, 5), **kwargs)
        kwargs = {k: v for k, v in kwargs.items() if k != "beta"}
        f.every(TWO, prefix + "gemm2", left, right, **kwargs)
    f.add(prefix + "gemm", real(3, 2, 4), real(4, 2, 5), real(3, 2, 5), axis=0)
    f.add(prefix + "gemm2", real(3, 2, 4), real(4, 2, 5), axis=-3)
    f.every(TWO, prefix + "potrf", positive(3, 3))
    f.add(prefix + "potrf", positive(2, 2, 2))
    f.every(TWO, prefix + "potri", given([[2.0, 0, 0], [1, 1.5, 0], [-1, 0.5, 1]]))
    for rightside in (False, True):
        for transpose in (False, True):
            kwargs = {"rightside": rightside, "transpose": transpose}
            right = real(2, 3) if rightside else real(3, 2)
            triangle = given([[2.0, 0, 0], [1, 1.5, 0], [-1, 0.5, 1]])
            f.every(TWO, prefix + "trmm", triangle, right, alpha=1.5, **kwargs)
            f.every(TWO, prefix + "trsm", triangle, right, alpha=1.5, **kwargs)
    upper = given([[2.0, 1, -1], [0, 1.5, 0.5], [0, 0, 1]])
    f.add(prefix + "trmm", upper, real(3, 2), lower=False)
    f.add(prefix + "trsm", upper, real(3, 2), lower=False)
    f.every(TWO, prefix + "syrk", real(2, 3, 4))
    f.add(prefix + "syrk", real(3, 4), transpose=True, alpha=2.0)
    f.every(TWO, prefix + "sumlogdiag", positive(2, 3, 3))
    f.every(TWO, prefix + "inverse", positive(3, 3))
    f.add(prefix + "inverse", positive(2, 2, 2))
    f.every(TWO, prefix + "det", positive(3, 3), times=10)
    f.add(prefix + "det", given([[[1.0, 2], [3, 4]], [[0, 1], [1, 0]]]))
    f.every(TWO, prefix + "slogdet", positive(2, 3, 3))
    f.add(prefix + "slogdet", given([[0.0, 1], [1, 0]]))
    for offset in (0, 1, -1):
        f.every(TWO, prefix + "extractdiag", real(2, 3, 3), offset=offset)
        f.every(TWO, prefix + "makediag", real(2, 3), offset=offset)
        f.add(prefix + "extracttrian", real(2, 3, 3), offset=offset)
        f.add(prefix + "maketrian", real(2, 6), offset=offset)
    f.add(prefix + "extracttrian", real(3, 3), lower=False)
    f.add(prefix + "maketrian", real(3), lower=False)
    f.every(TWO, prefix + "gelqf", given([[1.0, 2, 3], [-1, 0.5, 2]]), times=4)
f.every(TWO, "linalg.syevd", given([[2.0, 1, 0], [1, 3, 0.5], [0, 0.5, 5]]), times=20)

for dtype in TWO:
    f.add("contrib.interleaved_matmul_selfatt_qk", real(3, 2, 24, dtype=dtype), heads=2)
    f.add(
        "contrib.interleaved_matmul_selfatt_valatt",
        real(3, 2, 24, dtype=dtype),
        real(4, 3, 3, dtype=dtype),
        heads=2,
    )
    f.add(
        "contrib.interleaved_matmul_encdec_qk",
        real(3, 2, 8, dtype=dtype),
        real(4, 2, 16, dtype=dtype),
        heads=2,
    )
    f.add(
        "contrib.interleaved_matmul_encdec_valatt",
        real(4, 2, 16, dtype=dtype),
        real(4, 3, 4, dtype=dtype),
        heads=2,
    )
# One head.
f.add("contrib.interleaved_matmul_selfatt_qk", real(3, 2, 12), heads=1)
f.add("contrib.interleaved_matmul_selfatt_valatt", real(3, 2, 12), real(2, 3, 3), heads=1)
f.add("contrib.interleaved_matmul_encdec_qk", real(3, 2, 4), real(4, 2, 8), heads=1)
f.add("contrib.interleaved_matmul_encdec_valatt", real(4, 2, 8), real(2, 3, 4), heads=1)
