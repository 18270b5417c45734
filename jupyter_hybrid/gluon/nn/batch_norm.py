"""BatchNorm: channels normalized by the batch's statistics, or by moving ones."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock


class BatchNorm(HybridBlock):
    """``(x - mean) / sqrt(var + epsilon) * gamma + beta`` for every channel.

    While training (``autograd.record()``) mean and variance are the batch's, and ``running_mean``
    and ``running_var`` become ``momentum * running + (1 - momentum) * batch``, once a forward call;
    otherwise they are the running ones. Ioffe and Szegedy (2015).

    Args:
        axis: the channels' axis.
        momentum: part of the running statistics that stays.
        epsilon: added to the variance.
        center: whether ``beta`` is learnt.
        scale: whether ``gamma`` is learnt; if not, it counts as 1.
        use_global_stats: running statistics in training too.
        in_channels: 0 learns it from the first call.
    """

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._options = {
            "axis": axis,
            "momentum": momentum,
            "eps": epsilon,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        rows = (
            ("gamma", gamma_initializer, scale),
            ("beta", beta_initializer, center),
            ("running_mean", running_mean_initializer, False),
            ("running_var", running_variance_initializer, False),
        )
        with self.name_scope():
            for name, init, learnt in rows:
                parameter = self.params.get(
                    name,
                    grad_req="write" if learnt else "null",
                    shape=(in_channels,),
                    init=init,
                    allow_deferred_init=True,
                    differentiable=learnt,
                )
                setattr(self, name, parameter)

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        return F.BatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._options)

    def __repr__(self) -> str:
        channels = self.params.get("gamma").shape[0] or None  # type: ignore[index]
        options = ", ".join(f"{k}={v}" for k, v in self._options.items())
        return f"BatchNorm({options}, in_channels={channels})"
