"""Runs under genuine MXNet 1.9.1: loads an exported program, computes, writes what came out.

Arguments: start of the program's file names, names of the inputs joined by commas. Reads
``START-inputs.npz``; writes ``START-genuine.npz`` (outputs, gradients of the parameters, auxiliary
states) and the program as MXNet writes it, ``START-again-symbol.json`` and ``...-0000.params``.
A further argument, ``forward``, leaves the gradients and the program out: every array of
``START-inputs.npz`` is then a batch of its own, and its output has its name.
"""

from __future__ import annotations

import sys

import mxnet as mx
import numpy as np


def load(start: str, names: list[str]):
    try:
        return mx.gluon.SymbolBlock.imports(start + "-symbol.json", names, start + "-0000.params")
    except FileNotFoundError:  # a program without parameters
        return mx.gluon.SymbolBlock.imports(start + "-symbol.json", names)


def whole(start: str, names: list[str]) -> None:
    net = load(start, names)
    arrays = np.load(start + "-inputs.npz")
    inputs = [mx.nd.array(arrays[name], dtype=arrays[name].dtype) for name in names]
    with mx.autograd.record(train_mode=False):
        outputs = net(*inputs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * out).sum() for out in outputs)
    total.backward(train_mode=False)
    results = {f"out{i}": out.asnumpy() for i, out in enumerate(outputs)}
    for name, param in net.collect_params().items():
        if param.grad_req == "null":
            results["aux:" + name] = param.data().asnumpy()
        else:
            results["grad:" + name] = param.grad().asnumpy()
    np.savez(start + "-genuine.npz", **results)
    net.hybridize()
    net(*inputs)
    net.export(start + "-again")


def forward(start: str, names: list[str]) -> None:
    net = load(start, names)
    batches = np.load(start + "-inputs.npz")
    results = {key: net(mx.nd.array(batches[key])).asnumpy() for key in batches}
    for name, param in net.collect_params().items():
        if param.grad_req == "null":
            results["aux:" + name] = param.data().asnumpy()
    np.savez(start + "-genuine.npz", **results)


if __name__ == "__main__":
    run = forward if sys.argv[3:] == ["forward"] else whole
    run(sys.argv[1], sys.argv[2].split(","))
