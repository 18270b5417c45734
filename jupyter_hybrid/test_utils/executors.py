"""Symbols bound to given arrays, and what their programs give."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..nd import NDArray, array, waitall
from ..sym import Symbol
from .context import default_context, default_dtype

__all__ = ["Symbol", "check_speed", "simple_forward"]


def as_arrays(names: list[str], given: Any, ctx: Any, dtype: Any) -> dict[str, Any]:
    """Arrays by name, in the order of the names' letters.

    Args:
        given: NumPy arrays or NDArrays, by name or in the order of ``names``.
        dtype: what NumPy arrays become; "asnumpy": their own dtype.

    Raises:
        ValueError: a dict has other names.
    """
    if isinstance(given, dict):
        if set(given) != set(names):
            raise ValueError(
                f"Symbol arguments and keys of the given location do not match: the symbol has "
                f"{sorted(names)}, given were {sorted(given)}"
            )
    else:
        given = dict(zip(names, given))
    return {name: to_array(value, ctx, dtype) for name, value in sorted(given.items())}


def to_array(value: Any, ctx: Any, dtype: Any) -> Any:
    """An NDArray of a NumPy array; anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    return array(value, ctx=ctx, dtype=value.dtype if isinstance(dtype, str) else dtype)


def states_of(sym: Symbol, given: Any, ctx: Any, dtype: Any) -> dict[str, Any] | None:
    """Auxiliary states likewise; None stays None.

    Raises:
        ValueError: a dict has other names.
    """
    if given is None:
        return None
    names = sym.list_auxiliary_states()
    if isinstance(given, dict) and set(given) != set(names):
        raise ValueError(
            f"Symbol aux_states names and given aux_states do not match: the symbol has "
            f"{sorted(names)}, given were {sorted(given)}"
        )
    by_name = given if isinstance(given, dict) else dict(zip(names, given))
    return {
        name: array(v, ctx=ctx, dtype=v.dtype if isinstance(dtype, str) else dtype)
        for name, v in by_name.items()
    }


def check_dtype(dtype: Any, *, own: bool = True) -> None:
    """Raises AssertionError unless ``dtype`` is a float's (or "asnumpy" where ``own``)."""
    floats = (np.float16, np.float32, np.float64)
    assert (own and isinstance(dtype, str) and dtype == "asnumpy") or dtype in floats, dtype


def simple_forward(sym: Symbol, ctx: Any = None, is_train: bool = False, **inputs: Any) -> Any:
    """The outputs of a symbol as NumPy arrays; a single one without a list.

    Args:
        inputs: NumPy arrays by the names of the arguments.
    """
    arrays = {name: array(value) for name, value in inputs.items()}
    outputs = sym.bind(ctx or default_context(), args=arrays).forward(is_train=is_train)
    found = [out.asnumpy() for out in outputs]
    return found[0] if len(found) == 1 else found


def check_speed(
    sym: Symbol,
    location: dict[str, np.ndarray] | None = None,
    ctx: Any = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: Any,
) -> float:
    """Seconds that a run takes, the mean of ``N``: with gradients ("whole") or "forward" alone."""
    if typ not in ("whole", "forward"):
        raise ValueError(f'check_speed: typ is "whole" or "forward", not {typ!r}')
    ctx = ctx or default_context()
    shapes = kwargs if location is None else {name: v.shape for name, v in location.items()}
    exe = sym.simple_bind(grad_req=grad_req or "write", ctx=ctx, **shapes)
    if location is None:
        location = {name: np.random.normal(size=a.shape) for name, a in exe.arg_dict.items()}
    for name, value in location.items():
        exe.arg_dict[name][:] = value.astype(exe.arg_dict[name].dtype)

    def run() -> list[NDArray]:
        outputs = exe.forward(is_train=typ == "whole")
        if typ == "whole":
            exe.backward(out_grads=exe.outputs)
        return outputs

    run()
    waitall()
    began = time.perf_counter()
    for _ in range(N):
        run()
    waitall()
    return (time.perf_counter() - began) / N


DTYPE = default_dtype()
