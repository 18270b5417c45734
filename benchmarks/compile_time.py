"""How long compiling takes: a cell of ten operators and ResNet-50 trained, pass by pass; loops.

    python benchmarks/compile_time.py [--rounds 15] [--batch 32] [--json FILE]

Every round compiles each graph anew with all exact passes; nothing is cached between rounds.
"passes" is the sum with every stage kept for the pictures, as the first run of a cell does it;
"alone" is the whole of compile() without stages, as hybridize() does it. Reported: medians in ms.
The goals: 1 ms for the cell, 150 ms for ResNet-50 forward and backward; for a loop that becomes a
unit, from its syntax to the code for what its names hold, 2 ms for 20 lines, 20 ms for 200.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from jupyter_hybrid import _core, sym
from jupyter_hybrid.capture.units import Unit

GOAL_MS = {"cell": 1.0, "resnet50": 150.0}
UNIT_GOAL_MS = {20: 2.0, 200: 20.0}  # by lines
BODY = """\
t = x[i - 1] + x[i + 1]
k = int(t) % 7
if t > 0.5:
    y[i] = t * a + y[i]
else:
    y[i] -= t / (1.0 + x[i] * x[i])
c = (c * 31 + k) & 65535
s += y[i] ** 2
m[i, k] = s - m[i, 0]
"""


def cell() -> tuple[Any, dict[str, tuple[int, ...]], bool]:
    """Ten operators as a cell has them: a common factor, constants, a chain that fuses."""
    a, b = sym.var("a"), sym.var("b")
    scaled = sym.exp(a * 2) + 1  # 3
    again = sym.exp(a * 2) * b  # 3
    total = sym.sum(scaled * again, axis=1)  # 2
    return sym.sqrt(sym.abs(total)), {"a": (100, 100), "b": (100, 100)}, False  # 2


def resnet50(batch: int) -> tuple[Any, dict[str, tuple[int, ...]], bool]:
    """ResNet-50 (v1) with a softmax loss."""

    def conv(x: Any, channels: int, kernel: int, stride: int, name: str) -> Any:
        y = sym.Convolution(
            x,
            num_filter=channels,
            kernel=(kernel, kernel),
            stride=(stride, stride),
            pad=(kernel // 2, kernel // 2),
            no_bias=True,
            name=name,
        )
        return sym.BatchNorm(y, fix_gamma=False, name=f"{name}_bn")

    def bottleneck(x: Any, channels: int, stride: int, project: bool, name: str) -> Any:
        y = sym.relu(conv(x, channels // 4, 1, stride, f"{name}a"))
        y = sym.relu(conv(y, channels // 4, 3, 1, f"{name}b"))
        y = conv(y, channels, 1, 1, f"{name}c")
        if project:
            x = conv(x, channels, 1, stride, f"{name}d")
        return sym.relu(sym.elemwise_add(y, x))

    x = sym.relu(conv(sym.var("data"), 64, 7, 2, "stem"))
    x = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
    for stage, (blocks, channels) in enumerate(((3, 256), (4, 512), (6, 1024), (3, 2048))):
        for block in range(blocks):
            stride = 2 if block == 0 and stage > 0 else 1
            x = bottleneck(x, channels, stride, block == 0, f"s{stage}b{block}")
    x = sym.Pooling(x, kernel=(7, 7), global_pool=True, pool_type="avg")
    x = sym.FullyConnected(sym.flatten(x), num_hidden=1000, name="fc")
    loss = sym.softmax_cross_entropy(x, sym.var("label"))
    return loss, {"data": (batch, 3, 224, 224), "label": (batch,)}, True


def measure(case: tuple[Any, dict[str, tuple[int, ...]], bool], rounds: int) -> dict[str, Any]:
    """Medians in ms of compiling one graph, with gradients of every parameter."""
    symbol, shapes, train = case
    graph = symbol.graph()
    names = {n.id: n.name for n in graph.nodes}
    fixed = {*shapes, *symbol.list_auxiliary_states()}
    arguments, _, states = symbol.infer_shape(**shapes)
    known = dict(zip(symbol.list_arguments(), arguments))
    known |= dict(zip(symbol.list_auxiliary_states(), states))
    # The rest is inferred anew each time, as when a cell runs first.
    given = [known[names[i]] if names[i] in fixed else None for i in graph.inputs]
    options: dict[str, Any] = {"input_shapes": given, "training": train}
    if train:
        options["grad_of"] = list(graph.outputs)
        options["grad_wrt"] = [i for i in graph.inputs if names[i] not in fixed]
    stages: dict[str, list[float]] = {}
    kept, alone, compiled = [], [], None
    for _ in range(rounds):
        compiled = _core.compile(graph, keep_stages=True, **options)
        for stage in compiled.stages[1:]:
            stages.setdefault(stage.name, []).append(stage.seconds)
        kept.append(sum(stage.seconds for stage in compiled.stages[1:]))
        alone.append(_core.compile(graph, keep_stages=False, **options).seconds)
    made = compiled.program.graph
    return {
        "operators": sum(n.kind == "op" for n in graph.nodes),
        "nodes": max(len(s.graph.nodes) for s in compiled.stages),
        "kernels": made.num_kernels,
        "passes": {name: 1e3 * statistics.median(times) for name, times in stages.items()},
        "all_passes": 1e3 * statistics.median(kept),
        "alone": 1e3 * statistics.median(alone),
        "alone_best": 1e3 * min(alone),
    }


def loop(lines: int) -> str:
    """A loop's text, of so many lines."""
    body = BODY.splitlines()
    text = [body[k % len(body)] for k in range(lines - 1)]
    while text[-1].startswith(("if", "else")):
        text[-1] = "s += 1.0"
    return "\n    ".join(["for i in range(1, 50):", *text])


def held(
    x: Any, y: Any, m: Any, a: float = 0.5, s: float = 0, t: float = 0, c: int = 1, k: int = 0
) -> FrameType:
    """A frame whose names hold what the loop works with."""
    return sys._getframe()


def unit_ms(lines: int, rounds: int) -> float:
    """The median in ms of compiling a loop of so many lines, once its syntax is read."""
    text, times = loop(lines), []
    frame = held(np.ones(60), np.ones(60), np.ones((60, 8)))
    for _ in range(rounds):
        (node,) = ast.parse(text).body
        start = time.perf_counter()
        ready = Unit(node).ready(frame, range(1, 50))
        times.append(time.perf_counter() - start)
        assert ready is not None
    return 1e3 * statistics.median(times)


def table(cases: dict[str, dict[str, Any]]) -> str:
    """The result for people."""
    names = list(cases)
    rows = [f"{'median ms':22}" + "".join(f"{name:>12}" for name in names)]
    for stage in next(iter(cases.values()))["passes"]:
        rows.append(f"{stage:22}" + "".join(f"{cases[n]['passes'][stage]:12.3f}" for n in names))
    for label, key in (
        ("passes, stages kept", "all_passes"),
        ("compile() alone", "alone"),
        ("compile() alone, best", "alone_best"),
    ):
        rows.append(f"{label:22}" + "".join(f"{cases[n][key]:12.3f}" for n in names))
    rows.append(f"{'goal':22}" + "".join(f"{GOAL_MS[n]:12.1f}" for n in names))
    rows += [
        f"{label:22}" + "".join(f"{cases[n][label]:12d}" for n in names)
        for label in ("operators", "nodes", "kernels")
    ]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--json", help="also write the result here")
    options = parser.parse_args()
    cases = {
        "cell": measure(cell(), 10 * options.rounds),
        "resnet50": measure(resnet50(options.batch), options.rounds),
    }
    print(table(cases))
    units = {lines: unit_ms(lines, options.rounds) for lines in UNIT_GOAL_MS}
    for lines, took in units.items():
        print(f"{f'a loop of {lines} lines':22}{took:12.3f}  goal {UNIT_GOAL_MS[lines]:.1f}")
    if options.json:
        result = {
            "benchmark": "compile_time",
            "batch": options.batch,
            "rounds": options.rounds,
            "machine": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "cases": cases,
            "units_ms": units,
        }
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
