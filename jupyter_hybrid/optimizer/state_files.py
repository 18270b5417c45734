"""States of optimizers as bytes: a line that says what it is, JSON, and the arrays as in .params.

Nothing of a file is run: classes are looked up among the optimizers that are registered and the
schedulers of this library or of the present optimizer, and attributes are plain values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _core, lr_scheduler
from ..base import MXNetError
from ..nd import NDArray
from .base import Optimizer

_MAGIC = b"jupyter_hybrid optimizer states 1\n"
_NOT_SAVED = ("param_dict", "_index_update_count", "_bounds", "programs")
_PLAIN = (bool, int, float, str)


def write_states(states: Mapping[Any, Any], optimizer: Optimizer | None) -> bytes:
    """The states, and the optimizer unless None. Raises MXNetError for what can't be saved."""
    arrays: list[NDArray] = []
    content = {"states": _encoded(states, arrays, "the state")}
    if optimizer is not None:
        kind = type(optimizer).__name__.lower()
        kept = {k: v for k, v in vars(optimizer).items() if k not in _NOT_SAVED}
        where = f"the attribute {{}} of {type(optimizer).__name__}"
        values = {k: _encoded(v, arrays, where.format(k)) for k, v in kept.items()}
        content["optimizer"] = {"name": kind, "attributes": values}
    text = json.dumps(content).encode()
    pairs = [(str(i), array) for i, array in enumerate(arrays)]
    return _MAGIC + len(text).to_bytes(8, "little") + text + _core.save_params(pairs)


def read_states(data: bytes, current: Optimizer) -> tuple[dict[Any, Any], Optimizer | None]:
    """What :func:`write_states` was given. ``current``: whose class and scheduler may be made, too.

    Raises:
        MXNetError: these are other bytes, or damaged ones.
    """
    if not data.startswith(_MAGIC):
        raise MXNetError(_other(data))
    try:
        start = len(_MAGIC) + 8
        end = start + int.from_bytes(data[start - 8 : start], "little")
        content = json.loads(data[start:end])
        arrays = [array for _, array in _core.load_params(data[end:])]
        states = _decoded(content["states"], arrays, current)
        if not isinstance(states, dict):
            raise TypeError("no states")
        return states, _optimizer(content.get("optimizer"), arrays, current)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise MXNetError(f"the states of an optimizer are damaged: {error}") from error


def _other(data: bytes) -> str:
    if data[:1] in (b"\x80", b"("):
        return (
            "expected states of an optimizer, got a pickle, as MXNet writes them: reading one can "
            "run any code, so it is not read; train on with new states, or load the parameters only"
        )
    return f"expected states of an optimizer, got {len(data)} bytes of another kind"


def _encoded(value: Any, arrays: list[NDArray], what: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, NDArray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if type(value) in (list, tuple):
        return {type(value).__name__: [_encoded(v, arrays, what) for v in value]}
    if isinstance(value, Mapping):
        pairs = value.items()
        return {"dict": [[_encoded(x, arrays, what) for x in pair] for pair in pairs]}
    if isinstance(value, lr_scheduler.LRScheduler):
        kept = {k: _encoded(v, arrays, what) for k, v in vars(value).items()}
        return {"scheduler": type(value).__name__, "attributes": kept}
    raise MXNetError(f"{what} can't be saved: it is a {type(value).__name__}")


def _decoded(value: Any, arrays: list[NDArray], current: Optimizer) -> Any:
    if value is None or type(value) in _PLAIN:
        return value
    if "array" in value:
        at = value["array"]
        if not isinstance(at, int) or at < 0:
            raise ValueError(f"there is no array {at!r}")
        return arrays[at]
    if "scheduler" in value:
        kind = _scheduler(value["scheduler"], current)
        return _made(kind, value["attributes"], lambda v: _decoded(v, arrays, current))
    if "dict" in value:
        pairs = [[_decoded(x, arrays, current) for x in pair] for pair in value["dict"]]
        return dict(pairs)
    kind = tuple if "tuple" in value else list
    return kind(_decoded(v, arrays, current) for v in value[kind.__name__])


def _scheduler(name: Any, current: Optimizer) -> type:
    own = type(current.lr_scheduler)
    kind = own if own.__name__ == name else vars(lr_scheduler).get(name)
    if not (isinstance(kind, type) and issubclass(kind, lr_scheduler.LRScheduler)):
        raise ValueError(f"the scheduler {name!r} is not known; give the optimizer one")
    return kind


def _optimizer(saved: Any, arrays: list[NDArray], current: Optimizer) -> Optimizer | None:
    if saved is None:
        return None
    own = type(current)
    name = saved["name"]
    kind = own if own.__name__.lower() == name else Optimizer.opt_registry.get(name)
    if kind is None:
        raise ValueError(f"the optimizer {name!r} is not registered")
    made = _made(kind, saved["attributes"], lambda v: _decoded(v, arrays, current))
    assert isinstance(made, Optimizer)
    made._go_on_alike()  # whichever devices there are
    return made


def _made(kind: type, attributes: Any, decoded: Callable[[Any], Any]) -> Any:
    """An instance with these attributes, none of which is one of its class."""
    for name in attributes:
        if hasattr(kind, name) or name.startswith("__"):
            raise ValueError(f"{kind.__name__} can't have an attribute {name!r}")
    made: Any = object.__new__(kind)
    values = {name: decoded(value) for name, value in attributes.items()}
    if isinstance(made, Optimizer):
        made.__setstate__(values)
    else:
        vars(made).update(values)
    return made
