"""Modelled devices: what virtual GPUs would take, by their data sheets, on a clock of its own.

``virtual_gpus(4, like="V100")`` declares them; :func:`record` tells what happened in a block. All
times here are modelled: none was measured on such a device.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .device import DEVICES, DeviceModel, device
from .links import Link, dgx1, nvlink_ring, pcie_tree, topology
from .machine import Machine, declared, machine

_LAZY = ("Timeline", "record", "timeline")  # of .timelines


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(".timelines", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "DEVICES",
    "DeviceModel",
    "Link",
    "Machine",
    "Timeline",
    "declared",
    "device",
    "dgx1",
    "machine",
    "nvlink_ring",
    "pcie_tree",
    "record",
    "timeline",
    "topology",
]
