"""Batch normalization written out."""

from __future__ import annotations

from typing import Any

from .drawn import digits
from .training import Train, batches, fill, hybridized, supervised


def batch_norm(
    mx: Any, x: Any, gamma: Any, beta: Any, mean: Any, variance: Any, momentum: float
) -> tuple[Any, Any, Any]:
    """x (batch, features) or (batch, channels, height, width) normalized; the new statistics."""
    if not mx.autograd.is_training():
        scaled = (x - mean) / mx.nd.sqrt(variance + 1e-5)
    else:
        axes = 0 if x.ndim == 2 else (0, 2, 3)
        here = x.mean(axis=axes, keepdims=True)
        spread = ((x - here) ** 2).mean(axis=axes, keepdims=True)
        scaled = (x - here) / mx.nd.sqrt(spread + 1e-5)
        mean = momentum * mean + (1.0 - momentum) * here
        variance = momentum * variance + (1.0 - momentum) * spread
    return gamma * scaled + beta, mean, variance


def by_hand(mx: Any, active: bool) -> Train:
    nn = mx.gluon.nn

    class BatchNorm(nn.Block):
        """Keeps the statistics as attributes, as the function above gives them."""

        def __init__(self, features: int, dims: int, **rest: Any):
            super().__init__(**rest)
            shape = (1, features) if dims == 2 else (1, features, 1, 1)
            self.gamma = self.params.get("gamma", shape=shape, init=mx.init.One())
            self.beta = self.params.get("beta", shape=shape, init=mx.init.Zero())
            self.mean, self.variance = mx.nd.zeros(shape), mx.nd.ones(shape)

        def forward(self, x: Any) -> Any:
            y, self.mean, self.variance = batch_norm(
                mx, x, self.gamma.data(), self.beta.data(), self.mean, self.variance, 0.9
            )
            return y

    data = batches(mx, 64, *digits(256))
    net = nn.Sequential()
    net.add(
        nn.Conv2D(6, kernel_size=5),
        BatchNorm(6, 4),
        nn.Activation("sigmoid"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Conv2D(16, kernel_size=5),
        BatchNorm(16, 4),
        nn.Activation("sigmoid"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Dense(120),
        BatchNorm(120, 2),
        nn.Activation("sigmoid"),
        nn.Dense(84),
        BatchNorm(84, 2),
        nn.Activation("sigmoid"),
        nn.Dense(10),
    )
    fill(mx, net, data[0][0])
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    hybridized(active, net, loss)
    # Larger steps bring near ties of the poolings, which a last bit decides.
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})
    return supervised(mx, net, loss, trainer, data)
