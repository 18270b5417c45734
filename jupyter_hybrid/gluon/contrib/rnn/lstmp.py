"""LSTMPCell: long short-term memory whose output is projected."""

from __future__ import annotations

from typing import Any

from ...rnn import HybridRecurrentCell


class LSTMPCell(HybridRecurrentCell):
    """An LSTM whose output is ``r = W_r h``, which is the state, too. Sak et al. (2014).

    Args:
        hidden_size: size of the memory.
        projection_size: size of the output.
        input_size: 0 learns it from the first call.
    """

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        h2r_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._hidden_size, self._projection_size = hidden_size, projection_size
        rows = 4 * hidden_size
        for name, shape, init in (
            ("i2h_weight", (rows, input_size), i2h_weight_initializer),
            ("h2h_weight", (rows, projection_size), h2h_weight_initializer),
            ("h2r_weight", (projection_size, hidden_size), h2r_weight_initializer),
            ("i2h_bias", (rows,), i2h_bias_initializer),
            ("h2h_bias", (rows,), h2h_bias_initializer),
        ):
            param = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
            setattr(self, name, param)

    def _alias(self) -> str:
        return "lstmp"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        sizes = self._projection_size, self._hidden_size
        return [{"shape": (batch_size, size), "__layout__": "NC"} for size in sizes]

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        h2r_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        prefix, rows = f"t{self._counter}_", 4 * self._hidden_size
        i2h = F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=rows, name=prefix + "i2h")
        h2h = F.FullyConnected(
            states[0], h2h_weight, h2h_bias, num_hidden=rows, name=prefix + "h2h"
        )
        gates = F.SliceChannel(i2h + h2h, num_outputs=4, name=prefix + "slice")
        kinds = ("sigmoid", "sigmoid", "tanh", "sigmoid")
        taken, kept, new, shown = (
            F.Activation(gates[i], act_type=kind, name=prefix + letter)
            for i, (kind, letter) in enumerate(zip(kinds, "ifco", strict=True))
        )
        next_c = F.elemwise_add(kept * states[1], taken * new, name=prefix + "state")
        hidden = F.elemwise_mul(
            shown, F.Activation(next_c, act_type="tanh"), name=prefix + "hidden"
        )
        size = self._projection_size
        next_r = F.FullyConnected(
            hidden, h2r_weight, no_bias=True, num_hidden=size, name=prefix + "out"
        )
        return next_r, [next_r, next_c]

    def __repr__(self) -> str:
        rows, columns = self.params.get("i2h_weight").shape  # type: ignore[misc]
        return f"{type(self).__name__}({columns or None} -> {rows} -> {self._projection_size})"
