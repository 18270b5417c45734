"""An interrupt while a recording begins leaves nothing behind: the next one records."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import jupyter_hybrid as jh
from jupyter_hybrid import nd

LAST = 24  # calls before the body, among them those that begin the recording


def calls(until: str, run: Callable[[], Any], interrupted: int = 0) -> int:
    """Runs it, with an interrupt at that call of a function. How many come before ``until``."""
    seen = 0

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal seen
        if frame.f_globals.get("__name__") == "weakref":
            return  # whatever a finalizer raises goes nowhere
        seen += event == "call"
        if frame.f_code.co_name == until:
            sys.setprofile(None)
        elif seen == interrupted:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return seen


def doubled(x):
    return x * 2 + x[0]


@pytest.mark.held_up("a profiler looks on", "watch")
@pytest.mark.parametrize("way", [jh.script, jh.hybridize])
def test_the_next_one_records(way):
    x = nd.arange(4)
    way(doubled)(x)  # what is kept of its source is there from here on
    count = calls("doubled", lambda: way(doubled)(x))
    assert count > LAST
    for call in range(count - LAST, count):
        with pytest.raises(KeyboardInterrupt):
            calls("doubled", lambda: way(doubled)(x), call)
        made = way(doubled)
        assert made(x).asnumpy().tolist() == [0.0, 2.0, 4.0, 6.0]
        assert way is jh.script or made.report().mode == "symbolic"
