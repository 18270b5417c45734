"""FusedRNN: fills the packed parameters of an RNN operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import nd
from .base import InitDesc, Initializer, create, register

_GATES = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}


@register
class FusedRNN(Initializer):
    """Fills each gate's weights and biases, as if they were arrays of their own.

    Args:
        init: what fills them, an initializer or what its ``dumps()`` gave; None: the global one.
        num_hidden, num_layers, mode, bidirectional: as of the operator RNN.
        forget_bias: of an LSTM's forget gates.
    """

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ):
        init = create(init) if isinstance(init, str) else init
        super().__init__(
            init=None if init is None else init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        if mode not in _GATES:
            raise ValueError(f"FusedRNN: mode is one of {', '.join(_GATES)}, got {mode!r}")
        self._init, self._hidden, self._layers, self._mode = init, num_hidden, num_layers, mode
        self._directions = ("l", "r") if bidirectional else ("l",)
        self._forget_bias = forget_bias

    def _parts(self, size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Names and shapes in the order in which they are packed."""
        hidden, layers, b = self._hidden, self._layers, len(self._directions)
        each = size // b // hidden // len(_GATES[self._mode])
        inputs = each - (layers - 1) * (hidden + b * hidden + 2) - hidden - 2
        for kind in ("weight", "bias"):
            for layer in range(layers):
                width = inputs if layer == 0 else b * hidden
                for direction in self._directions:
                    for of, columns in (("i2h", width), ("h2h", hidden)):
                        shape = (hidden, columns) if kind == "weight" else (hidden,)
                        for gate in _GATES[self._mode]:
                            yield f"{direction}{layer}_{of}{gate}_{kind}", shape

    def _init_weight(self, name: str, arr: Any) -> None:
        parts = list(self._parts(arr.size))
        if any(min(s) < 1 for _, s in parts) or sum(int(np.prod(s)) for _, s in parts) != arr.size:
            raise ValueError(
                f"FusedRNN: {name}: {arr.size} elements are not the parameters of {self!r}"
            )
        filled = []
        for part, shape in parts:
            array = nd.zeros(shape, ctx=arr.context)
            if self._mode == "lstm" and part.endswith("_f_bias"):
                array[:] = self._forget_bias
            else:
                overall = getattr(name, "global_init", None)
                init = self._init if self._init is not None else overall
                if init is None:
                    raise ValueError(f"FusedRNN: {name}: there is no initializer for {part}")
                init(InitDesc(part, global_init=overall), array)
            filled.append(array.asnumpy().ravel())
        arr[:] = np.concatenate(filled).reshape(arr.shape)
