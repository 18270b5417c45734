"""What is being recorded: found by rewritten code, by its name, and by whom it calls."""

from __future__ import annotations

import builtins

from ..np_face.protocols import Recorder

RUNTIME = "__jupyter_hybrid__"  # the name in ``builtins`` that rewritten code calls


def recorder() -> Recorder | None:
    """The recorder of what this thread runs; None when nothing is recorded."""
    runtime = getattr(builtins, RUNTIME, None)
    return None if runtime is None else runtime.recorder
