"""Recording a function on NumPy arrays without a shell: what it gives, and what broke the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jupyter_hybrid import _core
from jupyter_hybrid.capture import numbers
from jupyter_hybrid.capture.cell import Cell
from jupyter_hybrid.capture.deferred import DeferredNames
from jupyter_hybrid.capture.options import Options
from jupyter_hybrid.capture.recorder import Recorder
from jupyter_hybrid.np_face import TracedArray, makers


class Recorded:
    """One recorded call: ``value`` with real arrays, ``breaks`` as the report gives them."""

    def __init__(self, function: Callable, arguments: tuple):
        import ast

        cell = Cell(None, "<test>", [], 1, ast.parse(""), [], False, False)
        recorder = Recorder(cell, Options(), {}, DeferredNames())
        _core.begin_trace(0)
        try:
            wrapped = [recorder.wrap(a) for a in arguments]
            made = function(_Face(recorder), *wrapped)
        finally:
            _core.end_trace()
        self.breaks = list(recorder.breaks)
        self.traced = _any_traced(made)
        self.value = _real(made)
        self.reasons = [reason for _, reason in recorder.breaks]  # of reading the result too
        recorder.write_back()
        recorder.active = False
        numbers.start_cell()


class _Face:
    """NumPy as rewritten code calls it."""

    def __init__(self, recorder: Recorder):
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        real = getattr(np, name)
        if not makers.makes(real):
            return real
        return lambda *args, **kwargs: makers.call(self._recorder, real, args, kwargs)


def _any_traced(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_any_traced, value))
    return type(value) is TracedArray


def _real(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_real, value))
    if type(value) in (list, tuple):
        return type(value)(_real(v) for v in value)
    return value.to_numpy() if type(value) is TracedArray else value


def ulps(a: np.ndarray, b: np.ndarray) -> float:
    """The largest distance between two float arrays in units of the last place."""
    a, b = np.asarray(a), np.asarray(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    with np.errstate(all="ignore"):
        gap = np.abs(a - b) / np.spacing(np.maximum(np.abs(a), np.abs(b)))
    gap = np.where(same, 0, gap)
    return float(np.max(np.where(np.isnan(gap), np.inf, gap)))


def check(
    function: Callable, *arrays: Any, captured: bool = True, ulp: float = 4, scale: float = 0.0
) -> None:
    """``function(np, *arrays)`` recorded equals NumPy's own: values, dtypes, shapes, types, written
    arguments; without a graph break where ``captured``.

    Args:
        ulp: allowed distance of floats; integers and bools are equal.
        scale: floats may also differ by this absolute amount (sums that cancel).
    """
    own = [np.copy(a) if type(a) is np.ndarray else a for a in arrays]
    other = [np.copy(a) if type(a) is np.ndarray else a for a in arrays]
    with np.errstate(all="ignore"):
        try:
            wanted: Any = function(np, *own)
        except Exception as error:
            wanted = error
    if isinstance(wanted, Exception):
        try:
            recorded = Recorded(function, tuple(other))
        except type(wanted) as error:
            assert str(error) == str(wanted)
            return
        raise AssertionError(f"NumPy raises {wanted!r}, recorded gives {recorded.value!r}")
    recorded = Recorded(function, tuple(other))
    if captured:
        assert not recorded.breaks, recorded.breaks
    same(recorded.value, wanted, ulp, scale)
    for mine, theirs in zip(other, own, strict=True):
        if type(theirs) is np.ndarray:
            same(mine, theirs, ulp, scale)


def same(got: Any, wanted: Any, ulp: float, scale: float) -> None:
    """Asserts equality of values, dtypes, shapes and types."""
    if isinstance(wanted, (list, tuple)):
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted, strict=True):
            same(g, w, ulp, scale)
        return
    if wanted is None or isinstance(wanted, (bool, int, str)):
        assert got == wanted
        return
    assert type(got) is type(wanted), (type(got), type(wanted))
    g, w = np.asarray(got), np.asarray(wanted)
    assert g.dtype == w.dtype, (g.dtype, w.dtype)
    assert g.shape == w.shape, (g.shape, w.shape)
    if w.dtype.kind == "c":  # one part may cancel: the magnitude is the measure
        assert np.array_equal(np.isnan(g), np.isnan(w))
        with np.errstate(all="ignore"):
            far, allowed = np.abs(g - w), scale + ulp * np.spacing(np.abs(w))
        assert np.all((g == w) | np.isnan(w) | (far <= allowed)), (g, w)
    elif w.dtype.kind == "f":
        with np.errstate(all="ignore"):
            close = np.abs(g - w) <= scale
        assert ulps(np.where(close, w, g), w) <= ulp, (g, w)
    else:
        np.testing.assert_array_equal(g, w)
