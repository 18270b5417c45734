"""Kernels, copies and training steps on a physical GPU, PyTorch beside us where it is installed.

    python benchmarks/cuda.py [--rounds 7] [--json FILE]

Both sides in turn in one process; each round of a side is many calls and one wait, the best round
counts. Kernels are held against the bandwidth of a copy on the same device in the same run.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid.gluon import nn

try:
    import torch
except ImportError:
    torch = None

GPU = mx.gpu(0)
LARGE, SIDE, BATCH = 1 << 28, 8192, 256
Side = Callable[[], Any]


def best(ours: Side, theirs: Side | None, rounds: int, calls: int) -> tuple[float, float | None]:
    """Seconds of one call, of the best round of each side; the sides take turns."""
    sides: list[tuple[Side, Callable[[], None]]] = [(ours, nd.waitall)]
    if theirs is not None and torch is not None:
        sides.append((theirs, torch.cuda.synchronize))
    times: list[list[float]] = [[] for _ in sides]
    for n in range(rounds + 1):
        for (run, wait), seconds in zip(sides, times):
            start = time.perf_counter()
            for _ in range(calls):
                run()
            wait()
            if n:  # the first compiles
                seconds.append((time.perf_counter() - start) / calls)
    found = [min(seconds) for seconds in times]
    return found[0], found[1] if len(found) > 1 else None


def torch_side(make: Callable[[Any], Side]) -> Side | None:
    return make(torch) if torch is not None and torch.cuda.is_available() else None


def kernels() -> dict[str, tuple[Side, Side | None, float, str]]:
    """Name -> ours, PyTorch's, what one call moves or computes, in which unit."""
    a, out = nd.ones((LARGE,), ctx=GPU), nd.zeros((LARGE,), ctx=GPU)
    x = nd.array(np.random.default_rng(1).random((SIDE, SIDE), dtype="float32"), ctx=GPU)
    g, b = nd.ones((SIDE,), ctx=GPU), nd.zeros((SIDE,), ctx=GPU)
    pair = 2 * 4 * SIDE * SIDE / 1e9

    def on_torch(run: Callable[..., Any], shape: tuple[int, ...]) -> Side | None:
        def make(t: Any) -> Side:
            data = t.rand(shape, device="cuda")
            return lambda: run(t, data)

        return torch_side(make)

    layer = (SIDE,)
    return {
        "copy": (lambda: a.copyto(out), on_torch(lambda t, v: v.clone(), (LARGE,)),
                 8 * LARGE / 1e9, "GB/s"),
        "a + a": (lambda: nd.elemwise_add(a, a, out=out), on_torch(lambda t, v: v + v, (LARGE,)),
                  8 * LARGE / 1e9, "GB/s"),
        "sum": (lambda: a.sum(), on_torch(lambda t, v: v.sum(), (LARGE,)), 4 * LARGE / 1e9, "GB/s"),
        "softmax": (lambda: nd.softmax(x), on_torch(lambda t, v: v.softmax(-1), (SIDE, SIDE)),
                    pair, "GB/s"),
        "LayerNorm": (lambda: nd.LayerNorm(x, g, b),
                      on_torch(lambda t, v: t.nn.functional.layer_norm(v, layer), (SIDE, SIDE)),
                      pair, "GB/s"),
        "transpose": (lambda: nd.transpose(x).copy(),
                      on_torch(lambda t, v: v.t().contiguous(), (SIDE, SIDE)), pair, "GB/s"),
        "dot float32": (lambda: nd.dot(x, x), on_torch(lambda t, v: v @ v, (SIDE, SIDE)),
                        2 * SIDE**3 / 1e12, "TFLOP/s"),
    }  # fmt: skip


def training_step(kind: str, hybrid: bool) -> Side:
    net = nn.HybridSequential()
    if kind == "mlp":
        net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(10))
        shape: tuple[int, ...] = (BATCH, 784)
    else:
        net.add(
            nn.Conv2D(6, kernel_size=5, activation="relu"),
            nn.MaxPool2D(),
            nn.Conv2D(16, kernel_size=5, activation="relu"),
            nn.MaxPool2D(),
            nn.Dense(120, activation="relu"),
            nn.Dense(10),
        )
        shape = (BATCH, 1, 28, 28)
    rng = np.random.default_rng(0)
    data = nd.array(rng.standard_normal(shape), ctx=GPU)
    label = nd.array(rng.integers(0, 10, BATCH), ctx=GPU)
    net.initialize(mx.init.Xavier(), ctx=GPU)
    if hybrid:
        net.hybridize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})

    def step() -> None:
        with autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(BATCH)

    return step


def small_operators() -> Side:
    x = nd.ones((8,), ctx=GPU)

    def run() -> None:
        y = x
        for _ in range(100):
            y = y + 1

    return run


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    device = f"{GPU.name}, {time.strftime('%Y-%m-%d')}"
    print(device + ("" if torch else "; PyTorch is not installed"))
    rows: list[dict[str, Any]] = []
    for name, (ours, theirs, work, unit) in kernels().items():
        mine, other = best(ours, theirs, given.rounds, 10)
        rows.append({"name": name, "ours": work / mine, "unit": unit})
        if other:
            rows[-1]["torch"] = work / other
    for name, run, calls in (
        ("small operator", small_operators(), 10),
        *(
            (f"{kind}, batch {BATCH}{', hybridized' if hybrid else ''}",
             training_step(kind, hybrid), 20)
            for kind in ("mlp", "lenet") for hybrid in (False, True)
        ),
    ):  # fmt: skip
        seconds, _ = best(run, None, given.rounds, calls)
        each = seconds / 100 if name == "small operator" else seconds
        rows.append({"name": name, "ours": each * 1e6, "unit": "us"})
    for row in rows:
        beside = (
            f"{row['torch']:10.1f}  {row['ours'] / row['torch']:.2f}x" if "torch" in row else ""
        )
        print(f"{row['name']:<28}{row['ours']:10.1f} {row['unit']:<8}{beside}")
    if given.json:
        given.json.write_text(json.dumps({"device": device, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
