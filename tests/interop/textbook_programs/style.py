"""A picture with the content of one and the style of another, seen by a net of seeded weights."""

from __future__ import annotations

from typing import Any

from .drawn import picture
from .training import Train, fill, hybridized

SIZE = 64
STYLE, CONTENT = (0, 2, 4), (3,)  # layers


def _blocks(mx: Any) -> tuple[Any, Any]:
    nn = mx.gluon.nn

    class Features(nn.HybridBlock):
        """What the layers of STYLE, then those of CONTENT, make of pictures."""

        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.HybridSequential()
            for number, channels in enumerate((8, 8, 16, 16, 24)):
                layer = nn.HybridSequential()
                if number in (2, 4):
                    layer.add(nn.MaxPool2D(2))
                layer.add(nn.Conv2D(channels, kernel_size=3, padding=1, activation="relu"))
                self.layers.add(layer)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            found = []
            for layer in self.layers:
                x = layer(x)
                found.append(x)
            return [found[i] for i in (*STYLE, *CONTENT)]

    class Difference(nn.HybridBlock):
        """One number: how far style, content and smoothness are from what is wanted."""

        def gram(self, F: Any, x: Any) -> Any:
            """Products of the channels, a mean over the places."""
            rows = F.reshape(x, (0, 0, -1))
            return F.linalg.gemm2(rows, rows, transpose_b=True) / SIZE**2

        def hybrid_forward(self, F: Any, image: Any, found: Any, wanted: Any) -> Any:
            rough = (
                F.slice_axis(image, axis=2, begin=1, end=None)
                - F.slice_axis(image, axis=2, begin=0, end=-1)
            ).abs().mean() + (
                F.slice_axis(image, axis=3, begin=1, end=None)
                - F.slice_axis(image, axis=3, begin=0, end=-1)
            ).abs().mean()
            total = 0.1 * rough
            for number, (mine, other) in enumerate(zip(found, wanted)):
                if number < len(STYLE):
                    mine, other = self.gram(F, mine), self.gram(F, other)
                total = total + F.square(mine - other).mean() * (10.0 if number < 3 else 1.0)
            return total

    return Features(), Difference()


def transfer(mx: Any, active: bool) -> Train:
    content, style = (mx.nd.array(picture(SIZE, seed)) for seed in (1, 2))
    features, difference = _blocks(mx)
    fill(mx, features, content)
    wanted = features(style)[: len(STYLE)] + features(content)[len(STYLE) :]
    hybridized(active, features, difference)
    image = mx.gluon.Parameter("image", shape=content.shape)
    image.initialize()
    image.set_data(content)
    trainer = mx.gluon.Trainer([image], "adam", {"learning_rate": 0.05})

    def train(steps: int) -> list[float]:
        losses = []
        for _ in range(steps):
            with mx.autograd.record():
                now = image.data()
                error = difference(now, features(now), wanted)
            error.backward()
            trainer.step(1)
            losses.append(error.asscalar())
        return losses

    return train
