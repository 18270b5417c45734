"""word2vec: skip-gram with negative sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawn import indices, words
from .training import Train, batches, fill, hybridized

WINDOW, NEGATIVES, SIZE = 2, 5, 48


def _pairs() -> tuple[np.ndarray, ...]:
    """Words (n, 1), others (n, m), which of these count, and which stand near the word.

    Near ones come first, then so many drawn by frequency to the power of 0.75, then padding.
    """
    text, kinds = indices(words(1500))
    rng = np.random.RandomState(3)
    odds = np.bincount(text, minlength=kinds) ** 0.75
    odds /= odds.sum()
    width = 2 * WINDOW * (1 + NEGATIVES)
    others, counted, near = np.zeros((3, len(text), width))
    for i in range(len(text)):
        reach = rng.randint(1, WINDOW + 1)
        around = [j for j in range(i - reach, i + reach + 1) if j != i and 0 <= j < len(text)]
        drawn = rng.choice(kinds, size=len(around) * NEGATIVES, p=odds)
        row = [*text[around], *drawn]
        others[i, : len(row)], counted[i, : len(row)] = row, 1
        near[i, : len(around)] = 1
    return text[:, None], others, counted, near


def skip_gram(mx: Any, active: bool) -> Train:
    nn = mx.gluon.nn

    class SkipGram(nn.HybridBlock):
        """Products of words' vectors (batch, 1, size) with those of others (batch, m, size)."""

        def __init__(self, kinds: int):
            super().__init__()
            self.centre, self.other = nn.Embedding(kinds, SIZE), nn.Embedding(kinds, SIZE)

        def hybrid_forward(self, F: Any, word: Any, others: Any) -> Any:
            return F.batch_dot(self.centre(word), self.other(others), transpose_b=True)

    pairs = _pairs()
    data = batches(mx, 256, *pairs)
    net = SkipGram(int(pairs[0].max()) + 1)
    fill(mx, net, data[0][0], data[0][1])
    loss = mx.gluon.loss.SigmoidBinaryCrossEntropyLoss()
    hybridized(active, net, loss)
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})

    def train(steps: int) -> list[float]:
        losses = []
        for step in range(steps):
            word, others, counted, near = data[step % len(data)]
            with mx.autograd.record():
                scores = net(word, others).reshape(near.shape)
                part = counted.shape[1] / counted.sum(axis=1)
                error = loss(scores, near, counted) * part
            error.backward()
            trainer.step(word.shape[0])
            losses.append(error.mean().asscalar())
        return losses

    return train
