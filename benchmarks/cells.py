"""Plain NumPy cells under ``%%hybridize --compare``, beside the same cells run by NumPy.

    python benchmarks/cells.py [NAME ...] [--seconds 20] [--threads 1 2] [--json FILE]

Every cell is text, run by the real magic in an IPython shell: both modes in turn in one process,
a process for each number of threads (of our kernels and of NumPy's BLAS alike). Each side is given
the number of threads that suits it best. Reported: the best run of each, the ratio, and the goal.
A goal that is missed is printed as missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Bench:
    """A cell, what it reads, and how many times as fast it should be; goal 0: it should lose."""

    title: str
    goal: float
    setup: str
    cell: str


BENCHES = {
    "black_scholes": Bench(
        "Black-Scholes, 5M options",
        4,
        """
rng = np.random.default_rng(1)
n = 5_000_000
S, K, T = rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(1, 2, n)
rate, sigma = 0.03, 0.2
""",
        """
def normal_cdf(x):  # Abramowitz and Stegun 26.2.17
    t = 1 / (1 + 0.2316419 * np.abs(x))
    p = 1.330274429
    for c in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
        p = c + t * p
    tail = np.exp(-x * x / 2) * (t * p) / 2.5066282746310002
    return np.where(x < 0, tail, 1 - tail)

spread = sigma * np.sqrt(T)
d1 = (np.log(S / K) + (rate + sigma ** 2 / 2) * T) / spread
d2 = d1 - spread
discounted = K * np.exp(-rate * T)
call = S * normal_cdf(d1) - discounted * normal_cdf(d2)
put = call - S + discounted
""",
    ),
    "mandelbrot": Bench(
        "Mandelbrot, 1,000 x 1,000 x 50",
        4,
        """
x = np.linspace(-2.0, 0.5, 1000) * np.ones((1000, 1))
y = np.linspace(-1.25, 1.25, 1000)[:, None] * np.ones(1000)
""",
        """
a, b = np.zeros_like(x), np.zeros_like(x)
count = np.zeros(x.shape)
for step in range(50):
    a, b = a * a - b * b + x, 2 * a * b + y
    inside = a * a + b * b <= 4
    a, b = np.where(inside, a, 2.0), np.where(inside, b, 2.0)
    count += inside
""",
    ),
    "jacobi": Bench(
        "Jacobi stencil, 2,000 x 2,000 x 100",
        3,
        """
start = np.zeros((2000, 2000))
start[0], start[:, 0] = 1.0, 0.5
""",
        """
u = start.copy()
for step in range(100):
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
""",
    ),
    "k_means": Bench(
        "k-means assignment, 1M x 8 x 16",
        4,
        """
rng = np.random.default_rng(2)
points, centres = rng.normal(size=(1_000_000, 8)), rng.normal(size=(16, 8))
""",
        """
distance = ((points[:, None, :] - centres) ** 2).sum(axis=2)
nearest = distance.argmin(axis=1)
""",
    ),
    "logistic": Bench(
        "logistic regression step, 500,000 x 10",
        2,
        """
rng = np.random.default_rng(3)
X = rng.normal(size=(500_000, 10))
y = (X @ rng.normal(size=10) + rng.normal(size=500_000) > 0).astype(float)
w = np.zeros(10)
""",
        """
p = 1 / (1 + np.exp(-(X @ w)))
loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
w = w - 0.5 * (X.T @ (p - y)) / len(y)
""",
    ),
    "small": Bench(
        "three operations on 100 numbers",
        0,
        """
v = np.linspace(0, 1, 100)
""",
        """
r = v * 2 + 1
s = np.sqrt(r)
""",
    ),
}


def measure(name: str, seconds: float) -> dict[str, Any]:
    """Both modes of one cell in this process, as plain values."""
    from IPython.core.interactiveshell import InteractiveShell

    import jupyter_hybrid

    bench = BENCHES[name]
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "jupyter_hybrid")
    sys.stdout, shown = open(os.devnull, "w"), sys.stdout  # noqa: SIM115
    try:
        for text in (
            f"import numpy as np\n{bench.setup}",
            f"%%hybridize --compare --seconds {seconds}\n{bench.cell.strip()}\n",
        ):
            result = shell.run_cell(text, store_history=False)
            result.raise_error()
    finally:
        sys.stdout = shown
    return jupyter_hybrid.report().compare.data


def in_process(name: str, seconds: float, threads: int) -> dict[str, Any]:
    """:func:`measure` in a process of its own with that many threads for both sides."""
    limits = {
        v: str(threads) for v in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    }
    command = [sys.executable, __file__, name, "--seconds", str(seconds), "--inside", str(threads)]
    done = subprocess.run(command, env={**os.environ, **limits}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(name: str, seconds: float, threads: list[int]) -> dict[str, Any]:
    """One cell: the best of every number of threads for each side."""
    bench = BENCHES[name]
    runs = {t: in_process(name, seconds, t) for t in threads}
    best = {
        side: min(threads, key=lambda t: runs[t][side]["best_s"])
        for side in ("imperative", "symbolic")
    }
    theirs, ours = (runs[best[s]][s]["best_s"] for s in ("imperative", "symbolic"))
    ratio = theirs / ours
    return {
        "name": name,
        "title": bench.title,
        "goal": bench.goal,
        "numpy_s": theirs,
        "ours_s": ours,
        "numpy_threads": best["imperative"],
        "our_threads": best["symbolic"],
        "ratio": ratio,
        "reached": ratio >= bench.goal if bench.goal else ratio < 1,
        "verdict": runs[best["symbolic"]]["verdict"],
        "runs": {str(t): r for t, r in runs.items()},
    }


def table(results: list[dict[str, Any]]) -> str:
    """The results for people."""
    rows = [f"{'':40}{'numpy ms':>11}{'ours ms':>11}{'ratio':>8}{'goal':>7}"]
    for r in results:
        goal = f"{r['goal']:g}x" if r["goal"] else "loses"
        rows.append(
            f"{r['title']:40}{r['numpy_s'] * 1e3:11.3f}{r['ours_s'] * 1e3:11.3f}"
            f"{r['ratio']:7.2f}x{goal:>7}  {'reached' if r['reached'] else 'MISSED'}"
        )
        rows.append(f"    {r['verdict']}")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    parser.add_argument("--seconds", type=float, default=20, help="for each cell and thread count")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", help="also write the result here")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.names) - set(BENCHES)
    if unknown:
        parser.error(f"unknown cell {sorted(unknown)[0]!r}; the cells are {', '.join(BENCHES)}")
    if options.inside:
        from jupyter_hybrid import _core

        _core.set_num_threads(options.inside)
        print(json.dumps(measure(options.names[0], options.seconds), default=str))
        return
    results = []
    for name in options.names or BENCHES:
        results.append(compare(name, options.seconds, options.threads))
        print(table(results[-1:]).split("\n", 1)[1] if len(results) > 1 else table(results))
    if options.json:
        import numpy

        machine = {
            "machine": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": numpy.__version__,
        }
        text = json.dumps({"benchmark": "cells", **machine, "cells": results}, indent=1)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
