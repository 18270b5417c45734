"""Shared by the tests of modelled devices."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jupyter_hybrid as mx
from jupyter_hybrid import nd
from jupyter_hybrid.modelled import DeviceModel

#: Round figures: 1 TFLOP/s, 1 GB a ms.
TOY = DeviceModel(
    "toy", float32=1e12, float64=5e11, float16=2e12, tensor16=8e12, bandwidth=1e12,
    memory=10**9, launch=1e-6,
)  # fmt: skip


@contextmanager
def devices(n: int, like: Any = TOY, **options: Any) -> Iterator[list[mx.Context]]:
    """Modelled GPUs for one block. The host takes no time of its own unless told otherwise."""
    gc.collect()  # exceptions of earlier tests hold arrays
    try:
        yield mx.virtual_gpus(n, like=like, **{"host": 0.0, "dispatch": 0.0, **options})
    finally:
        nd.waitall()
        mx.virtual_gpus(0)
