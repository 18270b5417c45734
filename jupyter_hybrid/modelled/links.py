"""Links between devices: their bandwidths and latencies, and usual topologies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._core import Context
from ..base import MXNetError
from .quantities import quantity

__all__ = ["Link", "dgx1", "nvlink_ring", "pcie_tree", "topology"]

_US = 1e-6
# What copies reach on 16 lanes of the third generation: 12 to 13 GB/s in public measurements.
_PCIE3 = 12e9
# NCCL's own model (src/graph/topo.h) counts 10 GB/s between sockets of Skylake.
_SOCKETS = 10e9
# A link of the second generation, each way: NVIDIA's text on the DGX-1.
_NVLINK2 = 25e9
# Small copies between P100s (p2pBandwidthLatencyTest); none was found for V100s.
_NVLINK_LATENCY = 1.4 * _US
# No data sheet tells it: an assumption.
_PCIE_LATENCY = 2.5 * _US


@dataclass(frozen=True)
class Link:
    """A link between two ends, such as ``"gpu(0)"``, ``"cpu(0)"`` or a switch of any other name.

    Attributes:
        end, other: names; a Context stands for its own.
        bandwidth: bytes/s, each way: both ways at once don't disturb each other.
        latency: seconds before the first byte arrives.
        name: the kind, such as PCIe.

    Raises:
        TypeError: an end or the name is no text.
    """

    end: str
    other: str
    bandwidth: float
    latency: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        for which in ("end", "other"):
            given: object = getattr(self, which)
            if isinstance(given, Context):
                object.__setattr__(self, which, str(given))
            elif not isinstance(given, str):
                raise TypeError(
                    f"Link({self.end!r}, {self.other!r}): expected ends such as 'gpu(0)', "
                    f"'cpu(0)' or a switch's name, got {type(given).__name__}"
                )
        if not isinstance(self.name, str):
            raise TypeError(
                f"Link({self.end!r}, {self.other!r}): expected a name such as 'PCIe', "
                f"got {type(self.name).__name__}"
            )

    def _described(self) -> dict[str, Any]:
        return {
            "from": self.end,
            "to": self.other,
            "name": self.name,
            "bytes_per_s": quantity(self.bandwidth, f"{self.end} - {self.other}", "bandwidth"),
            "latency_s": quantity(self.latency, f"{self.end} - {self.other}", "latency"),
        }


def pcie_tree(n: int, bandwidth: float = _PCIE3, per_switch: int = 2) -> list[Link]:
    """GPUs in pairs (or more) on a switch, the switches on the host."""
    if per_switch < 1:
        raise MXNetError(f"pcie_tree: {per_switch} GPUs a switch, expected 1 or more")
    links = []
    for i in range(n):
        switch = f"switch {i // per_switch}"
        if i % per_switch == 0:
            links.append(Link("cpu(0)", switch, bandwidth, _PCIE_LATENCY, "PCIe"))
        links.append(Link(switch, f"gpu({i})", bandwidth, _PCIE_LATENCY, "PCIe"))
    return links


def nvlink_ring(n: int, bandwidth: float = _NVLINK2) -> list[Link]:
    """The PCIe tree, and a ring of NVLinks."""
    pairs = [(i, (i + 1) % n) for i in range(n if n > 2 else n - 1)]
    return pcie_tree(n) + [_nvlink(a, b, bandwidth) for a, b in pairs]


# How many NVLinks join two GPUs of a DGX-1 with V100s, as `nvidia-smi topo -m` prints them
# (microsoft/msccl-tools, tests/test_topologies.py).
_DGX1 = {
    **dict.fromkeys([(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)], 2),
    **dict.fromkeys([(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)], 1),
}


def dgx1(n: int = 8) -> list[Link]:
    """The first ``n`` of eight GPUs as in NVIDIA's DGX-1 and Amazon's p3.16xlarge: two sockets,
    two PCIe switches on each, and a hybrid cube mesh of NVLinks."""
    if not 1 <= n <= 8:
        raise MXNetError(f"dgx1: {n} GPUs, expected 1 to 8")
    links = [Link("cpu(0)", "socket 1", _SOCKETS, _PCIE_LATENCY, "QPI")] if n > 4 else []
    for i in range(n):
        switch, socket = f"switch {i // 2}", "cpu(0)" if i < 4 else "socket 1"
        if i % 2 == 0:
            links.append(Link(socket, switch, _PCIE3, _PCIE_LATENCY, "PCIe"))
        links.append(Link(switch, f"gpu({i})", _PCIE3, _PCIE_LATENCY, "PCIe"))
    return links + [
        _nvlink(a, b, count * _NVLINK2) for (a, b), count in _DGX1.items() if a < n and b < n
    ]


def _nvlink(a: int, b: int, bandwidth: float) -> Link:
    return Link(f"gpu({a})", f"gpu({b})", bandwidth, _NVLINK_LATENCY, "NVLink")


def topology(links: str | Sequence[Link] | None, n: int) -> list[Link]:
    """Links by the name of their topology, or themselves: "pcie", "nvlink" (a ring), "dgx1".

    Raises:
        MXNetError: no topology has this name.
        TypeError: these are neither Links nor a name.
    """
    if isinstance(links, (list, tuple)):
        wrong = next((link for link in links if not isinstance(link, Link)), None)
        if wrong is not None:
            raise TypeError(f"links: expected Links, got {type(wrong).__name__}")
        return list(links)
    known: dict[str, Callable[[int], list[Link]]] = {
        "pcie": pcie_tree, "nvlink": nvlink_ring, "dgx1": dgx1,
    }  # fmt: skip
    if links is not None and not isinstance(links, str):
        raise TypeError(
            f"links: expected {', '.join(map(repr, known))} or a list of Links, "
            f"got {type(links).__name__}"
        )
    if links is None or links in known:
        return known[links or "pcie"](n)
    raise MXNetError(f"links: no topology {links!r} is known; there are {', '.join(known)}")
