"""Initializers of parameters; ``init`` in MXNet's words.

An initializer is called with a parameter's name and its array and fills the array in place. Names
that end in ``bias``, ``beta`` or ``running_mean`` become zero and ``gamma``, ``running_var`` one,
unless the parameter has an initializer of its own.
"""

from __future__ import annotations

import math
from typing import Any

from . import nd

_registry: dict[str, type[Initializer]] = {}
_SUFFIXES = (
    ("bias", "_init_bias"),
    ("gamma", "_init_gamma"),
    ("beta", "_init_beta"),
    ("running_mean", "_init_zero"),
    ("moving_mean", "_init_zero"),
    ("running_var", "_init_one"),
    ("moving_var", "_init_one"),
)


def register(cls: type[Initializer]) -> type[Initializer]:
    """Makes an initializer known by its lower-case name; usable as a decorator."""
    _registry[cls.__name__.lower()] = cls
    return cls


def create(init: Any, **kwargs: Any) -> Initializer:
    """An initializer from an instance, a class or a registered name such as ``"xavier"``."""
    if isinstance(init, Initializer):
        return init
    if isinstance(init, type) and issubclass(init, Initializer):
        return init(**kwargs)
    name = str(init).lower()
    name = {"zeros": "zero", "ones": "one", "gaussian": "normal"}.get(name, name)
    if name not in _registry:
        raise ValueError(f"unknown initializer {init!r}; known: {', '.join(sorted(_registry))}")
    return _registry[name](**kwargs)


class Initializer:
    """Base class; write ``_init_weight(self, name, arr)`` to make your own."""

    def __init__(self, **kwargs: Any):
        self._kwargs = kwargs

    def __call__(self, name: str, arr: Any) -> None:
        for suffix, method in _SUFFIXES:
            if name.endswith(suffix):
                getattr(self, method)(name, arr)
                return
        self._init_weight(name, arr)

    def fill(self, name: str, arr: Any) -> None:
        """Fills as a weight whatever the name says: for a parameter's own initializer."""
        self._init_weight(name, arr)

    def _init_weight(self, name: str, arr: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _init_weight(name, arr)")

    def _init_zero(self, name: str, arr: Any) -> None:
        arr[:] = 0

    def _init_one(self, name: str, arr: Any) -> None:
        arr[:] = 1

    _init_bias = _init_beta = _init_zero
    _init_gamma = _init_one

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v!r}" for k, v in self._kwargs.items())
        return f"{type(self).__name__}({given})"


@register
class Zero(Initializer):
    """Zeros."""

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 0


@register
class One(Initializer):
    """Ones."""

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """``value``, a number or an array of the parameter's shape."""

    def __init__(self, value: Any = 0.0):
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = self.value


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
