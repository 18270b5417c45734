"""1,000 calls of an MLP 512-256-128-2, batch 1, before and after hybridize, beside its peers.

    python benchmarks/hybridize.py [--calls 1000] [--rounds 15] [--batch 1] [--json FILE]
                                   [--torch PYTHON] [--mxnet PYTHON]

Every contender computes the same function of the same weights. They run in turn, a share of the
calls each round, so that a busy machine slows all of them alike. Each library has a process of its
own; a peer needs an interpreter that has it (``--mxnet``, ``--torch``; torch also in this one) and
is left out, and named, without one.
One thread each. Reported: microseconds per call, the best and the median round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# Before any library starts its threads; peers inherit it.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

SIZES = (512, 256, 128, 2)


def make_arrays(batch: int) -> dict[str, np.ndarray]:
    """The input and the weights."""
    rng = np.random.default_rng(0)
    arrays = {"x": rng.normal(size=(batch, SIZES[0]))}
    for i, (units, inputs) in enumerate(zip(SIZES[1:], SIZES[:-1])):
        arrays[f"w{i}"] = rng.uniform(-0.07, 0.07, (units, inputs))
        arrays[f"b{i}"] = rng.uniform(-0.07, 0.07, units)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


# Contenders: name -> a function that makes n calls and returns the last output as a NumPy array.
Run = Callable[[int], np.ndarray]


def numpy_runs(a: dict[str, np.ndarray]) -> dict[str, Run]:
    """Plain NumPy."""

    def run(n: int) -> np.ndarray:
        for _ in range(n):
            h = np.maximum(a["x"] @ a["w0"].T + a["b0"], 0)
            h = np.maximum(h @ a["w1"].T + a["b1"], 0)
            y = h @ a["w2"].T + a["b2"]
        return y

    return {f"numpy {np.__version__}": run}


def gluon_runs(mx, a: dict[str, np.ndarray], name: str) -> dict[str, Run]:
    """jupyter_hybrid or MXNet: the same program."""
    runs = {}
    x = mx.nd.array(a["x"])
    for hybridized in (False, True):
        net = mx.gluon.nn.HybridSequential()
        net.add(*[mx.gluon.nn.Dense(n, activation="relu") for n in SIZES[1:-1]])
        net.add(mx.gluon.nn.Dense(SIZES[-1]))
        net.initialize()
        net(x)
        for i, layer in enumerate(net):
            layer.weight.set_data(mx.nd.array(a[f"w{i}"]))
            layer.bias.set_data(mx.nd.array(a[f"b{i}"]))
        if hybridized:
            net.hybridize(static_alloc=True, static_shape=True)

        def run(n: int, net=net) -> np.ndarray:
            for _ in range(n):
                y = net(x)
            y.wait_to_read()
            return y.asnumpy()

        runs[f"{name}, {'hybridized' if hybridized else 'imperative'}"] = run
    return runs


def torch_runs(a: dict[str, np.ndarray]) -> dict[str, Run]:
    """PyTorch, eager and traced, without gradients."""
    import torch

    torch.set_num_threads(1)
    layers: list = []
    for i in range(len(SIZES) - 1):
        layer = torch.nn.Linear(SIZES[i], SIZES[i + 1])
        layer.weight.data = torch.from_numpy(a[f"w{i}"])
        layer.bias.data = torch.from_numpy(a[f"b{i}"])
        layers += [layer, torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers[:-1]).eval()
    x = torch.from_numpy(a["x"])
    traced = torch.jit.freeze(torch.jit.trace(net, x))
    runs = {}
    for kind, model in (("eager", net), ("traced", traced)):

        def run(n: int, model=model) -> np.ndarray:
            with torch.inference_mode():
                for _ in range(n):
                    y = model(x)
            return y.numpy()

        runs[f"torch {torch.__version__}, {kind}"] = run
    return runs


def runs_of(library: str, arrays: dict[str, np.ndarray]) -> dict[str, Run]:
    """The contenders of one library, imported here."""
    if library == "torch":
        return torch_runs(arrays)
    if library == "mxnet":
        import mxnet

        return gluon_runs(mxnet, arrays, f"mxnet {mxnet.__version__}")
    import jupyter_hybrid

    return {**numpy_runs(arrays), **gluon_runs(jupyter_hybrid, arrays, "jupyter_hybrid")}


def serve(library: str, file: str) -> None:
    """A peer's own process: names first, then for each "index calls" seconds and the output."""
    runs = list(runs_of(library, dict(np.load(file))).items())
    print(json.dumps([name for name, _ in runs]), flush=True)
    for line in sys.stdin:
        index, calls = map(int, line.split())
        start = time.perf_counter()
        y = runs[index][1](calls)
        print(json.dumps([time.perf_counter() - start, y.tolist()]), flush=True)


class Peer:
    """A library in an interpreter of its own."""

    def __init__(self, library: str, python: str, file: str):
        command = [python, str(Path(__file__).resolve()), "--serve", library, "--arrays", file]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.names: list[str] = []
        answer = self._process.stdout.readline()  # type: ignore[union-attr]
        if answer:
            self.names = json.loads(answer)
        else:
            lines = self._process.stderr.read().strip().splitlines()  # type: ignore[union-attr]
            self.problem = lines[-1] if lines else "it ended at once"

    def run(self, index: int, calls: int) -> tuple[float, np.ndarray]:
        """Seconds for so many calls, and the last output."""
        print(index, calls, file=self._process.stdin, flush=True)
        seconds, y = json.loads(self._process.stdout.readline())  # type: ignore[union-attr]
        return seconds, np.array(y, np.float32)

    def close(self) -> None:
        """Ends the process."""
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait()


def measure(options: argparse.Namespace) -> dict:
    """Runs all contenders in turn."""
    arrays = make_arrays(options.batch)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "arrays.npz")
        np.savez(file, **arrays)
        wanted = [("jupyter_hybrid", sys.executable)]
        wanted += [("torch", options.torch or sys.executable)]
        wanted += [("mxnet", options.mxnet)] if options.mxnet else []
        peers, missing = [], {}
        for library, python in wanted:
            peer = Peer(library, python, file)
            if peer.names:
                peers.append(peer)
            else:
                missing[library] = peer.problem
    if not options.mxnet:
        missing["mxnet"] = "no interpreter given with --mxnet"
    contenders = [(p, i, name) for p in peers for i, name in enumerate(p.names)]
    share = max(1, options.calls // 10)
    expected = None
    seconds: dict[str, list[float]] = {name: [] for _, _, name in contenders}
    for peer, index, _ in contenders:
        peer.run(index, share)  # warm
    for _ in range(options.rounds):
        for peer, index, name in contenders:
            taken, y = peer.run(index, share)
            seconds[name].append(taken / share)
            expected = y if expected is None else expected
            np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    for peer in peers:
        peer.close()
    return {
        "benchmark": "hybridize",
        "sizes": SIZES,
        "batch": options.batch,
        "calls": options.calls,
        "rounds": options.rounds,
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "missing": missing,
        "us_per_call": {
            name: {"best": min(t) * 1e6, "median": statistics.median(t) * 1e6}
            for name, t in seconds.items()
        },
    }


def table(result: dict) -> str:
    """The result for people."""
    calls = result["calls"]
    rows = [f"{'':34} {'best us':>9} {'median us':>10} {f'{calls:,} calls s':>15}"]
    for name, times in result["us_per_call"].items():
        rows.append(
            f"{name:34} {times['best']:9.2f} {times['median']:10.2f} "
            f"{times['best'] * calls / 1e6:15.4f}"
        )
    rows += [f"left out: {name} ({why})" for name, why in result["missing"].items()]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--json", help="also write the result here")
    parser.add_argument("--torch", help="a Python that has torch; default: this one")
    parser.add_argument("--mxnet", help="a Python that has mxnet 1.9.1")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--arrays", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.arrays)
        return
    result = measure(options)
    print(table(result))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
