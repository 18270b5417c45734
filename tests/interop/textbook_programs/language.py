"""Language models of characters: RNN, GRU and LSTM, from scratch and by gluon's layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .drawn import indices, words
from .training import Train, arrays, cross_entropy, fill, hybridized

BATCH, STEPS, HIDDEN = 32, 20, 64


def _text(mx: Any) -> tuple[list[tuple[Any, Any]], int]:
    """Batches (BATCH, STEPS) of characters and of those that follow; how many kinds there are.

    A batch goes on where the one before it ends.
    """
    text, kinds = indices(list(" ".join(words(2500))))
    text = text[: len(text) // BATCH * BATCH].reshape(BATCH, -1)
    starts = range(0, text.shape[1] - STEPS - 1, STEPS)
    cut = [(text[:, i : i + STEPS], text[:, i + 1 : i + STEPS + 1]) for i in starts]
    return [tuple(mx.nd.array(part) for part in pair) for pair in cut], kinds  # type: ignore[misc]


def _clip(mx: Any, gradients: Sequence[Any], most: float) -> None:
    """All gradients scaled so that their norm is at most ``most``."""
    norm = mx.nd.array([0])
    for gradient in gradients:
        norm = norm + (gradient**2).sum()
    length = norm.sqrt().asscalar()
    if length > most:
        for gradient in gradients:
            gradient[:] = gradient * (most / length)


def _rnn(nd: Any, x: Any, states: list[Any], params: Sequence[Any]) -> list[Any]:
    wx, wh, b = params
    return [nd.tanh(nd.dot(x, wx) + nd.dot(states[0], wh) + b)]


def _gru(nd: Any, x: Any, states: list[Any], params: Sequence[Any]) -> list[Any]:
    zx, zh, zb, rx, rh, rb, hx, hh, hb = params
    (h,) = states
    z = nd.sigmoid(nd.dot(x, zx) + nd.dot(h, zh) + zb)
    r = nd.sigmoid(nd.dot(x, rx) + nd.dot(h, rh) + rb)
    candidate = nd.tanh(nd.dot(x, hx) + nd.dot(r * h, hh) + hb)
    return [z * h + (1 - z) * candidate]


def _lstm(nd: Any, x: Any, states: list[Any], params: Sequence[Any]) -> list[Any]:
    ix, ih, ib, fx, fh, fb, ox, oh, ob, cx, ch, cb = params
    h, c = states
    i = nd.sigmoid(nd.dot(x, ix) + nd.dot(h, ih) + ib)
    f = nd.sigmoid(nd.dot(x, fx) + nd.dot(h, fh) + fb)
    o = nd.sigmoid(nd.dot(x, ox) + nd.dot(h, oh) + ob)
    c = f * c + i * nd.tanh(nd.dot(x, cx) + nd.dot(h, ch) + cb)
    return [o * nd.tanh(c), c]


def scratch(
    step: Callable[..., list[Any]], gates: int, kept: int, rate: float
) -> Callable[[Any, bool], Train]:
    """A program whose state has ``kept`` parts and whose step has so many gates."""

    def program(mx: Any, active: bool) -> Train:
        nd = mx.nd
        data, kinds = _text(mx)
        gate = [(kinds, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN,)]
        params = arrays(mx, *gate * gates, (HIDDEN, kinds), (kinds,), scale=0.8)

        def predict(inputs: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            outputs = []
            for x in nd.one_hot(inputs.T, kinds):
                states = step(nd, x, states, params[:-2])
                outputs.append(nd.dot(states[0], params[-2]) + params[-1])
            return nd.concat(*outputs, dim=0), states

        def train(steps: int) -> list[float]:
            losses = []
            states = [nd.zeros((BATCH, HIDDEN)) for _ in range(kept)]
            for number in range(steps):
                x, y = data[number % len(data)]
                states = [state.detach() for state in states]
                with mx.autograd.record():
                    scores, states = predict(x, states)
                    loss = cross_entropy(scores, y.T.reshape((-1,))).mean()
                loss.backward()
                _clip(mx, [param.grad for param in params], 1.0)
                for param in params:
                    param[:] = param - rate * param.grad
                losses.append(loss.asscalar())
            return losses

        return train

    return program


rnn_scratch = scratch(_rnn, 1, 1, 1.0)
gru_scratch = scratch(_gru, 3, 1, 3.0)
lstm_scratch = scratch(_lstm, 4, 2, 3.0)


def layer(name: str, rate: float) -> Callable[[Any, bool], Train]:
    """The program with a layer of ``gluon.rnn``."""

    def program(mx: Any, active: bool) -> Train:
        class Model(mx.gluon.nn.HybridBlock):
            """One-hot characters, the layer, scores of the characters that follow."""

            def __init__(self, rnn: Any, kinds: int):
                super().__init__()
                self.kinds = kinds
                self.rnn = rnn
                self.dense = mx.gluon.nn.Dense(kinds)

            def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
                x = F.one_hot(F.transpose(inputs), self.kinds)
                y, states = self.rnn(x, states)
                return self.dense(y.reshape((-1, HIDDEN))), states

        data, kinds = _text(mx)
        net = Model(getattr(mx.gluon.rnn, name)(HIDDEN), kinds)
        begin = net.rnn.begin_state(batch_size=BATCH)
        fill(mx, net, data[0][0], begin, scale=0.8)
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
        hybridized(active, net, loss)
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})

        def train(steps: int) -> list[float]:
            losses = []
            states = begin
            for number in range(steps):
                x, y = data[number % len(data)]
                states = [state.detach() for state in states]
                with mx.autograd.record():
                    scores, states = net(x, states)
                    error = loss(scores, y.T.reshape((-1,))).mean()
                error.backward()
                _clip(mx, [param.grad() for param in net.collect_params().values()], 1.0)
                trainer.step(1)
                losses.append(error.asscalar())
            return losses

        return train

    return program
