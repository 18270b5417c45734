"""RNNCell, LSTMCell and GRUCell."""

from __future__ import annotations

from typing import Any

from .cell import HybridRecurrentCell


class _GatedCell(HybridRecurrentCell):
    """Common to the cells: weights of input and state, stacked over ``_gates`` gates."""

    _gates = 1
    _states = 1

    def _make(
        self,
        hidden_size: int,
        input_size: int,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
    ) -> None:
        self._hidden_size, self._input_size = hidden_size, input_size
        rows = self._gates * hidden_size
        for name, shape, init in (
            ("i2h_weight", (rows, input_size), i2h_weight_initializer),
            ("h2h_weight", (rows, hidden_size), h2h_weight_initializer),
            ("i2h_bias", (rows,), i2h_bias_initializer),
            ("h2h_bias", (rows,), h2h_bias_initializer),
        ):
            param = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
            setattr(self, name, param)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return [
            {"shape": (batch_size, self._hidden_size), "__layout__": "NC"}
            for _ in range(self._states)
        ]

    def _products(self, F: Any, inputs: Any, states: Any, weights: dict[str, Any]) -> Any:
        """Input and state, each times its weights plus its bias."""
        rows = self._gates * self._hidden_size
        return [
            F.FullyConnected(
                given,
                weights[f"{part}_weight"],
                weights[f"{part}_bias"],
                num_hidden=rows,
                name=f"t{self._counter}_{part}",
            )
            for part, given in (("i2h", inputs), ("h2h", states[0]))
        ]

    def _mapping(self) -> str:
        rows, columns = self.params.get("i2h_weight").shape  # type: ignore[misc]
        return f"{columns or None} -> {rows}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()})"


class RNNCell(_GatedCell):
    """``h' = activation(W_i x + b_i + W_h h + b_h)``. Elman (1990).

    Args:
        hidden_size: size of the state and of the output.
        activation: a name or a function.
        input_size: 0 learns it from the first call.
    """

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._activation = activation
        self._make(
            hidden_size,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
        )

    def _alias(self) -> str:
        return "rnn"

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, **weights: Any
    ) -> Any:
        prefix = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states, weights)
        both = F.elemwise_add(i2h, h2h, name=prefix + "plus0")
        output = self._get_activation(F, both, self._activation, name=prefix + "out")
        return output, [output]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()}, {self._activation})"


class LSTMCell(_GatedCell):
    """Long short-term memory, states (h, c). Hochreiter and Schmidhuber (1997), with the forget
    gate of Gers et al. (2000); gates are stacked as input, forget, cell, output.

    Args:
        hidden_size: size of the states and of the output.
        input_size: 0 learns it from the first call.
        activation: of the cell and the output; a name.
        recurrent_activation: of the gates; a name or a function.
    """

    _gates = 4
    _states = 2

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ):
        super().__init__(prefix, params)
        self._activation, self._recurrent_activation = activation, recurrent_activation
        self._make(
            hidden_size,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
        )

    def _alias(self) -> str:
        return "lstm"

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, **weights: Any
    ) -> Any:
        prefix = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states, weights)
        gates = F.SliceChannel(
            F.elemwise_add(i2h, h2h, name=prefix + "plus0"), num_outputs=4, name=prefix + "slice"
        )
        kinds = [self._recurrent_activation] * 2 + [self._activation, self._recurrent_activation]
        taken, kept, new, shown = (
            self._get_activation(F, gates[i], kind, name=prefix + letter)
            for i, (kind, letter) in enumerate(zip(kinds, "ifco", strict=True))
        )
        next_c = F.elemwise_add(
            F.elemwise_mul(kept, states[1], name=prefix + "mul0"),
            F.elemwise_mul(taken, new, name=prefix + "mul1"),
            name=prefix + "state",
        )
        squashed = self._get_activation(F, next_c, self._activation, name=prefix + "activation0")
        next_h = F.elemwise_mul(shown, squashed, name=prefix + "out")
        return next_h, [next_h, next_c]


class GRUCell(_GatedCell):
    """Gated recurrent unit: ``h' = (1 - z) n + z h`` with
    ``n = tanh(W x + b + r (U h + c))``. Cho et al. (2014), in the form of cuDNN; gates are stacked
    as reset, update, new.

    Args:
        hidden_size: size of the state and of the output.
        input_size: 0 learns it from the first call.
    """

    _gates = 3

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._make(
            hidden_size,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
        )

    def _alias(self) -> str:
        return "gru"

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, **weights: Any
    ) -> Any:
        prefix = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states, weights)
        i2h_r, i2h_z, i2h = F.SliceChannel(i2h, num_outputs=3, name=prefix + "i2h_slice")
        h2h_r, h2h_z, h2h = F.SliceChannel(h2h, num_outputs=3, name=prefix + "h2h_slice")
        reset = F.Activation(
            F.elemwise_add(i2h_r, h2h_r, name=prefix + "plus0"),
            act_type="sigmoid",
            name=prefix + "r_act",
        )
        update = F.Activation(
            F.elemwise_add(i2h_z, h2h_z, name=prefix + "plus1"),
            act_type="sigmoid",
            name=prefix + "z_act",
        )
        again = F.elemwise_mul(reset, h2h, name=prefix + "mul0")
        new = F.Activation(
            F.elemwise_add(i2h, again, name=prefix + "plus2"),
            act_type="tanh",
            name=prefix + "h_act",
        )
        ones = F.ones_like(update, name=prefix + "ones_like0")
        next_h = F.elemwise_add(
            F.elemwise_mul(
                F.elemwise_sub(ones, update, name=prefix + "minus0"), new, name=prefix + "mul1"
            ),
            F.elemwise_mul(update, states[0], name=prefix + "mul20"),
            name=prefix + "out",
        )
        return next_h, [next_h]
