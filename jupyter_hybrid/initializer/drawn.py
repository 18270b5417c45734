"""Initializers that draw from a distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import nd
from .base import Initializer, register


@register
class Uniform(Initializer):
    """Uniform in [-scale, scale)."""

    def __init__(self, scale: float = 0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: Any) -> None:
        _uniform(arr, self.scale)


@register
class Normal(Initializer):
    """Normal with mean 0 and standard deviation ``sigma``."""

    def __init__(self, sigma: float = 0.01):
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: Any) -> None:
        _normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """Rows or columns that are orthogonal (Saxe and others, 2014), of length ``scale``.

    Args:
        rand_type: "uniform" or "normal": what the matrix is drawn from whose singular vectors
            they are.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform"):
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise ValueError(f"Orthogonal: rand_type is 'uniform' or 'normal', got {rand_type!r}")
        self.scale, self.rand_type = scale, rand_type

    def _init_weight(self, name: str, arr: Any) -> None:
        shape = (arr.shape[0], math.prod(arr.shape[1:]))
        draw = nd.random.uniform if self.rand_type == "uniform" else nd.random.normal
        low = -1.0 if self.rand_type == "uniform" else 0.0
        drawn = draw(low, 1.0, shape=shape).asnumpy()
        left, _, right = np.linalg.svd(drawn, full_matrices=False)
        chosen = left if left.shape == shape else right
        arr[:] = self.scale * chosen.reshape(arr.shape)


@register
class Xavier(Initializer):
    """Glorot and Bengio (2010): scale sqrt(magnitude / factor) from the fans of the weight.

    Args:
        rnd_type: "uniform" or "gaussian".
        factor_type: "avg", "in" or "out": which fan divides.
        magnitude: 3 gives Glorot's uniform.
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3):
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian"):
            raise ValueError(f"Xavier: rnd_type is 'uniform' or 'gaussian', got {rnd_type!r}")
        if factor_type not in ("avg", "in", "out"):
            raise ValueError(f"Xavier: factor_type is 'avg', 'in' or 'out', got {factor_type!r}")
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, float(magnitude)

    def _init_weight(self, name: str, arr: Any) -> None:
        shape = arr.shape
        if len(shape) < 2:
            raise ValueError(f"Xavier: {name} has shape {shape}, expected at least 2 dimensions")
        window = math.prod(shape[2:])
        fans = {"in": shape[1] * window, "out": shape[0] * window}
        fans["avg"] = (fans["in"] + fans["out"]) / 2
        scale = math.sqrt(self.magnitude / fans[self.factor_type])
        (_uniform if self.rnd_type == "uniform" else _normal)(arr, scale)


@register
class MSRAPrelu(Xavier):
    """He and others (2015): Xavier gaussian with magnitude 2 / (1 + slope ** 2)."""

    def __init__(self, factor_type: str = "avg", slope: float = 0.25):
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


def _uniform(arr: Any, scale: float) -> None:
    nd.random.uniform(-scale, scale, shape=arr.shape, dtype=arr.dtype, ctx=arr.context, out=arr)


def _normal(arr: Any, sigma: float) -> None:
    nd.random.normal(0, sigma, shape=arr.shape, dtype=arr.dtype, ctx=arr.context, out=arr)
