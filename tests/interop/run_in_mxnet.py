"""Runs under genuine MXNet 1.9.1: loads an exported program, computes, writes what came out.

Arguments: start of the program's file names, names of the inputs joined by commas. Reads
``START-inputs.npz``; writes ``START-genuine.npz`` (outputs and gradients of the parameters) and the
program as MXNet writes it, ``START-again-symbol.json`` and ``START-again-0000.params``.
"""

from __future__ import annotations

import sys

import mxnet as mx
import numpy as np


def main(start: str, names: list[str]) -> None:
    net = mx.gluon.SymbolBlock.imports(start + "-symbol.json", names, start + "-0000.params")
    arrays = np.load(start + "-inputs.npz")
    inputs = [mx.nd.array(arrays[name]) for name in names]
    with mx.autograd.record(train_mode=False):
        outputs = net(*inputs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * out).sum() for out in outputs)
    total.backward(train_mode=False)
    results = {f"out{i}": out.asnumpy() for i, out in enumerate(outputs)}
    for name, param in net.collect_params().items():
        results["grad:" + name] = param.grad().asnumpy()
    np.savez(start + "-genuine.npz", **results)
    net.hybridize()
    net(*inputs)
    net.export(start + "-again")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].split(","))
