"""The nets that everybody writes, small."""

from __future__ import annotations

from typing import Any

ALMOST_NEVER = 1e-9  # a rate of dropout: the operator is there, and nothing is dropped


def mlp(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="mlp_")
    with net.name_scope():
        net.add(nn.Dense(8, activation="relu"), nn.Dropout(ALMOST_NEVER))
        net.add(nn.Dense(5, activation="tanh", use_bias=False), nn.Dense(3))
    return net


def lenet(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(nn.Conv2D(4, kernel_size=5, padding=2, activation="sigmoid"))
        net.add(nn.AvgPool2D(pool_size=2, strides=2))
        net.add(nn.Conv2D(6, kernel_size=5, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2), nn.Flatten())
        net.add(nn.Dense(12, activation="sigmoid"), nn.Dense(8, activation="sigmoid"), nn.Dense(5))
    return net


def resnet18(mx: Any) -> Any:
    """The model zoo's, of few channels."""
    vision = mx.gluon.model_zoo.vision
    channels = [4, 4, 6, 8, 10]
    return vision.ResNetV1(
        vision.BasicBlockV1, [2, 2, 2, 2], channels, classes=5, prefix="resnetv10_"
    )


def lstm(mx: Any) -> Any:
    """A language model's: words, two layers, a score of every word at every place."""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn
    net = nn.HybridSequential(prefix="lstm_")
    with net.name_scope():
        net.add(nn.Embedding(11, 4), rnn.LSTM(5, num_layers=2, layout="NTC", dropout=ALMOST_NEVER))
        net.add(nn.Dense(11, flatten=False))
    return net


def transformer(mx: Any) -> Any:
    """Words and how many of each row count; a block of two heads; a score at every place."""
    nn = mx.gluon.nn

    class Block(nn.HybridBlock):
        def __init__(self, units: int = 8, heads: int = 2) -> None:
            super().__init__(prefix="transformer_")
            self.units, self.heads = units, heads
            with self.name_scope():
                self.words = nn.Embedding(20, units)
                self.places = self.params.get("places", shape=(6, units))
                self.joint = nn.Dense(3 * units, flatten=False, use_bias=False)
                self.out = nn.Dense(units, flatten=False)
                self.dropout = nn.Dropout(ALMOST_NEVER)
                self.first, self.second = nn.LayerNorm(), nn.LayerNorm(epsilon=1e-6)
                self.wide = nn.Dense(2 * units, flatten=False)
                self.act = nn.GELU()
                self.narrow = nn.Dense(units, flatten=False)
                self.last = nn.Dense(3, flatten=False)

        def split(self, F: Any, x: Any) -> Any:
            x = F.reshape(x, shape=(0, 0, self.heads, -1))
            return F.reshape(F.transpose(x, axes=(0, 2, 1, 3)), shape=(-1, 0, 0), reverse=True)

        def hybrid_forward(self, F: Any, words: Any, lengths: Any, places: Any) -> Any:
            h = F.broadcast_add(self.words(words), F.expand_dims(places, 0))
            query, key, value = (self.split(F, part) for part in F.split(self.joint(h), 3, axis=-1))
            scores = F.batch_dot(query, key, transpose_b=True) / (self.units // self.heads) ** 0.5
            lengths = F.repeat(lengths, repeats=self.heads)
            within = F.broadcast_lesser(
                F.reshape(F.arange(6), (1, 1, 6)), F.reshape(lengths, (-1, 1, 1))
            )
            within = F.broadcast_like(within, scores)
            scores = F.where(within, scores, -1e18 * F.ones_like(scores))
            mixed = F.batch_dot(F.softmax(scores), value)
            mixed = F.reshape(mixed, shape=(-1, self.heads, 0, 0), reverse=True)
            mixed = F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -1))
            h = self.first(h + self.dropout(self.out(mixed)))
            h = self.second(h + self.narrow(self.act(self.wide(h))))
            return self.last(h)

    return Block()
