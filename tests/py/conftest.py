"""What the tests of the Python faces share."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cells import Shell
from timeouts import only_raises

import jupyter_hybrid as mx
from jupyter_hybrid.capture.source import budget, compiled
from jupyter_hybrid.capture.units import check, signals, unit
from jupyter_hybrid.cells import ways

# Virtual GPUs are tested here, the machine's own in tests/gpu. The driver is loaded on first use.
os.environ["HYBRID_CUDA"] = "0"

sys.path.insert(0, str(Path(__file__).parent))  # op_samples


@pytest.fixture(autouse=True)
def settled() -> Iterator[None]:
    """Every test starts and ends with the default engine, nothing recorded and nothing pending."""
    mx.random.seed(7)
    before = mx.engine.settings()
    yield
    mx.autograd.set_recording(False)
    mx.autograd.set_training(False)
    if mx.engine.settings() != before:
        mx.engine.configure(**before)
    with contextlib.suppress(mx.MXNetError):  # the test made it and has looked at it
        mx.nd.waitall()


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop that could run compiled, at once, runs as written too, and both have to agree."""
    monkeypatch.setattr(check, "ALWAYS", True)
    monkeypatch.setattr(compiled, "HOT_S", 0.0)
    monkeypatch.setattr(unit, "STRICT", True)
    monkeypatch.setattr(signals, "_only_raises", only_raises)


@pytest.fixture
def queueing() -> Iterator[Shell]:
    """A shell with ``nd``, whose operators all go through the engine's queue."""
    made = Shell()
    made.run("from jupyter_hybrid import nd")
    with mx.engine.using(inline=False):
        yield made
    mx.nd.waitall()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Units take their loops' place, as they do for people; the steps that they took."""
    monkeypatch.setattr(check, "ALWAYS", False)
    taken: list[int] = []
    run = unit.Made.run

    def counted(made: unit.Made, *given: Any) -> unit.Outcome:
        outcome = run(made, *given)
        taken.append(outcome.steps)
        return outcome

    monkeypatch.setattr(unit.Made, "run", counted)
    return taken


@pytest.fixture
def auto_shell() -> Iterator[Shell]:
    """A shell whose cells run as written, and their loops as units."""
    made = Shell()
    made.run("%hybrid mode auto")
    yield made
    made.run("%hybrid mode imperative")


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No loop is left to Python and no cell given up by the clock, on however busy a machine."""
    monkeypatch.setattr(budget, "GRACE_S", 1e9)
    monkeypatch.setattr(ways, "clock", lambda: 0.0)
