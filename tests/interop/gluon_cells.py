"""Recurrent cells that genuine MXNet computed, too: steps and whole sequences."""

from __future__ import annotations

import numpy as np
from gluon_runs import Case, normal

X, SEQUENCE = normal(2, 3), normal(2, 4, 3)
H, C = normal(2, 5, seed=1), normal(2, 5, seed=2)


def _step(name, states, /, contrib=False, inputs=X, **options):
    def make(mx):
        rnn = mx.gluon.contrib.rnn if contrib else mx.gluon.rnn
        return getattr(rnn, name)(**options)

    return Case(make, [inputs, list(states)])


def _unrolled(cells, inputs=SEQUENCE, states=None, lengths=None, **options):
    """A block that unrolls what ``cells`` makes of ``gluon.rnn``."""

    def make(mx):
        class Unrolled(mx.gluon.HybridBlock):
            def __init__(self):
                super().__init__(prefix="net_")
                with self.name_scope():
                    self.cell = cells(mx.gluon.rnn)

            def hybrid_forward(self, F, x, begin=None, lengths=None):
                return self.cell.unroll(4, x, begin, valid_length=lengths, **options)

        return Unrolled()

    more = [] if lengths is None else [lengths]
    given = [inputs] if states is None else [inputs, list(states), *more]
    return Case(make, given, plain=len(more))


def _stack(rnn, kind="HybridSequentialRNNCell"):
    stack = getattr(rnn, kind)()
    with stack.name_scope():
        stack.add(rnn.LSTMCell(5))
        stack.add(rnn.DropoutCell(0.0))
        stack.add(rnn.ResidualCell(rnn.GRUCell(5)))
    return stack


def _bidirectional(rnn):
    return rnn.BidirectionalCell(rnn.LSTMCell(3, prefix="l_"), rnn.GRUCell(2, prefix="r_"))


def _convolving(axes, kind, **options):
    shape = (2, 6, 5, 4)[: axes + 1]
    channels = normal(2, *shape)
    outside = tuple(size + 2 - 2 for size in shape[1:])
    count = 2 if kind == "LSTM" else 1
    states = [normal(2, 3, *outside, seed=i) for i in range(count)]
    return _step(
        f"Conv{axes}D{kind}Cell", states, contrib=True, inputs=channels, input_shape=shape,
        hidden_channels=3, i2h_kernel=3, h2h_kernel=3, i2h_pad=1, **options,
    )  # fmt: skip


LENGTHS = np.array([4, 2], np.float32)
SEQUENCES = {
    "lengths": _unrolled(lambda rnn: rnn.LSTMCell(5), states=[H, C], lengths=LENGTHS),
    "lengths_merged": _unrolled(
        lambda rnn: rnn.GRUCell(5), states=[H], merge_outputs=True, lengths=LENGTHS
    ),
    "lengths_bidirectional": _unrolled(
        _bidirectional,
        states=[normal(2, 3), normal(2, 3, seed=1), normal(2, 2)],
        merge_outputs=True,
        lengths=LENGTHS,
    ),
}
CASES = {
    **SEQUENCES,
    "rnn": _step("RNNCell", [H], hidden_size=5),
    "rnn_relu": _step("RNNCell", [H], hidden_size=5, activation="relu", input_size=3),
    "lstm": _step("LSTMCell", [H, C], hidden_size=5),
    "lstm_activations": _step(
        "LSTMCell", [H, C], hidden_size=5, activation="softsign", recurrent_activation="tanh"
    ),
    "gru": _step("GRUCell", [H], hidden_size=5),
    "lstmp": _step("LSTMPCell", [normal(2, 4), C], contrib=True, hidden_size=5, projection_size=4),
    "unrolled": _unrolled(lambda rnn: rnn.LSTMCell(5), states=[H, C]),
    "unrolled_merged": _unrolled(lambda rnn: rnn.GRUCell(5), merge_outputs=True, states=[H]),
    "unrolled_time_first": _unrolled(
        lambda rnn: rnn.RNNCell(5), normal(4, 2, 3), layout="TNC", merge_outputs=True, states=[H]
    ),
    "stack": _unrolled(_stack, states=[H, C, normal(2, 5, seed=3)], merge_outputs=False),
    "bidirectional": _unrolled(
        _bidirectional,
        states=[normal(2, 3), normal(2, 3, seed=1), normal(2, 2)],
        merge_outputs=True,
    ),
    "zoneout_at_rest": _unrolled(lambda rnn: rnn.ZoneoutCell(rnn.RNNCell(5)), states=[H]),
    "conv_rnn1d": _convolving(1, "RNN"),
    "conv_lstm2d": _convolving(2, "LSTM", i2h_dilate=1, activation="relu"),
    "conv_gru2d": _convolving(2, "GRU", h2h_dilate=2),
    "conv_gru3d": _convolving(3, "GRU"),
}
