"""Sequential and HybridSequential: layers one after another."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ..block import Block
from ..hybrid_block import HybridBlock


class _Stack:
    """List behaviour over child blocks."""

    _children: OrderedDict[str, Block]

    def add(self, *blocks: Any) -> None:
        """Appends layers."""
        for block in blocks:
            self.register_child(block)  # type: ignore[attr-defined]

    def __getitem__(self, key: Any) -> Any:
        layers = list(self._children.values())[key]
        if not isinstance(layers, list):
            return layers
        part = type(self)(prefix=self._prefix)  # type: ignore[call-arg, attr-defined]
        part.add(*layers)
        return part

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._children.values())


class Sequential(_Stack, Block):
    """Layers applied in order; layers that are not hybrid may be among them."""

    def forward(self, x: Any, *args: Any) -> Any:
        for block in self._children.values():
            x = block(x, *args)
            args = ()
        return x


class HybridSequential(_Stack, HybridBlock):
    """Hybrid layers applied in order; hybridized, they become one program."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        for block in self._children.values():
            x = block(x, *args)
            args = ()
        return x
