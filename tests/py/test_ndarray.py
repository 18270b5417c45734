"""NDArray against NumPy: creation, indexing, writing through slices, conversion, views."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, _core, autograd, nd
from jupyter_hybrid.reports import session

DTYPES = ["float32", "float64", "int32", "int64", "uint8", "bool"]


def same(array, expected):
    """Values and shape; MXNet has no rank 0 where NumPy has."""
    expected = np.asarray(expected)
    shape = expected.shape or (1,)
    assert array.shape == shape
    np.testing.assert_array_equal(array.asnumpy(), expected.reshape(shape))


def test_creation():
    assert nd.array([[1, 2], [3, 4]]).dtype is np.float32
    assert nd.array(np.ones(2)).dtype is np.float32  # MXNet: float32 unless told otherwise
    assert nd.array(nd.ones(2, dtype="int32")).dtype is np.int32
    assert nd.array([1], dtype="uint8").dtype is np.uint8
    scalar = nd.array(5)  # a true one, as in MXNet, where hardly an operator takes it
    assert scalar.shape == () and scalar.asscalar() == 5 and (scalar * scalar).shape == ()
    assert nd.array(np.float64(2)).shape == () and (scalar + nd.ones((2,))).shape == (2,)
    scalar.attach_grad()
    with autograd.record():
        loss = (scalar * nd.array([1.0, 2.0])).sum()
    loss.backward()
    scalar[:] = scalar - scalar.grad  # as optimizers write
    assert scalar.grad.shape == () and float(scalar) == 2
    assert nd.arange(3)[nd.array(1)].shape == (1,)  # as x[1]
    same(nd.zeros((2, 3)), np.zeros((2, 3)))
    same(nd.ones(3, dtype="int64"), np.ones(3))
    same(nd.full((2, 2), 7), np.full((2, 2), 7))
    same(nd.arange(5), np.arange(5))
    same(nd.arange(1, 7, 2), np.arange(1, 7, 2))
    same(nd.arange(3, repeat=2), [0, 0, 1, 1, 2, 2])
    same(nd.eye(2, 3, 1), np.eye(2, 3, 1))
    same(nd.linspace(0, 1, 5), np.linspace(0, 1, 5))
    assert nd.empty((2, 0, 3)).size == 0
    assert nd.zeros((0, 3)).asnumpy().shape == (0, 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip_to_numpy(dtype):
    x = np.arange(12).reshape(3, 4).astype(dtype)
    a = nd.array(x, dtype=dtype)
    assert a.dtype is np.dtype(dtype).type
    assert a.asnumpy().dtype == x.dtype
    np.testing.assert_array_equal(a.asnumpy(), x)
    np.testing.assert_array_equal(np.asarray(a), x)
    np.testing.assert_array_equal(np.array(a, dtype="float64"), x.astype("float64"))
    assert a.tolist() == x.tolist()
    np.testing.assert_array_equal(nd.array(x.T, dtype=dtype).asnumpy(), x.T)  # not contiguous
    np.testing.assert_array_equal(nd.array(x[::-1, ::2], dtype=dtype).asnumpy(), x[::-1, ::2])


def test_attributes():
    a = nd.zeros((2, 3))
    assert (a.shape, a.size, a.ndim, a.stype, len(a)) == ((2, 3), 6, 2, "default", 2)
    assert a.context == mx.cpu() and a.ctx == mx.cpu(0)
    assert a.grad is None and not a._traced
    assert a.T.shape == (3, 2)
    assert repr(a) == "\n[[0. 0. 0.]\n [0. 0. 0.]]\n<NDArray 2x3 @cpu(0)>"


def test_scalars():
    a = nd.array([2.5])
    assert a.asscalar() == np.float32(2.5) and isinstance(a.asscalar(), np.float32)
    assert (a.item(), float(a), int(a), bool(a)) == (2.5, 2.5, 2, True)
    assert not bool(nd.zeros(1)) and not bool(nd.zeros(0))
    assert [10, 20, 30][nd.array([1], dtype="int32")] == 20
    with pytest.raises(TypeError, match="float32"):
        [1, 2][nd.array([1])]
    with pytest.raises(ValueError, match=r"\(3,\)"):
        bool(nd.ones(3))
    with pytest.raises(ValueError):
        nd.ones((2, 2)).asscalar()


KEYS = [
    0,
    -1,
    slice(None),
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(3, 0, -2),
    slice(2, 2),
    slice(-100, 100),
    None,
    Ellipsis,
    (),
    (1, 2),
    (1, -1, 0),
    (slice(1, 3), 0),
    (0, slice(None, None, -2)),
    (Ellipsis, 1),
    (1, Ellipsis),
    (None, 1, None, slice(0, 2), Ellipsis),
    (slice(None), None, slice(None)),
    np.int64(1),
]
ADVANCED = [
    [0, 2],
    [2, -1, 0, 2],
    [],
    [[0, 1], [2, 3]],
    np.array([1, 0]),
    (slice(None), [0, 2]),
    (0, [1, 3]),
    ([0, 1, 3], [3, 0, 1]),
    ([[0], [2]], [1, 3]),
    ([0, 1], slice(1, 3)),
    ([0, 1], [1, 2], slice(None, None, -1)),
    np.array([True, False, True, False]),
    [False, True, True, False],
    (slice(None), np.array([True, False, True, True, False])),
    np.arange(20).reshape(4, 5) % 3 == 0,
    (np.arange(20).reshape(4, 5) % 3 == 0, 1),
    (Ellipsis, [0, 2]),
    ([0, 1], slice(None), [0, 2]),  # parted: their axes come first
    (slice(None), [0, 1], [0, 2]),
    (slice(None), 1, [0, 2]),
    ([0, 1], None, [1, 2]),
    (None, [0, 1], Ellipsis, [1, 2]),
    (slice(1, 3), np.array([[0, 1], [3, 4]]), slice(None, None, -1)),
    (slice(0, 2), 1, Ellipsis, [1, 0]),
    (slice(2), np.arange(15).reshape(5, 3) % 2 == 0),
    (slice(0, 0), 1, Ellipsis, [1, 0]),
]


@pytest.mark.parametrize("key", KEYS + ADVANCED, ids=repr)
def test_reading_by_index_is_numpys(key):
    x = np.arange(60, dtype="float32").reshape(4, 5, 3)
    same(nd.array(x)[key], x[key])


@pytest.mark.parametrize("key", KEYS + ADVANCED, ids=repr)
def test_writing_by_index_is_numpys(key):
    for value in (7, 2.5, "array"):
        x = np.arange(60, dtype="float32").reshape(4, 5, 3)
        a = nd.array(x)
        if value == "array":
            value = np.arange(x[key].size, dtype="float32").reshape(x[key].shape) + 100
        x[key] = value
        a[key] = nd.array(value) if isinstance(value, np.ndarray) and value.ndim else value
        np.testing.assert_array_equal(a.asnumpy(), x)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_recorded_and_traced_indexing_is_the_same(key):
    x = np.arange(60, dtype="float32").reshape(4, 5, 3)
    expected = x[key]
    a = nd.array(x)
    a.attach_grad()
    with autograd.record():
        same(a[key], expected)
        total = (a[key] * 2).sum()
    total.backward()
    gradient = np.zeros_like(x)
    gradient[key] = 2
    np.testing.assert_array_equal(a.grad.asnumpy(), gradient)

    _core.begin_trace()
    part = (a.detach() * 1)[key]
    _core.end_trace()
    graph, inputs, keys, *_ = _core.traced_graph([part])
    same(_core.compile(graph).program.run(inputs, keys)[0], expected)


@given(st.data())
def test_random_basic_indices(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=6))
    x = np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)
    a = nd.array(x)
    same(a[key], x[key])
    a[key] = -1
    x[key] = -1
    np.testing.assert_array_equal(a.asnumpy(), x)


def test_indices_out_of_range():
    a = nd.zeros((2, 3))
    for key in (2, -3, (0, 3), [5], [-4], (0, 0, 0), (Ellipsis, Ellipsis)):
        with pytest.raises(IndexError):
            a[key]
        with pytest.raises(IndexError):
            a[key] = 1
    with pytest.raises(IndexError):
        a[True]
    with pytest.raises(IndexError):
        a[np.array([True, False, True])]
    with pytest.raises(IndexError, match="integers or booleans"):
        a[[0.5]]
    with pytest.raises(IndexError, match="do not broadcast together"):
        a[[0, 1], [0, 1, 2]]


def test_recorded_index_arrays_have_gradients():
    x = np.arange(60, dtype="float32").reshape(4, 5, 3)
    a = nd.array(x)
    a.attach_grad()
    key = ([[1], [0]], slice(None), [0, 0])
    with autograd.record():
        total = (a[key] * 3).sum()
    total.backward()
    gradient = np.zeros_like(x)
    np.add.at(gradient, key, 3)
    np.testing.assert_array_equal(a.grad.asnumpy(), gradient)


def test_index_arrays_on_the_device():
    a = nd.array([[1, 2], [3, 4], [5, 6]])
    same(a[nd.array([2, 0])], [[5, 6], [1, 2]])  # MXNet's index arrays may be floats
    same(a[nd.array([-1], dtype="int64")], [[5, 6]])
    same(a[(a > 3).astype("bool")], [4, 5, 6])
    a[nd.array([0, 2])] = 0
    same(a, [[0, 0], [3, 4], [0, 0]])
    for key in (nd.array([0, 7]), (slice(None), nd.array([-3]))):
        for read in (lambda key: a[key], lambda key: (a[key] + 1).sum()):
            with pytest.raises(MXNetError, match="take: given index"):
                read(key).asnumpy()


def test_slices_and_reshapes_share_memory():
    a = nd.zeros((4, 3))
    rows, turned = a[1:3], a.reshape((3, 4))
    rows[:] = 1
    turned += 5
    same(a, [[5, 5, 5], [6, 6, 6], [6, 6, 6], [5, 5, 5]])
    same(turned, a.asnumpy().reshape(3, 4))
    same(rows, a.asnumpy()[1:3])
    a[:] = 0
    same(turned, np.zeros((3, 4)))
    b = a.copy()
    b[:] = 9
    same(a, np.zeros((4, 3)))


def test_overlapping_writes():
    a = nd.arange(6)
    a[1:] = a[:-1]
    same(a, [0, 0, 1, 2, 3, 4])
    a[:] = a[::-1]
    same(a, [4, 3, 2, 1, 0, 0])


def test_writes_convert_and_broadcast():
    a = nd.zeros((2, 3), dtype="int32")
    a[:] = nd.array([1.7, 2.2, -3.9])
    same(a, [[1, 2, -3], [1, 2, -3]])
    a[0] = [4, 5, 6]
    a[1, 1] = np.float64(9.9)
    same(a, [[4, 5, 6], [1, 9, -3]])
    with pytest.raises(MXNetError, match=r"\(2,\).*\(2, 3\)"):
        a[:] = nd.zeros(2)
    with pytest.raises(TypeError):
        a[0] = "text"
    with pytest.raises(TypeError):
        del a[0]


def test_in_place_operators():
    a = nd.ones((2, 2))
    same_object, view = a, a[0]
    a += 2
    a *= nd.array([[1, 2], [3, 4]])
    a -= nd.array([1, 1])
    a /= 2
    assert a is same_object
    same(a, [[1, 2.5], [4, 5.5]])
    same(view, [1, 2.5])
    a **= 2
    a %= 4
    same(a, [[1, 2.25], [0, 2.25]])
    with pytest.raises(MXNetError, match="in place"):
        nd.ones(2).__iadd__(nd.ones((2, 2)))
    with pytest.raises(MXNetError, match="astype"):
        a += nd.ones((2, 2), dtype="int32")


@given(
    hnp.arrays(
        "float32", hnp.array_shapes(max_dims=3, max_side=5), elements=st.floats(-4, 4, width=16)
    ),
    st.floats(0.5, 4, width=16),
)
def test_arithmetic_with_numbers(x, number):
    a = nd.array(x)
    n = np.float32(number)
    same(a + number, x + n)
    same(number - a, n - x)
    same(a * number, x * n)
    same(a / number, x / n)
    same(-a, -x)
    same(abs(a), abs(x))
    same(a % number, np.mod(x, n))
    same(a // number, np.floor_divide(x, n))
    same(a == number, (x == n).astype("float32"))
    same(number > a, (n > x).astype("float32"))


def test_small_and_large_arrays_take_different_ways_to_the_same_result():
    for n in (1, 3, 1024, 1025, 70_000):
        x = np.random.default_rng(n).standard_normal(n).astype("float32")
        y = np.random.default_rng(n + 1).standard_normal(n).astype("float32")
        a, b = nd.array(x), nd.array(y)
        same(a + b, x + y)
        same(a - b, x - y)
        same(a * b, x * y)
        same(a / b, x / y)
        same(2 / a, np.float32(2) / x)
        same(a[::-1] + b, x[::-1] + y)
    a = nd.ones((2, 1, 3))[:, :, ::2]
    same(a + a, np.full((2, 1, 2), 2))
    same((a + 1) * a.T.T, np.full((2, 1, 2), 2))


def test_methods_and_functions_agree():
    a = nd.array([[1, -2], [3, 4]])
    same(a.sum(axis=1), nd.sum(a, axis=1).asnumpy())
    same(a.relu(), [[1, 0], [3, 4]])
    same(a.dot(a), a.asnumpy() @ a.asnumpy())
    same(a.transpose(1, 0), a.asnumpy().T)
    same(a.transpose((1, 0)), a.asnumpy().T)
    same(a.expand_dims(axis=0), a.asnumpy()[None])
    same(a.max(), [4])
    same(a.clip(0, 3), [[1, 0], [3, 3]])
    same(nd.maximum(a, 2), [[2, 2], [3, 4]])
    same(nd.maximum(2, a), [[2, 2], [3, 4]])
    same(nd.power(2, nd.array([1, 2, 3])), [2, 4, 8])
    same(nd.subtract(1, a), 1 - a.asnumpy())
    same(nd.add(a, a, out=a), [[2, -4], [6, 8]])
    assert nd.add(2, 3) == 5
    same(nd.concat(a, a, dim=0), np.vstack([a.asnumpy()] * 2))
    same(nd.concat([a, a], dim=1), np.hstack([a.asnumpy()] * 2))
    same(nd.stack(a, a, axis=2), np.stack([a.asnumpy()] * 2, axis=2))
    same(nd.concatenate([a, a]), np.vstack([a.asnumpy()] * 2))
    same(nd.moveaxis(nd.zeros((2, 3, 4)), 0, 2), np.zeros((3, 4, 2)))
    parts = nd.split(nd.arange(6), num_outputs=3, axis=0)
    assert [p.tolist() for p in parts] == [[0, 1], [2, 3], [4, 5]]
    assert [p.shape for p in nd.split_v2(nd.arange(10), (3, 5))] == [(3,), (2,), (5,)]


def test_reshape_codes():
    a = nd.zeros((2, 3, 4))
    assert a.reshape((4, -1)).shape == (4, 6)
    assert a.reshape(6, 4).shape == (6, 4)
    assert a.reshape(-1).shape == (24,)
    assert a.reshape((0, -1)).shape == (2, 12)
    assert a.reshape((-2,)).shape == (2, 3, 4)
    assert a.reshape((0, -3)).shape == (2, 12)
    assert a.reshape((-4, 1, 2, -2)).shape == (1, 2, 3, 4)
    assert a.reshape(shape=(-1, 0), reverse=True).shape == (6, 4)
    assert nd.reshape(a, shape=(24,)).shape == (24,)


def test_conversion_and_copies():
    a = nd.array([1.9, -1.9, 300])
    same(a.astype("int32"), [1, -1, 300])
    assert a.astype("float32", copy=False) is a
    assert a.as_in_context(mx.cpu()) is a
    b = nd.zeros(3, dtype="int64")
    assert a.copyto(b) is b
    same(b, [1, -1, 300])
    same(a.copyto(mx.cpu()), a.asnumpy())
    with pytest.raises(MXNetError, match=r"\(3,\).*\(2,\)"):
        a.copyto(nd.zeros(2))
    same(copy.copy(a), a.asnumpy())
    same(copy.deepcopy([a])[0], a.asnumpy())
    c = pickle.loads(pickle.dumps(nd.array([1, 2], dtype="int32")))
    assert c.dtype is np.int32
    same(c, [1, 2])


def test_shared_numpy_memory_lives_as_long_as_the_array():
    x = np.arange(4, dtype="float32")
    alive = weakref.ref(x)
    a = nd.from_numpy(x)
    a += 1
    nd.waitall()
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    b = a[1:3]
    del x, a
    gc.collect()
    assert alive() is not None
    same(b, [2, 3])
    del b
    nd.waitall()
    gc.collect()
    assert alive() is None
    with pytest.raises(MXNetError, match="zero_copy=False"):
        nd.from_numpy(np.ones((2, 2))[:, 0])


def test_shared_memory_is_released_by_engine_threads():
    """The last reference to an external buffer goes on a thread that holds no GIL."""
    mx.engine.configure(inline=False)
    alive = []
    for _ in range(50):
        x = np.ones(10_000, dtype="float32")
        alive.append(weakref.ref(x))
        a = nd.from_numpy(x)
        total = (a + a).sum()
        del x, a
    assert total.asscalar() == 20_000
    nd.waitall()
    gc.collect()
    assert sum(ref() is not None for ref in alive) == 0


def test_subclasses_weak_references_and_attributes():
    class Named(nd.NDArray):
        def __init__(self, source, name=None):
            self.name = name

        def doubled(self):
            return self * 2

    a = Named.__new__(Named, [1, 2])
    a.name = "a"
    same(a.doubled(), [2, 4])
    same(a + nd.ones(2), [2, 3])
    assert isinstance(a, nd.NDArray) and type(a + 1) is nd.NDArray
    reference = weakref.ref(a)
    a.itself = a  # a cycle, which only the collector ends
    del a
    gc.collect()
    assert reference() is None
    b = nd.ones(1)
    reference = weakref.ref(b)
    del b
    assert reference() is None
    with pytest.raises(AttributeError):
        nd.ones(1).some_attribute = 1


def test_iteration_and_containment():
    a = nd.array([[1, 2], [3, 4]])
    assert [row.tolist() for row in a] == [[1, 2], [3, 4]]
    assert [float(x) for x in nd.arange(3)] == [0, 1, 2]
    assert len({nd.ones(1), nd.ones(1)}) == 2  # hashed by identity
    assert (nd.ones(1) == None) is False  # noqa: E711


@pytest.fixture
def materialize_hook():
    """Sets what computes traced arrays; afterwards it is the cells' own again."""
    yield _core.set_materialize_hook
    session.start()


def test_a_traced_array_has_no_value_without_a_cell(materialize_hook):
    a = nd.ones(2)
    _core.begin_trace()
    b = a + 1
    _core.end_trace()
    assert b._traced and b.shape == (2,) and b.dtype is np.float32
    materialize_hook(None)
    with pytest.raises(MXNetError, match="no value"):
        b.asnumpy()
    _core.set_value(b, nd.array([5, 6]))
    assert not b._traced
    same(b, [5, 6])


def test_traced_writes_keep_numpys_aliasing(materialize_hook):
    """A view recorded in a cell sees a later write to its base, as it would imperatively."""

    def body(x):
        a = x * 1
        view = a[1:]
        a += 10
        view *= 2
        a[0] = 5
        return a, view

    expected = [v.asnumpy() for v in body(nd.array([1, 2, 3]))]

    def materialize(arrays):
        graph, inputs, keys, *_ = _core.traced_graph(arrays)
        for array, value in zip(arrays, _core.compile(graph).program.run(inputs, keys)):
            _core.set_value(array, value)

    materialize_hook(materialize)
    x = nd.array([1, 2, 3])
    _core.begin_trace()
    a, view = body(x)
    _core.end_trace()
    same(a, expected[0])
    same(view, expected[1])
    same(x, [1, 2, 3])


def test_traced_writes_to_an_input_are_seen_by_its_views(materialize_hook):
    def materialize(arrays):
        graph, inputs, keys, *_ = _core.traced_graph(arrays)
        for array, value in zip(arrays, _core.compile(graph).program.run(inputs, keys)):
            _core.set_value(array, value)

    materialize_hook(materialize)
    x = nd.array([1, 2, 3])
    alias = x[:2]
    _core.begin_trace()
    before = x * 2
    x += 1
    after = x * 2
    _core.end_trace()
    same(before, [2, 4, 6])
    same(after, [4, 6, 8])
    same(alias, [2, 3])
    same(x, [2, 3, 4])


def test_an_array_stands_for_its_dtype():
    like = nd.ones((1,), dtype="int32")
    assert nd.array([1.5]).astype(like).dtype is np.int32
    assert nd.zeros((2,), dtype=np.ones(1, "float64")).dtype is np.float64
