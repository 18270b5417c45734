"""Layers side by side, the identity, and two that exist for sparse and distributed training."""

from __future__ import annotations

from typing import Any

from .... import nd
from ....context import num_gpus
from ...block import Block
from ...hybrid_block import HybridBlock
from ...nn import BatchNorm, HybridSequential, Sequential


class Concurrent(Sequential):
    """All layers get the input; their outputs are joined along ``axis``."""

    _in_summary = True

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)
        self.axis = axis

    def forward(self, x: Any, *args: Any) -> Any:
        return nd.concat(*(block(x, *args) for block in self._children.values()), dim=self.axis)


class HybridConcurrent(HybridSequential):
    """All hybrid layers get the input; their outputs are joined along ``axis``."""

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)
        self.axis = axis

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return F.concat(*(block(x, *args) for block in self._children.values()), dim=self.axis)


class Identity(HybridBlock):
    """Gives its input; in a :class:`HybridConcurrent` it makes a residual connection."""

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x


class SparseEmbedding(Block):
    """The row of a table for every index. MXNet's has a table of sparse storage; here it is dense,
    which is said once, and computes the same.

    Args:
        input_dim: number of rows; indices are 0 to input_dim - 1.
        output_dim: elements of a row.
        dtype: element type of the table.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype}
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            grad_stype="row_sparse",
            stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        return nd.Embedding(x, self.weight.row_sparse_data(x), name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        o = self._kwargs
        return f"{type(self).__name__}({o['input_dim']} -> {o['output_dim']}, {o['dtype']})"


class SyncBatchNorm(BatchNorm):
    """Batch normalization along axis 1 whose statistics, while training, are those of the data of
    all devices together.

    Every device's call waits for those of the others, forward and backward: each device must get a
    part of every batch, and all of them the same layers in the same order. Parts may differ in
    size. Zhang et al. (2018), "Context Encoding for Semantic Segmentation".

    Args:
        in_channels: 0 learns it from the first call.
        num_devices: None means all GPUs, virtual ones too, or 1 where there is none.

    Raises:
        MXNetError: when a result is waited for that waits for a device whose call can't come: at
            once where no other thread runs, after 10 seconds where the others have called no
            operator yet. One that has may still make that call: such a wait can be interrupted.
            And on the naive engine, where no call can wait for a later one.
    """

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        **kwargs: Any,
    ):
        super().__init__(
            axis=1,
            momentum=momentum,
            epsilon=epsilon,
            center=center,
            scale=scale,
            use_global_stats=use_global_stats,
            beta_initializer=beta_initializer,
            gamma_initializer=gamma_initializer,
            running_mean_initializer=running_mean_initializer,
            running_variance_initializer=running_variance_initializer,
            in_channels=in_channels,
            **kwargs,
        )
        devices = (num_gpus() or 1) if num_devices is None else num_devices
        del self._kwargs["axis"]
        self._kwargs: dict[str, Any] = {**self._kwargs, "ndev": devices, "key": self.prefix}

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        inputs = (x, gamma, beta, running_mean, running_var)
        return F.contrib.SyncBatchNorm(*inputs, name="fwd", **self._kwargs)
