# ruff: noqa
# fmt: off
# Made by `python -m jupyter_hybrid._stubs` from the operator table: do not edit.
from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import Symbol

def BatchNormWithReLU(data: Symbol | None = ..., gamma: Symbol | None = ..., beta: Symbol | None = ..., moving_mean: Symbol | None = ..., moving_var: Symbol | None = ..., eps: float | None = ..., momentum: float | None = ..., fix_gamma: bool | None = ..., use_global_stats: bool | None = ..., output_mean_var: bool | None = ..., axis: int | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
