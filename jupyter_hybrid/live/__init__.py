"""The live side: queue and device lanes, published while cells run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..views import linked
from .chrome import Recording
from .held import memory
from .pump import TARGET, Pump, engine_status
from .timeline import timeline
from .waits import report

_pump: Pump | None = None


def start(shell: Any, session: Any, known: Callable[[], list[dict[str, Any]]]) -> Pump | None:
    """Listens for panels on this kernel; does nothing outside a Jupyter kernel.

    Args:
        known: messages for a page that comes.
    """
    global _pump
    kernel = getattr(shell, "kernel", None)
    if kernel is None or _pump is not None:
        return _pump

    def status() -> dict[str, Any]:
        return {"type": "status", "mode": session.mode, "engine": engine_status()}

    _pump = Pump(kernel, status, known)
    kernel.comm_manager.register_target(TARGET, _pump.opened)
    shell.events.register("pre_run_cell", _pump.cell_started)
    shell.events.register("post_run_cell", _pump.cell_ended)
    session.listeners.append(_pump.status_changed)
    linked.add_sender(_pump.broadcast, _pump.has_pages)
    return _pump


def stop(shell: Any, session: Any) -> None:
    """Ends publishing."""
    global _pump
    if _pump is None:
        return
    session.listeners.remove(_pump.status_changed)
    shell.events.unregister("pre_run_cell", _pump.cell_started)
    shell.events.unregister("post_run_cell", _pump.cell_ended)
    shell.kernel.comm_manager.unregister_target(TARGET, _pump.opened)
    _pump.stop()
    _pump = None


def tell(message: dict[str, Any]) -> None:
    """Sends a message to all panels, if there are any."""
    if _pump is not None:
        _pump.broadcast(message)


__all__ = ["Recording", "memory", "report", "start", "stop", "tell", "timeline"]
