"""What the programs share: equal initial weights in both systems, and the loop over batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

Train = Callable[[int], "list[float]"]  # makes so many steps: the loss of each


class Program(NamedTuple):
    """One program of the textbook."""

    kind: str  # of the ten
    make: Callable[[Any, bool], Train]  # of the module, and whether the blocks are hybridized
    steps: int = 30  # after which the loss is at most 0.7 of the first
    blocks: bool = True  # False: from scratch, nothing to hybridize


def fill(mx: Any, net: Any, *inputs: Any, scale: float = 1.0) -> None:
    """Initializes a net with numbers that don't come from the system.

    Weights are normal with the standard deviation ``scale * sqrt(2 / fan-in)``; biases, gamma and
    beta keep their defaults.
    """
    net.initialize()
    net(*inputs)  # tells the shapes
    for number, param in enumerate(net.collect_params().values()):
        if param.name.endswith("weight"):
            param.set_data(mx.nd.array(weights(*param.shape, seed=number, scale=scale)))


def weights(*shape: int, seed: int, scale: float = 1.0) -> np.ndarray:
    """Normal numbers for a weight of the shape (outputs, fan-in ...)."""
    spread = scale * np.sqrt(2.0 / np.prod(shape[1:]))
    drawn = np.random.RandomState(seed).normal(0.0, spread, size=shape)
    return drawn.astype(np.float32)


def arrays(mx: Any, *shapes: tuple[int, ...], scale: float = 1.0) -> list[Any]:
    """Parameters of a program from scratch: matrices (fan-in, outputs), kernels, zero vectors."""
    made = []
    for number, shape in enumerate(shapes):
        if len(shape) == 1:
            array = mx.nd.zeros(shape)
        elif len(shape) == 2:
            array = mx.nd.array(weights(*shape[::-1], seed=number, scale=scale).T)
        else:
            array = mx.nd.array(weights(*shape, seed=number, scale=scale))
        array.attach_grad()
        made.append(array)
    return made


def batches(mx: Any, size: int, *whole: np.ndarray) -> list[tuple[Any, ...]]:
    """The arrays cut along their first axis; the rest that fills no batch is left out."""
    count = len(whole[0]) // size
    return [
        tuple(mx.nd.array(array[i * size : (i + 1) * size]) for array in whole)
        for i in range(count)
    ]


def hybridized(active: bool, *blocks: Any) -> None:
    if active:
        for block in blocks:
            block.hybridize()


def supervised(
    mx: Any, net: Any, loss: Any, trainer: Any, data: Sequence[tuple[Any, ...]]
) -> Train:
    """The loop that most chapters end in."""

    def train(steps: int) -> list[float]:
        losses = []
        for step in range(steps):
            x, y = data[step % len(data)]
            with mx.autograd.record():
                error = loss(net(x), y)
            error.backward()
            trainer.step(x.shape[0])
            losses.append(error.mean().asscalar())
        return losses

    return train


def by_hand(
    mx: Any,
    net: Callable[[Any], Any],
    loss: Callable[[Any, Any], Any],
    params: Sequence[Any],
    rate: float,
    data: Sequence[tuple[Any, ...]],
) -> Train:
    """The same loop without gluon."""

    def train(steps: int) -> list[float]:
        losses = []
        for step in range(steps):
            x, y = data[step % len(data)]
            with mx.autograd.record():
                error = loss(net(x), y)
            error.backward()
            for param in params:
                param[:] = param - rate * param.grad / x.shape[0]
            losses.append(error.mean().asscalar())
        return losses

    return train


def cross_entropy(scores: Any, labels: Any) -> Any:
    """Of scores (batch, classes) before the softmax, numerically safe; one loss a row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    total = shifted.exp().sum(axis=1).log()
    return total - shifted.pick(labels, axis=1)
