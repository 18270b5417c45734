"""RNN with its packed parameters."""

from __future__ import annotations

from case import Call, Family
from drawn import given, real

f = Family("recurrent")
CASES = f.cases
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}


def size(mode: str, inputs: int, state: int, layers: int, both: bool) -> int:
    """How many numbers the packed parameters are."""
    ways, total = 2 if both else 1, 0
    for layer in range(layers):
        wide = inputs if layer == 0 else state * ways
        total += ways * GATES[mode] * state * (wide + state + 2)
    return total


for mode in GATES:
    for layers, both, dtype in (
        (1, False, "float32"),
        (2, False, "float32"),
        (2, True, "float32"),
        (1, True, "float64"),
    ):
        n, ways = size(mode, 3, 2, layers, both), 2 if both else 1
        arrays = [real(4, 2, 3, dtype=dtype), real(n, low=-0.5, high=0.5, dtype=dtype)]
        arrays += [real(layers * ways, 2, 2, dtype=dtype)] * (2 if mode == "lstm" else 1)
        for state in (False, True):
            f.add(
                "RNN",
                *arrays,
                state_size=2,
                num_layers=layers,
                bidirectional=both,
                mode=mode,
                state_outputs=state,
            )
    f.add(
        "RNN",
        *[
            real(1, 1, 1),
            real(size(mode, 1, 1, 1, False)),
            *[real(1, 1, 1)] * (2 if mode == "lstm" else 1),
        ],
        state_size=1,
        num_layers=1,
        mode=mode,
    )
arrays = [real(4, 2, 3), real(size("lstm", 3, 2, 1, False)), real(1, 2, 2), real(1, 2, 2)]
f.add(
    "RNN",
    *arrays,
    given([2, 4], fixed=True),
    state_size=2,
    num_layers=1,
    mode="lstm",
    use_sequence_length=True,
    state_outputs=True,
)
# The dropout between layers is that of training.
n = size("gru", 3, 2, 2, False)
arrays = [real(4, 2, 3), real(n, low=-0.5, high=0.5), real(2, 2, 2)]
predicted = Call(gradient=False, train=False)
f.add("RNN", *arrays, state_size=2, num_layers=2, mode="gru", p=0.5, call=predicted)
