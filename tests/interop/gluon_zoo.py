"""Nets of the model zoo that genuine MXNet computed, too: small ones of each kind."""

from __future__ import annotations

from gluon_runs import Case, normal


def _net(kind, size, *blocks, **options):
    def make(mx):
        zoo = mx.gluon.model_zoo.vision
        given = [getattr(zoo, b) if isinstance(b, str) and hasattr(zoo, b) else b for b in blocks]
        return getattr(zoo, kind)(*given, classes=5, **options)

    # Statistics at rest: in training a batch of one makes normalizations of single numbers.
    return Case(make, [normal(1, 3, size, size)], train=False, tolerance=1e-4, gradient=False)


CASES = {
    "resnet_v1": _net("ResNetV1", 32, "BasicBlockV1", [1, 2], [4, 4, 8]),
    "resnet_v1_wide": _net("ResNetV1", 16, "BottleneckV1", [1, 1], [4, 8, 16], thumbnail=True),
    "resnet_v2": _net("ResNetV2", 32, "BasicBlockV2", [1, 2], [4, 4, 8]),
    "resnet_v2_wide": _net("ResNetV2", 16, "BottleneckV2", [1, 1], [4, 8, 16], thumbnail=True),
    "densenet": _net("DenseNet", 64, 8, 4, [2, 2], bn_size=2),
    "mobilenet": _net("MobileNet", 32, 0.25),
    "mobilenet_v2": _net("MobileNetV2", 32, 0.25),
    "squeezenet": _net("SqueezeNet", 224, "1.1"),
}
