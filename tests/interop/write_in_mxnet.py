"""Runs under genuine MXNet 1.9.1: writes its nets with random weights, inputs and outputs.

Arguments: a folder, and names of the model zoo or of functions here. Writes ``NAME-symbol.json``,
``NAME-0000.params``, ``NAME-x.npy`` and ``NAME-y.npy`` (or ``-x0.npy``, ``-x1.npy``, ...).
"""

from __future__ import annotations

import sys

import mxnet as mx
import numpy as np
from mxnet.gluon import nn, rnn

RNG = np.random.default_rng(8)


def zoo(name: str):
    size = 64 if name.startswith(("resnet", "mobilenet")) else 224
    net = mx.gluon.model_zoo.vision.get_model(name, classes=10, pretrained=False)
    return net, [RNG.normal(size=(2, 3, size, size)).astype("float32")]


def recurrent():
    """An LSTM and a GRU cell, unrolled: what MXNet itself exports of them."""

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.cells = rnn.HybridSequentialRNNCell()
                for cell in (rnn.LSTMCell(7), rnn.GRUCell(5), rnn.RNNCell(4, activation="tanh")):
                    self.cells.add(cell)
                self.last = nn.Dense(3)

        def hybrid_forward(self, F, x):
            outputs, _ = self.cells.unroll(6, x, layout="NTC", merge_outputs=True)
            return self.last(outputs)

    return Net(), [RNG.normal(size=(4, 6, 3)).astype("float32")]


def transformer():
    """A block of a transformer as GluonNLP 0.x writes it."""

    class Block(nn.HybridBlock):
        def __init__(self, units=8, heads=2):
            super().__init__()
            self.units, self.heads = units, heads
            with self.name_scope():
                self.words = nn.Embedding(20, units)
                self.places = self.params.get("places", shape=(10, units), init="normal")
                self.query, self.key, self.value, self.out = (
                    nn.Dense(units, flatten=False) for _ in range(4)
                )
                self.first, self.second = nn.LayerNorm(), nn.LayerNorm(epsilon=1e-6)
                self.wide = nn.Dense(4 * units, flatten=False)
                self.act = nn.GELU()
                self.narrow = nn.Dense(units, flatten=False)
                self.last = nn.Dense(3, flatten=False)

        def split(self, F, x):
            x = F.reshape(x, shape=(0, 0, self.heads, -1))
            return F.reshape(F.transpose(x, axes=(0, 2, 1, 3)), shape=(-1, 0, 0), reverse=True)

        def hybrid_forward(self, F, words, mask, places):
            h = self.words(words)
            h = F.broadcast_add(h, F.expand_dims(F.slice_axis(places, axis=0, begin=0, end=6), 0))
            h = F.Dropout(h, p=0.1)
            query, key, value = (self.split(F, d(h)) for d in (self.query, self.key, self.value))
            scores = F.batch_dot(query / 2, key, transpose_b=True)
            mask = F.repeat(F.expand_dims(mask, 1), repeats=self.heads, axis=0)
            scores = F.where(
                F.broadcast_like(mask, scores) > 0, scores, -1e18 * F.ones_like(scores)
            )
            mixed = F.batch_dot(F.softmax(scores, axis=-1), value)
            mixed = F.reshape(mixed, shape=(-1, self.heads, 0, 0), reverse=True)
            mixed = F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -1))
            h = self.first(h + self.out(mixed))
            h = self.second(h + self.narrow(self.act(self.wide(h))))
            return self.last(h)

    mask = (np.arange(6)[None] < np.array([6, 4, 1])[:, None]).astype("float32")
    return Block(), [RNG.integers(0, 20, size=(3, 6)).astype("float32"), mask]


def unet():
    """Down, up by a transposed convolution and by repeating, with a bridge."""

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.inner = nn.Conv2D(6, 3, padding=1, activation="relu")
                self.down = nn.Conv2D(8, 3, strides=2, padding=1)
                self.norm = nn.BatchNorm()
                self.up = nn.Conv2DTranspose(6, 4, strides=2, padding=1)
                self.last = nn.Conv2D(2, 1)

        def hybrid_forward(self, F, x):
            inner = self.inner(x)
            low = F.relu(self.norm(self.down(inner)))
            up = F.Concat(
                self.up(low), F.UpSampling(low, scale=2, sample_type="nearest"), inner, dim=1
            )
            return F.sigmoid(self.last(up))

    return Net(), [RNG.normal(size=(2, 3, 16, 16)).astype("float32")]


def main(folder: str, names: list[str]) -> None:
    for name in names:
        net, arrays = globals()[name]() if name in globals() else zoo(name)
        mx.random.seed(1)
        np.random.seed(1)
        net.initialize(mx.init.Xavier())
        inputs = [mx.nd.array(a) for a in arrays]
        net(*inputs)
        for key, param in net.collect_params().items():
            if key.endswith("running_mean"):
                param.set_data(mx.nd.array(RNG.normal(0, 0.05, size=param.shape)))
            if key.endswith(("running_var", "gamma")):
                param.set_data(mx.nd.array(RNG.uniform(0.5, 1.5, size=param.shape)))
            if key.endswith(("beta", "bias")):
                param.set_data(mx.nd.array(RNG.normal(0, 0.1, size=param.shape)))
        net.hybridize()
        y = net(*inputs)
        net.export(f"{folder}/{name}")
        for i, array in enumerate(arrays):
            np.save(f"{folder}/{name}-x{i if len(arrays) > 1 else ''}.npy", array)
        np.save(f"{folder}/{name}-y.npy", y.asnumpy())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
