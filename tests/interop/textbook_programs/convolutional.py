"""LeNet to DenseNet, small enough for images of 32 x 32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .drawn import digits
from .training import Train, arrays, batches, by_hand, cross_entropy, fill, hybridized, supervised


def lenet_scratch(mx: Any, active: bool) -> Train:
    nd = mx.nd
    params = arrays(mx, (6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (256, 84), (84,), (84, 10), (10,))
    k1, b1, k2, b2, w3, b3, w4, b4 = params

    def layer(x: Any, kernel: Any, bias: Any) -> Any:
        y = nd.Convolution(x, kernel, bias, kernel=(5, 5), num_filter=kernel.shape[0])
        return nd.Pooling(nd.relu(y), kernel=(2, 2), stride=(2, 2), pool_type="max")

    def net(x: Any) -> Any:
        y = layer(layer(x, k1, b1), k2, b2).flatten()
        return nd.dot(nd.relu(nd.dot(y, w3) + b3), w4) + b4

    return by_hand(mx, net, cross_entropy, params, 0.03, batches(mx, 64, *digits(256)))


def lenet(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(channels=6, kernel_size=5, activation="sigmoid"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Dense(120, activation="sigmoid"),
        nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )
    return net


def alexnet(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(24, kernel_size=5, strides=2, padding=2, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(32, kernel_size=5, padding=2, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(48, kernel_size=3, padding=1, activation="relu"),
        nn.Conv2D(48, kernel_size=3, padding=1, activation="relu"),
        nn.Conv2D(32, kernel_size=3, padding=1, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Dense(128, activation="relu"),
        nn.Dropout(0.0),
        nn.Dense(128, activation="relu"),
        nn.Dropout(0.0),
        nn.Dense(10),
    )
    return net


def vgg(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    for layers, channels in ((1, 8), (1, 16), (2, 32)):
        for _ in range(layers):
            net.add(nn.Conv2D(channels, kernel_size=3, padding=1, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2))
    net.add(nn.Dense(64, activation="relu"), nn.Dense(64, activation="relu"), nn.Dense(10))
    return net


def nin(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    for channels, size in ((12, 5), (16, 3), (10, 3)):
        net.add(nn.Conv2D(channels, kernel_size=size, padding=size // 2, activation="relu"))
        net.add(nn.Conv2D(channels, kernel_size=1, activation="relu"))
        net.add(nn.Conv2D(channels, kernel_size=1, activation="relu" if channels > 10 else None))
        if channels > 10:
            net.add(nn.MaxPool2D(pool_size=3, strides=2))
    net.add(nn.GlobalAvgPool2D(), nn.Flatten())
    return net


def googlenet(mx: Any) -> Any:
    nn = mx.gluon.nn

    class Inception(nn.HybridBlock):
        """Four paths side by side; c1 to c4 are their channels."""

        def __init__(self, c1: int, c2: tuple[int, int], c3: tuple[int, int], c4: int):
            super().__init__()
            self.alone = nn.Conv2D(c1, kernel_size=1, activation="relu")
            self.narrow3 = nn.Conv2D(c2[0], kernel_size=1, activation="relu")
            self.wide3 = nn.Conv2D(c2[1], kernel_size=3, padding=1, activation="relu")
            self.narrow5 = nn.Conv2D(c3[0], kernel_size=1, activation="relu")
            self.wide5 = nn.Conv2D(c3[1], kernel_size=5, padding=2, activation="relu")
            self.pool = nn.MaxPool2D(pool_size=3, strides=1, padding=1)
            self.pooled = nn.Conv2D(c4, kernel_size=1, activation="relu")

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            paths = (
                self.alone(x),
                self.wide3(self.narrow3(x)),
                self.wide5(self.narrow5(x)),
                self.pooled(self.pool(x)),
            )
            return F.concat(*paths, dim=1)

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(16, kernel_size=5, strides=2, padding=2, activation="relu"),
        Inception(8, (8, 16), (4, 8), 8),
        nn.MaxPool2D(pool_size=3, strides=2, padding=1),
        Inception(16, (12, 24), (4, 12), 12),
        nn.GlobalAvgPool2D(),
        nn.Dense(10),
    )
    return net


def resnet(mx: Any) -> Any:
    nn = mx.gluon.nn

    class Residual(nn.HybridBlock):
        """Two convolutions beside a short cut."""

        def __init__(self, channels: int, strides: int = 1):
            super().__init__()
            self.first = nn.Conv2D(channels, kernel_size=3, padding=1, strides=strides)
            self.second = nn.Conv2D(channels, kernel_size=3, padding=1)
            self.bn1, self.bn2 = nn.BatchNorm(), nn.BatchNorm()
            wide = strides > 1
            self.short = nn.Conv2D(channels, kernel_size=1, strides=strides) if wide else None

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            y = F.relu(self.bn1(self.first(x)))
            y = self.bn2(self.second(y))
            return F.relu(y + (self.short(x) if self.short else x))

    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    net.add(Residual(8), Residual(16, 2), Residual(16), Residual(32, 2))
    net.add(nn.GlobalAvgPool2D(), nn.Dense(10))
    return net


def densenet(mx: Any) -> Any:
    nn = mx.gluon.nn

    def layer(channels: int, size: int) -> Any:
        made = nn.HybridSequential()
        made.add(nn.BatchNorm(), nn.Activation("relu"))
        made.add(nn.Conv2D(channels, kernel_size=size, padding=size // 2))
        return made

    class Dense(nn.HybridBlock):
        """Every layer sees what all before it have made."""

        def __init__(self, layers: int, growth: int):
            super().__init__()
            self.net = nn.HybridSequential()
            for _ in range(layers):
                self.net.add(layer(growth, 3))

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            for block in self.net:
                x = F.concat(x, block(x), dim=1)
            return x

    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, kernel_size=3, padding=1, strides=2))
    net.add(Dense(3, 16), layer(32, 1), nn.AvgPool2D(pool_size=2, strides=2), Dense(3, 16))
    net.add(nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(10))
    return net


def trained(
    make: Callable[[Any], Any], rate: float, size: int = 32, scale: float = 1.0
) -> Callable[[Any, bool], Train]:
    """The program that trains such a net on drawn figures, 32 at a time."""

    def program(mx: Any, active: bool) -> Train:
        data = batches(mx, 32, *digits(128, size))
        net = make(mx)
        fill(mx, net, data[0][0], scale=scale)
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
        hybridized(active, net, loss)
        settings = {"learning_rate": rate, "momentum": 0.9}
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", settings)
        return supervised(mx, net, loss, trainer, data)

    return program
