"""Functions of MXNet's ``sym`` that are more than an operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Symbol
from .names import choose_name

__all__ = ["histogram", "split_v2"]


def histogram(
    a: Symbol, bins: int | Symbol = 10, range: tuple[float, float] | None = None, **kwargs: Any
) -> Symbol:
    """As nd.histogram; a number of bins needs a range."""
    name = choose_name(kwargs.pop("name", None), "_histogram")
    if isinstance(bins, Symbol):
        return _core.sym_apply("_histogram", [a, bins], kwargs, name, {})
    if not isinstance(bins, int):
        raise ValueError(f"histogram: given bins {bins!r}, expected an integer or a Symbol")
    if range is None:
        raise ValueError("histogram: given no range, which is known only when the graph runs")
    ends = str(tuple(float(x) for x in range))
    attrs = {"bin_cnt": bins, "range": ends, "no_bins": True, **kwargs}
    return _core.sym_apply("_histogram", [a], attrs, name, {})


def split_v2(
    ary: Symbol,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
) -> Symbol:
    """Parts: that many of one size, or cut before the given indices."""
    attrs: dict[str, Any] = {"axis": axis, "squeeze_axis": squeeze_axis}
    if isinstance(indices_or_sections, int):
        attrs["sections"] = indices_or_sections
    elif isinstance(indices_or_sections, (tuple, list)):
        attrs["indices"] = (0, *indices_or_sections)
    else:
        raise ValueError("split_v2: indices_or_sections must either int or tuple of ints")
    return _core.sym_apply("_split_v2", [ary], attrs, choose_name(None, "_split_v2"), {})
