"""Devices: ``cpu()``, ``gpu(i)``, the default device, virtual GPUs."""

from __future__ import annotations

import operator
from typing import Any

from . import cuda_driver
from ._core import Context, MXNetError, current_context, num_gpus
from .modelled.machine import declare, declared, machine

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


def virtual_gpus(
    n: int,
    like: Any = None,
    *,
    links: Any = None,
    dispatch: float | None = None,
    host: float | None = None,
    compute: bool = True,
) -> list[Context]:
    """Declares ``n`` GPUs (0 to 64) that the CPU computes, each with lanes and a pool of its own.

    For programs meant for several devices, on a machine that has none. With ``like`` they are
    modelled: a clock of their own tells when kernels and copies would begin and end on such
    devices, and each has as much memory as its data sheet says. See
    :mod:`jupyter_hybrid.modelled`; its times are modelled, not measured.

    Args:
        like: a device's name such as "V100", a :class:`~jupyter_hybrid.modelled.DeviceModel`, one
            of these for every GPU, or a :class:`~jupyter_hybrid.modelled.Machine`. None: no times.
        links: "pcie" (a tree, the default), "nvlink" (a ring), "dgx1", or Links.
        dispatch: seconds of the host for every operator or program that it pushes (4e-6).
        host: modelled seconds in a second of the host's own processor time (1).
        compute: False: the arithmetic is skipped; reading a result raises MXNetError.

    Raises:
        TypeError: ``n`` is no integer, or ``like`` or ``links`` are of other types.
        MXNetError: the machine is not well described. The devices are as before then.
    """
    n = operator.index(n)
    given = {"links": links, "dispatch": dispatch, "host": host, "compute": compute}
    if like is None and given != {"links": None, "dispatch": None, "host": None, "compute": True}:
        raise MXNetError("virtual_gpus: times and links need devices to be like, such as 'V100'")
    declare(n, None if like is None else machine(n, like, **given))
    return [gpu(i) for i in range(n)]


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """(free, all) bytes of a GPU's memory.

    Raises:
        MXNetError: there is no such GPU, or it is a virtual one without a memory of its own.
    """
    of = declared()
    if of is not None and device_id < len(of.gpus):
        return gpu(device_id).memory
    return cuda_driver.memory(device_id)
