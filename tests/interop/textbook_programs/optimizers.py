"""Every dense optimizer, and five of them written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .drawn import line
from .training import Train, arrays, batches, fill, hybridized, supervised

BATCH = 64

# By optimizer what differs from its defaults. SGLD, which adds noise of its own, has no equal
# losses; GroupAdaGrad takes sparse gradients alone; "test" is for MXNet's own tests.
GLUON: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("sgd", {"learning_rate": 0.05}),
    "momentum": ("sgd", {"learning_rate": 0.02, "momentum": 0.9}),
    "nag": ("nag", {"learning_rate": 0.02, "momentum": 0.9}),
    "adagrad": ("adagrad", {"learning_rate": 0.5}),
    "rmsprop": ("rmsprop", {"learning_rate": 0.1, "gamma1": 0.9}),
    "rmsprop centred": ("rmsprop", {"learning_rate": 0.02, "centered": True}),
    "adadelta": ("adadelta", {"rho": 0.9, "epsilon": 1e-2}),
    "adam": ("adam", {"learning_rate": 0.2}),
    "adamax": ("adamax", {"learning_rate": 0.2}),
    "nadam": ("nadam", {"learning_rate": 0.2}),
    "ftrl": ("ftrl", {"learning_rate": 0.5}),
    "ftml": ("ftml", {"learning_rate": 0.2}),
    "signum": ("signum", {"learning_rate": 0.1}),
    "dcasgd": ("dcasgd", {"learning_rate": 0.05}),
    "lamb": ("lamb", {"learning_rate": 0.2, "wd": 0.0, "lower_bound": 1.0}),
    "lars": ("lars", {"learning_rate": 0.5, "eta": 0.5}),
    "lbsgd": ("lbsgd", {"learning_rate": 0.05}),
}


def _points(mx: Any) -> list[tuple[Any, ...]]:
    return batches(mx, BATCH, *line(640, 5))


def gluon(name: str, settings: dict[str, Any]) -> Callable[[Any, bool], Train]:
    """Linear regression with ``gluon.Trainer``."""

    def program(mx: Any, active: bool) -> Train:
        data = _points(mx)
        net = mx.gluon.nn.HybridSequential()
        net.add(mx.gluon.nn.Dense(1))
        fill(mx, net, data[0][0], scale=0.1)
        loss = mx.gluon.loss.L2Loss()
        hybridized(active, net, loss)
        trainer = mx.gluon.Trainer(net.collect_params(), name, dict(settings))
        return supervised(mx, net, loss, trainer, data)

    return program


State = list[Any]


def _momentum(nd: Any, param: Any, state: State, count: int) -> None:
    state[0][:] = 0.5 * state[0] + 0.1 * param.grad
    param[:] -= state[0]


def _adagrad(nd: Any, param: Any, state: State, count: int) -> None:
    state[0][:] += param.grad.square()
    param[:] -= 0.5 * param.grad / (state[0] + 1e-6).sqrt()


def _rmsprop(nd: Any, param: Any, state: State, count: int) -> None:
    state[0][:] = 0.9 * state[0] + 0.1 * param.grad.square()
    param[:] -= 0.1 * param.grad / (state[0] + 1e-6).sqrt()


def _adadelta(nd: Any, param: Any, state: State, count: int) -> None:
    squares, moves = state
    squares[:] = 0.9 * squares + 0.1 * param.grad.square()
    move = ((moves + 1e-2) / (squares + 1e-2)).sqrt() * param.grad
    param[:] -= move
    moves[:] = 0.9 * moves + 0.1 * move * move


def _adam(nd: Any, param: Any, state: State, count: int) -> None:
    first, second = state
    first[:] = 0.9 * first + 0.1 * param.grad
    second[:] = 0.999 * second + 0.001 * param.grad.square()
    mean, spread = first / (1 - 0.9**count), second / (1 - 0.999**count)
    param[:] -= 0.2 * mean / (nd.sqrt(spread) + 1e-6)


SCRATCH = {
    "momentum": _momentum,
    "adagrad": _adagrad,
    "rmsprop": _rmsprop,
    "adadelta": _adadelta,
    "adam": _adam,
}


def scratch(step: Callable[[Any, Any, State, int], None]) -> Callable[[Any, bool], Train]:
    """Linear regression whose parameters such a function updates, from their own gradients."""

    def program(mx: Any, active: bool) -> Train:
        weight, bias = params = arrays(mx, (5, 1), (1,), scale=0.1)
        states = [[mx.nd.zeros(p.shape), mx.nd.zeros(p.shape)] for p in params]
        data = _points(mx)

        def train(steps: int) -> list[float]:
            losses = []
            for count in range(1, steps + 1):
                x, y = data[count % len(data)]
                with mx.autograd.record():
                    found = mx.nd.dot(x, weight) + bias
                    error = ((found - y.reshape(found.shape)) ** 2 / 2).mean()
                error.backward()
                for param, state in zip(params, states):
                    step(mx.nd, param, state, count)
                losses.append(error.asscalar())
            return losses

        return train

    return program
