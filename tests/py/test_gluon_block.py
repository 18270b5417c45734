"""Blocks: names as in MXNet, children, sharing, hooks, files, errors that name the layer."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, init, nd, sym
from jupyter_hybrid.gluon import naming, nn


@pytest.fixture
def counted_anew(monkeypatch):
    """Names count from 0, whatever ran before."""
    monkeypatch.setattr(naming._state, "counter", Counter())


def mlp(*sizes):
    net = nn.HybridSequential()
    for size in sizes[:-1]:
        net.add(nn.Dense(size, activation="relu"))
    net.add(nn.Dense(sizes[-1]))
    return net


# Names --------------------------------------------------------------------------------------------
def test_names_count_per_kind_over_the_whole_program(counted_anew):
    net = mlp(4, 3, 2)
    assert net.prefix == "hybridsequential0_" and net.name == "hybridsequential0"
    assert list(net.collect_params()) == [
        f"dense{i}_{what}" for i in range(3) for what in ("weight", "bias")
    ]
    assert list(nn.Conv2D(2, 3).collect_params()) == ["conv0_weight", "conv0_bias"]
    assert nn.MaxPool2D().name == "pool0" and nn.Dropout(0.5).name == "dropout0"


def test_inside_a_name_scope_children_get_the_prefix(counted_anew):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3), nn.Dense(2))
        inner = nn.HybridSequential()
        with inner.name_scope():
            inner.add(nn.Dense(1), nn.Dense(1, prefix="last_"))
        net.add(inner)
    assert [name for name in net.collect_params() if name.endswith("weight")] == [
        "net_dense0_weight",
        "net_dense1_weight",
        "net_hybridsequential0_dense0_weight",
        "net_hybridsequential0_last_weight",
    ]
    assert nn.Dense(1).name == "dense0"  # outside, the program's own count


def test_a_symbol_names_its_nodes_as_mxnet_does(counted_anew):
    net = mlp(4, 2)
    names = [n.name for n in net(sym.var("data")).graph().nodes]
    assert [n for n in names if n.endswith("fwd")] == [
        "dense0_fwd",
        "dense0_relu_fwd",
        "dense1_fwd",
    ]
    assert net(sym.var("data")).list_arguments() == [
        "data",
        "dense0_weight",
        "dense0_bias",
        "dense1_weight",
        "dense1_bias",
    ]


def test_operators_of_ones_own_block_are_named_after_it(counted_anew):
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(F.relu(x) + 1)

    names = [n.name for n in Net()(sym.var("x")).graph().nodes]
    assert names[1] == "net0_relu0" and names[-1] == "net0_relu1"


def test_params_select_by_regular_expression():
    net = mlp(4, 3, 2)
    assert len(net.collect_params(".*weight")) == 3
    assert set(net.collect_params(".*bias")) == {n for n in net.collect_params() if "bias" in n}


# Structure ----------------------------------------------------------------------------------------
def test_shared_parameters_are_one():
    first = nn.Dense(3, in_units=3)
    second = nn.Dense(3, in_units=3, params=first.params)
    net = nn.HybridSequential()
    net.add(first, nn.Activation("relu"), second)
    net.initialize(init.Normal())
    assert second.weight is first.weight and len(net.collect_params()) == 2
    x = nd.array(np.random.default_rng(0).normal(size=(2, 3)))
    w, b = first.weight.data().asnumpy(), first.bias.data().asnumpy()
    expected = np.maximum(x.asnumpy() @ w.T + b, 0) @ w.T + b
    for hybridized in (False, True):
        net.hybridize(hybridized)
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-7)
    first.weight.set_data(nd.zeros((3, 3)))
    np.testing.assert_array_equal(net(x).asnumpy(), np.zeros((2, 3)))


def test_blocks_of_ones_own_nest():
    class Twice(nn.Block):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return self.inner(self.inner(x))

    net = Twice(nn.Dense(2, in_units=2))
    net.initialize(init.One())
    assert list(net.structured_params()) == ["inner.weight", "inner.bias"]
    np.testing.assert_array_equal(net(nd.ones((1, 2))).asnumpy(), [[4, 4]])
    seen = []
    net.apply(lambda block: seen.append(type(block).__name__))
    assert seen == ["Dense", "Twice"]


def test_hooks_run_around_every_call():
    layer, log = nn.Dense(1, in_units=1), []
    layer.initialize()
    layer.register_forward_pre_hook(lambda block, inputs: log.append(("before", len(inputs))))
    layer.register_forward_hook(lambda block, inputs, out: log.append(("after", out.shape)))
    for hybridized in (False, True):
        layer.hybridize(hybridized)
        layer(nd.ones((2, 1)))
    assert log == [("before", 1), ("after", (2, 1))] * 2


def test_several_inputs_and_nested_outputs():
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, a, pair):
            b, c = pair
            return a + b, [a * c, b - c]

    net = Net()
    a, b, c = (nd.array([v]) for v in (2.0, 3.0, 5.0))
    for hybridized in (False, True):
        net.hybridize(hybridized)
        for _ in range(2):
            total, (product, rest) = net(a, (b, c))
            assert (total.asscalar(), product.asscalar(), rest.asscalar()) == (5, 10, -2)


def test_cast():
    for hybridized in (False, True):
        net = mlp(3, 2)
        net.initialize()
        net.hybridize(hybridized)
        net(nd.ones((1, 4)))
        net.cast("float64")
        assert net(nd.ones((1, 4), dtype="float64")).dtype == np.float64


# Files --------------------------------------------------------------------------------------------
def test_save_and_load_parameters(tmp_path):
    file = str(tmp_path / "net.params")
    first, second = mlp(4, 2), mlp(4, 2)
    first.initialize(init.Normal(1))
    x = nd.array(np.random.default_rng(1).normal(size=(3, 5)))
    expected = first(x).asnumpy()
    first.save_parameters(file)
    assert list(nd.load(file)) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    second.load_parameters(file)
    np.testing.assert_array_equal(second(x).asnumpy(), expected)
    second.hybridize()
    np.testing.assert_array_equal(second(x).asnumpy(), expected)
    first.collect_params().save(file)  # full names instead of paths
    first.load_parameters(file)
    np.testing.assert_array_equal(first(x).asnumpy(), expected)


def test_load_parameters_says_what_does_not_fit(tmp_path):
    file = str(tmp_path / "net.params")
    net = mlp(4, 2)
    net.initialize()
    with pytest.raises(MXNetError, match="is not initialized yet"):
        net.save_parameters(file)
    net(nd.ones((1, 3)))
    net.save_parameters(file)
    with pytest.raises(MXNetError, match=r"no values for 2\.weight, 2\.bias; pass allow_missing"):
        mlp(4, 2, 1).load_parameters(file)
    with pytest.raises(MXNetError, match=r"1\.weight, 1\.bias is not a parameter here"):
        mlp(4).load_parameters(file)
    mlp(4).load_parameters(file, ignore_extra=True)
    nd.save(file, [nd.ones(2)])
    with pytest.raises(MXNetError, match="without names, expected parameters"):
        net.load_parameters(file)


# Errors -------------------------------------------------------------------------------------------
both = pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])


@both
def test_missing_initialize(hybridized):
    net = mlp(3, 2)
    net.hybridize(hybridized)
    with pytest.raises(
        MXNetError, match=r"dense\d+_weight is not initialized: call net.initialize"
    ):
        net(nd.ones((1, 2)))


@both
@pytest.mark.parametrize("given", [[1, 2], 3.0, None, "x", np.ones((1, 2))], ids=repr)
def test_input_of_another_type(given, hybridized):
    layer = nn.Dense(3, prefix="mine_")
    layer.initialize()
    layer.hybridize(hybridized)
    for _ in range(2):  # before and after something was compiled
        kind = type(given[0] if isinstance(given, list) else given).__name__
        with pytest.raises(TypeError, match=f"mine: expected NDArray or Symbol inputs, got {kind}"):
            layer(given)
        layer(nd.ones((1, 2)))


@both
def test_a_wrong_shape_names_the_layer_and_the_shapes(hybridized):
    net = mlp(3, 2)
    net.initialize()
    net.hybridize(hybridized)
    net(nd.ones((1, 4)))
    name = net[0].name
    with pytest.raises(MXNetError, match=r"given data \(1, 7\) and weight \(3, 4\)") as caught:
        net(nd.ones((1, 7)))
    assert name in str(caught.value) and "FullyConnected" in str(caught.value)
    assert net(nd.ones((1, 4))).shape == (1, 2)  # usable afterwards


def test_a_wrong_shape_in_a_compiled_block_names_the_line():
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.dot(x, x)  # this line

    net = Net()
    net.hybridize()
    line = Net.hybrid_forward.__code__.co_firstlineno + 1
    with pytest.raises(MXNetError, match=rf"dot: given lhs \(2, 3\) .* line {line}; given lhs"):
        net(nd.ones((2, 3)))


def test_children_must_be_blocks():
    with pytest.raises(TypeError, match="expected a Block, got function; wrap a function"):
        nn.HybridSequential().add(lambda x: x)
    with pytest.raises(TypeError, match="expected a Block, got int"):
        nn.Sequential().add(3)
    with pytest.raises(ValueError, match="children of a HybridBlock must be HybridBlocks; Lambda"):
        nn.HybridSequential().add(nn.Lambda(lambda x: x))


def test_what_a_subclass_must_define():
    with pytest.raises(NotImplementedError, match="Block must define forward"):
        nn.Block()(nd.ones(1))
    with pytest.raises(NotImplementedError, match="HybridBlock must define hybrid_forward"):
        nn.HybridBlock()(nd.ones(1))


def test_attributes_keep_their_kind():
    block = nn.Block()
    block.number = 1
    block.number = None
    block.child = nn.Dense(1)
    block.child = other = nn.Dense(2)
    assert block._children["child"] is other
    with pytest.raises(TypeError, match="attribute child is a Dense and can't become a tuple"):
        block.child = (2,)
    with pytest.raises(AssertionError, match="parameter weight can't be replaced"):
        other.weight = nn.Dense(2).weight


def test_blocks_in_a_list_are_told_about():
    class Net(nn.Block):
        def __init__(self):
            super().__init__()
            self.layers = {"a": [nn.Dense(1), nn.Dense(2)]}
            self.known = [nn.Dense(3)]
            self.register_child(self.known[0])

    with pytest.warns(UserWarning, match=r'"Net.layers" holds blocks that are not reg') as caught:
        assert len(Net().collect_params()) == 2
    assert len(caught) == 1
