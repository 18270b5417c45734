"""Methods of arrays that are no operators, DLPack, histograms, and in-place arithmetic."""

import gc

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, base, nd, sym


def test_parts_are_written_in_place():
    x = nd.arange(6).reshape((2, 3))
    assert x.slice_assign(nd.ones((2, 1)) * 9, (0, 0), (2, 3), (1, 3)) is x
    assert x.slice_assign_scalar(7, (1, None), (2, None), (1, -1)) is x
    np.testing.assert_array_equal(x.asnumpy(), [[9, 1, 2], [7, 7, 7]])
    assert x.writable
    assert x.as_nd_ndarray() is x
    same = x.tostype("default")
    same[:] = 0
    assert x.sum().asscalar() == 33
    for call in (lambda: x.tostype("csr"), x.as_np_ndarray):
        with pytest.raises((MXNetError, NotImplementedError), match="not carried"):
            call()


def test_shapes_in_place_share_memory():
    x = nd.zeros((1, 2, 1, 3))
    for view, shape in (
        (x.flatten(inplace=True), (1, 6)),
        (x.expand_dims(-1, inplace=True), (1, 2, 1, 3, 1)),
        (x.expand_dims(0, inplace=True), (1, 1, 2, 1, 3)),
        (x.squeeze(inplace=True), (2, 3)),
        (x.squeeze(axis=(0, -2), inplace=True), (2, 3)),
    ):
        assert view.shape == shape
        view += 1
    np.testing.assert_array_equal(x.asnumpy(), np.full((1, 2, 1, 3), 5))
    with pytest.raises(AssertionError, match="out of range"):
        x.expand_dims(6, inplace=True)
    with pytest.raises(AssertionError, match="size 2"):
        x.squeeze(1, inplace=True)
    with pytest.raises(ValueError, match="repeated"):
        x.squeeze((0, -4), inplace=True)
    with pytest.raises(base.ReshapeError, match="6 elements"):
        x.reshape((4, 2))


def test_dlpack_shares_memory():
    x = nd.arange(6).reshape((2, 3))
    y = nd.from_dlpack(x.to_dlpack_for_write())
    y[:] = 1
    assert x.sum().asscalar() == 6
    del x
    gc.collect()
    assert nd.from_dlpack(nd.to_dlpack_for_read(y))[1].sum().asscalar() == 3
    assert nd.from_dlpack(np.arange(4, dtype="int32")[::2]).asnumpy().tolist() == [0, 2]
    assert np.from_dlpack(y).shape == (2, 3)


def test_histograms():
    x = nd.array([1, 2, 3, 4.0])
    counts, edges = nd.histogram(x, bins=3, range=(0, 4))
    assert counts.asnumpy().tolist() == [1, 1, 2] and counts.dtype is np.int64
    np.testing.assert_allclose(edges.asnumpy(), [0, 4 / 3, 8 / 3, 4], rtol=1e-6)
    assert nd.histogram(x, nd.array([0, 1.5, 5]))[0].asnumpy().tolist() == [1, 3]
    with pytest.raises(ValueError, match=r"bins \[1, 2\]"):
        nd.histogram(x, [1, 2])
    out = nd.zeros((2, 3))
    assert nd.onehot_encode(nd.array([1, 0]), out) is out
    assert out.asnumpy().tolist() == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("op", ["+=", "-=", "*=", "/=", "%=", "**="])
def test_in_place_arithmetic(op, dtype):
    for other in (2, 1.0, np.array([[1, 2, 3], [1, 1, 2]], dtype)):
        x = np.array([[3, 5, 7], [2, 4, 9]], dtype)
        a = nd.array(x, dtype=dtype)
        window, same = a[1:], a
        number = nd.array(other, dtype=dtype) if isinstance(other, np.ndarray) else other
        scope = {"a": a, "b": number}
        exec(f"plain = a {op[:-1]} b\na {op} b", scope)
        assert scope["a"] is same
        np.testing.assert_array_equal(a.asnumpy(), scope["plain"].asnumpy())
        np.testing.assert_array_equal(window.asnumpy(), a.asnumpy()[1:])


def test_in_place_on_windows_that_overlap():
    x = nd.arange(6)
    x[1:] += x[:-1]
    assert x.asnumpy().tolist() == [0, 1, 3, 5, 7, 9]
    x += x
    assert x.asnumpy().tolist() == [0, 2, 6, 10, 14, 18]


def test_in_place_of_recorded_arrays():
    x = nd.ones(3)
    x.attach_grad()
    with autograd.record():
        y = x * x
        with pytest.raises(MXNetError, match="Inplace operations"):
            y += 1
    x += 1  # y needs what it was
    with pytest.raises(MXNetError, match="written"):
        y.backward()
    whole = nd.array([1, 2], dtype="int32")
    whole.attach_grad()
    with autograd.record():
        z = whole[1:]
    z.backward()
    assert whole.grad.asnumpy().tolist() == [0, 1]


def test_cached_op():
    net = sym.FullyConnected(sym.var("x"), num_hidden=2, name="f") + 2
    op = nd.CachedOp(net)
    x, w, b = nd.ones((3, 4)), nd.ones((2, 4)), nd.zeros(2)
    assert (op(x, w, b).asnumpy() == 6).all()
    out = nd.zeros((3, 2))
    assert op(x, w, b + 1, out=out) is out
    assert (out.asnumpy() == 7).all()
    w.attach_grad()
    with autograd.record():
        loss = op(x, w, b).sum()
    loss.backward()
    assert (w.grad.asnumpy() == 3).all()
    with pytest.raises(TypeError, match="f_weight"):
        op(x)
    parts = nd.CachedOp(sym.Group([net, net * 2]))(x, w, b)
    assert [p.shape for p in parts] == [(3, 2), (3, 2)]


def test_an_ndarray_is_shared_again():
    x = np.zeros(3, "float32")
    first, second = nd.from_numpy(x), nd.from_numpy(x)
    second[:] = 2
    assert first.asnumpy().tolist() == x.tolist() == [2, 2, 2]
    fixed = np.frombuffer(b"12345678", "float32")
    with pytest.raises(MXNetError, match="read-only"):
        nd.from_numpy(fixed)
