"""Modelled devices: what virtual GPUs would take, by their data sheets, on a clock of its own.

``virtual_gpus(4, like="V100")`` declares them; :func:`record` tells what happened in a block. All
times here are modelled: none was measured on such a device.

A loop is counted by its steps, each with its body's kernels and their launches: ``foreach`` as many
as it makes; ``while_loop`` as many as ``max_iterations`` allows, since how many it will make is not
known when it is pushed (without such a bound one step); ``cond`` as the branch that the engine
estimates to take longer. Loops of Python are the operators that they push.
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
