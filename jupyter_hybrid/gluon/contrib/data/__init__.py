"""More samplers, as ``mxnet.gluon.contrib.data``."""

from __future__ import annotations

from .sampler import IntervalSampler

__all__ = ["IntervalSampler"]
