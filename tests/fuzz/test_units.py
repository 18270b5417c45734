"""Random loops, plain and with their units: 500 in the short tier, 10,000 in the long one."""

from __future__ import annotations

import ast
import contextlib
import io
import math
import os
import random
import signal
import sys
import warnings
from collections.abc import Iterator
from itertools import count
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from random_instances import trials_with_instances
from random_loops import FUNCTIONS, Trial, trials
from timeouts import only_raises

from jupyter_hybrid.capture.source import compiled as loops
from jupyter_hybrid.capture.source.hooks import install
from jupyter_hybrid.capture.source.rewrite import rewrite
from jupyter_hybrid.capture.source.sources import remember
from jupyter_hybrid.capture.source.with_units import with_units
from jupyter_hybrid.capture.units import signals
from jupyter_hybrid.capture.units import unit as units

pytestmark = [pytest.mark.takes("500 loops, both ways"), pytest.mark.timeout(3600)]

sys.set_int_max_str_digits(0)  # states are compared as text
_numbers = count()
_LONGEST_S = 10.0  # of the processor, as written
# The last one's loops are compiled when some steps have been taken.
_HOT_S = {"written": 0.0, "recorded": 0.0, "compiled": 0.0, "warm": 1e-9}
_LONG = os.environ.get("HYBRID_HYPOTHESIS") == "long"
_SETTINGS = settings(
    max_examples=10_000 if _LONG else 500,
    derandomize=not _LONG,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)


def state_of(value: Any) -> Any:
    """What a value is, to the bit, in a form that can be compared."""
    if isinstance(value, np.ndarray):
        flags = value.flags.owndata, value.flags.writeable
        return value.dtype.str, value.shape, value.strides, flags, bits_of(value)
    if isinstance(value, (list, tuple)):
        if repr(value).find("...") >= 0:  # a list in itself
            return type(value), repr(value)
        return type(value), [state_of(v) for v in value]
    if isinstance(value, np.generic):
        return type(value), bits_of(value)
    if isinstance(value, np.random.Generator):
        return type(value), repr(value.bit_generator.state)
    return type(value), repr(value)


def bits_of(value: Any) -> bytes:
    """Which of two nans goes on, with its sign, is any compiler's choice: NumPy's scalars and
    arrays differ in it."""
    if value.dtype.kind not in "fc":
        return value.tobytes()
    parts = np.array(value).reshape(-1).view(value.real.dtype)
    parts[np.isnan(parts)] = np.nan
    return parts.tobytes()


def run(trial: Trial, way: str) -> tuple[Any, ...]:
    """(names' values, error, warnings, output) after the loop."""
    names: dict[str, Any] = {"np": np, "math": math, "random": random}
    exec(trial.setup, names)
    functions = f"<functions {next(_numbers)}>"
    remember(functions, trial.functions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(trial.functions, functions, "exec"), names)
    given = set(names)
    tree = ast.parse(trial.loop)
    if way == "recorded":
        tree = rewrite(tree, "<loop>", frozenset())
    elif way != "written":
        tree = with_units(tree, "<loop>")
    code = compile(ast.fix_missing_locations(tree), "<loop>", "exec")
    error = None
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            with (
                install().alone(),
                mock.patch.object(loops, "HOT_S", _HOT_S[way]),
                mock.patch.object(units, "STRICT", True),
                mock.patch.object(signals, "_only_raises", only_raises),
            ):
                exec(code, names)
        except Exception as raised:
            error = type(raised), str(raised)
    arrays = [(n, names[n]) for n in sorted(names) if isinstance(names[n], np.ndarray)]
    same: list[Any] = [
        (a, b, one is other, one.base is other, np.shares_memory(one, other))
        for a, one in arrays
        for b, other in arrays
    ]
    same += [repr(np.random.get_state(legacy=False)), random.getstate()]
    places: dict[int, int] = {}  # of objects, where they are first
    same.append([where(names[n], places) for n in sorted(names) if type(names[n]) is list])
    if "o" in names:  # an instance
        same.append({n: state_of(v) for n, v in vars(names.pop("o")).items()})
        same.append(list(same[-1]))
    kept = {n: state_of(v) for n, v in names.items() if n in given or not n.startswith("__")}
    for name in ("__builtins__", "O", "P", *FUNCTIONS):
        kept.pop(name, None)
    return kept, error, [(w.category, str(w.message)) for w in warned], out.getvalue(), same


def where(value: Any, places: dict[int, int]) -> Any:
    """Which lists and arrays in a list are the same objects."""
    if type(value) is not list:
        known = isinstance(value, np.ndarray)
        return places.setdefault(id(value), len(places)) if known else None
    if id(value) in places:
        return places[id(value)]
    places[id(value)] = len(places)
    return places[id(value)], [where(item, places) for item in value]


class Endless(BaseException):
    """A loop goes through a list that it makes longer."""


@contextlib.contextmanager
def ends() -> Iterator[None]:
    """Rejects a trial whose loop does not."""

    def stop(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_S)
    try:
        yield
    except Endless:
        reject()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def agree(trial: Trial) -> None:
    with ends():
        wanted = run(trial, "written")
    for way in ("recorded", "compiled", "warm"):
        for one, other in zip(wanted, run(trial, way), strict=True):
            assert one == other, (way, trial)


@_SETTINGS
@given(trial=trials())
def test_the_same_as_the_loop(trial):
    agree(trial)


@_SETTINGS
@given(trial=trials_with_instances())
def test_the_same_as_the_loop_over_attributes(trial):
    agree(trial)


@pytest.mark.parametrize("kind", [trials, trials_with_instances])
def test_many_of_them_run_compiled(monkeypatch, kind):
    """The fuzz tells nothing of loops that are left to Python."""
    ran, steps = [], []
    plain = units.Made.run

    def counted(made, *args):
        outcome = plain(made, *args)
        steps.append(outcome.steps)
        return outcome

    monkeypatch.setattr(units.Made, "run", counted)

    @settings(_SETTINGS, max_examples=400, derandomize=True)
    @given(trial=kind())
    def look(trial):
        before = sum(steps)
        run(trial, "compiled")
        ran.append(sum(steps) > before)

    look()
    assert sum(ran) > 40, "so many of 400 loops took steps compiled"
