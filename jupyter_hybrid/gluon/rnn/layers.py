"""RNN, LSTM and GRU: whole sequences through stacked layers by one operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core, nd
from ..checks import CheckError
from ..hybrid_block import HybridBlock
from ..parameter import Parameter, tensor_types
from .bidirectional import BidirectionalCell
from .cells import GRUCell, LSTMCell, RNNCell
from .modifiers import DropoutCell
from .sequences import Steps, face_of, made_states, zero_states
from .sequential import HybridSequentialRNNCell

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


class RecurrentLayer(HybridBlock):
    """``output = layer(inputs)``, or ``output, states = layer(inputs, states)``.

    Inputs are (time, batch, features) or, with layout "NTC", (batch, time, features); outputs have
    ``hidden_size`` features, twice as many if bidirectional. States are (layers * directions,
    batch, hidden_size). With ``use_sequence_length=True`` the call takes ``sequence_length``,
    (batch,), too.

    Args of its layers:
        hidden_size: size of the states.
        num_layers: layers, each on the output of the one before.
        layout: "TNC" or "NTC".
        dropout: probability of 0 between layers, while training.
        bidirectional: a second direction, from last to first, beside each layer.
        input_size: 0 learns it from the first call.
        dtype: element type of parameters and states.
    """

    _mode = "lstm"
    _options: dict[str, Any]  # of the operator, beside sizes

    def _make(
        self,
        hidden_size: int,
        num_layers: int,
        layout: str,
        dropout: float,
        bidirectional: bool,
        input_size: int,
        initializers: dict[str, Any],
        dtype: Any,
        use_sequence_length: bool,
        projection_size: int | None = None,
        **options: Any,
    ) -> None:
        if layout not in ("TNC", "NTC"):
            kind = type(self).__name__
            raise CheckError(f"{kind}: layout: expected 'TNC' or 'NTC', got {layout!r}")
        self._hidden_size, self._num_layers = hidden_size, num_layers
        self._layout, self._dropout, self._dtype = layout, dropout, dtype
        self._directions = "lr" if bidirectional else "l"
        self._dir, self._gates = len(self._directions), _GATES[self._mode]  # MXNet's names
        self._input_size, self._projection_size = input_size, projection_size or None
        self._initializers, self._options = initializers, options
        self._use_sequence_length = use_sequence_length
        rows, size = self._gates * hidden_size, self._projection_size or hidden_size
        for layer in range(num_layers):
            given = input_size if layer == 0 else size * self._dir
            shapes: dict[str, tuple[int, ...]] = {
                "i2h_weight": (rows, given),
                "h2h_weight": (rows, size),
                "i2h_bias": (rows,),
                "h2h_bias": (rows,),
            }
            if self._projection_size:
                shapes["h2r_weight"] = (size, hidden_size)
            for direction in self._directions:
                self._add(f"{direction}{layer}_", shapes)

    def _add(self, start: str, shapes: dict[str, tuple[int, ...]]) -> None:
        for name, shape in shapes.items():
            param = self.params.get(
                start + name,
                shape=shape,
                init=self._initializers[name],
                allow_deferred_init=True,
                dtype=self._dtype,
            )
            setattr(self, start + name, param)

    def structured_params(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters by the paths they have in a stack of cells, as MXNet's files do."""
        found = {}
        for key, param in self._reg_params.items():
            place, _, name = key.partition("_")
            cell = f"{place[0]}_cell." if self._dir == 2 else ""
            found[f"{prefix}_unfused.{place[1:]}.{cell}{name}"] = param
        return found

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape, layout and element type of each state."""
        count = self._num_layers * self._dir
        sizes = [self._projection_size or self._hidden_size]
        sizes += [self._hidden_size] if self._mode == "lstm" else []
        return [
            {"shape": (count, batch_size, size), "__layout__": "LNC", "dtype": self._dtype}
            for size in sizes
        ]

    def begin_state(
        self, batch_size: int = 0, func: Callable = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """The first states; see :meth:`RecurrentCell.begin_state`."""
        names = (f"{self.prefix}h0_{i}" for i in range(2))
        return made_states(self.state_info(batch_size), func, names.__next__, kwargs)

    def cast(self, dtype: Any) -> None:
        super().cast(dtype)
        self._dtype = dtype

    # Calling --------------------------------------------------------------------------------------
    def __call__(self, inputs: Any, states: Any = None, sequence_length: Any = None) -> Any:
        alone = states is None
        if alone:
            states = zero_states(self.state_info(0), self._steps(inputs))
        given = [states] if isinstance(states, tensor_types) else list(states)
        more = [sequence_length] if self._use_sequence_length else []
        outputs = super().__call__(inputs, given, *more)
        return outputs[0] if alone else outputs

    def _steps(self, inputs: Any) -> Steps:
        axes = self._layout.find("T"), self._layout.find("N")
        return Steps(inputs, axes[0], face_of(inputs), axes[1])

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any = None, sequence_length: Any = None, **weights: Any
    ) -> Any:
        if states is None:
            states = zero_states(self.state_info(0), self._steps(inputs))
        if isinstance(inputs, _core.NDArray):
            self._check_states(inputs, states)
        if self._layout == "NTC":
            inputs = F.swapaxes(inputs, dim1=0, dim2=1)
        named = dict(zip(("state", "state_cell"), states))
        if self._use_sequence_length:
            named["sequence_length"] = sequence_length
        outputs, *after = F.RNN(
            inputs,
            self._packed(F, weights),
            **named,
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            **self._options,
        )
        if self._layout == "NTC":
            outputs = F.swapaxes(outputs, dim1=0, dim2=1)
        return outputs, after

    def _packed(self, F: Any, weights: dict[str, Any]) -> Any:
        """All weights, then all biases, in one row, as the operator takes them."""
        parts = ("i2h", "h2h", "h2r") if self._projection_size else ("i2h", "h2h")
        rows = [
            F.reshape(weights[name], shape=(-1,))
            for kind in ("weight", "bias")
            for layer in range(self._num_layers)
            for direction in self._directions
            for part in parts
            if (name := f"{direction}{layer}_{part}_{kind}") in weights
        ]
        return F.concat(*rows, dim=0)

    def _check_states(self, inputs: Any, states: list[Any]) -> None:
        infos = self.state_info(inputs.shape[self._layout.find("N")])
        shapes = [tuple(info["shape"]) for info in infos]
        given = [tuple(state.shape) for state in states]
        if shapes != given:
            raise CheckError(f"{self.name}: states: expected shapes {shapes}, got {given}")

    def _infer_params(self, *args: Any) -> None:
        """The size of the inputs is that of their last axis."""
        if len(args[0].shape) != 3:
            raise CheckError(
                f"{self.name}: expected inputs of 3 axes ({self._layout}), got shape "
                f"{tuple(args[0].shape)}"
            )
        for direction in self._directions:
            weight = self._reg_params[f"{direction}0_i2h_weight"]
            weight.shape = (weight.shape[0], args[0].shape[2])  # type: ignore[index]
        for param in self._reg_params.values():
            param.finish_deferred()

    def _unfuse(self) -> HybridSequentialRNNCell:
        """A stack of cells that has the same parameters.

        Raises:
            CheckError: it has a projection or limits of its states, which cells have not.
        """
        limited = any(value not in (None, False) for value in self._options.values())
        if self._projection_size or limited:
            raise CheckError(f"{self.name}: cells have no projection and no limits of states")
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        with stack.name_scope():
            for layer in range(self._num_layers):
                cells = [self._cell(f"{direction}{layer}_") for direction in self._directions]
                stack.add(cells[0] if len(cells) == 1 else BidirectionalCell(*cells))
                if self._dropout > 0 and layer + 1 < self._num_layers:
                    stack.add(DropoutCell(self._dropout))
        return stack

    def _cell(self, prefix: str) -> Any:
        if self._mode == "lstm":
            return LSTMCell(self._hidden_size, prefix=prefix)
        if self._mode == "gru":
            return GRUCell(self._hidden_size, prefix=prefix)
        return RNNCell(self._hidden_size, self._mode.removeprefix("rnn_"), prefix=prefix)

    def __repr__(self) -> str:
        rows, columns = self._reg_params["l0_i2h_weight"].shape  # type: ignore[misc]
        parts = [f"{columns or None} -> {rows // _GATES[self._mode]}", self._layout]
        parts += [f"num_layers={self._num_layers}"] if self._num_layers != 1 else []
        parts += [f"dropout={self._dropout}"] if self._dropout else []
        parts += ["bidirectional"] if self._dir == 2 else []
        return f"{type(self).__name__}({', '.join(parts)})"
