"""Names, shapes and attribute paths of the parameters of every net of the model zoo.

    PYTHON tests/interop/gluon_zoo_names.py

writes what genuine MXNet has, tests/data/mxnet/zoo_names.json.xz; PYTHON has MXNet.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "zoo_names.json.xz"
NETS = [
    "alexnet", "densenet121", "densenet161", "densenet169", "densenet201", "inceptionv3",
    "mobilenet0.25", "mobilenet0.5", "mobilenet0.75", "mobilenet1.0", "mobilenetv2_0.25",
    "mobilenetv2_0.5", "mobilenetv2_0.75", "mobilenetv2_1.0", "resnet18_v1", "resnet34_v1",
    "resnet50_v1", "resnet101_v1", "resnet152_v1", "resnet18_v2", "resnet34_v2", "resnet50_v2",
    "resnet101_v2", "resnet152_v2", "squeezenet1.0", "squeezenet1.1", "vgg11", "vgg13", "vgg16",
    "vgg19", "vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn",
]  # fmt: skip


def described(mx: Any, name: str) -> list[list[Any]]:
    """Path, name, shape (0 where the first call tells it) and grad_req of each parameter."""
    function = name.replace(".", "_").replace("netv2", "net_v2").replace("nv3", "n_v3")
    net = getattr(mx.gluon.model_zoo.vision, function)(prefix="net_")
    params = net._collect_params_with_prefix().items()
    return [[path, p.name, list(p.shape), p.grad_req] for path, p in params]


if __name__ == "__main__":
    import mxnet

    found = {name: described(mxnet, name) for name in NETS}
    FILE.write_bytes(lzma.compress(json.dumps(found).encode()))
