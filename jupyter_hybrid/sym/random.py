"""Random draws as symbols: a new draw in every run.

With symbols for the parameters of a distribution, ``shape`` numbers are drawn for each of their
elements. With numbers for them and without a ``shape`` the use decides, as in MXNet: what stands
beside an array of shape (2, 3) is six draws. Where it doesn't, the shape is (1,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import Symbol
from .names import choose_name

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
    low: Any = 0, high: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Symbol:
    """Numbers drawn evenly from [low, high)."""
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, kwargs)


def normal(
    loc: Any = 0, scale: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Symbol:
    """Numbers drawn from the normal distribution of mean ``loc`` and deviation ``scale``."""
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, kwargs)


def randn(*shape: int, **kwargs: Any) -> Symbol:
    """Normal numbers of the shape given as arguments: ``randn(2, 3)``."""
    return normal(kwargs.pop("loc", 0), kwargs.pop("scale", 1), shape, **kwargs)


def poisson(lam: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Whole numbers drawn from Poisson's distribution of mean ``lam``, as floats."""
    return _draw("poisson", {"lam": lam}, shape, dtype, kwargs)


def exponential(scale: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Numbers drawn from the exponential distribution of mean ``scale``."""
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, kwargs)


def gamma(
    alpha: Any = 1, beta: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Symbol:
    """Numbers drawn from the gamma distribution of shape ``alpha`` and scale ``beta``."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, kwargs)


def negative_binomial(
    k: Any = 1, p: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Symbol:
    """Failures before ``k`` successes of probability ``p``, as floats."""
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, kwargs)


def generalized_negative_binomial(
    mu: Any = 1, alpha: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Symbol:
    """Whole numbers, as floats, of mean ``mu`` and variance ``mu + alpha * mu ** 2``."""
    parameters = {"mu": mu, "alpha": alpha}
    return _draw("generalized_negative_binomial", parameters, shape, dtype, kwargs)


def multinomial(
    data: Symbol, shape: Any = (), get_prob: bool = True, dtype: Any = "int32", **kwargs: Any
) -> Symbol:
    """Class numbers drawn from probabilities ``data``, (k,) or (n, k); see nd.random.multinomial.

    Unlike there ``get_prob`` is True unless it is given, as in MXNet.
    """
    attrs = {"shape": shape or (), "get_prob": get_prob, "dtype": dtype}
    return _apply_law("_sample_multinomial", [data], attrs, kwargs)


def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """The rows of ``data`` in random order."""
    return _apply_law("_shuffle", [data], {}, kwargs)


def randint(low: int, high: int, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Whole numbers drawn evenly from low to high - 1."""
    return _draw("randint", {"low": low, "high": high}, shape, dtype, kwargs)


def _draw(
    law: str, parameters: dict[str, Any], shape: Any, dtype: Any, more: dict[str, Any]
) -> Symbol:
    attrs: dict[str, Any] = {"shape": shape if shape is not None else ()}
    if dtype is not None and dtype != "None":
        attrs["dtype"] = dtype
    if more.get("ctx") is not None:
        more["ctx"] = str(more["ctx"])
    symbols = [p for p in parameters.values() if isinstance(p, Symbol)]
    if not symbols:
        return _apply_law(f"_random_{law}", [], {**parameters, **attrs}, more)
    if len(symbols) < len(parameters):
        raise TypeError(
            f"{law}: given symbols and numbers for {', '.join(parameters)}, expected one kind"
        )
    return _apply_law(f"_sample_{law}", symbols, attrs, more)


def _apply_law(
    op: str, inputs: list[Symbol], attrs: dict[str, Any], more: dict[str, Any]
) -> Symbol:
    name, extra = more.pop("name", None), more.pop("attr", None)
    more = {key: value for key, value in more.items() if not isinstance(value, Symbol)}  # as MXNet
    return _core.sym_apply(op, inputs, {**attrs, **more}, choose_name(name, op), extra or {})
