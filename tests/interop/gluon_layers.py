"""Layers that genuine MXNet computed, too: every argument is varied."""

from __future__ import annotations

from gluon_runs import Case, normal, whole


def _layer(name, *inputs, train=True, gradient=True, printed=True, **options):
    return Case(
        lambda mx: getattr(mx.gluon.nn, name)(**options),
        list(inputs),
        train,
        gradient=gradient,
        printed=printed,
    )


def _contrib(name, *inputs, **options):
    return Case(lambda mx: getattr(mx.gluon.contrib.nn, name)(**options), list(inputs))


IMAGE, VECTOR = normal(2, 4, 5, 6), normal(3, 7)
LINE, VOLUME = normal(2, 3, 9), normal(2, 2, 4, 5, 3)
BATCH = normal(4, 3, 2, 2)

SIMPLE = {
    "activation_relu": _layer("Activation", VECTOR, activation="relu"),
    "activation_softsign": _layer("Activation", VECTOR, activation="softsign"),
    "leaky": _layer("LeakyReLU", VECTOR, alpha=0.3),
    "elu": _layer("ELU", VECTOR),
    "elu_alpha": _layer("ELU", VECTOR, alpha=0.5),
    # MXNet's gradient disagrees with finite differences below 0.
    "selu": _layer("SELU", VECTOR, gradient=False),
    "gelu": _layer("GELU", VECTOR),
    "prelu": _layer("PReLU", VECTOR),
    "prelu_channels": _layer("PReLU", BATCH, in_channels=3),
    "swish": _layer("Swish", VECTOR),
    "swish_beta": _layer("Swish", VECTOR, beta=1.7),
    "dense": _layer("Dense", BATCH, units=4),
    "dense_options": _layer(
        "Dense", BATCH, units=4, flatten=False, use_bias=False, activation="tanh", in_units=2
    ),
    "dropout_at_rest": _layer("Dropout", VECTOR, rate=0.5, train=False),
    "dropout_none": _layer("Dropout", VECTOR, rate=0, axes=(1,)),
    "flatten": _layer("Flatten", BATCH),
    "embedding": _layer("Embedding", whole(5, 3, 2).astype("int32"), input_dim=5, output_dim=4),
    "lambda": _layer("Lambda", VECTOR, function="relu"),
    "hybrid_lambda": _layer("HybridLambda", VECTOR, function="tanh"),
}
NORMS = {
    "instance_norm": _layer("InstanceNorm", BATCH),
    "instance_norm_options": _layer(
        "InstanceNorm", BATCH, axis=2, epsilon=1e-2, center=False, scale=True, in_channels=2
    ),
    "group_norm": _layer("GroupNorm", IMAGE),
    "group_norm_options": _layer("GroupNorm", IMAGE, num_groups=2, epsilon=1e-2, scale=False),
    "batch_norm": _layer("BatchNorm", BATCH),
    "batch_norm_options": _layer(
        "BatchNorm", BATCH, axis=2, momentum=0.5, epsilon=1e-2, center=False, scale=False
    ),
    "batch_norm_global": _layer("BatchNorm", BATCH, use_global_stats=True, in_channels=3),
    "batch_norm_at_rest": _layer("BatchNorm", BATCH, train=False),
    "layer_norm": _layer("LayerNorm", BATCH),
    "layer_norm_options": _layer(
        "LayerNorm", BATCH, axis=1, epsilon=1e-2, center=False, scale=False, in_channels=3
    ),
}
CONVOLUTIONS = {
    "conv2d": _layer("Conv2D", IMAGE, channels=3, kernel_size=3),
    "conv2d_options": _layer(
        "Conv2D", IMAGE, channels=6, kernel_size=(3, 2), strides=(2, 1), padding=(1, 2),
        dilation=(1, 2), groups=2, activation="relu", use_bias=False, in_channels=4,
    ),
    "conv2d_transpose": _layer(
        "Conv2DTranspose", IMAGE, channels=3, kernel_size=(2, 3), printed=False
    ),
    "conv2d_transpose_options": _layer(
        "Conv2DTranspose", IMAGE, channels=6, kernel_size=3, strides=(2, 3), padding=(1, 0),
        output_padding=(1, 2), groups=2, use_bias=False, activation="tanh", in_channels=4,
        printed=False,
    ),
    "conv1d": _layer("Conv1D", LINE, channels=4, kernel_size=3, strides=2, padding=1, dilation=2),
    "conv3d": _layer(
        "Conv3D", VOLUME, channels=4, kernel_size=(2, 3, 1), strides=(1, 2, 1), padding=1, groups=2,
        in_channels=2,
    ),
    "conv1d_transpose": _layer(
        "Conv1DTranspose", LINE, channels=4, kernel_size=3, strides=2, output_padding=1,
        printed=False,
    ),
}  # fmt: skip
POOLING = {
    "max_pool1d": _layer("MaxPool1D", LINE, pool_size=3, strides=2, padding=1, ceil_mode=True),
    "avg_pool1d": _layer("AvgPool1D", LINE, pool_size=3, padding=1, count_include_pad=False),
    "max_pool3d": _layer("MaxPool3D", VOLUME, pool_size=(2, 3, 1), strides=(2, 1, 1)),
    "avg_pool3d": _layer("AvgPool3D", VOLUME, pool_size=2, strides=1, padding=1),
    "global_max_pool1d": _layer("GlobalMaxPool1D", LINE),
    "global_avg_pool1d": _layer("GlobalAvgPool1D", LINE),
    "global_max_pool3d": _layer("GlobalMaxPool3D", VOLUME),
    "global_avg_pool3d": _layer("GlobalAvgPool3D", VOLUME),
    "max_pool2d": _layer("MaxPool2D", IMAGE),
    "max_pool2d_options": _layer("MaxPool2D", IMAGE, pool_size=3, strides=(2, 1), padding=1),
    "max_pool2d_ceil": _layer("MaxPool2D", IMAGE, pool_size=(2, 3), strides=2, ceil_mode=True),
    "avg_pool2d": _layer("AvgPool2D", IMAGE, pool_size=3, strides=2, padding=1),
    "avg_pool2d_inside": _layer(
        "AvgPool2D",
        IMAGE,
        pool_size=3,
        strides=2,
        padding=1,
        ceil_mode=True,
        count_include_pad=False,
    ),
    "global_max_pool2d": _layer("GlobalMaxPool2D", IMAGE),
    "global_avg_pool2d": _layer("GlobalAvgPool2D", IMAGE),
}
CONTRIB = {
    "sync_batch_norm": _contrib(
        "SyncBatchNorm", BATCH, in_channels=3, num_devices=1, momentum=0.8, prefix="norm_"
    ),
    "pixel_shuffle1d": _contrib("PixelShuffle1D", normal(2, 6, 4), factor=3),
    "pixel_shuffle2d": _contrib("PixelShuffle2D", normal(2, 12, 2, 3), factor=(2, 3)),
    "pixel_shuffle3d": _contrib("PixelShuffle3D", normal(1, 12, 2, 1, 3), factor=(2, 3, 1)),
    "identity": _contrib("Identity", VECTOR),
}


def _joined(kind):
    def make(mx):
        net = getattr(mx.gluon.contrib.nn, kind)(axis=1)
        with net.name_scope():
            net.add(mx.gluon.nn.Dense(3, activation="relu"), mx.gluon.nn.Dense(2))
            net.add(mx.gluon.contrib.nn.Identity())
        return net

    return Case(make, [VECTOR])


def _stacked(mx):
    net = mx.gluon.nn.HybridSequential()
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(4, 3, activation="relu"), mx.gluon.nn.MaxPool2D(2, 2))
        inner = mx.gluon.nn.HybridSequential(prefix="inner_")
        with inner.name_scope():
            inner.add(mx.gluon.nn.BatchNorm(), mx.gluon.nn.Flatten(), mx.gluon.nn.Dense(3))
        net.add(inner, mx.gluon.nn.Dropout(0.0))
    return net


NETS = {
    "concurrent": _joined("Concurrent"),
    "hybrid_concurrent": _joined("HybridConcurrent"),
    "stacked": Case(_stacked, [normal(3, 2, 6, 6)]),
}

CASES = {**SIMPLE, **NORMS, **CONVOLUTIONS, **POOLING, **CONTRIB, **NETS}
