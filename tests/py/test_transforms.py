"""nd.image, sym.image and the transforms: both faces, flips, errors; in a loader and a cell."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, gluon, nd, random, sym
from jupyter_hybrid.gluon.data.vision import transforms

IMAGE = np.random.RandomState(0).randint(0, 256, (5, 7, 3)).astype(np.uint8)


def as_nd(values):
    return nd.array(values, dtype=values.dtype)


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("to_tensor", (), lambda x: np.moveaxis(x, -1, -3).astype(np.float32) / np.float32(255)),
        ("flip_left_right", (), lambda x: x[..., ::-1, :]),
        ("flip_top_bottom", (), lambda x: x[..., ::-1, :, :]),
        ("crop", (1, 2, 4, 3), lambda x: x[..., 2:5, 1:5, :]),
        ("resize", ((7, 5),), lambda x: x),
        ("random_brightness", (0.5, 0.5), lambda x: (x // 2).astype(np.uint8)),
        ("random_saturation", (1.0, 1.0), lambda x: x),
    ],
)
def test_both_faces(name, arguments, expected):
    for x in (IMAGE, np.stack([IMAGE, 255 - IMAGE])):
        found = getattr(nd.image, name)(as_nd(x), *arguments)
        assert found.dtype is expected(x).dtype.type
        np.testing.assert_allclose(found.asnumpy(), expected(x), rtol=1e-6)
        program = getattr(sym.image, name)(sym.var("x", dtype="uint8"), *arguments)
        again = program.eval(x=as_nd(x))[0]
        np.testing.assert_array_equal(again.asnumpy(), found.asnumpy())


def test_normalize_has_gradients_of_any_order():
    x = nd.array(np.random.RandomState(1).rand(2, 3, 4, 5))
    x.attach_grad()
    with autograd.record():
        y = nd.image.normalize(x, (0.1, 0.2, 0.3), (0.5, 2, 4))
        first = autograd.grad(y * y, [x], create_graph=True)[0]
    first.backward()
    std = np.array([0.5, 2, 4]).reshape(3, 1, 1)
    np.testing.assert_allclose(first.asnumpy(), 2 * y.asnumpy() / std, rtol=1e-5)
    np.testing.assert_allclose(x.grad.asnumpy(), np.broadcast_to(2 / std**2, x.shape), rtol=1e-5)


def test_random_flips_flip_half_of_the_time():
    x = as_nd(IMAGE)
    flips = [(nd.image.random_flip_left_right(x) != x).sum().asscalar() > 0 for _ in range(60)]
    assert 10 < sum(flips) < 50


def test_errors_name_the_operator():
    for name in ("to_tensor", "normalize", "flip_left_right", "flip_top_bottom"):
        with pytest.raises(MXNetError, match=rf"image_{name}: given data of shape \(3, 4\)"):
            getattr(nd.image, name)(nd.ones((3, 4)))
    for x, y, w, h in ((-1, 0, 2, 2), (0, 0, 8, 2), (0, 4, 1, 2), (0, 0, 0, 1), (2**62, 0, 1, 1)):
        with pytest.raises(MXNetError, match=r"image_crop: given"):
            nd.image.crop(as_nd(IMAGE), x, y, w, h)
    grey = nd.ones((5, 7, 1))
    for message, wrong in (
        ("expected 1 or 3 channels", lambda: nd.image.random_hue(nd.ones((5, 7, 4)), 0, 1)),
        ("min_factor -1.0, expected 0 or more", lambda: nd.image.random_contrast(grey, -1, 1)),
        ("expected three weights", lambda: nd.image.adjust_lighting(grey, (1, 2))),
        ("interp 9", lambda: nd.image.resize(grey, 3, interp=9)),
        ("size .*expected at least one pixel", lambda: nd.image.resize(grey, (0, 3))),
        (
            "image_resize: .*more than there is",
            lambda: nd.image.resize(grey, (2**29, 2**29)).wait_to_read(),
        ),
        ("expected one number or one a channel", lambda: nd.image.normalize(grey, (1, 2, 3))),
        ("images of at least one pixel", lambda: nd.image.resize(nd.ones((0, 7, 3)), 3)),
        ("expected float32", lambda: transforms.Rotate(10)(as_nd(IMAGE))),
        ("smaller one first", lambda: transforms.RandomRotation((3, 1))),
    ):
        with pytest.raises((MXNetError, TypeError, ValueError), match=message):
            wrong()


def test_whole_numbers_are_cut_to_their_range():
    for dtype, low, high in (("uint8", 0, 255), ("int8", -128, 127), ("int32", -300, 300)):
        x = nd.array([[[-100, 0, 100]]], dtype="int32").astype(dtype)
        expected = np.clip(np.trunc(x.asnumpy().astype(np.float64) * 3), low, high)
        np.testing.assert_array_equal(nd.image.random_brightness(x, 3, 3).asnumpy(), expected)


RANDOM = {
    "brightness": lambda x: nd.image.random_brightness(x, 0.5, 1.5),
    "contrast": lambda x: nd.image.random_contrast(x, 0.5, 1.5),
    "saturation": lambda x: nd.image.random_saturation(x, 0.5, 1.5),
    "hue": lambda x: nd.image.random_hue(x, 0.1, 0.4),
    "jitter": lambda x: nd.image.random_color_jitter(x, 0.5, 0.5, 0.5, 0.5),
    "lighting": lambda x: nd.image.random_lighting(x, 0.5),
    "flip": nd.image.random_flip_top_bottom,
}


@pytest.mark.parametrize("name", RANDOM)
def test_seeds_repeat_what_is_drawn(name):
    x, drawn = as_nd(IMAGE), []
    for _ in range(2):
        random.seed(7)
        drawn.append([RANDOM[name](x).asnumpy() for _ in range(8)])
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert any((one != drawn[0][0]).any() for one in drawn[0])


def test_factors_are_drawn_evenly():
    random.seed(3)
    one = nd.ones((1, 1, 3))
    factors = np.array(
        [nd.image.random_brightness(one, 0.5, 2.5).asnumpy()[0, 0, 0] for _ in range(900)]
    )
    assert factors.min() > 0.5 and factors.max() < 2.5
    assert abs(factors.mean() - 1.5) < 0.07 and abs(factors.var() - 4 / 12) < 0.03
    zero = nd.zeros((1, 1, 3))
    light = np.array([nd.image.random_lighting(zero, 0.1).asnumpy()[0, 0] for _ in range(900)])
    vectors = np.array(
        [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.814], [-0.5836, -0.6948, 0.4203]]
    )
    expected = vectors @ np.diag((0.1 * np.array([55.46, 4.794, 1.148])) ** 2) @ vectors.T
    np.testing.assert_allclose(np.cov(light.T), expected, atol=2.5)


def test_saturation_blends_with_all_of_the_grey():
    # MXNet takes the blue part of it alone.
    x = np.float32([[[100, 50, 10]]])
    grey = 0.299 * 100 + 0.587 * 50 + 0.114 * 10
    for by in (0.0, 0.4, 1.5):
        found = nd.image.random_saturation(nd.array(x), by, by).asnumpy()
        np.testing.assert_allclose(found, x * by + grey * (1 - by), rtol=1e-5)


def test_every_transform_of_colours_is_part_of_a_program():
    net = gluon.nn.HybridSequential()
    net.add(
        transforms.CropResize(1, 0, 5, 4, 6), transforms.RandomBrightness(0.3),
        transforms.RandomContrast(0.3), transforms.RandomSaturation(0.3), transforms.RandomHue(0.1),
        transforms.RandomColorJitter(0.1, 0.1, 0.1, 0.1), transforms.RandomLighting(0.1),
        transforms.RandomFlipTopBottom(), transforms.Resize((4, 5)), transforms.ToTensor(),
    )  # fmt: skip
    random.seed(5)
    expected = net(as_nd(IMAGE)).asnumpy()
    net.hybridize()
    random.seed(5)
    np.testing.assert_array_equal(net(as_nd(IMAGE)).asnumpy(), expected)
    assert expected.shape == (3, 5, 4)


def test_symbols_have_mxnets_names():
    x = sym.var("x")
    made = sym.image.random_hue(sym.image.resize(x, size=(3, 4), interp=2), 0.5, 1.5)
    made = sym.image.normalize(sym.image.to_tensor(made), (0.1, 0.2, 0.3), 2.0)
    text = made.tojson()
    for name in ("_image_resize", "_image_random_hue", "_image_to_tensor", "_image_normalize"):
        assert f'"op": "{name}"' in text
    random.seed(1)
    expected = made.eval(x=nd.array(IMAGE))[0].asnumpy()
    random.seed(1)
    np.testing.assert_array_equal(
        sym.load_json(text).eval(x=nd.array(IMAGE))[0].asnumpy(), expected
    )


def test_hybrid_transforms_beside_each_other_are_one_block():
    parts = [transforms.Resize(6), transforms.ToTensor(), transforms.Normalize(0.5, 0.25)]
    composed = transforms.Compose(parts)
    assert len(composed) == 1 and len(parts) == 3
    crop = transforms.CenterCrop(3)
    assert len(transforms.Compose([parts[0], crop, *parts[1:]])) == 3
    expected = parts[2](parts[1](parts[0](as_nd(IMAGE))))
    for _ in range(3):
        found = composed(as_nd(IMAGE))
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)
    assert found.shape == (3, 6, 6)


def test_hybridized_and_exported(tmp_path):
    net = gluon.nn.HybridSequential()
    net.add(transforms.ToTensor(), transforms.Normalize((0.1, 0.2, 0.3), 0.5))
    expected = net(as_nd(IMAGE)).asnumpy()
    net.hybridize()
    np.testing.assert_array_equal(net(as_nd(IMAGE)).asnumpy(), expected)


def test_in_workers():
    transform = transforms.Compose([transforms.RandomFlipLeftRight(), transforms.ToTensor()])
    dataset = gluon.data.ArrayDataset(np.stack([IMAGE] * 6), np.arange(6))
    dataset = dataset.transform_first(lambda x: transform(nd.array(x, dtype="uint8")))
    batches = list(gluon.data.DataLoader(dataset, 3, num_workers=2))
    assert [x.shape for x, _ in batches] == [(3, 3, 5, 7)] * 2


def test_in_a_cell():
    shell = Shell()
    shell.ns["x"] = as_nd(IMAGE)
    shell.run("from jupyter_hybrid import nd")
    shell.hybridize(
        "y = nd.image.normalize(nd.image.to_tensor(nd.image.flip_left_right(x)), 0.5, 2)"
    )
    expected = (np.moveaxis(IMAGE[:, ::-1], -1, 0) / 255 - 0.5) / 2
    np.testing.assert_allclose(shell.ns["y"].asnumpy(), expected, rtol=1e-5, atol=1e-7)
