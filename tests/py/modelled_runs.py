"""Programs whose modelled timelines are committed, in the folder modelled_runs.

    python tests/py/modelled_runs.py

writes them anew. The host takes no time of its own here, so every machine makes the same.
"""

from __future__ import annotations

from pathlib import Path

from modelled_helpers import devices

import jupyter_hybrid as mx
from jupyter_hybrid import nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.modelled import Timeline, record

FOLDER = Path(__file__).parent / "modelled_runs"
N = 500


def products(count: int) -> Timeline:
    """Fifty products, in turn on so many devices."""
    with devices(count) as gpus:
        arrays = [nd.ones((N, N), ctx=c) for c in gpus]
        nd.waitall()
        with record() as run:
            for i in range(50):
                a = arrays[i % count]
                nd.dot(a, a)
    return run


def copies(forced: bool) -> Timeline:
    """Ten products that go back to the host; forced: each next one needs what came back."""
    with devices(1) as (gpu,):
        a = nd.ones((N, N), ctx=gpu)
        nd.waitall()
        with record() as run:
            for _ in range(10):
                home = nd.dot(a, a).copyto(mx.cpu())
                if forced:
                    a = home.copyto(gpu)
    return run


def eight(hybrid: bool) -> Timeline:
    """A chain of dense layers on eight devices behind a thread that needs 30 us a push."""
    with devices(8, dispatch=30e-6, compute=False) as gpus:
        net = nn.HybridSequential()
        for _ in range(20):
            net.add(nn.Dense(512, activation="relu"))
        net.initialize(ctx=gpus)
        if hybrid:
            net.hybridize()
        xs = [nd.zeros((256, 512), ctx=c) for c in gpus]
        for _ in range(2):
            [net(x) for x in xs]
        nd.waitall()
        with record() as run:
            for _ in range(5):
                [net(x) for x in xs]
    return run


RUNS = {
    "products_1": lambda: products(1),
    "products_2": lambda: products(2),
    "copies_free": lambda: copies(False),
    "copies_forced": lambda: copies(True),
    "eight_imperative": lambda: eight(False),
    "eight_hybridized": lambda: eight(True),
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in RUNS.items():
        make().save(FOLDER / f"{name}.json")
