# ruff: noqa
# fmt: off
# Made by `python -m jupyter_hybrid._stubs` from the operator table: do not edit.
from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import Symbol

def inverse(A: Symbol | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
def potrf(A: Symbol | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
def slogdet(A: Symbol | None = ..., name: str | None = ..., attr: dict[str, str] | None = ..., **attrs: Any) -> Symbol: ...
