"""Random functions: their distributions, their shapes, the state they depend on."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, nd

N = 100_000


def test_moments():
    u = nd.random.uniform(-1, 3, shape=N).asnumpy()
    assert u.min() >= -1 and u.max() < 3
    assert abs(u.mean() - 1) < 0.02 and abs(u.std() - 4 / np.sqrt(12)) < 0.02
    g = nd.random.normal(2, 3, shape=N).asnumpy()
    assert abs(g.mean() - 2) < 0.05 and abs(g.std() - 3) < 0.05
    assert abs((np.abs(g - 2) < 3).mean() - 0.6827) < 0.01
    i = nd.random.randint(-2, 5, shape=N)
    assert i.dtype is np.int32
    counts = np.bincount(i.asnumpy() + 2, minlength=7)
    assert len(counts) == 7 and np.all(np.abs(counts / N - 1 / 7) < 0.01)


def test_draws_do_not_correlate():
    a, b = nd.random.normal(shape=N).asnumpy(), nd.random.normal(shape=N).asnumpy()
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.02
    assert abs(np.corrcoef(a[1:], a[:-1])[0, 1]) < 0.02


def test_shapes_dtypes_and_out():
    assert nd.random.uniform().shape == (1,)
    assert nd.random.normal(shape=3).shape == (3,)
    assert nd.random.randn(2, 3).shape == (2, 3)
    assert nd.random.uniform(shape=(2,), dtype="float64").dtype is np.float64
    out = nd.zeros((3, 4))
    assert nd.random.normal(loc=100, out=out) is out
    assert out.asnumpy().min() > 50
    low = nd.array([0, 10, 20])
    drawn = nd.random.uniform(low, low + 1, shape=4).asnumpy()
    assert drawn.shape == (3, 4)
    assert np.array_equal(np.floor(drawn), np.repeat([[0], [10], [20]], 4, axis=1))


def test_state():
    mx.random.seed(42)
    first = nd.random.uniform(shape=4).asnumpy()
    state = mx.random.get_state()
    second = nd.random.uniform(shape=4).asnumpy()
    mx.random.set_state(state)
    np.testing.assert_array_equal(nd.random.uniform(shape=4).asnumpy(), second)
    mx.random.seed(42)
    np.testing.assert_array_equal(nd.random.uniform(shape=4).asnumpy(), first)
    mx.random.seed(43)
    assert not np.array_equal(nd.random.uniform(shape=4).asnumpy(), first)
    mx.random.seed(-1)  # any integer


@pytest.mark.alone
def test_threads_do_not_change_the_draws():
    threads = mx.engine.num_threads()
    drawn = []
    for n in (1, 2, 4):
        mx.engine.set_num_threads(n)
        mx.random.seed(1)
        drawn.append(nd.random.normal(shape=(300_000,)).asnumpy())
    mx.engine.set_num_threads(threads)
    assert np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[0], drawn[2])


def test_shuffle_permutes_rows():
    rows = nd.arange(1000).reshape((500, 2))
    shuffled = nd.random.shuffle(rows).asnumpy()
    assert not np.array_equal(shuffled, rows.asnumpy())
    np.testing.assert_array_equal(shuffled[np.argsort(shuffled[:, 0])], rows.asnumpy())


def test_multinomial():
    p = nd.array([[0.1, 0.2, 0.7], [1, 0, 0]])
    drawn = nd.random.multinomial(p, shape=20_000).asnumpy()
    assert drawn.shape == (2, 20_000) and drawn.dtype == np.int32
    np.testing.assert_allclose(np.bincount(drawn[0]) / 20_000, [0.1, 0.2, 0.7], atol=0.02)
    assert np.all(drawn[1] == 0)
    assert nd.random.multinomial(p[0]).shape == (1,)
    index, logs = nd.random.multinomial(p[0], shape=5, get_prob=True)
    expected = np.log(p[0].asnumpy())[index.asnumpy()]
    np.testing.assert_allclose(logs.asnumpy(), expected, rtol=1e-6)


def test_bad_arguments():
    with pytest.raises(MXNetError, match="scale"):
        nd.random.normal(0, -1, shape=3)
    with pytest.raises(MXNetError, match="low"):
        nd.random.randint(5, 5, shape=3)
