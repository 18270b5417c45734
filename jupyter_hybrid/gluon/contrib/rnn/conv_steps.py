"""The steps of convolutional RNN, LSTM and GRU cells."""

from __future__ import annotations

from typing import Any

from .convolving import ConvolvingCell


class ConvRNN(ConvolvingCell):
    """``h' = activation(W_i * x + W_h * h)``."""

    def _alias(self) -> str:
        return "conv_rnn"

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, **weights: Any
    ) -> Any:
        i2h, h2h = self._products(F, inputs, states, weights)
        name = f"t{self._counter}_out"
        output = self._get_activation(F, i2h + h2h, self._activation, name=name)
        return output, [output]


class ConvLSTM(ConvolvingCell):
    """An LSTM's step; states are (h, c)."""

    _gates = 4
    _states = 2

    def _alias(self) -> str:
        return "conv_lstm"

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, **weights: Any
    ) -> Any:
        prefix = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states, weights)
        axis = self._channel_axis
        gates = F.SliceChannel(i2h + h2h, num_outputs=4, axis=axis, name=prefix + "slice")
        kinds = ("sigmoid", "sigmoid", self._activation, "sigmoid")
        taken, kept, new, shown = (
            self._get_activation(F, gates[i], kind, name=prefix + letter)
            for i, (kind, letter) in enumerate(zip(kinds, "ifco", strict=True))
        )
        next_c = F.elemwise_add(kept * states[1], taken * new, name=prefix + "state")
        squashed = self._get_activation(F, next_c, self._activation)
        next_h = F.elemwise_mul(shown, squashed, name=prefix + "out")
        return next_h, [next_h, next_c]


class ConvGRU(ConvolvingCell):
    """A GRU's step."""

    _gates = 3

    def _alias(self) -> str:
        return "conv_gru"

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, **weights: Any
    ) -> Any:
        prefix, axis = f"t{self._counter}_", self._channel_axis
        i2h, h2h = self._products(F, inputs, states, weights)
        i2h_r, i2h_z, i2h = F.SliceChannel(i2h, num_outputs=3, axis=axis, name=prefix + "i2h_slice")
        h2h_r, h2h_z, h2h = F.SliceChannel(h2h, num_outputs=3, axis=axis, name=prefix + "h2h_slice")
        reset = F.Activation(i2h_r + h2h_r, act_type="sigmoid", name=prefix + "r_act")
        update = F.Activation(i2h_z + h2h_z, act_type="sigmoid", name=prefix + "z_act")
        new = self._get_activation(F, i2h + reset * h2h, self._activation, name=prefix + "h_act")
        next_h = F.elemwise_add((1.0 - update) * new, update * states[0], name=prefix + "out")
        return next_h, [next_h]
