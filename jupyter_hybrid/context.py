"""Devices: ``cpu()``, ``gpu(i)``, the default device, virtual GPUs."""

from __future__ import annotations

import operator

from . import cuda_driver
from ._core import Context, current_context, num_gpus, set_virtual_gpus

__all__ = [
    "Context",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gpu",
    "gpu_memory_info",
    "num_gpus",
    "virtual_gpus",
]


def cpu(device_id: int = 0) -> Context:
    """The CPU. All ids share one memory; they differ in name only."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """CPU memory set aside for copies to a GPU; ordinary memory where there is none."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """GPU number ``device_id``. Creating arrays on one that does not exist raises MXNetError."""
    return Context("gpu", device_id)


def virtual_gpus(n: int) -> list[Context]:
    """Declares ``n`` GPUs (0 to 64) that the CPU computes, each with lanes and a pool of its own.

    For programs meant for several devices, on a machine that has none. Raises TypeError for
    anything but an integer.
    """
    n = operator.index(n)
    set_virtual_gpus(n)
    return [gpu(i) for i in range(n)]


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """(free, all) bytes of a GPU's memory.

    Raises:
        MXNetError: there is no such GPU, or it is a virtual one, which has no memory of its own.
    """
    return cuda_driver.memory(device_id)
