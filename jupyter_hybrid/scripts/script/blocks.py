"""Gluon blocks inside a script: those of the user are followed, the package's run as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import nd
from ...gluon.block import Block
from ...gluon.hybrid_block import HybridBlock
from ...gluon.nn import HybridSequential, Sequential
from ..control.errors import NotConvertible
from ..control.hooks import script_runtime

_OWN = __name__.partition(".")[0]


def forward_of(block: Any) -> Callable | None:
    """What the call of a block stands for in a script; None: something else is called."""
    if not isinstance(block, Block):
        return None
    if block._forward_hooks or block._forward_pre_hooks:
        raise NotConvertible(f"{block.name} has hooks")
    if isinstance(block, (Sequential, HybridSequential)) and is_own(type(block), "forward"):
        return lambda x: _through(block, x)
    if not is_own(type(block), "forward"):
        return _followed(type(block).forward, block)
    if isinstance(block, HybridBlock) and not is_own(type(block), "hybrid_forward"):

        def call(x: Any, *args: Any) -> Any:
            params = {k: p.data(x.context) for k, p in block._reg_params.items()}
            return _followed(type(block).hybrid_forward, block)(nd, x, *args, **params)

        return call
    return block.forward  # its layers' arithmetic, with nd


def run_block(self: Any, *args: Any) -> Any:
    """The call of a block of the package, whose layers may be the user's."""
    forward = forward_of(self)
    assert forward is not None
    return forward(*args)


def _through(block: Any, x: Any) -> Any:
    for child in block._children.values():
        x = forward_of(child)(x)  # type: ignore[misc]
    return x


def is_own(kind: type, method: str) -> bool:
    """Is the method this package's?"""
    owner = next(c for c in kind.__mro__ if method in vars(c))
    return owner.__module__.partition(".")[0] == _OWN


def _followed(function: Any, block: Any) -> Callable:
    made = script_runtime().now.follow(function)
    if made is None:
        raise NotConvertible(f"{type(block).__name__}.{function.__name__} has no source")
    return lambda *args, **kwargs: made(block, *args, **kwargs)
