"""Gradient compression: a device sends few bits of each number; what is lost goes with the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import nd
from ..base import MXNetError
from ..nd import NDArray

_LARGEST_HALF = 65504.0


def _two_bits(wanted: NDArray, threshold: float) -> NDArray:
    """threshold, 0 or -threshold, whichever has been reached."""
    return threshold * ((wanted >= threshold) - (wanted <= -threshold))


def _one_bit(wanted: NDArray, threshold: float) -> NDArray:
    """1 above the threshold, else -1."""
    return 2 * (wanted > threshold) - 1


def _half(wanted: NDArray, threshold: float) -> NDArray:
    limited = nd.clip(wanted, -_LARGEST_HALF, _LARGEST_HALF)
    return limited.astype(np.float16).astype(wanted.dtype)


#: Type -> what is sent of numbers, the threshold where none is given, bits of a number.
_TYPES: dict[str, tuple[Callable[[NDArray, float], NDArray], float, int]] = {
    "2bit": (_two_bits, 0.5, 2),
    "1bit": (_one_bit, 0.0, 1),
    "fp16": (_half, 0.0, 16),
}


class Compression:
    """What is sent of gradients, with the residuals of each key and device.

    Args:
        params: ``type``: "2bit" and "1bit" as in MXNet 1.9.1 (Seide et al. 2014; Strom 2015), or
            "fp16"; ``threshold``: of "2bit" above 0 (0.5 unless given), of "1bit" any number (0).

    Raises:
        MXNetError: another type, name or threshold.
    """

    def __init__(self, params: dict[str, Any]):
        if not isinstance(params, dict):
            raise MXNetError(
                f'gradient compression: expected a dict such as {{"type": "2bit"}}, got {params!r}'
            )
        given = dict(params)
        kind = given.pop("type", None)
        if kind not in _TYPES:
            raise MXNetError(
                f"gradient compression: type: expected one of {', '.join(_TYPES)}, got {kind!r}"
            )
        self._sent, usual, bits = _TYPES[kind]
        self.ratio = bits / 32  # of what is sent, to numbers in float32
        threshold = usual if kind == "fp16" else given.pop("threshold", usual)
        if given:
            raise MXNetError(
                f"gradient compression: {kind} has no argument {', '.join(map(repr, given))}"
            )
        self._threshold = float(threshold)
        if kind == "2bit" and not self._threshold > 0:
            raise MXNetError(
                f"gradient compression: threshold: expected a number above 0, got {threshold!r}"
            )
        self._residuals: dict[tuple[Any, int], NDArray] = {}
        self._next: dict[tuple[Any, int], NDArray] = {}  # once what is sent has arrived

    def sent(self, key: Any, device: int, gradient: NDArray) -> NDArray:
        """What the others get of it."""
        residual = self._residuals.get((key, device))
        wanted = gradient if residual is None else gradient + residual
        made = self._sent(wanted, self._threshold)
        self._next[key, device] = wanted - made
        return made

    def settle(self, arrived: bool) -> None:
        """What was lost of all that was sent since then goes with the next, if it arrived."""
        if arrived:
            self._residuals.update(self._next)
        self._next = {}
