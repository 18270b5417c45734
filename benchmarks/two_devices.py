"""Two devices on this processor: 2 x 4 products of 1,500 x 1,500 on cpu(0) and cpu(1), one thread
each, beside all eight on cpu(0); and what a trace of one device predicts.

    python benchmarks/two_devices.py [--rounds 7] [--json FILE]

The ratio is of wall times, rounds interleaved, the median of them; 2 is the most there could be.
Prediction: the products' own times in the trace of one device, half of them on each device. Two
devices on hyper-threads of one core, or on a busy machine, reach less. Measured elsewhere on two
cores: MXNet 1.56, MLX's two streams 1.94.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np

from jupyter_hybrid import _core, cpu, engine, nd

SIZE, EACH = 1500, 4


def run(arrays: list) -> float:
    """Wall seconds of eight products, in turn on the devices of the arrays."""
    nd.waitall()
    start = time.perf_counter()
    kept = [nd.dot(a, a) for _ in range(2 * EACH // len(arrays)) for a in arrays]
    nd.waitall()
    took = time.perf_counter() - start
    del kept
    return took


def traced(array) -> list[float]:
    """Seconds of each product in the trace of one device."""
    reader = _core.TraceReader()
    reader.read_frame(1 << 30)
    run([array])
    frame = reader.read_frame(1 << 30)
    spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    names = {key for key, name in frame["names"].items() if name == "dot"}
    return [float(s["busy_ms"]) * 1e-3 for s in spans if int(s["name"]) in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    engine.set_num_threads(1)
    arrays = [nd.random.uniform(shape=(SIZE, SIZE), ctx=cpu(i)) for i in range(2)]
    run(arrays)
    rows = []
    for _ in range(options.rounds):
        one, two, products = run(arrays[:1]), run(arrays), traced(arrays[0])
        rows.append((one, two, sum(products) / 2))
    one, two, predicted = (statistics.median(column) for column in zip(*rows, strict=True))
    ratio = statistics.median(row[0] / row[1] for row in rows)
    print(f"one device {one * 1e3:.0f} ms, two {two * 1e3:.0f} ms: {ratio:.2f} x (goal 1.9)")
    print(
        f"predicted for two {predicted * 1e3:.0f} ms: {(predicted / two - 1) * 100:+.0f} % "
        "of what was measured (goal: within 15 %)"
    )
    if options.json:
        options.json.write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
