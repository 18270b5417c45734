"""LayerNorm, InstanceNorm and GroupNorm: the same in training and afterwards."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock


class _Norm(HybridBlock):
    """Common to them: ``gamma``, ``beta`` and what is printed.

    Their fields have MXNet's names: classes derived from them read these.
    """

    _kwargs: dict[str, Any]

    def _make(
        self,
        size: int,
        scale: bool,
        center: bool,
        gamma_initializer: Any,
        beta_initializer: Any,
    ) -> None:
        rows = (("gamma", gamma_initializer, scale), ("beta", beta_initializer, center))
        for name, init, learnt in rows:
            parameter = self.params.get(
                name,
                grad_req="write" if learnt else "null",
                shape=(size,),
                init=init,
                allow_deferred_init=True,
            )
            setattr(self, name, parameter)

    def _printed(self) -> str:
        return ", ".join(f"{k}={v!r}" for k, v in self._kwargs.items())

    def __repr__(self) -> str:
        channels = self.params.get("gamma").shape[0]  # type: ignore[index]
        return f"{type(self).__name__}({self._printed()}, in_channels={channels})"


class LayerNorm(_Norm):
    """``(x - mean) / sqrt(var + epsilon) * gamma + beta`` for every row along ``axis``.

    Ba, Kiros and Hinton (2016).

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
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._axis, self._epsilon, self._center, self._scale = axis, epsilon, center, scale
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._make(in_channels, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        return F.LayerNorm(data, gamma, beta, axis=self._axis, eps=self._epsilon, name="fwd")


class InstanceNorm(_Norm):
    """``(x - mean) / sqrt(var + epsilon) * gamma + beta`` for every channel of every sample: mean
    and variance are those of all axes but the first one and ``axis``. Ulyanov et al. (2016).

    Args:
        axis: the channels' axis.
        epsilon: added to the variance.
        center: whether ``beta`` is learnt.
        scale: whether ``gamma`` is learnt.
        in_channels: 0 learns it from the first call.
    """

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._axis, self._epsilon, self._center, self._scale = axis, epsilon, center, scale
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._make(in_channels, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        axis, epsilon = self._axis, self._epsilon
        if axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=epsilon)
        x = F.swapaxes(x, dim1=1, dim2=axis)
        y = F.InstanceNorm(x, gamma, beta, name="fwd", eps=epsilon)
        return F.swapaxes(y, dim1=1, dim2=axis)


class GroupNorm(_Norm):
    """``(x - mean) / sqrt(var + epsilon) * gamma + beta`` for every group of channels (axis 1) of
    every sample; ``gamma`` and ``beta`` have one value a group. Wu and He (2018).

    Args:
        num_groups: number of groups that the channels are split into.
        epsilon: added to the variance.
        center: whether ``beta`` is learnt.
        scale: whether ``gamma`` is learnt.
    """

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        prefix: str | None = None,
        params: Any = None,
    ):
        super().__init__(prefix, params)
        self._num_groups, self._epsilon = num_groups, epsilon
        self._center, self._scale = center, scale
        self._kwargs = {
            "eps": epsilon,
            "num_groups": num_groups,
            "center": center,
            "scale": scale,
        }
        self._make(num_groups, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        groups = self._num_groups
        return F.GroupNorm(data, gamma, beta, num_groups=groups, eps=self._epsilon)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._printed()})"
