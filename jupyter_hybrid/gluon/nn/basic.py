"""Dense, Activation, Dropout, Flatten and functions as layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import nd
from ..block import Block
from ..hybrid_block import HybridBlock


class Activation(HybridBlock):
    """``relu``, ``sigmoid``, ``tanh``, ``softrelu`` or ``softsign``, elementwise."""

    def __init__(self, activation: str, **kwargs: Any):
        self._kind = activation
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Activation(x, act_type=self._kind, name="fwd")

    def __repr__(self) -> str:
        return f"Activation({self._kind})"


class Dense(HybridBlock):
    """``activation(x @ weight.T + bias)``: (batch, in_units) to (batch, units).

    Args:
        units: number of outputs.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        flatten: join all axes but the first; else apply along the last axis.
        in_units: number of inputs; 0 learns it from the first call.
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = np.float32,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._units, self._flatten = units, flatten
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=(units, in_units),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get("bias", shape=(units,), init=bias_initializer, dtype=dtype)
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
        act = self.act._kind if self.act is not None else "linear"
        return f"Dense({(self.weight.shape or (0, 0))[1] or None} -> {self._units}, {act})"


class Embedding(HybridBlock):
    """The row of a table for every index: an array of ``x.shape + (output_dim,)``.

    Args:
        input_dim: number of rows; indices are 0 to input_dim - 1.
        output_dim: elements of a row.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = np.float32,
        weight_initializer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._options = {"input_dim": input_dim, "output_dim": output_dim}
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=(input_dim, output_dim),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.Embedding(x, weight, name="fwd", **self._options)

    def __repr__(self) -> str:
        return "Embedding({input_dim} -> {output_dim})".format(**self._options)


class Dropout(HybridBlock):
    """While training, zeroes each element with probability ``rate`` and scales the rest."""

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any):
        super().__init__(**kwargs)
        if axes:
            raise ValueError("Dropout: axes is not supported")
        if not 0 <= rate < 1:
            raise ValueError(f"Dropout: rate is at least 0 and below 1, got {rate}")
        self._rate = rate

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Dropout(x, p=self._rate, name="fwd") if self._rate else F.identity(x)

    def __repr__(self) -> str:
        return f"Dropout(p = {self._rate})"


class Flatten(HybridBlock):
    """(batch, ...) to (batch, everything else)."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Flatten(x, name="fwd")


class Lambda(Block):
    """A function of NDArrays (or the name of one in nd) as a layer."""

    def __init__(self, function: Any, prefix: str | None = None):
        super().__init__(prefix)
        self._function = getattr(nd, function) if isinstance(function, str) else function

    def forward(self, *args: Any) -> Any:
        return self._function(*args)


class HybridLambda(HybridBlock):
    """A function ``f(F, x)``, or the name of an operator, as a hybrid layer."""

    def __init__(self, function: Any, prefix: str | None = None):
        super().__init__(prefix)
        self._function = function

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        if isinstance(self._function, str):
            return getattr(F, self._function)(x, *args)
        return self._function(F, x, *args)
