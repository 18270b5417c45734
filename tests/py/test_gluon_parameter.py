"""Parameters: names, initializers, shapes known late, gradients, files."""

from __future__ import annotations

import math
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, cpu, gluon, init, nd
from jupyter_hybrid.gluon import (
    DeferredInitializationError,
    Parameter,
    ParameterDict,
    nn,
    storage_types,
)


@pytest.fixture
def gpus():
    """Two virtual GPUs for one test."""
    yield mx.virtual_gpus(2)
    nd.waitall()
    mx.virtual_gpus(0)


def test_a_parameter_has_data_and_gradient():
    p = Parameter("w", shape=(2, 3))
    with pytest.raises(MXNetError, match=r"parameter w is not initialized: call net.initialize"):
        p.data()
    p.initialize(init.One())
    np.testing.assert_array_equal(p.data().asnumpy(), np.ones((2, 3)))
    with autograd.record():
        y = (p.data() * 3).sum()
    y.backward()
    np.testing.assert_array_equal(p.grad().asnumpy(), np.full((2, 3), 3))
    p.zero_grad()
    np.testing.assert_array_equal(p.grad().asnumpy(), np.zeros((2, 3)))


def test_grad_req():
    p = Parameter("w", shape=(2,), grad_req="add")
    p.initialize(init.One())
    for _ in range(3):
        with autograd.record():
            y = (p.data() * 2).sum()
        y.backward()
    np.testing.assert_array_equal(p.grad().asnumpy(), [6, 6])
    p.grad_req = "null"
    with pytest.raises(MXNetError, match="parameter w has no gradient"):
        p.grad()
    with pytest.raises(ValueError, match="grad_req is 'write', 'add' or 'null', got 'sum'"):
        p.grad_req = "sum"


def test_shapes_known_late():
    p = Parameter("w", shape=(4, 0), allow_deferred_init=True)
    p.initialize(init.One())
    with pytest.raises(DeferredInitializationError, match="known after the first forward call"):
        p.data()
    with pytest.raises(MXNetError, match=r"shape \(4, 0\) can't become \(5, 2\)"):
        p.shape = (5, 2)
    p.shape = (4, 2)
    p.finish_deferred()
    assert p.data().shape == (4, 2)
    with pytest.raises(MXNetError, match="can't initialize shape"):
        Parameter("v", shape=(4, 0)).initialize()


def test_a_layer_learns_its_shapes_from_the_first_call():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.MaxPool2D(2), nn.Dense(5, "relu"), nn.Dense(2))
    net.initialize()
    weights = [net[i].weight for i in (0, 2, 3)]
    assert [w.shape for w in weights] == [(4, 0, 3, 3), (5, 0), (2, 0)]
    net(nd.ones((2, 3, 10, 10)))
    assert [w.shape for w in weights] == [(4, 3, 3, 3), (5, 64), (2, 5)]


def test_deferred_and_immediate_initialization_draw_the_same():
    def weights(in_units):
        mx.random.seed(11)
        layer = nn.Dense(3, in_units=in_units)
        layer.initialize(init.Normal(0.5))
        layer(nd.ones((1, 4)))
        return layer.weight.data().asnumpy()

    np.testing.assert_array_equal(weights(4), weights(0))


def test_set_data_and_cast():
    p = Parameter("w", shape=(2, 2))
    p.initialize()
    p.set_data(nd.array([[1, 2], [3, 4]]))
    np.testing.assert_array_equal(p.data().asnumpy(), [[1, 2], [3, 4]])
    with pytest.raises(MXNetError, match=r"parameter w: shape \(2, 2\) can't become \(3, 2\)"):
        p.set_data(nd.zeros((3, 2)))
    p.cast("float64")
    assert p.data().dtype == np.float64 and p.grad().dtype == np.float64
    np.testing.assert_array_equal(p.data().asnumpy(), [[1, 2], [3, 4]])


def test_constants_are_not_trained():
    class Scaled(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.scale = self.params.get_constant("scale", [1.0, 2.0])

        def hybrid_forward(self, F, x, scale):
            return F.broadcast_mul(x, scale)

    net = Scaled()
    net.initialize()
    net.hybridize()
    np.testing.assert_array_equal(net(nd.ones((1, 2))).asnumpy(), [[1, 2]])
    assert net.scale.grad_req == "null"
    gluon.Trainer(net.collect_params(), "sgd").step(1)
    np.testing.assert_array_equal(net.scale.data().asnumpy(), [1, 2])


# Initializers -------------------------------------------------------------------------------------
def drawn(initializer, shape=(200, 300), name="weight"):
    p = Parameter(name, shape=shape)
    p.initialize(default_init=init.create(initializer))
    return p.data().asnumpy()


def test_initializers():
    assert (drawn("zeros") == 0).all() and (drawn(init.One()) == 1).all()
    assert (drawn(init.Constant(2.5)) == 2.5).all()
    uniform = drawn(init.Uniform(0.5))
    assert uniform.min() >= -0.5 and uniform.max() < 0.5 and abs(uniform.std() - 1 / 12**0.5) < 0.01
    assert abs(drawn(init.Normal(0.3)).std() - 0.3) < 0.01
    bound = math.sqrt(3 / 250)  # the mean of fans 200 and 300
    xavier = drawn(init.Xavier())
    assert abs(xavier).max() <= bound and abs(xavier).max() > 0.99 * bound
    gaussian = drawn(init.Xavier("gaussian", "in", 2))
    assert abs(gaussian.std() - math.sqrt(2 / 300)) < 0.001
    convolution = drawn(init.Xavier("gaussian", "out", 2), (64, 32, 3, 3))
    assert abs(convolution.std() - math.sqrt(2 / (64 * 9))) < 0.001
    msra = drawn(init.MSRAPrelu("in", 0.0))
    assert abs(msra.std() - math.sqrt(2 / 300)) < 0.001


def test_an_initializer_fills_as_a_weight_whatever_the_name():
    for name in ("a_bias", "a_gamma", "a_beta", "running_var", "a_alpha"):
        assert (drawn(init.Constant(7), name=name) == 7).all()
    p = Parameter("a_bias", shape=(3,), init=init.Constant(4))  # its own initializer wins
    p.initialize()
    assert (p.data().asnumpy() == 4).all()
    layer = nn.Dense(2, in_units=1)  # its bias has one of its own
    layer.initialize(init.One())
    assert layer.bias.data().asnumpy().tolist() == [0, 0]


def test_an_initializer_of_ones_own():
    class Diagonal(init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = nd.array(np.eye(*arr.shape))

    layer = nn.Dense(3, in_units=3)
    layer.initialize(Diagonal())
    np.testing.assert_array_equal(layer.weight.data().asnumpy(), np.eye(3))
    with pytest.raises(ValueError, match=r"unknown initializer 'xaviar'; known: .*xavier"):
        layer.initialize("xaviar", force_reinit=True)
    with pytest.raises(ValueError, match="expected at least 2 dimensions"):
        drawn(init.Xavier(), (3,))


def test_initialize_twice_keeps_unless_forced():
    layer = nn.Dense(3, in_units=2)
    layer.initialize()
    first = layer.weight.data().asnumpy()
    layer.initialize(init.One())
    np.testing.assert_array_equal(layer.weight.data().asnumpy(), first)
    layer.initialize(init.One(), force_reinit=True)
    np.testing.assert_array_equal(layer.weight.data().asnumpy(), np.ones((3, 2)))


def test_a_compiled_block_sees_new_arrays_of_its_parameters():
    layer = nn.Dense(1, use_bias=False, in_units=2)
    layer.initialize(init.One())
    layer.hybridize()
    x = nd.ones((1, 2))
    assert layer(x).asscalar() == 2
    layer.initialize(init.Constant(5), force_reinit=True)
    assert layer(x).asscalar() == 10
    layer.weight.set_data(nd.array([[1, 2]]))
    assert layer(x).asscalar() == 3


# Contexts -----------------------------------------------------------------------------------------
def test_one_copy_a_context(gpus):
    p = Parameter("w", shape=(2,))
    p.initialize(init.Normal(), ctx=gpus)
    assert p.list_ctx() == gpus and [a.context for a in p.list_data()] == gpus
    first, second = (a.asnumpy() for a in p.list_data())
    np.testing.assert_array_equal(first, second)
    with pytest.raises(
        MXNetError, match=r"parameter w is not on cpu\(0\); it is on gpu\(0\), gpu\(1\)"
    ):
        p.data(cpu())
    p.reset_ctx(cpu())
    np.testing.assert_array_equal(p.data().asnumpy(), first)


def test_a_net_on_another_device_than_its_input_is_an_error(gpus):
    layer = nn.Dense(2, in_units=2)
    layer.initialize(ctx=gpus)
    for hybridized in (False, True):
        layer.hybridize(hybridized)
        with pytest.raises(MXNetError, match=r"is not on cpu\(0\)"):
            layer(nd.ones((1, 2)))
        for gpu in gpus:
            assert layer(nd.ones((1, 2), ctx=gpu)).context == gpu


# Dictionaries and files ---------------------------------------------------------------------------
def test_dictionaries():
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(2, 0), allow_deferred_init=True)
    assert weight.name == "net_weight" and params.get("weight", shape=(2, 3)) is weight
    assert weight.shape == (2, 3) and "net_weight" in params and len(params) == 1
    with pytest.raises(MXNetError, match="can't become"):
        params.get("weight", shape=(4, 3))
    other = ParameterDict()
    other._params["net_weight"] = Parameter("net_weight")
    with pytest.raises(MXNetError, match="two different parameters are named net_weight"):
        params.update(other)
    params.setattr("grad_req", "null")
    assert weight.grad_req == "null"


def test_dictionaries_are_saved_and_read(tmp_path):
    def net(value):
        layer = nn.Dense(2, in_units=3, prefix="a_")
        layer.initialize(init.Constant(value))
        return layer

    file = str(tmp_path / "p.params")
    first, second = net(1), net(2)
    first.collect_params().save(file, strip_prefix="a_")
    second.collect_params().load(file, restore_prefix="a_")
    np.testing.assert_array_equal(second.weight.data().asnumpy(), np.ones((2, 3)))
    with pytest.raises(MXNetError, match="no values for a_weight, a_bias; pass allow_missing"):
        second.collect_params().load(file)
    with pytest.raises(MXNetError, match="weight, bias is not a parameter here; pass ignore_extra"):
        second.collect_params().load(file, allow_missing=True)
    second.collect_params().load(file, allow_missing=True, ignore_extra=True)


def test_a_file_of_another_shape_is_an_error(tmp_path):
    file = str(tmp_path / "p.params")
    small, large = nn.Dense(2, in_units=3), nn.Dense(2, in_units=4)
    small.initialize()
    small.save_parameters(file)
    with pytest.raises(MXNetError, match=r"shape \(2, 4\) can't become \(2, 3\)"):
        large.load_parameters(file)


# Attributes ---------------------------------------------------------------------------------------
def test_constants():
    params = ParameterDict("net_")
    constant = params.get_constant("c", [[1.0, 2.0]])
    assert params.get_constant("c") is constant is params.get_constant("c", np.array([[1.0, 2.0]]))
    assert repr(constant) == "Constant net_c (shape=(1, 2), dtype=float32)"
    params.initialize()
    assert constant.data().asnumpy().tolist() == [[1, 2]]
    with pytest.warns(UserWarning, match="grad_req stays 'null'"):
        constant.grad_req = "write"
    assert constant.grad_req == "null"
    with pytest.raises(AssertionError, match="has another value"):
        params.get_constant("c", [[1.0, 3.0]])
    with pytest.raises(KeyError, match="no constant is named net_d"):
        params.get_constant("d")
    params.get("w", shape=(1,))
    with pytest.raises(AssertionError, match="is a parameter, not a constant"):
        params.get_constant("w", [1.0])


def test_a_parameter_found_again_is_as_wanted():
    params = ParameterDict()
    params.get("w", shape=(2, 0), dtype="float32", allow_deferred_init=True)
    assert params.get("w", shape=(0, 3), dtype=np.float32).shape == (2, 3)
    for attribute in ({"dtype": "float16"}, {"grad_req": "null"}, {"lr_mult": 2.0}):
        with pytest.raises(AssertionError, match=f"parameter w: {next(iter(attribute))} is"):
            params.get("w", **attribute)


def test_nested_blocks_share_by_name():
    class Net(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.inner = nn.HybridSequential()
                with self.inner.name_scope():
                    self.inner.add(nn.Dense(2, in_units=2), nn.Dense(2, in_units=2))

        def hybrid_forward(self, F, x):
            return self.inner(x)

    first = Net(prefix="one_")
    second = Net(prefix="two_", params=first.collect_params())
    assert list(second.collect_params()) == list(first.collect_params())
    assert second.inner.prefix == "two_hybridsequential0_"
    assert second.inner[1].weight is first.inner[1].weight
    unnamed = nn.HybridSequential(prefix="")
    with unnamed.name_scope():
        unnamed.add(nn.Dense(1, prefix="a_"))
    assert list(unnamed.collect_params()) == ["a_weight", "a_bias"]


def test_gradients_can_be_asked_for_later():
    p = Parameter("w", shape=(2,), differentiable=False)
    p.grad_req = "write"
    assert p.grad_req == "null"
    p = Parameter("w", grad_req="null", shape=(2,))
    p.initialize("ones")
    p.grad_req = "add"
    for _ in range(2):
        with autograd.record():
            loss = (p.data() * 3).sum()
        loss.backward()
    assert p.grad().asnumpy().tolist() == [6, 6]
    p.cast("float64")
    assert p.grad().asnumpy().tolist() == [6, 6] and p.grad().dtype == np.float64
    p.zero_grad()
    assert p.grad().asnumpy().tolist() == [0, 0]
    p.grad_req = "null"
    with pytest.raises(RuntimeError, match="has no gradient"):
        p.list_grad()


def test_storage_types_are_dense_and_told_once(monkeypatch):
    monkeypatch.setattr(storage_types, "_said", set())
    with pytest.warns(UserWarning, match="grad_stype='row_sparse': there is no sparse storage"):
        layer = nn.Embedding(4, 2, sparse_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nn.Embedding(4, 2, sparse_grad=True)
    layer.initialize()
    with autograd.record():
        out = layer(nd.array([1, 1, 3]))
    out.backward()
    assert layer.weight.grad().asnumpy().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]
    with pytest.warns(UserWarning, match="stype='row_sparse'"):
        rows = Parameter("w", shape=(3, 2), stype="row_sparse")
    rows.initialize("ones")
    assert rows.row_sparse_data(nd.array([0])).shape == (3, 2)
    with pytest.raises(RuntimeError, match="its stype is 'default', not 'row_sparse'"):
        layer.weight.list_row_sparse_data(nd.array([0]))
    with pytest.raises(AssertionError, match="stype: expected one of 'default'"):
        Parameter("w", stype="dense")


def test_lists_of_contexts():
    params = ParameterDict()
    for name in ("a", "b"):
        params.get(name, shape=(1,)).initialize(ctx=[cpu(0), cpu(1)])
    assert params.list_ctx() == [cpu(0), cpu(1)]
    params.reset_ctx(cpu(2))
    assert params.list_ctx() == [cpu(2)] and params["a"].data().context == cpu(2)
    with pytest.raises(AssertionError, match="it has no context yet"):
        Parameter("w", shape=(1,)).reset_ctx(cpu())


def test_parameters_of_whole_numbers_have_no_gradient(tmp_path):
    p = Parameter("w", shape=(2,), dtype="int8")
    p.initialize(init.One())
    assert p.grad() is None and p._grad == [None]
    p.zero_grad()
    p.cast("float64")
    assert p.grad().asnumpy().tolist() == [0, 0]


def test_no_dtype_is_float32():
    p = gluon.Parameter("p", shape=(2,), dtype=None)
    p.initialize()
    assert p.data().dtype is np.float32
    assert gluon.nn.Embedding(3, 2, dtype=None).weight.dtype is np.float32


def test_threads_that_feed_a_device_each_make_a_parameter_once(gpus):
    for _ in range(30):
        net = nn.HybridSequential()
        net.add(nn.Dense(4), nn.Dense(3), nn.Dense(2))
        net.initialize(ctx=gpus)
        start = threading.Barrier(len(gpus))

        def feed(ctx, net=net, start=start):
            start.wait()
            return net(nd.ones((2, 5), ctx=ctx)).asnumpy()

        with ThreadPoolExecutor(len(gpus)) as pool:
            first, second = pool.map(feed, gpus)
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(first, net(nd.ones((2, 5), ctx=gpus[0])).asnumpy())
