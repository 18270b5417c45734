"""Random closed cells, run again and again while what they read changes, plain and hybridized: 100
in the short tier, 3,000 in the long one."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest
from cells import Shell
from hypothesis import HealthCheck, given, settings
from left_behind import cleared, compare, state
from random_closed import ARRAYS, LOCALS, Trial, trials

import jupyter_hybrid as mx
from jupyter_hybrid.capture.source import budget
from jupyter_hybrid.cells import ways

pytestmark = [pytest.mark.takes("100 cells, run often and both ways"), pytest.mark.timeout(3600)]

# What a later cell reads is not deferred any more.
READ = "%%imperative\n" + "".join(f"{n} if '{n}' in globals() else 0\n" for n in (*ARRAYS, *LOCALS))
HYBRID = "%%hybridize --view none"
_LONG = os.environ.get("HYBRID_HYPOTHESIS") == "long"
_SETTINGS = settings(
    max_examples=3000 if _LONG else 100,
    derandomize=not _LONG,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with pytest.MonkeyPatch.context() as patch:
        made = Shell()
        patch.setattr(made.ip, "showtraceback", lambda *args, **kwargs: None)
        patch.setattr(budget, "GRACE_S", 1e9)  # nothing is left to Python by the clock
        patch.setattr(ways, "clock", lambda: 0.0)
        with np.errstate():
            yield made
        cleared(made.ns)


def run(shell: Shell, source: str) -> Any:
    """(value, error, warnings, printed text) of a cell, which may raise."""
    out = StringIO()
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(out):
        warnings.simplefilter("always")
        result = shell.ip.run_cell(source, store_history=False)
    error = result.error_before_exec or result.error_in_exec
    told = [(w.category, str(w.message), w.lineno) for w in warned]
    text = out.getvalue() if result.result is None else ""  # what is shown is compared itself
    return result.result, (type(error).__name__, str(error)), told, text


def runs(shell: Shell, trial: Trial, magic: str) -> list[Any]:
    """(error and text, warnings, what is left, whether its body was left out) of each run."""
    cleared(shell.ns)
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    found = []
    for number, change in enumerate(("", *trial.changes)):
        if trial.again or not number:
            run(shell, f"%%imperative\n{trial.setup}")
        if change:
            run(shell, f"%%imperative\n{change}")
        value, error, warned, text = run(shell, f"{magic}\n{trial.body}")
        skipped = magic == HYBRID and error[0] == "NoneType" and mx.report().replay == "skipped"
        run(shell, READ)
        shell.ns["shown"] = value
        found.append(((error, text), warned, state(shell.ns), skipped))
        del shell.ns["shown"]
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    return found


def agree(shell: Shell, trial: Trial) -> int:
    """Asserts it; how many runs went without the body."""
    wanted, found = runs(shell, trial, "%%imperative"), runs(shell, trial, HYBRID)
    for one, other in zip(found, wanted, strict=True):
        assert one[0] == other[0]
        compare(one[2], other[2])
        assert not Counter(one[1]) - Counter(other[1])  # what nobody reads does not warn
    return sum(skipped for *_, skipped in found)


@pytest.mark.held_up("generators: a freed one, what max() is given", "all_children", "<genexpr>")
@_SETTINGS
@given(trial=trials())
def test_every_run_leaves_what_the_body_leaves(trial, shell):
    agree(shell, trial)


def test_many_of_them_are_skipped(shell):
    """The fuzz tells nothing of cells whose body runs."""
    skipped = []

    @settings(_SETTINGS, max_examples=60, derandomize=True)
    @given(trial=trials())
    def look(trial):
        skipped.append(agree(shell, trial))

    look()
    assert sum(map(bool, skipped)) > 20, "so many of 60 cells ran without their body"
