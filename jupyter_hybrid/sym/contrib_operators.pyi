# ruff: noqa
# fmt: off
# Made by `python -m jupyter_hybrid._stubs` from the operator table: do not edit.
from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import Symbol
