"""What NVIDIA's driver says of a GPU: asked by MXNet's ``gpu_memory_info`` and the like."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from . import _core


@cache
def _driver() -> Any:
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return library if library.cuInit(0) == 0 else None


def is_there() -> bool:
    """The machine has a GPU of NVIDIA's and its driver."""
    driver, count = _driver(), ctypes.c_int()
    return (
        driver is not None and not driver.cuDeviceGetCount(ctypes.byref(count)) and count.value > 0
    )


def _device(index: int, what: str) -> tuple[Any, ctypes.c_int]:
    driver, device = _driver(), ctypes.c_int()
    if driver is None or driver.cuDeviceGet(ctypes.byref(device), index):
        raise _core.MXNetError(f"{what}: there is no CUDA device {index}")
    return driver, device


def _check(status: int, what: str) -> None:
    if status:
        raise _core.MXNetError(f"{what}: the driver answered with error {status}")


def memory(index: int) -> tuple[int, int]:
    """(free, all) bytes of a GPU's memory.

    Raises:
        MXNetError: there is no such GPU, or the driver failed.
    """
    driver, device = _device(index, "gpu_memory_info")
    context = ctypes.c_void_p()
    _check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "gpu_memory_info")
    try:
        _check(driver.cuCtxPushCurrent_v2(context), "gpu_memory_info")
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        status = driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        _check(status, "gpu_memory_info")
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(device)
    return free.value, total.value


def capability(index: int) -> int:
    """Ten times the version of the GPU's instructions: 90 for ``sm_90``.

    Raises:
        MXNetError: there is no such GPU, or the driver failed.
    """
    driver, device = _device(index, "get_cuda_compute_capability")
    major, minor = ctypes.c_int(), ctypes.c_int()
    for attribute, answer in ((75, major), (76, minor)):
        status = driver.cuDeviceGetAttribute(ctypes.byref(answer), attribute, device)
        _check(status, "get_cuda_compute_capability")
    return 10 * major.value + minor.value
