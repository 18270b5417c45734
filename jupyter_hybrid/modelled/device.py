"""Devices by their data sheets: what a kernel takes on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base import MXNetError
from .quantities import capacity, quantity

__all__ = ["DEVICES", "DeviceModel", "device"]

_AMPERE = "NVIDIA Technical Blog, 'NVIDIA Ampere Architecture In-Depth', table 3"
# 3.8 us a kernel of 2.9 us that is launched behind others on a V100: NVIDIA Technical Blog,
# 'Getting Started with CUDA Graphs' (2019). Taken for all.
_GAP = 0.9e-6


@dataclass(frozen=True)
class DeviceModel:
    """A device as its data sheet describes it.

    A kernel takes ``launch`` and then what its arithmetic or its memory traffic takes, whichever
    is longer (the roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009). That is the
    least a device of these peaks can take: real kernels reach a part of them.

    Attributes:
        float32, float64, float16: FLOP/s of kernels in these types; integers count as float32.
        tensor16: FLOP/s of half-precision products and convolutions, by tensor cores where it has
            them.
        bandwidth: bytes/s of its memory.
        memory: bytes.
        launch: seconds from the end of a kernel to the beginning of the next one.
        source: where the figures are from.
    """

    name: str
    float32: float
    float64: float
    float16: float
    tensor16: float
    bandwidth: float
    memory: int
    launch: float = _GAP
    source: str = ""

    def seconds(
        self, flops: float, moved: float, dtype: str = "float32", dense: bool = False
    ) -> float:
        """What a kernel of so many operations takes that reads and writes ``moved`` bytes.

        Args:
            dense: a product of matrices or a convolution.
        """
        return self.launch + max(flops / self.peak(dtype, dense), moved / self.bandwidth)

    def peak(self, dtype: str = "float32", dense: bool = False) -> float:
        """FLOP/s."""
        if dtype in ("float64", "complex128"):
            return self.float64
        if dtype in ("float16", "bfloat16"):
            return self.tensor16 if dense else self.float16
        return self.float32

    def _described(self) -> dict[str, Any]:
        if not isinstance(self.name, str):
            raise MXNetError(
                f"virtual_gpus: the name of a DeviceModel is {self.name!r}, expected a text"
            )
        figures = {
            "flops32": (self.float32, "float32 rate"),
            "flops64": (self.float64, "float64 rate"),
            "flops16": (self.float16, "float16 rate"),
            "dense16": (self.tensor16, "tensor16 rate"),
            "bytes_per_s": (self.bandwidth, "bandwidth"),
            "launch_s": (self.launch, "launch time"),
        }
        told = {key: quantity(value, self.name, what) for key, (value, what) in figures.items()}
        return {"name": self.name, **told, "memory": capacity(self.memory, self.name)}


def _gpu(
    name: str, single: float, double: float, half: float, tensor: float, gb_s: float, gb: int,
    source: str,
) -> DeviceModel:  # fmt: skip
    rates = (single * 1e12, double * 1e12, half * 1e12, tensor * 1e12)
    return DeviceModel(name, *rates, gb_s * 1e9, gb << 30, source=source)


# TFLOP/s in float32, float64, float16, float16 by tensor cores; GB/s; GB (of memory: 2^30 bytes).
DEVICES: dict[str, DeviceModel] = {
    model.name: model
    for model in (
        _gpu("K80", 4.37, 1.455, 4.37, 4.37, 240, 12,
             "one of its two GK210, with boost; no faster halves; AnandTech's table of the card"),
        _gpu("P100", 10.6, 5.3, 21.2, 21.2, 720, 16, _AMPERE),
        _gpu("V100", 15.7, 7.8, 31.4, 125, 900, 16, _AMPERE),
        _gpu("T4", 8.1, 0.254, 16.28, 65.13, 320, 16,
             "tables of specifications (sysrqmts.com, hmc-tech.com)"),
        _gpu("A100", 19.5, 9.7, 78, 312, 1555, 40, _AMPERE),
        _gpu("H100", 66.9, 33.5, 133.8, 989.4, 3350, 80,
             "G. K. Lockwood's notes on the H100 SXM5 (glennklockwood.com)"),
        _gpu("RTX 3090", 35.6, 0.556, 35.6, 71, 936, 24,
             "NVIDIA's white paper 'Ampere GA102', as others quote it; float64 by 1:64"),
    )
}  # fmt: skip


def device(like: str | DeviceModel) -> DeviceModel:
    """A device by name, or itself. Raises MXNetError for a name that is not known."""
    if isinstance(like, DeviceModel):
        return like
    if not isinstance(like, str):
        raise TypeError(f"like: expected a name or a DeviceModel, got {type(like).__name__}")
    found = {_plain(name): model for name, model in DEVICES.items()}
    model = found.get(_plain(like))
    if model is None:
        raise MXNetError(
            f"no device {like!r} is known; there are {', '.join(DEVICES)}; others are described "
            "by a DeviceModel"
        )
    return model


def _plain(name: str) -> str:
    """RTX 3090, rtx3090 and RTX-3090 are one."""
    return name.lower().replace(" ", "").replace("-", "")
