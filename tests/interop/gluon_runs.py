"""One case of Gluon, run by genuine MXNet and here with the same code; see record_gluon.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """A block and what it is called with."""

    make: Callable[[Any], Any]  # of the module: mxnet or jupyter_hybrid
    inputs: list[Any]  # arrays, or lists of arrays
    train: bool = True
    tolerance: float = 1e-5
    gradient: bool = True  # False where genuine MXNet has none
    plain: int = 0  # so many of the last inputs, lengths say, have no gradient
    printed: bool = True  # False where genuine MXNet prints something wrong


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Standard normal numbers, the same in every version of NumPy."""
    return np.random.RandomState(seed + sum(shape)).normal(size=shape).astype(np.float32)


def uniform(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers from 0.1 to 1."""
    drawn = np.random.RandomState(seed + sum(shape)).uniform(0.1, 1, size=shape)
    return drawn.astype(np.float32)


def whole(high: int, *shape: int, low: int = 0, seed: int = 0) -> np.ndarray:
    """Whole numbers from low to high - 1, as float32."""
    drawn = np.random.RandomState(seed + sum(shape)).randint(low, high, size=shape)
    return drawn.astype(np.float32)


def flat(value: Any) -> list[Any]:
    """The arrays of nested lists in order."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part)]
    return [value]


def compute(mx: Any, case: Case, hybridized: bool = False) -> dict[str, np.ndarray]:
    """Outputs, gradients of a weighted sum of them, statistics, names and the printed block."""
    net = case.make(mx)
    net.initialize()
    given = [_arrays(mx, value) for value in case.inputs]
    net(*given)  # tells the shapes of the parameters
    _fill(mx, net)
    if hybridized:
        net.hybridize()
    inputs = [a for a in flat(given) if a.dtype == np.float32]
    inputs = inputs[: len(inputs) - case.plain]
    for array in inputs:
        array.attach_grad()
    if case.gradient:
        with mx.autograd.record(train_mode=case.train):
            outputs = flat(net(*given))
            total = sum((out * mx.nd.array(uniform(*out.shape))).sum() for out in outputs)
        total.backward(train_mode=case.train)
        held = {f"in{i}": array.grad.asnumpy() for i, array in enumerate(inputs)}
    else:
        outputs, held = flat(net(*given)), {}
    held.update({f"out{i}": out.asnumpy() for i, out in enumerate(outputs)})
    for name, param in net.collect_params().items():
        key = name[len(net.prefix) :]
        if param.grad_req != "null":
            held["grad:" + key] = param.grad().asnumpy()
        elif "running" in key:
            held["aux:" + key] = param.data().asnumpy()
    held["names"] = np.array([n[len(net.prefix) :] for n in net.collect_params()], dtype="U")
    held["paths"] = np.array(sorted(net._collect_params_with_prefix()), dtype="U")
    if case.printed:
        held["repr"] = np.array(re.sub(r"0x\w+", "", repr(net)))
    return held


def _arrays(mx: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [_arrays(mx, part) for part in value]
    return None if value is None else mx.nd.array(value, dtype=value.dtype)


def _fill(mx: Any, net: Any) -> None:
    for number, param in enumerate(net.collect_params().values()):
        draw = uniform if "running_var" in param.name else normal
        param.set_data(mx.nd.array(draw(*param.shape, seed=number) * 0.5))
