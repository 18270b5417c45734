"""A net with every layer of gluon.nn and gluon.contrib that can be exported and trained."""

from __future__ import annotations

from typing import Any

from .nets import ALMOST_NEVER


def _stacked(mx: Any, *layers: Any) -> Any:
    net = mx.gluon.nn.HybridSequential()
    net.add(*layers)
    return net


def _line(mx: Any) -> Any:
    """Of (N, 3, 8)."""
    nn, contrib = mx.gluon.nn, mx.gluon.contrib.nn
    return _stacked(
        mx,
        nn.Conv1D(4, 3, padding=1),
        nn.PReLU(),
        nn.MaxPool1D(2),
        nn.Conv1DTranspose(6, 2, strides=2, activation="softsign"),
        contrib.PixelShuffle1D(2),
        nn.AvgPool1D(2),
        nn.InstanceNorm(scale=True),  # a fixed factor is trained once it is exported
        _pooled(mx, "1D"),
    )


def _image(mx: Any) -> Any:
    """Of (N, 4, 6, 6)."""
    nn, contrib, cnn = mx.gluon.nn, mx.gluon.contrib.nn, mx.gluon.contrib.cnn
    return _stacked(
        mx,
        nn.BatchNorm(),
        nn.ReflectionPad2D(1),
        nn.Conv2D(8, 3, groups=2),
        nn.BatchNormReLU(),
        contrib.PixelShuffle2D(2),
        nn.MaxPool2D(2),
        nn.Conv2DTranspose(4, 2, strides=2),
        nn.GroupNorm(2),
        nn.Swish(),
        nn.AvgPool2D(2),
        cnn.DeformableConvolution(4, kernel_size=(3, 3), padding=(1, 1)),
        _pooled(mx, "2D"),
    )


def _volume(mx: Any) -> Any:
    """Of (N, 2, 4, 4, 4)."""
    nn, contrib = mx.gluon.nn, mx.gluon.contrib.nn
    return _stacked(
        mx,
        nn.Conv3D(8, 3, padding=1, activation="sigmoid"),
        contrib.PixelShuffle3D(2),
        nn.MaxPool3D(2),
        nn.Conv3DTranspose(2, 2, strides=2, use_bias=False),
        nn.ELU(0.7),
        nn.AvgPool3D(2),
        _pooled(mx, "3D"),
    )


def _pooled(mx: Any, axes: str) -> Any:
    nn = mx.gluon.nn
    both = mx.gluon.contrib.nn.HybridConcurrent(axis=1)
    both.add(getattr(nn, "GlobalAvgPool" + axes)(), getattr(nn, "GlobalMaxPool" + axes)())
    return _stacked(mx, both, nn.Flatten())


def _words(mx: Any) -> Any:
    """Of words (N, 5). SELU gets numbers above 0: below, genuine MXNet's gradient is wrong."""
    nn, contrib = mx.gluon.nn, mx.gluon.contrib.nn
    return _stacked(
        mx,
        nn.Embedding(7, 4),
        nn.LayerNorm(),
        nn.GELU(),
        nn.Dense(4, flatten=False),
        nn.LeakyReLU(0.2),
        nn.Dropout(ALMOST_NEVER, axes=(1,)),
        nn.HybridLambda("sigmoid"),
        nn.SELU(),
        nn.Activation("softrelu"),
        contrib.Identity(),
        nn.Flatten(),
    )


def modulated(mx: Any) -> Any:
    """Genuine MXNet has this layer's gradient on GPUs alone."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        cnn = mx.gluon.contrib.cnn
        net.add(cnn.ModulatedDeformableConvolution(2, kernel_size=(3, 3), padding=(1, 1)))
        net.add(mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(3))
    return net


def every_layer(mx: Any) -> Any:
    nn = mx.gluon.nn

    class EveryLayer(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__(prefix="net_")
            with self.name_scope():
                self.line, self.image = _line(mx), _image(mx)
                self.volume, self.words = _volume(mx), _words(mx)
                self.last = nn.Dense(3)

        def hybrid_forward(self, F: Any, line: Any, image: Any, volume: Any, words: Any) -> Any:
            parts = self.line(line), self.image(image), self.volume(volume), self.words(words)
            return self.last(F.concat(*parts, dim=1))

    return EveryLayer()
