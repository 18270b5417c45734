"""The module ``mxnet.optimizer.contrib``."""

from .scaled import GroupAdaGrad

__all__ = ["GroupAdaGrad"]
