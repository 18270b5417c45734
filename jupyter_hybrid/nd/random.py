"""Random arrays. Draw number n of a seed is the same on every device and in every mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import NDArray

if TYPE_CHECKING:
    from .random_operators import *  # noqa: F403

__all__ = ["multinomial", "normal", "randint", "randn", "shuffle", "uniform"]


def uniform(
    low: Any = 0.0,
    high: Any = 1.0,
    shape: Any = (),
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
) -> NDArray:
    """Numbers drawn evenly from [low, high). The empty shape means (1,).

    With arrays for ``low`` and ``high``, ``shape`` numbers are drawn for each of their elements.
    """
    if isinstance(low, NDArray) or isinstance(high, NDArray):
        unit = uniform(0.0, 1.0, _sample_shape(low, high, shape), dtype, ctx)
        return _write(out, _spread(low, unit) + unit * _spread(_minus(high, low), unit))
    return _draw("_random_uniform", {"low": low, "high": high}, shape, dtype, ctx, out)


def normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    shape: Any = (),
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
) -> NDArray:
    """Numbers drawn from the normal distribution of mean ``loc`` and deviation ``scale``."""
    if isinstance(loc, NDArray) or isinstance(scale, NDArray):
        unit = normal(0.0, 1.0, _sample_shape(loc, scale, shape), dtype, ctx)
        return _write(out, _spread(loc, unit) + unit * _spread(scale, unit))
    return _draw("_random_normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out)


def randn(*shape: int, loc: float = 0.0, scale: float = 1.0, **options: Any) -> NDArray:
    """Normal numbers of the shape given as arguments: ``randn(2, 3)``."""
    return normal(loc, scale, shape, **options)


def randint(
    low: int,
    high: int,
    shape: Any = (),
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
) -> NDArray:
    """Whole numbers drawn evenly from low to high - 1; int32 unless dtype says otherwise."""
    return _draw("_random_randint", {"low": low, "high": high}, shape, dtype, ctx, out)


def shuffle(data: NDArray, out: NDArray | None = None) -> NDArray:
    """The rows of ``data`` (slices along axis 0) in random order, as a new array."""
    return _core.invoke("shuffle", [data], {}, out)


def multinomial(
    data: NDArray, shape: Any = (), get_prob: bool = False, dtype: Any = "int32"
) -> Any:
    """Class numbers drawn from probabilities ``data`` of shape (k,) or (n, k).

    The result has shape ``data.shape[:-1] + shape`` (a single draw of one row: (1,)); with
    ``get_prob`` also the logarithm of the probability of each draw.
    """
    count = (shape,) if isinstance(shape, int) else tuple(shape)
    rows = data.shape[:-1]
    total = int(np.prod(count, dtype=int))
    # Inverse transform sampling: the number of cumulated probabilities that a draw reaches.
    k = data.shape[-1]
    upper = _core.array(np.triu(np.ones((k, k))), data.context, data.dtype)
    cumulated = _core.invoke("dot", [data.reshape((-1, k)), upper], {})
    u = uniform(0.0, 1.0, (cumulated.shape[0], total, 1), data.dtype, data.context)
    below = _core.invoke("broadcast_greater_equal", [u, cumulated.reshape((-1, 1, k))], {})
    index = _core.invoke("sum", [below], {"axis": -1})
    index = _core.invoke("clip", [index], {"a_min": 0, "a_max": k - 1})
    final = (rows + count) or (1,)
    drawn = index.astype(dtype).reshape(final)
    if not get_prob:
        return drawn
    logs = _core.invoke("log", [data.reshape((-1, k))], {})
    return [drawn, _pick(logs, index).reshape(final)]


def _pick(logs: NDArray, index: NDArray) -> NDArray:
    k = logs.shape[-1]
    hot = _core.invoke("one_hot", [index], {"depth": k, "dtype": np.dtype(logs.dtype).name})
    return _core.invoke("sum", [hot * logs.reshape((-1, 1, k))], {"axis": -1})


def _draw(name: str, attrs: dict[str, Any], shape: Any, dtype: Any, ctx: Any, out: Any) -> NDArray:
    attrs["shape"] = shape if shape is not None else ()
    if out is not None:
        attrs["shape"], attrs["dtype"], ctx = out.shape, out.dtype, out.context
    elif dtype is not None and dtype != "None":
        attrs["dtype"] = dtype
    return _core.invoke(name, [], attrs, out, ctx)


def _sample_shape(a: Any, b: Any, shape: Any) -> tuple[int, ...]:
    base = (a if isinstance(a, NDArray) else b).shape
    return base + ((shape,) if isinstance(shape, int) else tuple(shape))


def _spread(value: Any, like: NDArray) -> Any:
    if not isinstance(value, NDArray):
        return value
    return value.reshape(value.shape + (1,) * (like.ndim - value.ndim))


def _minus(a: Any, b: Any) -> Any:
    return a - b


def _write(out: NDArray | None, result: NDArray) -> NDArray:
    if out is None:
        return result
    out[:] = result
    return out
