# ruff: noqa
# fmt: off
# Made by `python -m jupyter_hybrid._stubs` from the operator table: do not edit.
from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import NDArray

def BatchNormWithReLU(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray, moving_var: NDArray, eps: float | None = ..., momentum: float | None = ..., fix_gamma: bool | None = ..., use_global_stats: bool | None = ..., output_mean_var: bool | None = ..., axis: int | None = ..., out: Any = ..., name: str | None = ..., **attrs: Any) -> Any: ...
def AdaptiveAvgPooling2D(data: NDArray, output_size: int | Sequence[int | None] | None = ..., out: Any = ..., name: str | None = ..., **attrs: Any) -> Any: ...
def BilinearResize2D(data: NDArray | float, like: NDArray | float | None = ..., height: int | None = ..., width: int | None = ..., scale_height: float | None = ..., scale_width: float | None = ..., mode: str | None = ..., align_corners: bool | None = ..., out: Any = ..., name: str | None = ..., **attrs: Any) -> Any: ...
