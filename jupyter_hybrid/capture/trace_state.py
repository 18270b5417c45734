"""What is being recorded: found by rewritten code, by its name, and by whom it calls."""

from __future__ import annotations

import threading
from types import CodeType
from typing import Any

from .. import _core

# The names in ``builtins`` that rewritten code calls.
RUNTIME = "__jupyter_hybrid__"
GUARDS = "__hybrid_guards__"
LOOPS = "__hybrid_loops__"  # by number: may a loop of a cell that is not recorded be compiled?


_core.set_runtime_names([RUNTIME, GUARDS])


def is_rewritten(code: CodeType) -> bool:
    """True for code of hybridized cells: it asks for itself."""
    return not {RUNTIME, GUARDS}.isdisjoint(code.co_names)


class _State(threading.local):
    recorder: Any = None  # a Recorder, which stands above this


_state = _State()


def recorder() -> Any:
    """The recorder of what this thread runs; None when nothing is recorded."""
    return _state.recorder


def now_records(recorder: Any) -> None:
    """From here on this recorder records what this thread runs."""
    _state.recorder = recorder
