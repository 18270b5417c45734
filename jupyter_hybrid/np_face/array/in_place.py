"""What changes an array's own shape, dtype or size: ``x.shape = ...``, ``x.resize(...)``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...reasons import Reason
from .. import bridge
from ..protocols import Recorder
from . import masks
from .memory import supported

FLAGS_SET = Reason(".flags are set")
_RESIZED = Reason("an array is resized in place")


def change(array: Any, what: Reason, act: Callable[[np.ndarray], None]) -> None:
    """Has real NumPy change the geometry of the real array; its views keep theirs."""
    recorder = array.recorder
    _leave(recorder, what)
    real = array.to_numpy()
    if array.is_scalar:
        act(real)  # raises NumPy's error
        return
    before = real.view()
    act(real)
    _give_views(array, before)
    _stand_for(array, real)


def put(array: Any, name: str, value: Any) -> None:
    """``x.shape = ...`` and its like."""
    what = Reason("an array's {name} is set in place", name=name)
    change(array, what, lambda real: setattr(real, name, value))


def resize(array: Any, new_shape: tuple, refcheck: bool) -> None:
    """``x.resize(shape)``: the memory is another one afterwards."""
    recorder = array.recorder
    shape = _shape_of(new_shape)
    stays = array.is_scalar or array.is_window or shape is None or math.prod(shape) == array.size
    if stays:  # or NumPy refuses
        change(array, _RESIZED, lambda r: r.resize(*new_shape))
        return
    _leave(recorder, _RESIZED)
    real = array.to_numpy()
    # Memory of a cell's array is not NumPy's to reallocate: its elements move to memory that is.
    owned = real
    if array.parent is None and not real.flags.owndata and array.computed is not None:
        owned = np.array(real, order="K")
    names = [n for n, v in recorder.namespace.items() if v is array or v is real]
    held = [owned]
    if refcheck and (_views(array) or len(names) > 1):
        owned.resize(shape)  # NumPy refuses, since `held` has it too: nothing has changed
    kept = [real.copy() if _views(array) else None]
    recorder.forget(real)
    array.release()
    del real, owned
    names = [n for n, v in recorder.namespace.items() if v is held[0]]
    recorder.namespace.update(dict.fromkeys(names, array))  # NumPy counts who holds the real one
    try:
        held[0].resize(shape, refcheck=refcheck)
    finally:
        recorder.namespace.update(dict.fromkeys(names, held[0]))
        if kept[0] is not None:
            _give_views(array, kept[0])
        _stand_for(array, held[0])


def _shape_of(given: tuple) -> tuple[int, ...] | None:
    if len(given) == 1 and given[0] is not None:
        given = tuple(given[0]) if isinstance(given[0], (tuple, list)) else given
    try:
        shape = tuple(operator.index(n) for n in given)
    except TypeError:
        return None  # NumPy has the error
    return shape if shape and min(shape) >= 0 else None


def _leave(recorder: Recorder, what: Reason) -> None:
    if recorder.active:
        recorder.leave_graph(what)
        recorder.flush(what)
    for selection in masks.pending(recorder.proxies):
        selection.to_numpy()
    _core.wait_all()  # kernels may still read the memory that changes


def _views(array: Any) -> list[Any]:
    alive = [p for p in (r() for r in array.recorder.proxies) if p is not None]
    return [p for p in alive if p.parent is array]


def _give_views(array: Any, before: np.ndarray) -> None:
    """Views of ``array`` go on as views of the array as it was."""
    views = _views(array)
    if not views:
        return
    base = bridge.Traced.of_input(array.recorder, before)
    if array.recorder.active:
        array.recorder.keep(base)
    for view in views:
        view.parent, view._seen = base, -1
        view._real = None


def _stand_for(array: Any, real: np.ndarray) -> None:
    """``array`` is the real array as it now is, of whatever it was made before."""
    recorder = array.recorder
    array.release()
    if supported(real):
        array._stand_for(real)
        array.version += 1
        if recorder.active:
            recorder.keep(array)
    else:
        recorder.forget(real)
        array.origin = real  # all that it does goes on there
        names = recorder.namespace
        names.update({n: real for n, v in names.items() if v is array})
