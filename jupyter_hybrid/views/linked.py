"""Keeps widgets and the pictures shown in JupyterLab's own renderer in step."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from .packed import packed
from .schema import Spec
from .switchboard import switchboard

_lock = threading.Lock()
_viewers: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_senders: list[Any] = []  # functions of one JSON-able message
_listening: list[Callable[[], bool]] = []


def register(viewer: Any) -> None:
    """Links a widget's ``stage`` and ``selected`` with every picture of its spec."""
    with _lock:
        _viewers[viewer.spec_id] = viewer
    viewer.observe(_changed, names=["stage", "selected"])


def add_sender(send: Any, listening: Callable[[], bool]) -> None:
    """``send(message)`` is called when a viewer's traits change in Python; ``listening()`` tells
    whether a page with our own renderer hears it."""
    with _lock:
        if send not in _senders:
            _senders.append(send)
            _listening.append(listening)


def is_drawn() -> bool:
    """Does a page with our own renderer show this kernel's outputs? It needs no widget."""
    with _lock:
        asked = list(_listening)
    return any(listening() for listening in asked)


def _changed(change: Any) -> None:
    viewer = change["owner"]
    if getattr(viewer, "_from_browser", False):
        return
    message = {
        "type": "viewer",
        "id": viewer.spec_id,
        "stage": viewer.stage,
        "selected": list(viewer.selected),
    }
    _send(message)


def tell_whole(spec: Spec) -> None:
    """To pages that draw an output which holds less than this, its spec."""
    _send({"type": "spec", "id": spec["id"], "spec": packed(spec)})


def _send(message: dict[str, Any]) -> None:
    with _lock:
        senders = list(_senders)
    for send in senders:
        send(message)


def switched(message: dict[str, Any]) -> dict[str, Any] | None:
    """A switch moved in the browser: every picture of the cell shows the new plan.

    Args:
        message: ``id`` of the spec, ``kept`` names, and the ``name`` whose switch it was.

    Returns:
        None, or the message that says why there is no such plan.
    """
    spec_id, kept = str(message.get("id")), message.get("kept")
    try:
        if not isinstance(kept, list) or not all(isinstance(n, str) for n in kept):
            raise LookupError("a switch sends a list of names")
        spec = switchboard.replan(spec_id, kept, str(message.get("name", "")))
    except LookupError as error:
        return {"type": "refused", "id": spec_id, "why": str(error)}
    with _lock:
        viewer = _viewers.get(spec_id)
    if viewer is None or not viewer.planned(spec):
        tell_whole(spec)
    return None


def receive(message: dict[str, Any]) -> None:
    """A picture's slider or selection moved in the browser; unknown ids are ignored."""
    with _lock:
        viewer = _viewers.get(str(message.get("id")))
    if viewer is None:
        return
    stage, selected = message.get("stage"), message.get("selected")
    viewer._from_browser = True
    try:
        if isinstance(stage, int) and 0 <= stage < len(viewer.stage_names):
            viewer.stage = stage
        if isinstance(selected, list) and all(isinstance(i, int) for i in selected):
            viewer.selected = selected
    finally:
        viewer._from_browser = False
