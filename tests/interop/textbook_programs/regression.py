"""Linear and softmax regression."""

from __future__ import annotations

from typing import Any

from .drawn import digits, line
from .training import Train, arrays, batches, by_hand, cross_entropy, fill, hybridized, supervised


def _points(mx: Any) -> list[tuple[Any, ...]]:
    return batches(mx, 10, *line(1000, 2))


def _figures(mx: Any) -> list[tuple[Any, ...]]:
    return batches(mx, 256, *digits(1024))


def linear_scratch(mx: Any, active: bool) -> Train:
    weight, bias = params = arrays(mx, (2, 1), (1,), scale=0.01)

    def net(x: Any) -> Any:
        return mx.nd.dot(x, weight) + bias

    def loss(found: Any, y: Any) -> Any:
        return (found - y.reshape(found.shape)) ** 2 / 2

    return by_hand(mx, net, loss, params, 0.03, _points(mx))


def linear(mx: Any, active: bool) -> Train:
    data = _points(mx)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(1))
    fill(mx, net, data[0][0], scale=0.01)
    loss = mx.gluon.loss.L2Loss()
    hybridized(active, net, loss)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})
    return supervised(mx, net, loss, trainer, data)


def softmax_scratch(mx: Any, active: bool) -> Train:
    weight, bias = params = arrays(mx, (784, 10), (10,), scale=0.2)

    def softmax(scores: Any) -> Any:
        powers = scores.exp()
        return powers / powers.sum(axis=1, keepdims=True)

    def net(x: Any) -> Any:
        return softmax(mx.nd.dot(x.reshape((-1, 784)), weight) + bias)

    def loss(found: Any, y: Any) -> Any:
        return -mx.nd.pick(found, y).log()

    return by_hand(mx, net, loss, params, 0.03, _figures(mx))


def softmax(mx: Any, active: bool) -> Train:
    data = _figures(mx)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(10))
    fill(mx, net, data[0][0], scale=0.2)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    hybridized(active, net, loss)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})
    return supervised(mx, net, loss, trainer, data)


def perceptron_scratch(mx: Any, active: bool) -> Train:
    first, b1, second, b2 = params = arrays(mx, (784, 256), (256,), (256, 10), (10,))

    def net(x: Any) -> Any:
        hidden = mx.nd.maximum(mx.nd.dot(x.reshape((-1, 784)), first) + b1, 0)
        return mx.nd.dot(hidden, second) + b2

    return by_hand(mx, net, cross_entropy, params, 0.03, _figures(mx))


def perceptron(mx: Any, active: bool) -> Train:
    data = _figures(mx)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(256, activation="relu"), mx.gluon.nn.Dense(10))
    fill(mx, net, data[0][0])
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    hybridized(active, net, loss)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})
    return supervised(mx, net, loss, trainer, data)
