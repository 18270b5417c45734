"""Random draws as symbols: a new draw in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import Symbol
from .names import choose_name

if TYPE_CHECKING:
    from .random_operators import *  # noqa: F403

__all__ = ["normal", "randint", "shuffle", "uniform"]


def uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: Any = (),
    dtype: Any = None,
    name: str | None = None,
) -> Symbol:
    """Numbers drawn evenly from [low, high)."""
    return _draw("_random_uniform", {"low": low, "high": high}, shape, dtype, name)


def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Any = (),
    dtype: Any = None,
    name: str | None = None,
) -> Symbol:
    """Numbers drawn from the normal distribution of mean ``loc`` and deviation ``scale``."""
    return _draw("_random_normal", {"loc": loc, "scale": scale}, shape, dtype, name)


def randint(
    low: int, high: int, shape: Any = (), dtype: Any = None, name: str | None = None
) -> Symbol:
    """Whole numbers drawn evenly from low to high - 1."""
    return _draw("_random_randint", {"low": low, "high": high}, shape, dtype, name)


def shuffle(data: Symbol, name: str | None = None) -> Symbol:
    """The rows of ``data`` in random order."""
    return _core.sym_apply("shuffle", (data,), {}, choose_name(name, "shuffle"))


def _draw(op: str, attrs: dict[str, Any], shape: Any, dtype: Any, name: str | None) -> Symbol:
    attrs["shape"] = shape if shape is not None else ()
    if dtype is not None:
        attrs["dtype"] = dtype
    return _core.sym_apply(op, (), attrs, choose_name(name, op.lstrip("_")))
