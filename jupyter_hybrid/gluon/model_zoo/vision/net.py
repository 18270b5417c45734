"""What the nets share: features, then outputs, and pretrained parameters."""

from __future__ import annotations

from typing import Any

from ...hybrid_block import HybridBlock
from ..model_store import get_model_file


class FeaturesAndOutput(HybridBlock):
    """``output(features(x))``: images (n, 3, h, w) to scores (n, classes)."""

    features: Any
    output: Any

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def loaded(net: Any, name: str, pretrained: bool, ctx: Any, root: str) -> Any:
    """The net, with the parameters of its file if ``pretrained``."""
    if pretrained:
        net.load_parameters(get_model_file(name, root=root), ctx=ctx)
    return net
