"""Methods of NumPy's random generators that take arrays: the draw is NumPy's, the rest is recorded.

Where elements go does not depend on them, so an index array is shuffled in the array's place, by
NumPy, on the way it would take itself: the stream is its own, before and after.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge
from ..errors import NotCovered
from ..protocols import Recorder
from . import lowering
from .counting import known_values
from .lowering import core

GENERATORS = (np.random.RandomState, np.random.Generator)


def lowered(function: Any) -> Callable | None:
    """``f(recorder, generator, args, kwargs)`` for a generator's method that is recorded."""
    if type(getattr(function, "__self__", None)) not in GENERATORS:
        return None
    return _METHODS.get(getattr(function, "__name__", ""))


def call(recorder: Recorder, lower: Callable, function: Any, args: tuple, kwargs: dict) -> Any:
    """The recorded call. Raises NotCovered, before anything is drawn, where it is NumPy's."""
    if not recorder.active or recorder.script:
        raise NotCovered("random draws")
    generator = function.__self__
    if type(generator) is np.random.RandomState:  # without axis= and shuffle=
        most = {"shuffle": 1, "permutation": 1}.get(function.__name__, 4)
        if len(args) > most or not kwargs.keys().isdisjoint({"axis", "shuffle"}):
            raise NotCovered("a draw with such arguments")
    return lower(generator, *args, **kwargs)


def _rows(x: Any, axis: Any) -> tuple[Any, int]:
    """(the array, its axis) that is drawn from."""
    if type(x) is not bridge.Traced or x.is_scalar or not x.ndim or not x.size:
        raise NotCovered("a draw from no array")
    return x, lowering.axis_of(operator.index(axis), x.ndim)


def _taken(x: Any, index: Any, axis: int) -> Any:
    node = core(
        "take",
        [x.handle, lowering.input_of(np.asarray(index))],
        axis=axis,
        mode="raise",
        from_end=True,
    )
    return bridge.Traced.of_node(x.recorder, node, scalar=not node.shape)


def _shuffle(generator: Any, x: Any, axis: int = 0) -> None:
    array, place = _rows(x, axis)
    if not array.writeable:
        raise NotCovered("a read-only array is shuffled")
    n = array.shape[place]
    index = np.arange(n) if array.ndim == 1 else np.arange(n)[:, None]  # each has its own way
    generator.shuffle(index)
    array[...] = _taken(array, index.ravel(), place)


def _permutation(generator: Any, x: Any, axis: int = 0) -> Any:
    array, place = _rows(x, axis)
    return _taken(array, generator.permutation(array.shape[place]), place)


def _choice(
    generator: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: int = 0,
    shuffle: bool = True,
) -> Any:  # fmt: skip
    if size == () or any(type(v) is bridge.Traced for v in (size, replace, axis, shuffle)):
        raise NotCovered("a choice whose size is an array")
    options = {"size": size, "replace": replace, "p": p}
    if p is not None:
        options["p"] = known_values(p, "a draw with p=")
    if type(generator) is np.random.Generator:
        options["shuffle"] = shuffle
    elif type(a) is bridge.Traced and a.ndim != 1:
        raise NotCovered("np.random.choice of rows")
    if type(a) is not bridge.Traced:
        if axis or not isinstance(a, (int, np.integer)):
            raise NotCovered("a choice among these")
        return generator.choice(a, **options)
    array, place = _rows(a, axis)
    return _taken(array, generator.choice(array.shape[place], **options), place)


def _normal(generator: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """``loc + scale * z``: z is drawn, in the order NumPy draws it."""
    positive = type(scale) in (int, float) and scale > 0
    if type(loc) is not bridge.Traced or not positive or loc.dtype.kind not in "fiub":
        raise NotCovered("a normal draw of this location and scale")
    shape = loc.shape
    if size is not None:
        shape = tuple(size) if isinstance(size, (tuple, list)) else (operator.index(size),)
        if np.broadcast_shapes(shape, loc.shape) != shape:
            raise NotCovered("a normal draw of another size")
    z = bridge.Traced.of_input(loc.recorder, np.asarray(generator.standard_normal(shape)))
    made = loc + z * float(scale)
    made.is_scalar = not shape
    return made


_METHODS: dict[str, Callable] = {
    "shuffle": _shuffle, "permutation": _permutation, "choice": _choice, "normal": _normal,
}  # fmt: skip
