"""Initializers that draw nothing: constants, kernels, biases of cells, values of a file."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import nd
from .base import Initializer, alias, bilinear, register


@register
@alias("zeros")
class Zero(Initializer):
    """Zeros."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 0


@register
@alias("ones")
class One(Initializer):
    """Ones."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """``value``, a number or an array of the parameter's shape."""

    def __init__(self, value: Any):
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = self.value

    def dumps(self) -> str:
        value = self.value.asnumpy() if hasattr(self.value, "asnumpy") else self.value
        plain = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        self._kwargs = {"value": plain}
        return super().dumps()


@register
class Bilinear(Initializer):
    """The kernel of bilinear upsampling, for weights of Deconvolution (4 dimensions)."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = bilinear(arr.shape)


@register
class LSTMBias(Initializer):
    """Biases of an LSTM cell: ``forget_bias`` for the forget gate, 0 for the others."""

    def __init__(self, forget_bias: float = 1.0):
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: Any) -> None:
        hidden = arr.shape[0] // 4
        values = np.zeros(arr.shape)
        values[hidden : 2 * hidden] = self.forget_bias
        arr[:] = values


class Load:
    """Values of a file or a dict, by name; ``arg:`` and ``aux:`` before names don't count.

    Args:
        param: the dict, or the file's name.
        default_init: what fills arrays that have no value there; None: an error.
        verbose: whether each array is logged.
    """

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False):
        if isinstance(param, str):
            param = nd.load(param)
        if not isinstance(param, dict):
            raise AssertionError(f"Load: expected arrays by name, got {type(param).__name__}")
        self.param = {re.sub("^(arg|aux):", "", name): array for name, array in param.items()}
        self.default_init, self.verbose = default_init, verbose

    def __call__(self, name: str, arr: Any) -> None:
        known = self.param.get(name)
        if known is None and self.default_init is None:
            raise AssertionError(f"Load: there is no {name}, and no default_init")
        if known is None:
            self.default_init(name, arr)
        elif known.shape != arr.shape:
            raise AssertionError(f"Load: {name}: expected {arr.shape}, loaded {known.shape}")
        else:
            arr[:] = known
        if self.verbose:
            how = "by default" if known is None else "by loading"
            logging.info("Initialized %s %s", name, how)


class Mixed:
    """Initializers by patterns of names: the first whose pattern matches the name's begin."""

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]):
        if len(patterns) != len(initializers):
            raise AssertionError(
                f"Mixed: {len(patterns)} patterns, {len(initializers)} initializers"
            )
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: Any) -> None:
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ValueError(f"Mixed: {name} matches no pattern; '.*' at the end matches all")
