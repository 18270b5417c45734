"""Modelled GPUs beside published figures of real ones: ResNet training, images a second.

    python benchmarks/modelled.py [--models resnet50_v1] [--json FILE]

Data-parallel training steps run on virtual GPUs whose arithmetic is skipped, one program a device,
and the modelled clock tells their time. Prediction: kernels by the roofline of the data sheet, so
it is what a device of these peaks could do at best; real kernels reach a part of that. The column
`reached` is the published throughput by it. Published figures are those of their sources, measured
with their software, and nothing here was run on such a machine.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid.gluon.model_zoo import vision
from jupyter_hybrid.modelled import record

NVIDIA = "NVIDIA/DeepLearningExamples, MxNet/Classification/RN50v1.5/README.md (mxnet 20.12)"
MXNET = "apache/mxnet, docs/static_site/src/pages/api/faq/perf.md (MXNet 1.2.0.rc1)"
TENSORFLOW = "tensorflow.org/performance/benchmarks (2017, DGX-1)"


class Published(NamedTuple):
    """Images a second that somebody measured; batches are of one device."""

    device: str
    links: str
    model: str
    batch: int
    gpus: int
    images: float
    source: str


PUBLISHED = [
    Published("V100", "dgx1", "resnet50_v1", 32, 1, 298.51, MXNET),
    Published("V100", "dgx1", "resnet50_v1", 96, 1, 384, NVIDIA),
    Published("V100", "dgx1", "resnet50_v1", 96, 2, 763, NVIDIA),
    Published("V100", "dgx1", "resnet50_v1", 96, 4, 1513, NVIDIA),
    Published("V100", "dgx1", "resnet50_v1", 96, 8, 3005, NVIDIA),
    Published("P100", "dgx1", "resnet50_v1", 64, 1, 219, TENSORFLOW),
    Published("P100", "dgx1", "resnet50_v1", 64, 8, 1734, TENSORFLOW),
    Published("P100", "dgx1", "resnet152_v1", 64, 1, 91.8, TENSORFLOW),
    Published("K80", "pcie", "resnet50_v1", 32, 1, 49.48, MXNET),
]


def predicted(row: Published) -> float:
    """Images a second of a hybridized step."""
    # host=0: Python's own time here would make every machine give other figures.
    ctx = mx.virtual_gpus(row.gpus, like=row.device, links=row.links, compute=False, host=0)
    net = vision.get_model(row.model)
    net.initialize(ctx=ctx)
    net.hybridize()
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9},
        update_on_kvstore=False if row.gpus > 1 else None,
    )  # fmt: skip
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    xs = [nd.zeros((row.batch, 3, 224, 224), ctx=c) for c in ctx]
    ys = [nd.zeros((row.batch,), ctx=c) for c in ctx]

    def step() -> None:
        with autograd.record():
            made = [loss(net(x), y) for x, y in zip(xs, ys, strict=True)]
        for part in made:
            part.backward()
        trainer.step(row.batch * row.gpus)

    for _ in range(2):
        step()
    nd.waitall()
    with record() as run:
        step()
    return row.batch * row.gpus / run.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", nargs="*", help="only these")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = []
    print(f"{'GPUs':14} {'model':14} {'batch':>5} {'modelled':>9} {'published':>9} {'reached':>8}")
    for row in PUBLISHED:
        if options.models and row.model not in options.models:
            continue
        images = predicted(row)
        found.append({**row._asdict(), "modelled": images})
        print(
            f"{row.gpus} x {row.device:10} {row.model:14} {row.batch:5} {images:9.0f} "
            f"{row.images:9.0f} {row.images / images:8.0%}  {row.source}"
        )
    mx.virtual_gpus(0)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
