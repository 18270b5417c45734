"""The module ``mxnet.optimizer.contrib``."""

from __future__ import annotations

from .scaled import GroupAdaGrad

__all__ = ["GroupAdaGrad"]
