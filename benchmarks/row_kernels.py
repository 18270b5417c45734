"""Softmax, norms and gradients written out in NumPy cells: one kernel along the rows, or many.

    python benchmarks/row_kernels.py [--seconds 1] [--threads 1] [--json FILE]

Every cell is run by the real magic once; then its program is timed as it is, compiled without the
pass ``reduction``, beside NumPy, and, where there is one, beside our own operator for the same
thing, in turn in one process. Reported: the best time of each, what the pass gains, and how far the
cell is from the operator (goal for softmax: 1.2 times its time).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CELLS = {
    "softmax": (
        "e = np.exp(x - x.max(axis=-1, keepdims=True))\n"
        "y = e / e.sum(axis=-1, keepdims=True)\ndel e\n"
    ),
    "log_softmax": (
        "z = x - x.max(axis=-1, keepdims=True)\n"
        "y = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))\ndel z\n"
    ),
    "softmax gradient": "y = (g - (g * x).sum(axis=-1, keepdims=True)) * x\n",
    "layer norm": (
        "d = x - x.mean(axis=-1, keepdims=True)\n"
        "v = (d * d).mean(axis=-1, keepdims=True)\n"
        "y = d / np.sqrt(v + 1e-5) * w + b\ndel d, v\n"
    ),
}
OPERATORS = {"softmax": "softmax", "log_softmax": "log_softmax"}
SHAPES = [(1_000_000, 8), (100_000, 64), (8192, 1000), (2000, 4000), (100, 60_000), (64, 100)]


def best_of(sides: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """The best time of each side, in seconds; they take turns."""
    best = dict.fromkeys(sides, float("inf"))
    stop = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or time.perf_counter() < stop:
        for name, run in sides.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
        rounds += 1
    return best


def measure(seconds: float) -> list[dict[str, Any]]:
    """One row a cell, shape and dtype."""
    import numpy as np
    from IPython.core.interactiveshell import InteractiveShell

    import jupyter_hybrid as mx
    from jupyter_hybrid import _core

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "jupyter_hybrid")
    shell.run_cell("import numpy as np")
    rows = []
    for title, cell in CELLS.items():
        code = compile(cell, title, "exec")
        for shape in SHAPES:
            for dtype in ("float32", "float64"):
                rng = np.random.default_rng(0)
                names = {k: rng.normal(size=shape).astype(dtype) for k in "xg"}
                names |= {k: rng.normal(size=shape[-1]).astype(dtype) for k in "wb"}
                shell.user_ns.update(names)
                shell.run_cell(f"%%hybridize --view none\n{cell}").raise_error()
                (segment,) = mx.report().segments
                program, inputs = segment.compiled.program, segment.inputs
                graph = next(s for s in segment.compiled.stages if s.name == "written").graph
                apart = _core.compile(graph, without=["reduction"]).program
                plain = {"np": np, **names}

                def finish(result: Any) -> None:
                    for array in result:
                        array.wait_to_read()

                sides = {
                    "fused": lambda p=program, i=inputs: finish(p.run(i, [])),
                    "apart": lambda p=apart, i=inputs: finish(p.run(i, [])),
                    "numpy": lambda c=code, n=plain: exec(c, n),
                }
                if title in OPERATORS:
                    data = mx.sym.Variable("x")
                    made = getattr(mx.sym, OPERATORS[title])(data, axis=-1)
                    typed = _core.compile(
                        made.graph(), input_shapes=[shape], input_dtypes=[dtype]
                    ).program
                    array = mx.nd.array(names["x"], dtype=dtype)
                    sides["operator"] = lambda p=typed, a=array: finish(p.run([a], []))
                best = best_of(sides, seconds)
                kernels = len(mx.report().kernels)
                rows.append(
                    {"cell": title, "shape": list(shape), "dtype": dtype, "kernels": kernels}
                    | {f"{k}_s": v for k, v in best.items()}
                )
                show(rows[-1])
    return rows


def show(row: dict[str, Any]) -> None:
    """Prints one line of the table."""
    fused = row["fused_s"]
    text = f"{row['cell']:17}{row['shape']!s:15}{row['dtype']:9}{row['kernels']:2} kernel"
    text += f"{fused * 1e3:11.3f} ms"
    text += f"{row['apart_s'] / fused:9.2f}x{row['numpy_s'] / fused:9.2f}x"
    if "operator_s" in row:
        text += f"{fused / row['operator_s']:12.2f}"
    print(text, flush=True)


def main() -> None:
    """Parses the options, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each line (default 1)")
    parser.add_argument("--threads", type=int, default=1, help="of our kernels (default 1)")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    args = parser.parse_args()
    for variable in ("HYBRID_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = str(args.threads)
    print(f"{platform.processor() or platform.machine()}, {args.threads} thread(s)")
    print(f"{'':54}{'fused':>8}  pass off    NumPy  of operator")
    rows = measure(args.seconds)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
