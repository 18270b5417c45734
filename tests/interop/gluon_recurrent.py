"""Recurrent layers that genuine MXNet computed, too; without its oneDNN kernels it has none."""

from __future__ import annotations

from gluon_cells import SEQUENCE
from gluon_runs import Case, normal


def _layer(name, inputs, /, states=(), **options):
    given = [inputs, list(states)] if states else [inputs]
    return Case(lambda mx: getattr(mx.gluon.rnn, name)(**options), given)


CASES = {
    "rnn": _layer("RNN", SEQUENCE, hidden_size=3),
    "rnn_tanh": _layer(
        "RNN", SEQUENCE, [normal(2, 2, 3)], hidden_size=3, activation="tanh", layout="NTC",
        bidirectional=True,
    ),
    "lstm": _layer("LSTM", SEQUENCE, hidden_size=3, num_layers=2, input_size=3),
    "lstm_states": _layer(
        "LSTM", SEQUENCE, [normal(4, 4, 3), normal(4, 4, 3, seed=1)], hidden_size=3, num_layers=2,
        bidirectional=True,
    ),
    "gru": _layer("GRU", SEQUENCE, hidden_size=3, layout="NTC", num_layers=2),
    "gru_states": _layer(
        "GRU", SEQUENCE, [normal(2, 4, 3)], hidden_size=3, bidirectional=True
    ),
}  # fmt: skip
