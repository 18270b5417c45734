"""Parameters from files: names, what is missing, what is left over."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .. import nd
from ..base import MXNetError
from .checks import CheckError

if TYPE_CHECKING:
    from .parameter import Parameter


def read_arrays(filename: str) -> dict[str, Any]:
    """Name -> NDArray of a ``.params`` file, ``arg:`` and ``aux:`` stripped."""
    loaded = nd.load(filename)
    if loaded == []:
        return {}
    if not isinstance(loaded, dict):
        raise MXNetError(f"{filename}: holds a list of arrays without names, expected parameters")
    return plain_names(loaded)


def plain_names(arrays: Any) -> dict[str, Any]:
    """Without ``arg:`` and ``aux:``."""
    return {re.sub(r"^(arg|aux):", "", name): array for name, array in dict(arrays).items()}


def fill(
    params: dict[str, Parameter],
    arrays: dict[str, Any],
    filename: str,
    ctx: Any,
    allow_missing: bool,
    ignore_extra: bool,
    cast_dtype: bool = False,
    dtype_source: str = "current",
) -> None:
    """Loads arrays into parameters of the same names.

    Raises:
        CheckError: a parameter has no array under any of its names, or an array no parameter.
    """
    there = {params[name] for name in arrays if name in params}  # shared ones may be there once
    missing = [name for name, param in params.items() if param not in there]
    if missing and not allow_missing:
        raise CheckError(
            f"{filename}: no values for {_some(missing)}; pass allow_missing=True if they may "
            f"stay as they are; it holds {_some(list(arrays))}"
        )
    extra = [name for name in arrays if name not in params]
    if extra and not ignore_extra:
        raise CheckError(
            f"{filename}: {_some(extra)} is not a parameter here; pass ignore_extra=True to leave "
            f"it out; parameters are {_some(list(params))}"
        )
    for name, array in arrays.items():
        if name in params:
            params[name].load(array, ctx, cast_dtype, dtype_source)


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
