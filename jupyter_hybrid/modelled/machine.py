"""The machine that virtual GPUs stand for, and the clock that runs for it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..base import MXNetError
from .device import DeviceModel, device
from .links import Link, topology
from .quantities import flag, quantity

__all__ = ["Machine", "declare", "declared", "machine"]

# 3 to 6 us in public measurements of launches.
_LAUNCH_CALL = 4e-6


@dataclass(frozen=True)
class Machine:
    """GPUs, links, and how fast the host hands out work.

    Attributes:
        gpus: one for each of them; a name stands for its device.
        links: between them and the host; None or a name for a topology of them, as in
            :func:`~jupyter_hybrid.virtual_gpus`.
        dispatch: seconds of the host for every operator or program that it pushes to a GPU, beside
            the time of the processor that the thread itself takes.
        host: modelled seconds in a second of the thread's own processor time; 0: none, and the
            host's clock advances by ``dispatch`` and waits alone.
        compute: False: the arithmetic is skipped; results have times and no values.

    Raises:
        MXNetError: no device or topology has this name.
        TypeError: ``gpus`` or ``links`` are something else.
    """

    gpus: tuple[DeviceModel, ...]
    links: tuple[Link, ...] = field(repr=False)
    dispatch: float = _LAUNCH_CALL
    host: float = 1.0
    compute: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.gpus, (list, tuple)):
            raise TypeError(
                "Machine: gpus: expected a tuple of names or DeviceModels, "
                f"got {type(self.gpus).__name__}"
            )
        object.__setattr__(self, "gpus", tuple(device(gpu) for gpu in self.gpus))
        object.__setattr__(self, "links", tuple(topology(self.links, len(self.gpus))))

    def __str__(self) -> str:
        names = [gpu.name for gpu in self.gpus]
        kinds = [f"{names.count(name)} x {name}" for name in dict.fromkeys(names)]
        how = "modelled only" if not self.compute else "computed by the CPU"
        return f"{', '.join(kinds)}, virtual, {how}"


_declared: Machine | None = None


def machine(
    n: int,
    like: str | DeviceModel | Sequence[Any] | Machine,
    links: Any = None,
    dispatch: float | None = None,
    host: float | None = None,
    compute: bool = True,
) -> Machine:
    """``n`` GPUs like a device of :data:`~jupyter_hybrid.modelled.DEVICES`, or as described.

    Args:
        like: a name, a :class:`DeviceModel`, one of these for every GPU, or a :class:`Machine`.
        links: "pcie", "nvlink", "dgx1" or a list of :class:`Link`.

    Raises:
        MXNetError: these do not go together, or ``like`` is a Machine, which tells the rest itself.
    """
    if isinstance(like, Machine):
        beside = {"links": links, "dispatch": dispatch, "host": host}
        given = [name for name, value in beside.items() if value is not None]
        if given or not compute:
            raise MXNetError(
                f"virtual_gpus: a Machine has its own {' and '.join(given or ['compute'])}; "
                "dataclasses.replace makes another one"
            )
        if len(like.gpus) != n:
            raise MXNetError(f"virtual_gpus: {n} GPUs, but the machine has {len(like.gpus)}")
        return like
    if n < 1:
        raise MXNetError(f"virtual_gpus: {n} GPUs can't be like {like!r}; expected 1 or more")
    if isinstance(like, (list, tuple)):
        if len(like) != n:
            raise MXNetError(f"virtual_gpus: {n} GPUs, but `like` describes {len(like)}")
        gpus = tuple(device(one) for one in like)
    else:
        gpus = (device(like),) * n  # type: ignore[arg-type]
    return Machine(
        gpus,
        tuple(topology(links, n)),
        _LAUNCH_CALL if dispatch is None else dispatch,
        1.0 if host is None else host,
        compute,
    )


def declare(n: int, of: Machine | None) -> None:
    """Makes ``n`` virtual GPUs, and a clock at 0 for their machine, or none.

    Raises:
        MXNetError: the machine is not well described; everything is as before then.
    """
    global _declared
    n = operator.index(n)
    before = _core.num_virtual_gpus()
    if of is None:
        _core.stop_model()
        _core.set_virtual_gpus(n)
        _declared = None
        return
    described = _described(of)
    _core.set_virtual_gpus(n)
    try:
        _core.start_model(described)
    except MXNetError:
        _core.set_virtual_gpus(before)
        raise
    _declared = of


def declared() -> Machine | None:
    """The machine that the modelled clock runs for; None: there is no clock."""
    return _declared


def _described(of: Machine) -> dict[str, Any]:
    return {
        "gpus": [gpu._described() for gpu in of.gpus],
        "links": [link._described() for link in of.links],
        "dispatch_s": quantity(of.dispatch, "the host", "dispatch time"),
        "cpu_scale": quantity(of.host, "the host", "scale of processor time"),
        "compute": flag(of.compute, "compute"),
    }
