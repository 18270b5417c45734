"""Dense, Dropout and Flatten."""

from __future__ import annotations

from typing import Any

from ..checks import CheckError
from ..hybrid_block import HybridBlock
from .activations import Activation


class Dense(HybridBlock):
    """``activation(x @ weight.T + bias)``: (batch, in_units) to (batch, units).

    Args:
        units: number of outputs.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        flatten: join all axes but the first; else apply along the last axis.
        dtype: element type of the parameters.
        in_units: number of inputs; 0 learns it from the first call.
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._units, self._in_units, self._flatten = units, in_units, flatten
        options = {"dtype": dtype, "allow_deferred_init": True}
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(units, in_units), init=weight_initializer, **options
            )
            self.bias = (
                self.params.get("bias", shape=(units,), init=bias_initializer, **options)
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        y = F.FullyConnected(
            x,
            weight,
            *([] if bias is None else [bias]),
            no_bias=bias is None,
            num_hidden=self._units,
            flatten=self._flatten,
            name="fwd",
        )
        return self.act(y) if self.act is not None else y

    def __repr__(self) -> str:
        units, in_units = self.weight.shape or (0, 0)
        return f"{type(self).__name__}({in_units or None} -> {units}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """While training, zeroes each element with probability ``rate`` and scales the rest. Along
    ``axes`` all elements share their fate. Srivastava et al. (2014).

    Raises:
        CheckError: rate is not from 0 to 1.
    """

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any):
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise CheckError(f"Dropout: rate: expected 0 to 1, got {rate}")
        self._rate, self._axes = rate, axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        if not self._rate:
            return F.identity(x)
        return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Flatten(HybridBlock):
    """(batch, ...) to (batch, everything else)."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Flatten(x, name="fwd")

    def __repr__(self) -> str:
        return type(self).__name__
