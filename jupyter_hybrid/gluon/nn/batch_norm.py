"""BatchNorm: channels normalized by the batch's statistics, or by moving ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtype_of
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
        self._kwargs = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        rows = (
            ("gamma", gamma_initializer, scale),
            ("beta", beta_initializer, center),
            ("running_mean", running_mean_initializer, False),
            ("running_var", running_variance_initializer, False),
        )
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

    def cast(self, dtype: Any) -> None:
        """Parameters of a float16 or bfloat16 net stay float32: statistics need the digits."""
        super().cast(np.float32 if dtype_of(dtype) in (np.float16, "bfloat16") else dtype)

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        return F.BatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        channels = self.params.get("gamma").shape[0] or None  # type: ignore[index]
        options = ", ".join(f"{k}={v!r}" for k, v in self._kwargs.items())
        return f"{type(self).__name__}({options}, in_channels={channels})"


class BatchNormReLU(BatchNorm):
    """``max(0, BatchNorm(x))``: the batch normalization with a rectifier behind it."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **params: Any) -> Any:
        return F.Activation(super().hybrid_forward(F, x, *args, **params), act_type="relu")
