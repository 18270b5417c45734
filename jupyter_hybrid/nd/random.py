"""Random arrays. Draw number n of a seed is the same on every device and in every mode.

With arrays for the parameters of a distribution, ``shape`` numbers are drawn for each of their
elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import NDArray

if TYPE_CHECKING:
    from .random_operators import *  # noqa: F403

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]


def uniform(
    low: Any = 0,
    high: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers drawn evenly from [low, high). No shape means (1,)."""
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, ctx, out, kwargs)


def normal(
    loc: Any = 0,
    scale: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers drawn from the normal distribution of mean ``loc`` and deviation ``scale``."""
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out, kwargs)


def randn(*shape: int, **kwargs: Any) -> NDArray:
    """Normal numbers of the shape given as arguments: ``randn(2, 3)``.

    Args:
        kwargs: ``loc``, ``scale``, ``dtype``, ``ctx``, ``out`` as of :func:`normal`.
    """
    return normal(kwargs.pop("loc", 0), kwargs.pop("scale", 1), shape, **kwargs)


def poisson(
    lam: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whole numbers drawn from Poisson's distribution of mean ``lam``, as floats."""
    return _draw("poisson", {"lam": lam}, shape, dtype, ctx, out, kwargs)


def exponential(
    scale: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers drawn from the exponential distribution of mean ``scale``."""
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, ctx, out, kwargs)


def gamma(
    alpha: Any = 1,
    beta: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers drawn from the gamma distribution of shape ``alpha`` and scale ``beta``."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, ctx, out, kwargs)


def negative_binomial(
    k: Any = 1,
    p: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Failures before ``k`` successes of probability ``p``, as floats."""
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, ctx, out, kwargs)


def generalized_negative_binomial(
    mu: Any = 1,
    alpha: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whole numbers, as floats, of mean ``mu`` and variance ``mu + alpha * mu ** 2``."""
    parameters = {"mu": mu, "alpha": alpha}
    return _draw("generalized_negative_binomial", parameters, shape, dtype, ctx, out, kwargs)


def multinomial(
    data: NDArray,
    shape: Any = (),
    get_prob: bool = False,
    out: Any = None,
    dtype: Any = "int32",
    **kwargs: Any,
) -> Any:
    """Class numbers drawn from probabilities ``data`` of shape (k,) or (n, k).

    The result has shape ``data.shape[:-1] + shape`` (a single draw of one row: (1,)); with
    ``get_prob`` also the logarithm of the probability of each draw, which has a gradient.
    """
    attrs = {"shape": shape or (), "get_prob": get_prob, "dtype": dtype, **kwargs}
    return _core.invoke("_sample_multinomial", [data], attrs, out)


def shuffle(data: NDArray, out: NDArray | None = None, **kwargs: Any) -> NDArray:
    """The rows of ``data`` (slices along axis 0) in random order, as a new array."""
    return _core.invoke("shuffle", [data], kwargs, out)


def randint(
    low: int,
    high: int,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whole numbers drawn evenly from low to high - 1; int32 unless dtype says otherwise."""
    return _draw("randint", {"low": low, "high": high}, shape, dtype, ctx, out, kwargs)


def _draw(
    law: str,
    parameters: dict[str, Any],
    shape: Any,
    dtype: Any,
    ctx: Any,
    out: NDArray | None,
    more: dict[str, Any],
) -> NDArray:
    attrs: dict[str, Any] = {**more, "shape": shape if shape is not None else ()}
    if dtype is not None and dtype != "None":
        attrs["dtype"] = dtype
    arrays = [p for p in parameters.values() if isinstance(p, NDArray)]
    if arrays:
        if out is not None:
            attrs["dtype"] = out.dtype
            if shape is None:
                attrs["shape"] = out.shape[arrays[0].ndim :]
        given = [p if isinstance(p, NDArray) else _like(p, arrays[0]) for p in parameters.values()]
        return _core.invoke(f"_sample_{law}", given, attrs, out)
    if out is not None:
        attrs["shape"], attrs["dtype"], ctx = out.shape, out.dtype, out.context
    return _core.invoke(f"_random_{law}", [], {**parameters, **attrs}, out, ctx)


def _like(number: Any, array: NDArray) -> NDArray:
    return _core.invoke("_plus_scalar", [array * 0], {"scalar": number})
