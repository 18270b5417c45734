"""How soon a running program answers an interrupt, beside the same work in NumPy.

    python benchmarks/interrupt_latency.py [--rounds 5] [--json FILE]

Each kind of program takes seconds when nobody stops it. It is interrupted a moment after its start;
reported are the milliseconds until KeyboardInterrupt is there, and until the engine has nothing
left to do (goal: 200), and NumPy's answer, in turn, median and worst.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import jupyter_hybrid as jh
from jupyter_hybrid import engine, nd

AFTER = 0.3  # seconds from the start to the interrupt


def hybrid_elementwise(x):
    y = x
    for _ in range(400):
        y = nd.exp(-(y * y)) + x
    return y


def hybrid_matmul(x):
    y = x
    for _ in range(400):
        y = nd.dot(y, x) * 1e-3
    return y


def hybrid_loop(x):
    while x.sum() > 0:
        x = nd.exp(-x)
    return x


def hybrid_conv(x, w):
    y = x
    for _ in range(400):
        y = nd.Convolution(y, w, kernel=(3, 3), num_filter=32, pad=(1, 1), no_bias=True) * 1e-2
    return y


def numpy_elementwise(x: np.ndarray) -> None:
    y = x
    while True:
        y = np.exp(-(y * y)) + x


def numpy_matmul(x: np.ndarray) -> None:
    y = x
    while True:
        y = (y @ x) * np.float32(1e-3)


def numpy_loop(x: np.ndarray) -> None:
    while x.sum() > 0:
        x = np.exp(-x)


def numpy_conv(x: np.ndarray, w: np.ndarray) -> None:
    taps = w.reshape(w.shape[0], -1)
    while True:
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, taps.shape[1])
        made = (columns @ taps.T).reshape(x.shape[0], *x.shape[2:], -1) * np.float32(1e-2)
        x = np.ascontiguousarray(made.transpose(0, 3, 1, 2))


KINDS: dict[str, tuple[Callable[..., Any], Callable[..., None], list[tuple[int, ...]]]] = {
    "chain of elementwise": (hybrid_elementwise, numpy_elementwise, [(20_000_000,)]),
    "chain of products": (hybrid_matmul, numpy_matmul, [(2000, 2000)]),
    "loop": (hybrid_loop, numpy_loop, [(100_000,)]),
    "convolutions": (hybrid_conv, numpy_conv, [(16, 32, 128, 128), (32, 32, 3, 3)]),
}


def answer(work: Callable[[], Any]) -> float:
    """Seconds from the interrupt of `work` to its answer."""
    sent = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(AFTER, send)
    try:
        timer.start()
        work()
        timer.join()
        time.sleep(1)
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    raise AssertionError("nothing was interrupted")


def measure(name: str, rounds: int) -> dict[str, list[float]]:
    """Milliseconds by what was waited for."""
    run, plain, shapes = KINDS[name]
    rng = np.random.default_rng(1)
    arrays = [rng.random(shape, dtype=np.float32) for shape in shapes]
    inputs = [nd.array(a) for a in arrays]
    scripted = jh.script(run)
    found: dict[str, list[float]] = {"answer": [], "idle": [], "numpy": []}
    for _ in range(rounds):
        found["answer"].append(1e3 * answer(lambda: scripted(*inputs).asnumpy()))
        start = time.perf_counter()
        nd.waitall()
        found["idle"].append(found["answer"][-1] + 1e3 * (time.perf_counter() - start))
        assert engine.pending() == 0
        found["numpy"].append(1e3 * answer(lambda: plain(*arrays)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="write every figure there")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    table = {name: measure(name, given.rounds) for name in KINDS}
    columns = ("answer", "idle", "numpy")
    print(f"{'ms, median (worst)':24}" + "".join(f"{c:>20}" for c in columns))
    for name, found in table.items():
        cells = (f"{statistics.median(found[c]):.0f} ({max(found[c]):.0f})" for c in columns)
        print(f"{name:24}" + "".join(f"{cell:>20}" for cell in cells))
    if given.json:
        with open(given.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
