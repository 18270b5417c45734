"""Arrays on a physical GPU: made there, copied to and fro, views, memory, times, errors."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, nd

GPU = mx.gpu(0)


def test_what_the_device_is():
    assert not GPU.virtual and mx.num_gpus() >= 1
    assert GPU.name and "virtual" not in GPU.name
    assert mx.Context("gpu", 0) == nd.zeros(2, ctx=GPU).context


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "int32", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (1,), (0, 3), (7, 5), (3, 1, 4), (1025, 1027)])
def test_there_and_back(dtype, shape):
    x = (np.random.default_rng(3).random(shape) * 100).astype(dtype)
    a = nd.array(x, ctx=GPU, dtype=dtype)
    assert a.context == GPU
    np.testing.assert_array_equal(a.asnumpy(), x)
    b = a.copyto(mx.cpu()).as_in_context(GPU)
    np.testing.assert_array_equal(b.asnumpy(), x)


def test_copies_larger_than_a_piece_of_staging():
    x = np.random.default_rng(1).random(5_000_001)
    np.testing.assert_array_equal(nd.array(x, ctx=GPU, dtype="float64").asnumpy(), x)


def test_views_and_windows():
    x = np.arange(120.0, dtype="float32").reshape(4, 5, 6)
    a = nd.array(x, ctx=GPU)
    np.testing.assert_array_equal(a[1:3, ::2].asnumpy(), x[1:3, ::2])
    np.testing.assert_array_equal(a.transpose((2, 0, 1)).asnumpy(), x.transpose(2, 0, 1))
    np.testing.assert_array_equal(
        (a[1] + a[:, 0, :1].reshape((4, 1))[1:2, :]).asnumpy(), x[1] + x[:, 0, :1][1:2]
    )
    a[1:3, 2] = 7
    x[1:3, 2] = 7
    a[0] = a[3]
    x[0] = x[3]
    np.testing.assert_array_equal(a.asnumpy(), x)
    host = nd.zeros((6, 5))
    a[2].T.copyto(host)
    np.testing.assert_array_equal(host.asnumpy(), x[2].T)


def test_many_small_operators_in_order():
    a = nd.zeros((3,), ctx=GPU)
    for _ in range(3000):
        a = a + 1
    assert a.asnumpy().tolist() == [3000.0] * 3
    for i in range(100):
        a[:] = i
    assert float(a[2]) == 99


def test_lanes_wait_for_each_other():
    rng = np.random.default_rng(5)
    total, sums = nd.zeros((256, 256), ctx=GPU), np.zeros((256, 256))
    for _ in range(60):  # memory goes back and forth between copies and kernels
        x = rng.integers(0, 9, (256, 256)).astype("float32")
        total = total + nd.array(x, ctx=GPU) * 2
        sums += 2 * x
        np.testing.assert_array_equal(total.asnumpy(), sums)


def test_memory_is_pooled_and_limited():
    free = nd.zeros((1000, 1000), ctx=GPU)
    free.wait_to_read()
    del free
    nd.waitall()
    GPU.empty_cache()
    used = mx.engine.pool_stats(GPU)["used"]
    a = nd.zeros((1000, 1000), ctx=GPU)
    a.wait_to_read()
    stats = mx.engine.pool_stats(GPU)
    assert stats["used"] == used + 4_000_000 and stats["reserved"] >= stats["used"]
    del a
    nd.waitall()
    assert mx.engine.pool_stats(GPU)["used"] == used
    with pytest.raises(MXNetError, match=r"gpu\(0\).*in use"):
        nd.zeros((1 << 40,), ctx=GPU)
    assert nd.ones((3,), ctx=GPU).asnumpy().sum() == 3


def test_a_limit_on_memory():
    nd.waitall()
    GPU.empty_cache()
    held = mx.engine.pool_stats(GPU)["reserved"]
    GPU.limit_memory(held + (8 << 20))
    try:
        a = nd.ones((1 << 20,), ctx=GPU)
        with pytest.raises(MXNetError, match=r"gpu\(0\).*in use"):
            nd.zeros((2 << 20,), ctx=GPU)
        assert float(a.sum()) == 1 << 20  # what there is goes on
        with pytest.raises(MXNetError, match=r"gpu\(0\)"):
            nd.sort(nd.concat(a, a, dim=0)).wait_to_read()
    finally:
        GPU.limit_memory(64 << 30)
    assert nd.zeros((2 << 20,), ctx=GPU).shape == (2 << 20,)


def test_devices_do_not_mix():
    with pytest.raises(MXNetError, match="as_in_context"):
        nd.ones((2, 2), ctx=GPU) + nd.ones((2, 2))


def test_times_are_the_gpus_own():
    reader = mx._core.TraceReader()
    a = nd.random.uniform(shape=(2048, 2048), ctx=GPU)
    nd.waitall()
    reader.read_frame(1 << 20)
    b = nd.dot(a, a)
    b.wait_to_read()
    spans, names, lanes = [], {}, {}
    for _ in range(3):
        frame = reader.read_frame(1 << 20)
        spans.append(frame["spans"])
        names.update(frame["names"])
        lanes.update({lane["id"]: lane for lane in frame["lanes"]})
    read = np.frombuffer(b"".join(spans), mx._core.SPAN_DTYPE)
    found = [s for s in read if names.get(s["name"]) == "dot" and not s["flags"] & 16]
    assert len(found) == 1
    # 17 GFLOP cannot take less than at 1 PFLOP/s, nor wait a second in an empty queue.
    assert 0.017 < found[0]["busy_ms"] < 1000


def test_naive_mode_runs_at_once():
    mx.engine.configure(kind="naive")
    a = nd.array([1, 2, 3], ctx=GPU)
    assert (a * a + 1).asnumpy().tolist() == [2, 5, 10]
