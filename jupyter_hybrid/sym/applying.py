"""An operator on symbols: what the functions of sym that are made from the table call."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Symbol
from ..attribute import attribute_names, split_attributes
from .names import choose_name


def apply_operator(
    op: str, inputs: Any, attrs: Any, name: str | None, attr: Any, hint: str = ""
) -> Symbol:
    """``op`` is MXNet's name; ``hint`` what a node without a name is called."""
    own, named = split_attributes(attrs)
    if attr:  # of an operator MXNet takes anything, as its text
        named |= attribute_names({key: str(value) for key, value in attr.items()})
    return _core.sym_apply(op, inputs, own, choose_name(name, hint or op), named, hint)
