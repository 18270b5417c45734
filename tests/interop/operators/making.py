"""Arrays from nothing."""

from __future__ import annotations

from case import Call, Family
from drawn import DTYPES, given, real

f = Family("making")
CASES = f.cases
PLAIN = Call(gradient=False)

for dtype in DTYPES:
    f.add("zeros", (2, 3), dtype=dtype, call=PLAIN)
    f.add("ones", (2, 3), dtype=dtype, call=PLAIN)
    f.add("full", (2, 3), 7, dtype=dtype, call=PLAIN)
    f.add("empty", (2, 3), dtype=dtype, values=False, call=PLAIN)
    f.add("arange", 1, 7, 2, dtype=dtype, call=PLAIN)
    f.add("eye", 3, dtype=dtype, call=PLAIN)
    f.add("array", [1, 2, 3], dtype=dtype, call=PLAIN)
f.add("zeros", 4, call=PLAIN)
f.add("ones", 4, call=PLAIN)
f.add("full", 4, 0.5, call=PLAIN)
f.add("empty", 4, values=False, call=PLAIN)
f.add("arange", 5, call=PLAIN)
f.add("arange", 2, 5, call=PLAIN)
f.add("arange", 2, 4, step=0.5, repeat=2, call=PLAIN)
f.add("arange", 5, 1, -1.5, call=PLAIN)
f.add("eye", 3, 4, k=1, call=PLAIN)
f.add("eye", 4, 2, k=-1, call=PLAIN)
f.add("linspace", 0, 1, 5, call=PLAIN)
f.add("linspace", 0, 1, 5, endpoint=False, call=PLAIN)
f.add("linspace", 2, -3, 4, dtype="float64", call=PLAIN)
f.add("array", [[1.5, 2], [3, 4]], call=PLAIN)
f.add("array", 3.5, call=PLAIN)
f.add("histogram", real(20), call=PLAIN)
f.add("histogram", real(20), bins=4, range=(-1, 1), call=PLAIN)
f.add("histogram", real(20), given([-2.0, -0.5, 0.5, 2.0]), call=PLAIN)
f.add("imdecode", b"no image", raises=True, call=PLAIN)
