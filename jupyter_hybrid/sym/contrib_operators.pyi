# ruff: noqa
# fmt: off
# Made by `python -m jupyter_hybrid._stubs` from the operator table: do not edit.
from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import Symbol

def BatchNormWithReLU(data: Symbol | None = ..., gamma: Symbol | None = ..., beta: Symbol | None = ..., moving_mean: Symbol | None = ..., moving_var: Symbol | None = ..., eps: float | None = ..., momentum: float | None = ..., fix_gamma: bool | None = ..., use_global_stats: bool | None = ..., output_mean_var: bool | None = ..., axis: int | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
def AdaptiveAvgPooling2D(data: Symbol | None = ..., output_size: int | Sequence[int | None] | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
def BilinearResize2D(data: Symbol | float | None = ..., like: Symbol | float | None = ..., height: int | None = ..., width: int | None = ..., scale_height: float | None = ..., scale_width: float | None = ..., mode: str | None = ..., align_corners: bool | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
