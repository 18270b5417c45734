"""Sequential and HybridSequential: layers one after another."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ..block import Block
from ..hybrid_block import HybridBlock


class _Stack:
    """List behaviour over child blocks."""

    _children: OrderedDict[str, Block]
    _in_summary = False  # its layers have rows

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

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)

    def hybridize(self, active: bool = True, **options: Any) -> None:
        """Hybridizes each layer by itself; warns if a HybridSequential could be one program."""
        if self._children and all(isinstance(c, HybridBlock) for c in self._children.values()):
            warnings.warn(
                f"all children of {self.name} are HybridBlocks: a HybridSequential of them is "
                "faster",
                stacklevel=2,
            )
        super().hybridize(active, **options)

    def forward(self, x: Any, *args: Any) -> Any:
        for block in self._children.values():
            x = block(x, *args)
            args = ()
        return x


class HybridSequential(_Stack, HybridBlock):
    """Hybrid layers applied in order; hybridized, they become one program."""

    def __init__(self, prefix: str | None = None, params: Any = None):
        super().__init__(prefix, params)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        for block in self._children.values():
            x = block(x, *args)
            args = ()
        return x
