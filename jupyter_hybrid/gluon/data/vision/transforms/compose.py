"""Several transforms together."""

from __future__ import annotations

import random
from typing import Any

from ....hybrid_block import HybridBlock
from ....nn import HybridSequential, Sequential


class Compose(Sequential):
    """Transforms one after the other; hybrid ones beside each other become one program."""

    def __init__(self, transforms: list[Any]):
        super().__init__()
        together: list[HybridBlock] = []
        for transform in [*transforms, None]:
            if isinstance(transform, HybridBlock):
                together.append(transform)
                continue
            if len(together) == 1:
                self.add(together[0])
            elif together:
                joined = HybridSequential()
                joined.add(*together)
                joined.hybridize()
                self.add(joined)
            together = []
            if transform is not None:
                self.add(transform)


class RandomApply(Sequential):
    """A transform, with probability ``p``."""

    def __init__(self, transforms: Any, p: float = 0.5):
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        return x if self.p < random.random() else self.transforms(x)
