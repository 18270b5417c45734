"""nd.image, sym.image and the transforms: both faces, flips, errors; in a loader and a cell."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, gluon, nd, sym
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
        ("random_flip_left_right", (1.0,), lambda x: x[..., ::-1, :]),
        ("random_flip_top_bottom", (0.0,), lambda x: x),
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
        with pytest.raises(MXNetError, match=rf"image\.{name}: given shape \(3, 4\)"):
            getattr(nd.image, name)(nd.ones((3, 4)))
    for x, y, w, h in ((-1, 0, 2, 2), (0, 0, 8, 2), (0, 4, 1, 2), (0, 0, 0, 1)):
        with pytest.raises(MXNetError, match=r"crop: .*expected a part of the image of 7 x 5"):
            nd.image.crop(as_nd(IMAGE), x, y, w, h)


def test_hybrid_transforms_beside_each_other_are_one_block():
    parts = [transforms.Resize(6), transforms.ToTensor(), transforms.Normalize(0.5, 0.25)]
    composed = transforms.Compose(parts)
    assert len(composed) == 2 and len(parts) == 3
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
