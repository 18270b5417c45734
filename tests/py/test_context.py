"""Devices: contexts, virtual GPUs, copies between them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, nd


@pytest.fixture
def two_gpus():
    gpus = mx.virtual_gpus(2)
    yield gpus
    nd.waitall()
    mx.virtual_gpus(0)


def test_contexts_compare_and_print():
    assert mx.cpu() == mx.cpu(0) == mx.Context("cpu", 0) == mx.Context(mx.cpu())
    assert mx.gpu(1) != mx.gpu(0) and mx.cpu() != mx.gpu() and mx.cpu() != "cpu(0)"
    assert len({mx.cpu(), mx.cpu(0), mx.gpu(1)}) == 2
    assert repr(mx.gpu(1)) == str(mx.gpu(1)) == "gpu(1)"
    assert (mx.gpu(1).device_type, mx.gpu(1).device_id, mx.gpu().device_typeid) == ("gpu", 1, 2)
    assert pickle.loads(pickle.dumps(mx.gpu(3))) == mx.gpu(3)
    with pytest.raises(MXNetError, match="tpu"):
        mx.Context("tpu", 0)
    with pytest.raises(MXNetError, match="-1"):
        mx.cpu(-1)


def test_a_gpu_that_does_not_exist():
    assert mx.num_gpus() == 0
    with pytest.raises(MXNetError, match=r"gpu\(0\)"):
        nd.zeros(1, ctx=mx.gpu())
    with pytest.raises(MXNetError, match=r"gpu\(0\)"):
        nd.array([1], ctx=mx.gpu())
    with pytest.raises(MXNetError, match=r"gpu\(0\)"):
        nd.ones(1).as_in_context(mx.gpu())
    with pytest.raises(MXNetError, match=r"given 'gpu', expected a device such as 'cpu\(0\)'"):
        nd.zeros(1, ctx="gpu")
    with pytest.raises(TypeError, match="Context"):
        nd.zeros(1, ctx=3)


def test_default_context(two_gpus):
    assert mx.current_context() == mx.cpu()
    with mx.gpu(1):
        assert mx.current_context() == mx.gpu(1)
        assert nd.zeros(2).context == nd.array([1]).context == mx.gpu(1)
        with mx.cpu():
            assert nd.zeros(2).context == mx.cpu()
        assert nd.random.uniform(shape=2).context == mx.gpu(1)
    assert nd.zeros(2).context == mx.cpu()


def test_virtual_gpus_compute(two_gpus):
    assert mx.num_gpus() == 2 and two_gpus[0].virtual and not mx.cpu().virtual
    a = nd.array([[1, 2], [3, 4]], ctx=mx.gpu(0))
    b = nd.dot(a, a) + 1
    assert b.context == mx.gpu(0)
    np.testing.assert_array_equal(b.asnumpy(), [[8, 11], [16, 23]])
    assert repr(b).endswith("<NDArray 2x2 @gpu(0)>")
    c = b.as_in_context(mx.gpu(1))
    assert c.context == mx.gpu(1) and c.as_in_context(mx.gpu(1)) is c
    np.testing.assert_array_equal(c.asnumpy(), b.asnumpy())
    d = nd.zeros((2, 2))
    b.copyto(d)
    np.testing.assert_array_equal(d.asnumpy(), b.asnumpy())
    c[0] = d[1]
    np.testing.assert_array_equal(c.asnumpy(), [[16, 23], [16, 23]])
    assert float(c[0, 0]) == 16
    with pytest.raises(MXNetError, match="as_in_context"):
        b + c
    with pytest.raises(MXNetError, match=r"gpu\(2\)"):
        nd.zeros(1, ctx=mx.gpu(2))


def test_copies_into_arrays_of_other_devices(two_gpus):
    """Whatever the target's layout, dtype or window, and with what is still to be computed."""
    near, far = two_gpus
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    for source in (nd.array(values), nd.array(values, ctx=far), values, values.tolist()):
        target = nd.zeros((3, 4), ctx=near)
        target[:] = source
        np.testing.assert_array_equal(target.asnumpy(), values)
        rows = nd.zeros((4, 4), ctx=near)
        rows[1:] = source  # a window in a row
        np.testing.assert_array_equal(rows.asnumpy(), np.vstack([np.zeros(4), *values]))
        columns = nd.zeros((3, 8), ctx=near)
        columns[:, ::2] = source
        np.testing.assert_array_equal(columns[:, ::2].asnumpy(), values)
        halves = nd.zeros((3, 4), ctx=near, dtype="float16")
        halves[:] = source
        assert halves.dtype == np.float16 and halves.context == near
        np.testing.assert_array_equal(halves.asnumpy(), values)
    target[:] = nd.array(values, ctx=far).T.reshape((3, 4))
    np.testing.assert_array_equal(target.asnumpy(), values.T.reshape(3, 4))
    target[:] = nd.array(values[0], ctx=far)
    np.testing.assert_array_equal(target.asnumpy(), np.tile(values[0], (3, 1)))
    with pytest.raises(MXNetError, match="setitem"):
        target[:] = nd.ones((4, 3), ctx=far)


def test_a_copy_waits_for_readers_of_what_it_overwrites(two_gpus):
    near, far = two_gpus
    target, new = nd.ones((300, 300), ctx=near), nd.ones((300, 300), ctx=far) * 2
    for _ in range(20):
        before = nd.dot(target, target)
        new.copyto(target)
        after = nd.dot(target, target)
        target[:] = 1
        assert before.asnumpy()[0, 0] == 300 and after.asnumpy()[0, 0] == 1200


def test_what_failed_is_not_copied_and_a_record_is_not_overwritten(two_gpus):
    near, far = two_gpus
    target = nd.ones((1, 1), ctx=near)
    nd.linalg.potrf(nd.array([[-1.0]], ctx=far)).copyto(target)
    with pytest.raises(MXNetError, match="not positive definite"):
        target.asnumpy()
    nd.ones((1, 1), ctx=far).copyto(target)  # overwritten as a whole
    assert target.asscalar() == 1
    x = nd.ones((3,), ctx=near)
    x.attach_grad()
    with autograd.record():
        y = x * 2
        with pytest.raises(MXNetError, match="part of a recorded graph"):
            nd.zeros((3,)).copyto(y)
        z = y * y
    z.backward()
    assert x.grad.asnumpy().tolist() == [8, 8, 8]


def test_gradients_on_a_virtual_gpu(two_gpus):
    x = nd.array([1, 2, 3], ctx=mx.gpu(1))
    x.attach_grad()
    with autograd.record():
        y = (x * x).sum()
    y.backward()
    assert x.grad.context == mx.gpu(1)
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 4, 6])
    with autograd.record():
        z = (x * 2).as_in_context(mx.cpu()) * 3
    z.backward()
    assert z.context == mx.cpu() and x.grad.context == mx.gpu(1)
    np.testing.assert_array_equal(x.grad.asnumpy(), [6, 6, 6])


def test_draws_are_the_same_on_every_device(two_gpus):
    mx.random.seed(3)
    a = nd.random.normal(shape=(5,))
    mx.random.seed(3)
    b = nd.random.normal(shape=(5,), ctx=mx.gpu(1))
    np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_each_gpu_has_a_pool_of_its_own(two_gpus):
    before = mx.engine.pool_stats(mx.gpu(0))["used"], mx.engine.pool_stats(mx.gpu(1))["used"]
    a = nd.zeros((1000,), ctx=mx.gpu(1))
    nd.waitall()
    after = mx.engine.pool_stats(mx.gpu(0))["used"], mx.engine.pool_stats(mx.gpu(1))["used"]
    assert after[0] == before[0] and after[1] >= before[1] + 4000
    del a


def test_how_many_virtual_gpus():
    for n in (-1, 65):
        with pytest.raises(MXNetError):
            mx.virtual_gpus(n)
    mx.virtual_gpus(0)
