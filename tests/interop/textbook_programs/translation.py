"""An encoder and a decoder that attends to it."""

from __future__ import annotations

from typing import Any

from .drawn import sentences
from .training import Train, batches, fill, hybridized

LENGTH, KINDS, EMBEDDED, HIDDEN = 7, 24, 32, 48


def _blocks(mx: Any) -> tuple[Any, Any]:
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    class Encoder(nn.HybridBlock):
        """Sources (batch, length) to outputs (length, batch, hidden) and the last state."""

        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(KINDS, EMBEDDED)
            self.rnn = rnn.GRU(HIDDEN)

        def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
            return self.rnn(F.swapaxes(self.embedding(inputs), 0, 1), states)

    class Decoder(nn.HybridBlock):
        """One step: words (batch,), the state, what the encoder gave; scores and the next state."""

        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(KINDS, EMBEDDED)
            self.attention = nn.HybridSequential()
            self.attention.add(
                nn.Dense(10, activation="tanh", use_bias=False, flatten=False),
                nn.Dense(1, use_bias=False, flatten=False),
            )
            self.rnn = rnn.GRU(HIDDEN)
            self.out = nn.Dense(KINDS, flatten=False)

        def context(self, F: Any, heard: Any, state: Any) -> Any:
            """What was heard, weighted by how well it fits the state (1, batch, hidden)."""
            both = F.concat(heard, F.broadcast_like(state, heard, lhs_axes=0, rhs_axes=0), dim=2)
            weights = F.softmax(self.attention(both), axis=0)
            return F.broadcast_mul(weights, heard).sum(axis=0)

        def hybrid_forward(self, F: Any, word: Any, states: Any, heard: Any) -> Any:
            seen = self.context(F, heard, states[-1])
            x = F.concat(self.embedding(word), seen, dim=1).expand_dims(0)
            y, states = self.rnn(x, states)
            return self.out(y).reshape((-1, KINDS)), states

    return Encoder(), Decoder()


def attention(mx: Any, active: bool) -> Train:
    data = batches(mx, 16, *sentences(128, LENGTH, KINDS))
    encoder, decoder = _blocks(mx)
    begin = encoder.rnn.begin_state(batch_size=16)
    first = mx.nd.ones(16)
    fill(mx, encoder, data[0][0], begin)
    heard, states = encoder(data[0][0], begin)
    fill(mx, decoder, first, states, heard)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    hybridized(active, encoder, decoder, loss)
    trainers = [
        mx.gluon.Trainer(block.collect_params(), "adam", {"learning_rate": 0.01})
        for block in (encoder, decoder)
    ]

    def batch_loss(source: Any, target: Any, counted: Any) -> Any:
        """Each step is told the word that would have been right before."""
        total, word = mx.nd.zeros(1), first
        heard, states = encoder(source, begin)
        for time in range(LENGTH):
            scores, states = decoder(word, states, heard)
            total = total + (loss(scores, target[:, time]) * counted[:, time]).sum()
            word = target[:, time]
        return total / counted.sum()

    def train(steps: int) -> list[float]:
        losses = []
        for step in range(steps):
            with mx.autograd.record():
                error = batch_loss(*data[step % len(data)])
            error.backward()
            for trainer in trainers:
                trainer.step(1)
            losses.append(error.asscalar())
        return losses

    return train
