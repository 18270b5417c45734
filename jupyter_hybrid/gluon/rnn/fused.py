"""The recurrent layers with their arguments; see :class:`RecurrentLayer`."""

from __future__ import annotations

from typing import Any

from ..checks import CheckError
from .layers import RecurrentLayer


def _initializers(i2h: Any, h2h: Any, i2h_bias: Any, h2h_bias: Any, h2r: Any = None) -> dict:
    return {
        "i2h_weight": i2h,
        "h2h_weight": h2h,
        "i2h_bias": i2h_bias,
        "h2h_bias": h2h_bias,
        "h2r_weight": h2r,
    }


class RNN(RecurrentLayer):
    """``h' = activation(W_i x + b_i + W_h h + b_h)``, activation "relu" or "tanh"."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if activation not in ("relu", "tanh"):
            raise CheckError(f"RNN: activation: expected 'relu' or 'tanh', got {activation!r}")
        self._mode = f"rnn_{activation}"
        self._make(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            _initializers(
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            dtype,
            use_sequence_length,
        )


class LSTM(RecurrentLayer):
    """Long short-term memory, states [h, c]; see :class:`LSTMCell`.

    Args beside the common ones:
        projection_size: h is projected to so many numbers (Sak et al. 2014).
        state_clip_min, state_clip_max: c is kept between them.
        state_clip_nan: with these limits: nan becomes the least.
    """

    _mode = "lstm"

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._make(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            _initializers(
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
                h2r_weight_initializer,
            ),
            dtype,
            use_sequence_length,
            projection_size,
            lstm_state_clip_min=state_clip_min,
            lstm_state_clip_max=state_clip_max,
            lstm_state_clip_nan=state_clip_nan,
        )


class GRU(RecurrentLayer):
    """Gated recurrent unit; see :class:`GRUCell`."""

    _mode = "gru"

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._make(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            _initializers(
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            dtype,
            use_sequence_length,
        )
