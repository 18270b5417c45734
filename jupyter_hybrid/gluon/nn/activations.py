"""Activation functions as layers: an array of any shape to one of the same shape."""

from __future__ import annotations

from typing import Any

from ... import initializer
from ..checks import CheckError
from ..hybrid_block import HybridBlock

_QUARTER = initializer.Constant(0.25)


class Activation(HybridBlock):
    """``relu``, ``sigmoid``, ``tanh``, ``softrelu`` or ``softsign``, elementwise."""

    def __init__(self, activation: str, **kwargs: Any):
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(HybridBlock):
    """``x`` where it is positive, ``alpha * x`` below.

    Raises:
        CheckError: alpha is negative.
    """

    def __init__(self, alpha: float, **kwargs: Any):
        if alpha < 0:
            raise CheckError(f"LeakyReLU: alpha: expected at least 0, got {alpha}")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """``x`` where it is positive, ``alpha * x`` below, with a learnt ``alpha`` for all channels or,
    with ``in_channels`` of them along axis 1, for each. He, Zhang, Ren and Sun (2015)."""

    def __init__(
        self,
        alpha_initializer: Any = _QUARTER,
        in_channels: int = 1,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        return F.LeakyReLU(x, alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """``x`` where it is positive, ``alpha * (exp(x) - 1)`` below. Clevert et al. (2016)."""

    def __init__(self, alpha: float = 1.0, **kwargs: Any):
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """Self-normalizing units: ELU with fixed factors. Klambauer et al. (2017)."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """``x / 2 * (1 + erf(x / sqrt(2)))``. Hendrycks and Gimpel (2016)."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """``x * sigmoid(beta * x)``. Ramachandran, Zoph and Le (2017)."""

    def __init__(self, beta: float = 1.0, **kwargs: Any):
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x * F.sigmoid(self._beta * x, name="fwd")
