"""The live pump: one thread that drains the trace rings and publishes at most 30 frames a second.

Messages go straight to the kernel's output socket, so that they flow while a cell runs. A page
opens the comm with its notebook; while none shows its panel there is no thread and nothing is sent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..capture.cell_files import cell_starts
from ..modelled import declared
from ..views import linked
from ..views.parts import PROCESS
from ..views.stage_message import ran_stage
from .labels import labels
from .modelled import ModelledReader, model_now

TARGET = "jupyter_hybrid.live"
_PERIOD_S = 1 / 30
_IDLE_PERIOD_S = 0.5  # without news a frame still tells that the kernel is there
_MAX_BYTES = 128 * 1024
_SILENT_S = 150.0  # open pages speak every 30 s, hidden ones about every minute
_Message = tuple[dict[str, Any], list[bytes]]


@dataclass
class _Cell:
    """The last cell.

    Attributes:
        began: on the clock of perf_counter.
        model_began: the modelled clock and its time.
    """

    busy: bool = False
    began: float | None = None
    model_began: tuple[int, float] = (0, 0.0)


class Pump:
    """Publishes frames to every panel that is open on this kernel."""

    def __init__(self, kernel: Any, status: Any, known: Callable[[], list[dict[str, Any]]]):
        self._kernel = kernel
        self._status = status  # () -> status message
        self._known = known  # messages for a page that comes
        self._lock = threading.Lock()
        self._panels: dict[str, _Panel] = {}
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._cell = _Cell()

    def opened(self, comm: Any, message: Any) -> None:
        """A panel opened the comm."""
        panel = _Panel(self._kernel, comm, self._cell)
        with self._lock:
            self._panels[panel.comm_id] = panel
        comm.on_msg(lambda msg: self._received(panel, msg))
        comm.on_close(lambda msg: self._closed(comm.comm_id))
        self._greet(panel)

    def _greet(self, panel: _Panel) -> None:
        for message in (self._status(), *self._known()):
            panel.send(message)

    def has_pages(self) -> bool:
        """Is a page with our front end open on this kernel?"""
        with self._lock:
            return bool(self._panels)

    def broadcast(self, message: dict[str, Any]) -> None:
        """Sends a JSON message to every panel."""
        with self._lock:
            panels = list(self._panels.values())
        for panel in panels:
            panel.send(message)

    def status_changed(self) -> None:
        """Mode or engine settings changed."""
        self.broadcast(self._status())

    def cell_started(self, info: Any) -> None:
        """A cell runs: kernels without subshells hear no page until it ends."""
        self._cell.busy = True
        self._cell.began = time.perf_counter()
        self._cell.model_began = model_now()
        cell_starts(self._kernel.shell, info)

    def cell_ended(self, *_: Any) -> None:
        """A cell ended."""
        with self._lock:
            self._cell.busy = False
            for panel in self._panels.values():
                panel.heard = time.monotonic()

    def stop(self) -> None:
        """Ends the thread; a later panel starts it again."""
        self._stop.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2)
        self._thread = None

    def _received(self, panel: _Panel, message: Any) -> None:
        data = message.get("content", {}).get("data", {})
        kind = data.get("type") if isinstance(data, dict) else None
        panel.heard = time.monotonic()
        with self._lock:
            self._panels[panel.comm_id] = panel  # a page that woke up is served again
        self._start()
        if kind == "hello":
            panel.restart()
            self._greet(panel)
            self._wake.set()
        elif kind == "watch":
            panel.watch(bool(data.get("on")), int(data.get("number", 0)))
            self._start()
        elif kind == "viewer":
            linked.receive(data)
        elif kind == "switch":
            refused = linked.switched(data)
            if refused is not None:
                panel.send(refused)
        elif kind == "run_stage":
            panel.send(ran_stage(data, lambda: self._cell.busy))

    def _closed(self, comm_id: str) -> None:
        with self._lock:
            self._panels.pop(comm_id, None)

    def _start(self) -> None:
        with self._lock:
            running = self._thread is not None and self._thread.is_alive()
            if running or not any(p.watched for p in self._panels.values()):
                return
            self._stop.clear()
            self._thread = threading.Thread(
                target=self._run, name="jupyter_hybrid live", daemon=True
            )
            self._thread.start()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stop.is_set():
            due = max(due + _PERIOD_S, time.monotonic())  # what a frame takes is in its period
            self._wake.wait(due - time.monotonic())
            self._wake.clear()
            with self._lock:
                self._forget_silent()
                panels = [p for p in self._panels.values() if p.watched]
                if not panels:
                    self._thread = None
                    return
            for panel in panels:
                panel.publish()

    def _forget_silent(self) -> None:
        """Drops panels whose page crashed or sleeps; a later message brings them back."""
        if self._cell.busy:
            return
        limit = time.monotonic() - _SILENT_S
        for panel in [p for p in self._panels.values() if p.heard < limit]:
            del self._panels[panel.comm_id]


class _Panel:
    """One open panel: its own reader of the rings, so that each sees everything that is still in
    them: also what ran before its page was opened or loaded anew."""

    def __init__(self, kernel: Any, comm: Any, cell: _Cell):
        self._kernel = kernel
        self._comm = comm
        self._cell = cell
        self.comm_id: str = comm.comm_id
        self.heard = time.monotonic()
        self._reader = _core.TraceReader(from_oldest=True)
        self._modelled = ModelledReader()
        self._seq = 0
        self._sent = 0.0  # when the last frame was
        self._lock = threading.Lock()
        self.watched = False  # its page shows the timeline
        self._told = 0  # the number of the message that said so

    def watch(self, on: bool, number: int) -> None:
        """Its page shows the timeline, or does not. The main shell and the page's subshell hear its
        messages in no order of their own: the newest counts."""
        with self._lock:
            if number >= self._told:
                self._told, self.watched = number, on

    def restart(self) -> None:
        """The browser lost its state: the next frame tells all lanes, names and sites again."""
        with self._lock:
            self._reader = _core.TraceReader(from_oldest=True)
            self._modelled = ModelledReader()
            self._seq = 0

    def publish(self) -> None:
        """Sends what is new; without news only a sign of life now and then."""
        with self._lock:
            frame = self._reader.read_frame(_MAX_BYTES)
            told = [self._real(frame), self._on_modelled_clock(frame)]
        for message, buffers in filter(None, told):
            self.send(message, buffers)

    def _real(self, frame: dict[str, Any]) -> _Message | None:
        news = frame["spans"] or frame["queue"] or frame["lanes"] or frame["pending"]
        now = time.monotonic()
        if not news and self._seq and now < self._sent + _IDLE_PERIOD_S:
            return None
        self._sent = now
        self._seq += 1
        began = self._cell.began
        message = {
            "type": "frame",
            "version": frame["version"],
            "seq": self._seq,
            "process": PROCESS,
            "now_ms": frame["now_ms"],
            "cell_ms": None if began is None else frame["offset_ms"] + began * 1e3,
            "gaps": frame["gaps"],
            "lanes": frame["lanes"],
            **labels(frame["names"], frame["sites"]),
            "engine": engine_status(),
            "pending": frame["pending"],
            "pools": frame["pools"],
        }
        return message, [frame["spans"], frame["queue"], frame["producers"]]

    def _on_modelled_clock(self, frame: dict[str, Any]) -> _Message | None:
        if not (_core.model_is_on() or self._modelled.clock):
            return None
        machine = declared()
        told = self._modelled.frame(
            time.monotonic(),
            over=not (self._cell.busy or frame["pending"]),
            computes=machine is None or machine.compute,
            cell=self._cell.model_began,
        )
        if told is None:
            return None
        head = {"type": "modelled_frame", "version": frame["version"], "process": PROCESS}
        gpus = [
            {"bandwidth": gpu.bandwidth, "memory": gpu.memory}
            for gpu in (machine.gpus if machine else ())
        ]
        head |= {"machine": str(machine or ""), "gpus": gpus}
        return {**head, **told.head}, [told.spans, b"", b"", told.costs, told.memory]

    def send(self, data: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Publishes on the comm from any thread, also while a cell runs."""
        kernel, comm = self._kernel, self._comm
        kernel.session.send(
            kernel.iopub_socket,
            "comm_msg",
            {"comm_id": comm.comm_id, "data": data},
            parent={},
            ident=comm.topic,
            buffers=buffers,
        )


def engine_status() -> dict[str, Any]:
    """The engine's settings as the panel shows them."""
    now = _core.engine_settings()
    return {
        "kind": now["kind"],
        "inline": now["inline"],
        "limit": now["limit_ops"],
        "slow": now["slow"],
    }
