"""Single-shot detection: anchors on feature maps of several sizes, their classes and offsets."""

from __future__ import annotations

from typing import Any

from .drawn import shapes
from .training import Train, batches, fill, hybridized

CLASSES = 2
SIZES = ((0.25, 0.35), (0.4, 0.5), (0.6, 0.75))
RATIOS = (1.0, 2.0, 0.5)
ANCHORS = len(SIZES[0]) + len(RATIOS) - 1  # at each place


def _net(mx: Any) -> Any:
    nn = mx.gluon.nn

    def down(channels: int) -> Any:
        """Half the height and width."""
        made = nn.HybridSequential()
        for _ in range(2):
            made.add(nn.Conv2D(channels, kernel_size=3, padding=1))
            made.add(nn.BatchNorm(), nn.Activation("relu"))
        made.add(nn.MaxPool2D(2))
        return made

    def wide(channels: int) -> Any:
        return nn.Conv2D(channels, kernel_size=3, padding=1)

    class Detector(nn.HybridBlock):
        """Anchors (1, n, 4), scores (batch, n, classes + 1), offsets (batch, 4 n)."""

        def __init__(self) -> None:
            super().__init__()
            first = nn.HybridSequential()
            first.add(down(8), down(12), down(16))
            self.stages = [first, down(24), nn.GlobalMaxPool2D()]
            self.classes = [wide(ANCHORS * (CLASSES + 1)) for _ in SIZES]
            self.offsets = [wide(ANCHORS * 4) for _ in SIZES]
            for block in (*self.stages, *self.classes, *self.offsets):
                self.register_child(block)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            anchors, scores, offsets = [], [], []
            for stage, classes, moves, sizes in zip(self.stages, self.classes, self.offsets, SIZES):
                x = stage(x)
                anchors.append(F.contrib.MultiBoxPrior(x, sizes=sizes, ratios=RATIOS))
                scores.append(F.flatten(F.transpose(classes(x), axes=(0, 2, 3, 1))))
                offsets.append(F.flatten(F.transpose(moves(x), axes=(0, 2, 3, 1))))
            found = F.concat(*scores, dim=1).reshape((0, -1, CLASSES + 1))
            return F.concat(*anchors, dim=1), found, F.concat(*offsets, dim=1)

    return Detector()


def single_shot(mx: Any, active: bool) -> Train:
    data = batches(mx, 16, *shapes(64))
    net = _net(mx)
    fill(mx, net, data[0][0])
    class_loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    offset_loss = mx.gluon.loss.L1Loss()
    hybridized(active, net, class_loss, offset_loss)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "wd": 5e-4})

    def train(steps: int) -> list[float]:
        losses = []
        for step in range(steps):
            x, y = data[step % len(data)]
            with mx.autograd.record():
                anchors, scores, offsets = net(x)
                wanted, counted, labels = mx.nd.contrib.MultiBoxTarget(
                    anchors, y, scores.transpose((0, 2, 1))
                )
                error = class_loss(scores, labels) + offset_loss(
                    offsets * counted, wanted * counted
                )
            error.backward()
            trainer.step(x.shape[0])
            losses.append(error.mean().asscalar())
        return losses

    return train
