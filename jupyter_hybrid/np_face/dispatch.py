"""Where calls on traced arrays arrive: a lowering adds nodes, anything else runs in real NumPy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from ..reasons import Reason
from . import bridge, float_errors
from .array import layouts, masks
from .bridge import handle_of, operand_of, store_into, to_real, wrapped
from .errors import LIKE_NUMPY, NotCovered, why_not
from .float_errors import SILENT, Named, require_quiet
from .lower import known_errors, lowering
from .lower.followed import follow
from .lower.lowering import broadcast_to, dtype_of
from .lower.registry import ARRAYS_OF_RANK_0, FUNCTIONS, METHODS_OF_UFUNCS, VIEWS, WRITERS
from .lower.ufuncs import ufunc_call
from .protocols import Recorder

# What these do is one loop of NumPy's; other functions are made of several, of another order.
_LOOPS = frozenset({np.sum, np.prod, np.mean, np.dot, np.inner, np.outer, np.cumsum, np.cumprod})
_WARNS_OF_WHERE = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


def _these(ufunc: np.ufunc) -> Reason:
    return Reason("np.{ufunc} of these operands", ufunc=ufunc.__name__)


# Operators and ufuncs -----------------------------------------------------------------------------
def operate(recorder: Recorder, ufunc: np.ufunc, plain: Callable, operands: tuple) -> Any:
    """``plain(*operands)`` for an operator whose ufunc is ``ufunc``."""
    __tracebackhide__ = True
    if recorder.active:
        try:
            require_quiet()
            if any(map(bridge.has_selected, operands)):
                return masks.operate(recorder, ufunc, operands)
            node = ufunc_call(ufunc, [operand_of(recorder, o) for o in operands])
            if type(node) is tuple:
                many = tuple(bridge.Traced(recorder, n, not n.shape) for n in node)
                return layouts.like_numpy(ufunc, many, operands)
            result = bridge.Traced(recorder, node, not node.shape)
            if ufunc is np.matmul and len(node.shape) <= 2:
                return result
            return layouts.like_numpy(ufunc, result, operands)
        except (NotCovered, *LIKE_NUMPY) as problem:
            known_errors.of_ufunc(plain, operands)
            recorder.leave_graph(why_not(problem) or _these(ufunc))
    return float_errors.in_numpy(plain, tuple(map(to_real, operands)), {}, recorder)


def call_ufunc(
    recorder: Recorder, ufunc: np.ufunc, method: str, inputs: tuple, kwargs: dict
) -> Any:
    """``ufunc.<method>(*inputs, **kwargs)`` with a traced array among the arguments."""
    __tracebackhide__ = True
    if recorder.active:
        try:
            require_quiet()
            if method == "__call__":
                return _call(recorder, ufunc, inputs, kwargs)
            lowered = METHODS_OF_UFUNCS.get(method)
            if lowered is None:
                raise NotCovered("np.{ufunc}.{method}", ufunc=ufunc.__name__, method=method)
            made = lowered(recorder, ufunc, *inputs, **kwargs)
            return layouts.like_numpy(getattr(ufunc, method), made, inputs, kwargs)
        except (NotCovered, *LIKE_NUMPY) as problem:
            if method == "__call__" and not kwargs.keys() - {"out"}:
                known_errors.of_ufunc(ufunc, inputs, kwargs.get("out"))
            recorder.leave_graph(why_not(problem) or _these(ufunc))
    return in_numpy(recorder, getattr(ufunc, method), inputs, kwargs)


def _call(recorder: Recorder, ufunc: np.ufunc, inputs: tuple, kwargs: dict) -> Any:
    out = kwargs.get("out")
    where = kwargs.get("where", True)
    if where is not True and "out" not in kwargs and _WARNS_OF_WHERE:
        raise NotCovered("where= without out=, of which NumPy warns")
    for name in kwargs.keys() - {"out", "where", "dtype", "order", "subok"}:
        if name != "casting" or kwargs[name] != "same_kind":
            raise NotCovered("np.{ufunc} with {name}=", ufunc=ufunc.__name__, name=name)
    if any(type(i) is bridge.Traced and i.selected is not None for i in inputs):
        plain = where is True and kwargs.get("dtype") is None
        if plain and out is None:
            return masks.operate(recorder, ufunc, inputs)
        if plain and out is not None and out[0] is inputs[0] and inputs[0].selected is not None:
            return masks.assign(out[0], masks.operate(recorder, ufunc, inputs))
    operands = [operand_of(recorder, i) for i in inputs]
    in_place = out is not None and out[0] is inputs[0]  # as Python's operators do
    # Elements that are not wanted warn of nothing.
    with Named("" if in_place else ufunc.__name__) if where is True else SILENT:
        nodes = ufunc_call(ufunc, operands, kwargs.get("dtype"))
    many = type(nodes) is tuple
    nodes = tuple(
        lowering.copied(n) if any(n is o for o in operands) else n
        for n in (nodes if many else (nodes,))
    )
    targets = out if out is not None else (None,) * len(nodes)
    results = []
    for node, target in zip(nodes, targets, strict=True):
        if target is None and where is True:
            results.append(bridge.Traced(recorder, node, not node.shape))
        else:
            results.append(_written(recorder, ufunc, node, target, where))
    made = tuple(results) if many else results[0]
    return made if out is not None else layouts.like_numpy(ufunc, made, inputs, kwargs)


def _written(recorder: Recorder, ufunc: np.ufunc, node: Any, target: Any, where: Any) -> Any:
    if target is None:  # the elements that are not computed are NumPy's garbage: any will do
        mask = handle_of(recorder, where)
        node = broadcast_to(node, np.broadcast_shapes(tuple(node.shape), tuple(mask.shape)))
        return bridge.Traced.of_node(recorder, node, scalar=not node.shape)
    # Others' memory is written at once.
    if type(target) is not bridge.Traced or not target.writeable:
        raise NotCovered("np.{ufunc} into an array outside the graph", ufunc=ufunc.__name__)
    store_into(target, node, f"np.{ufunc.__name__}", where, recorder)
    return target


# Functions ----------------------------------------------------------------------------------------
def call_function(
    recorder: Recorder, function: Any, args: tuple, kwargs: dict, method: str = ""
) -> Any:
    """``function(*args, **kwargs)`` of NumPy's with a traced array among the arguments.

    ``method``: its name as the first argument's method, where that is what was called.
    """
    __tracebackhide__ = True
    if recorder.active:
        try:
            require_quiet()
            return _lower(recorder, function, args, kwargs, method)
        except (NotCovered, *LIKE_NUMPY) as problem:
            known_errors.of_function(function, args, kwargs, method)
            why = why_not(problem)
            recorder.leave_graph(
                why or Reason("{name} with these arguments", name=name_of(function))
            )
    return in_numpy(recorder, function, args, kwargs, method)


def _lower(recorder: Recorder, function: Any, args: tuple, kwargs: dict, method: str) -> Any:
    viewed = VIEWS.get(function)
    if viewed is not None:
        array = args[0] if args else None
        if type(array) is not bridge.Traced and function in WRITERS:
            raise NotCovered("{name} into an array outside the graph", name=name_of(function))
        if type(array) is not bridge.Traced:
            array = recorder.wrap(array)
        if type(array) is bridge.Traced:
            made = viewed(array, *args[1:], **kwargs)
            return made if _shares(made) else layouts.like_numpy(function, made, args, kwargs)
    lowered = FUNCTIONS.get(function)
    if lowered is None:
        followed = follow(function)
        if followed is None:
            raise NotCovered("{name} is not covered", name=name_of(function))
        return layouts.like_numpy(function, followed(recorder, args, kwargs), args, kwargs)
    place = _out_place(function)
    out = kwargs.get("out")
    if "out" in kwargs:  # the caller's dict stays whole, for real NumPy
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    if place is not None and len(args) > place:
        out = args[place]
        args = (*args[:place], None, *args[place + 1 :])
    if method and "correction" in kwargs:
        raise NotCovered("the method {method} has no correction=", method=method)
    of_methods = method and function is not np.dot  # a product of Python's own is matmul
    with Named("" if of_methods else function.__name__) if function in _LOOPS else SILENT:
        made = lowered(lambda value: handle_of(recorder, value), *args, **kwargs)
    if out is not None:
        return _into(recorder, function, out, made, args)
    made = wrapped(recorder, made, function in ARRAYS_OF_RANK_0, args)
    return layouts.like_numpy(function, made, args, kwargs)


def _shares(made: Any) -> bool:
    """Is it a view, an existing array, or no array at all?"""
    if type(made) is not bridge.Traced:
        return True
    return made.parent is not None or made.origin is not None


def _into(recorder: Recorder, function: Any, out: Any, made: Any, args: tuple) -> Any:
    if type(out) is not bridge.Traced or not out.writeable:
        raise NotCovered("{name} into an array outside the graph", name=name_of(function))
    if type(made) is bridge.Traced:  # a view
        made = made.handle
    if dtype_of(made) != out.dtype or tuple(made.shape) != out.shape:
        raise NotCovered(
            "{name} into {dtype} of shape {shape}",
            name=name_of(function),
            dtype=out.dtype,
            shape=out.shape,
        )
    own = [a.handle for a in (*args, out) if type(a) is bridge.Traced and a.selected is None]
    out.assign(lowering.copied(made) if any(made is h for h in own) else made)
    return out


def name_of(function: Any) -> str:
    """How people write a NumPy function: ``np.linalg.inv``."""
    module = (getattr(function, "__module__", None) or "numpy").replace("numpy", "np", 1)
    return f"{module}.{getattr(function, '__name__', function)}"


# Real NumPy ---------------------------------------------------------------------------------------
@cache
def _out_place(function: Any) -> int | None:
    """Where ``out`` stands among a function's positional parameters."""
    with suppress(TypeError, ValueError):  # it has no signature, or no such parameter
        parameters = inspect.signature(function).parameters.values()
        by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [p.name for p in parameters if p.kind in by_place].index("out")
    return None


def by_place() -> dict[Any, int]:
    """NumPy's functions of arrays that are known here, with the most arguments that a call may give
    by place: none before them is an output."""
    found = {}
    for function in (*FUNCTIONS, *VIEWS):
        if function not in WRITERS and hasattr(function, "_implementation"):
            parameters = inspect.signature(function).parameters.values()
            kinds = [p.kind for p in parameters]
            if inspect.Parameter.VAR_POSITIONAL not in kinds:
                most = sum(k <= inspect.Parameter.POSITIONAL_OR_KEYWORD for k in kinds)
                found[function] = min(most, _out_place(function) or most)
    return found


def in_numpy(
    recorder: Recorder, function: Callable, args: Any, kwargs: dict, method: str = ""
) -> Any:
    """The call in real NumPy; an ``out`` array stays the object that was given."""
    place = _out_place(function) if not isinstance(function, np.ufunc) else None
    out = kwargs.get("out")
    if out is None and place is not None and len(args) > place:
        out = args[place]
    targets = list(out) if isinstance(out, tuple) else [out] if out is not None else []
    if function in WRITERS or getattr(function, "__name__", "") == "at":
        targets.append(args[0])
    if targets:  # what was recorded of the old contents must be computed before
        recorder.flush_if_active(Reason("an array is written in NumPy"))
    real = {k: to_real(v) for k, v in kwargs.items()}
    given = tuple(map(to_real, args))
    if method:
        function, given = getattr(given[0], method), given[1:]
    result = float_errors.in_numpy(function, given, real, recorder)
    for target in targets:
        if type(target) is bridge.Traced:
            target.touched()
    if out is not None:
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out
    return result
