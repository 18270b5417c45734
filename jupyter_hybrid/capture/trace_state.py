"""What is being recorded: found by rewritten code, by its name, and by whom it calls."""

from __future__ import annotations

import threading
from typing import Any

RUNTIME = "__jupyter_hybrid__"  # the name in ``builtins`` that rewritten code calls


class _State(threading.local):
    recorder: Any = None  # a Recorder, which stands above this


_state = _State()


def recorder() -> Any:
    """The recorder of what this thread runs; None when nothing is recorded."""
    return _state.recorder


def now_records(recorder: Any) -> None:
    """From here on this recorder records what this thread runs."""
    _state.recorder = recorder
