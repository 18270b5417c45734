"""Every layer against plain NumPy, imperatively and hybridized."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, nd, sym
from jupyter_hybrid.gluon import contrib, nn

RNG = np.random.default_rng(3)


def run(layer, x, hybridized):
    """The layer's output and the same layer's parameters as NumPy arrays by attribute name."""
    layer.initialize(init="normal")
    if hybridized:
        layer.hybridize()
    out = layer(nd.array(x)).asnumpy()
    return out, {k: p.data().asnumpy() for k, p in layer.structured_params().items()}


def conv2d(x, w, b, stride, pad, dilate, groups):
    """Cross-correlation by its definition, in float64."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    n, c, h, width = x.shape
    out_c, _, kh, kw = w.shape
    oh = (h - dilate[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (width - dilate[1] * (kw - 1) - 1) // stride[1] + 1
    y = np.zeros((n, out_c, oh, ow))
    for o, i, j in itertools.product(range(out_c), range(oh), range(ow)):
        g = o // (out_c // groups)
        rows = slice(i * stride[0], i * stride[0] + dilate[0] * (kh - 1) + 1, dilate[0])
        cols = slice(j * stride[1], j * stride[1] + dilate[1] * (kw - 1) + 1, dilate[1])
        patch = x[:, g * (c // groups) : (g + 1) * (c // groups), rows, cols]
        y[:, o, i, j] = (patch * w[o]).sum((1, 2, 3)) + (0 if b is None else b[o])
    return y


def pool2d(x, kind, kernel, stride, pad, ceil=False, count_pad=True):
    fill = -np.inf if kind == "max" else 0.0
    n, c, h, w = x.shape
    rounded = (lambda a, b: -(-a // b)) if ceil else (lambda a, b: a // b)
    oh = rounded(h + 2 * pad[0] - kernel[0], stride[0]) + 1
    ow = rounded(w + 2 * pad[1] - kernel[1], stride[1]) + 1
    y = np.zeros((n, c, oh, ow))
    for i, j in itertools.product(range(oh), range(ow)):
        top, left = i * stride[0] - pad[0], j * stride[1] - pad[1]
        bottom = min(top + kernel[0], h + pad[0])
        right = min(left + kernel[1], w + pad[1])
        whole = (bottom - top) * (right - left)
        part = x[:, :, max(top, 0) : min(bottom, h), max(left, 0) : min(right, w)]
        if kind == "max":
            y[:, :, i, j] = part.max((2, 3), initial=fill)
        else:
            count = whole if count_pad else part.shape[2] * part.shape[3]
            y[:, :, i, j] = part.astype(np.float64).sum((2, 3)) / count
    return y


def image(*shape):
    return RNG.normal(size=shape).astype(np.float32)


both = pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])

ACTIVATIONS = {
    None: lambda v: v,
    "relu": lambda v: np.maximum(v, 0),
    "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
    "tanh": np.tanh,
    "softrelu": lambda v: np.log1p(np.exp(v)),
    "softsign": lambda v: v / (1 + np.abs(v)),
}


@both
@pytest.mark.parametrize("name", [a for a in ACTIVATIONS if a])
def test_activation(name, hybridized):
    x = image(4, 5)
    out, params = run(nn.Activation(name), x, hybridized)
    np.testing.assert_allclose(out, ACTIVATIONS[name](x.astype(np.float64)), rtol=2e-6, atol=1e-7)
    assert not params


@both
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("use_bias", [True, False])
def test_dense(activation, use_bias, hybridized):
    x = image(3, 4, 2)
    out, p = run(nn.Dense(5, activation, use_bias, bias_initializer="ones"), x, hybridized)
    product = x.reshape(3, 8).astype(np.float64) @ p["weight"].T + (p["bias"] if use_bias else 0)
    np.testing.assert_allclose(out, ACTIVATIONS[activation](product), rtol=1e-5, atol=1e-6)
    assert set(p) == ({"weight", "bias"} if use_bias else {"weight"})


@both
def test_dense_along_the_last_axis(hybridized):
    x = image(3, 4, 2)
    out, p = run(nn.Dense(5, flatten=False), x, hybridized)
    assert out.shape == (3, 4, 5)
    np.testing.assert_allclose(out, x @ p["weight"].T + p["bias"], rtol=1e-5, atol=1e-6)


@both
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strides": 2},
        {"padding": (1, 2)},
        {"dilation": 2, "padding": 1},
        {"groups": 2, "strides": (2, 1)},
        {"use_bias": False, "activation": "relu"},
    ],
    ids=str,
)
def test_conv2d(options, hybridized):
    x = image(2, 4, 9, 8)
    layer = nn.Conv2D(6, kernel_size=(3, 2), bias_initializer="ones", **options)
    out, p = run(layer, x, hybridized)

    def two(v):
        return (v, v) if isinstance(v, int) else v

    expected = conv2d(
        x,
        p["weight"],
        p.get("bias"),
        two(options.get("strides", 1)),
        two(options.get("padding", 0)),
        two(options.get("dilation", 1)),
        options.get("groups", 1),
    )
    expected = ACTIVATIONS[options.get("activation")](expected)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-6)
    assert p["weight"].shape == (6, 4 // options.get("groups", 1), 3, 2)


@both
@pytest.mark.parametrize("ceil", [False, True], ids=["valid", "full"])
@pytest.mark.parametrize("pad", [(0, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("stride", [None, 1, (3, 2)], ids=str)
def test_pooling(stride, pad, ceil, hybridized):
    x = image(2, 3, 8, 9)
    steps = (3, 2) if stride is None else (1, 1) if stride == 1 else stride
    if ceil and pad[1] and steps[1] == 2:  # the sixth window would start right of column 9
        with pytest.raises(MXNetError, match="the last window would be empty"):
            run(nn.MaxPool2D((3, 2), stride, pad, ceil_mode=ceil), x, hybridized)
        return
    out, _ = run(nn.MaxPool2D((3, 2), stride, pad, ceil_mode=ceil), x, hybridized)
    np.testing.assert_array_equal(out, pool2d(x, "max", (3, 2), steps, pad, ceil))
    for count_pad in (True, False):
        layer = nn.AvgPool2D((3, 2), stride, pad, ceil, count_include_pad=count_pad)
        out, _ = run(layer, x, hybridized)
        expected = pool2d(x, "avg", (3, 2), steps, pad, ceil, count_pad)
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@both
def test_global_pooling_and_flatten(hybridized):
    x = image(2, 3, 4, 5)
    out, _ = run(nn.GlobalMaxPool2D(), x, hybridized)
    np.testing.assert_array_equal(out, x.max((2, 3), keepdims=True))
    out, _ = run(nn.GlobalAvgPool2D(), x, hybridized)
    np.testing.assert_allclose(out, x.mean((2, 3), keepdims=True), rtol=1e-5, atol=1e-6)
    out, _ = run(nn.Flatten(), x, hybridized)
    np.testing.assert_array_equal(out, x.reshape(2, 60))


@both
def test_dropout_scales_what_it_keeps(hybridized):
    x = np.ones((200, 50), np.float32)
    layer = nn.Dropout(0.25)
    out, _ = run(layer, x, hybridized)
    np.testing.assert_array_equal(out, x)  # inference leaves it alone
    with autograd.train_mode():
        out = layer(nd.array(x)).asnumpy()
    kept = out != 0
    np.testing.assert_allclose(out[kept], 1 / 0.75, rtol=1e-6)
    assert abs(kept.mean() - 0.75) < 0.02  # four standard deviations are 0.017
    with autograd.train_mode():
        again = layer(nd.array(x)).asnumpy()
    assert (again != out).any(), "each call draws its own mask"


@both
def test_dropout_gradient_uses_the_same_mask(hybridized):
    layer = nn.Dropout(0.5)
    if hybridized:
        layer.hybridize()
    x = nd.ones((30, 30))
    x.attach_grad()
    with autograd.record():
        y = layer(x)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), y.asnumpy())


def test_functions_as_layers():
    x = image(2, 3)
    np.testing.assert_array_equal(nn.Lambda("relu")(nd.array(x)).asnumpy(), np.maximum(x, 0))
    np.testing.assert_array_equal(nn.Lambda(lambda v: v * 2)(nd.array(x)).asnumpy(), x * 2)
    for function in ("relu", lambda F, v: F.relu(v)):
        layer = nn.HybridLambda(function)
        layer.hybridize()
        np.testing.assert_array_equal(layer(nd.array(x)).asnumpy(), np.maximum(x, 0))


@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_sequential_is_a_list_of_layers(kind):
    net = kind()
    first, second = nn.Dense(3), nn.Dense(4)
    net.add(first, second)
    net.add(nn.Flatten())
    assert (
        len(net) == 3
        and net[0] is first
        and net[-2] is second
        and list(net)[:2]
        == [
            first,
            second,
        ]
    )
    part = net[:2]
    assert isinstance(part, kind) and list(part) == [first, second]
    net.initialize()
    assert part(nd.ones((2, 5))).shape == (2, 4)


@both
@pytest.mark.parametrize("axis", [-1, 1])
def test_layer_norm(axis, hybridized):
    x = 3 + 2 * RNG.normal(size=(4, 5, 300))
    layer = nn.LayerNorm(axis=axis, epsilon=1e-3, gamma_initializer="normal")
    out, p = run(layer, x, hybridized)
    row = [1, 1, 1]
    row[axis] = -1
    d = x - x.mean(axis, keepdims=True)
    z = d / np.sqrt((d * d).mean(axis, keepdims=True) + 1e-3)
    expected = z * p["gamma"].reshape(row) + p["beta"].reshape(row)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


@both
def test_transposed_convolution_is_the_convolutions_gradient(hybridized):
    x = RNG.normal(size=(2, 4, 3, 5))
    options = {"strides": (2, 3), "padding": (1, 0), "dilation": (2, 1), "groups": 2}
    layer = nn.Conv2DTranspose(6, (3, 2), output_padding=(1, 2), bias_initializer="ones", **options)
    out, p = run(layer, x, hybridized)
    assert out.shape == (2, 6, 2 * 2 + 2 * 2 + 1 - 2 + 1, 3 * 4 + 2 + 2)
    assert p["weight"].shape == (4, 3, 3, 2)
    # <conv(y), x> = <y, its transpose(x)> for every y: here one element of y after another.
    for at in [(0, 0, 0, 0), (1, 5, 7, 15), (0, 2, 3, 8), (1, 3, 0, 9)]:
        y = np.zeros(out.shape)
        y[at] = 1
        back = conv2d(y, p["weight"], None, (2, 3), (1, 0), (2, 1), 2)
        np.testing.assert_allclose(out[at] - p["bias"][at[1]], (back * x).sum(), rtol=1e-5)


@both
def test_embedding(hybridized):
    words = RNG.integers(0, 7, size=(2, 3))
    out, p = run(nn.Embedding(7, 4), words, hybridized)
    np.testing.assert_array_equal(out, p["weight"][words])
    table = nd.array([[4, 5], [6, 7]], dtype="int32")
    found = nd.Embedding(nd.array([1, 0]), table, input_dim=2, output_dim=2)
    assert found.dtype is np.int32 and found.asnumpy().tolist() == [[6, 7], [4, 5]]


def test_upsampling_repeats():
    x = RNG.normal(size=(2, 3, 2, 4)).astype(np.float32)
    out = nd.UpSampling(nd.array(x), scale=3, sample_type="nearest").asnumpy()
    np.testing.assert_array_equal(out, x.repeat(3, axis=2).repeat(3, axis=3))
    assert nd.UpSampling(nd.zeros((0, 1, 2, 2)), scale=2, sample_type="nearest").shape == (
        0,
        1,
        4,
        4,
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: nd.LayerNorm(nd.ones((2, 3)), nd.ones(4), nd.ones(3)),
            r"LayerNorm.*\(4,\).*\(3,\)|LayerNorm.*\(3,\).*\(4,\)",
        ),
        (
            lambda: nd.LayerNorm(nd.ones((2, 3)), nd.ones(3), nd.ones(3), axis=2),
            r"LayerNorm.*axis 2",
        ),
        (lambda: nd.LayerNorm(nd.ones((2, 0)), nd.ones(0), nd.ones(0)), "at least one element"),
        (
            lambda: nd.Deconvolution(
                nd.ones((1, 2, 3, 3)),
                nd.ones((2, 1, 2, 2)),
                kernel=(2, 2),
                num_filter=1,
                adj=(1, 0),
            ),
            r"Deconvolution.*adj \(1, 0\).*stride",
        ),
        (
            lambda: nd.Deconvolution(
                nd.ones((1, 2, 1, 1)),
                nd.ones((2, 1, 2, 2)),
                kernel=(2, 2),
                num_filter=1,
                pad=(1, 1),
            ),
            "the result would have size 0",
        ),
        (
            lambda: nd.UpSampling(nd.ones((1, 1, 2, 2)), scale=0, sample_type="nearest"),
            "UpSampling.*scale 0",
        ),
        (
            lambda: nd.UpSampling(nd.ones((1, 1, 2, 2)), scale=2, sample_type="bilinear"),
            "UpSampling.*bilinear",
        ),
    ],
)
def test_wrong_uses_of_layers_are_named(call, message):
    with pytest.raises(MXNetError, match=message):
        call().wait_to_read()


def test_printed_layers_say_what_they_are():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 5, in_channels=3), nn.MaxPool2D(2), nn.Dense(4, "relu"), nn.Dropout(0.5))
    text = repr(net)
    assert text.startswith("HybridSequential(\n  (0): Conv2D(3 -> 6, kernel_size=(5, 5)")
    assert "(2): Dense(None -> 4, Activation(relu))" in text and "Dropout(p = 0.5, axes=())" in text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Dropout(1.5), "rate: expected 0 to 1, got 1.5"),
        (lambda: nn.Conv2D(3, (1, 2, 3)), "kernel_size: expected a number or 2 numbers"),
        (lambda: nn.Conv2D(3, 3, layout="HWCN"), "layout: expected NCHW or NHWC, got 'HWCN'"),
        (lambda: nn.MaxPool2D(layout="NCW"), "layout: expected NCHW or NHWC, got 'NCW'"),
        (lambda: nn.LeakyReLU(-1), "LeakyReLU: alpha: expected at least 0, got -1"),
        (lambda: nn.Lambda("relo"), "nd has no function 'relo'"),
        (
            lambda: nn.HybridLambda(3),
            "expected a function or an operator's name, got 3 of type int",
        ),
    ],
)
def test_bad_options_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@both
def test_an_unknown_activation_is_named(hybridized):
    layer = nn.Dense(3, activation="relo")
    layer.initialize()
    if hybridized:
        layer.hybridize()
    with pytest.raises((MXNetError, ValueError), match="relo"):
        layer(nd.ones((2, 2)))


@both
def test_batch_norm_with_a_rectifier(hybridized):
    x = image(4, 3, 2)
    plain, _ = run(nn.BatchNorm(), x, hybridized)
    rectified, p = run(nn.BatchNormReLU(), x, hybridized)
    np.testing.assert_array_equal(rectified, np.maximum(plain, 0))
    assert sorted(p) == ["beta", "gamma", "running_mean", "running_var"]


@pytest.mark.parametrize("hybridized", [False, True])
def test_statistics_of_one_device_are_batch_norms(hybridized):
    x = image(4, 3, 2)
    for got, expected in zip(
        run(contrib.nn.SyncBatchNorm(), x, hybridized), run(nn.BatchNorm(), x, hybridized)
    ):
        np.testing.assert_equal(got, expected)


def test_the_operator_of_synchronized_statistics_gives_the_variance():
    data, gamma = nd.array(image(4, 3, 2)), nd.array([1.0, 2.0, 3.0])
    states = nd.zeros(3), nd.ones(3)
    inputs = (data, gamma, nd.zeros(3), *states)
    with autograd.record():
        out, mean, var = nd.contrib.SyncBatchNorm(
            *inputs, key="a", eps=1e-3, fix_gamma=False, output_mean_var=True
        )
    axes = tuple(axis for axis in range(data.ndim) if axis != 1)
    np.testing.assert_allclose(mean.asnumpy(), data.asnumpy().mean(axes), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), data.asnumpy().var(axes), rtol=1e-4)
    np.testing.assert_allclose(states[0].asnumpy(), 0.1 * mean.asnumpy(), rtol=1e-5, atol=1e-7)
    assert out.shape == data.shape
    assert sym.contrib.SyncBatchNorm(sym.var("x"), key="a").list_auxiliary_states() == [
        "syncbatchnorm0_moving_mean",
        "syncbatchnorm0_moving_var",
    ]


def test_convolutions_of_no_channels_give_their_bias():
    x, bias = nd.zeros((2, 0, 3, 3)), nd.array([1.0, -2.0])
    wide = nd.Convolution(x, nd.zeros((2, 0, 2, 2)), bias, kernel=(2, 2), num_filter=2)
    points = nd.Convolution(x, nd.zeros((2, 0, 1, 1)), bias, kernel=(1, 1), num_filter=2)
    upward = nd.Deconvolution(
        x, nd.zeros((0, 2, 2, 2)), bias, kernel=(2, 2), num_filter=2, no_bias=False
    )
    for y, size in ((wide, 2), (points, 3), (upward, 4)):
        assert y.shape == (2, 2, size, size)
        np.testing.assert_array_equal(y.asnumpy()[1, :, 0, 0], [1.0, -2.0])


def test_classes_derived_from_norms_read_mxnets_fields():
    class Norm(nn.LayerNorm):
        def hybrid_forward(self, F, data, gamma, beta):
            return F.LayerNorm(data, gamma=gamma, beta=beta, axis=self._axis, eps=self._epsilon)

    norm = Norm(epsilon=1e-12, in_channels=3)
    norm.initialize()
    np.testing.assert_allclose(
        norm(nd.array([[1, 2, 3]])).asnumpy(), [[-1.224745, 0, 1.224745]], 1e-5
    )
    group = nn.GroupNorm(num_groups=2)
    assert (group._num_groups, group._center, group._scale) == (2, True, True)
