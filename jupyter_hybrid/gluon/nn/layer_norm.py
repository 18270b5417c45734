"""LayerNorm: every row along an axis normalized by its own mean and variance."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock


class LayerNorm(HybridBlock):
    """``(x - mean) / sqrt(var + epsilon) * gamma + beta`` for every row along ``axis``.

    The same in training and afterwards. Ba, Kiros and Hinton (2016).

    Args:
        axis: the axis of the rows.
        epsilon: added to the variance.
        center: whether ``beta`` is learnt.
        scale: whether ``gamma`` is learnt.
        in_channels: elements of a row; 0 learns it from the first call.
    """

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._options = {"axis": axis, "eps": epsilon}
        rows = (("gamma", gamma_initializer, scale), ("beta", beta_initializer, center))
        with self.name_scope():
            for name, init, learnt in rows:
                parameter = self.params.get(
                    name,
                    grad_req="write" if learnt else "null",
                    shape=(in_channels,),
                    init=init,
                    allow_deferred_init=True,
                )
                setattr(self, name, parameter)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        return F.LayerNorm(x, gamma, beta, name="fwd", **self._options)

    def __repr__(self) -> str:
        channels = self.params.get("gamma").shape[0] or None  # type: ignore[index]
        options = ", ".join(f"{k}={v}" for k, v in self._options.items())
        return f"LayerNorm({options}, in_channels={channels})"
