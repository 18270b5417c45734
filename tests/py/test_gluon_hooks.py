"""Hooks of blocks and of operators, and the summary that is made with them."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, nd
from jupyter_hybrid.gluon import nn, utils

SUMMARY = """\
--------------------------------------------------------------------------------
        Layer (type)                                Output Shape         Param #
================================================================================
               Input                        (2, 2, 5, 5), (2, 3)               0
        Activation-1                                (2, 4, 3, 3)               0
            Conv2D-2                                (2, 4, 3, 3)              76
         BatchNorm-3                                (2, 4, 3, 3)              16
           Flatten-4                                     (2, 36)               0
             Dense-5                                      (2, 3)             111
             Dense-6                                      (2, 3)              12
             Dense-7                                      (2, 3)              12
               Net-8                    (2, 3), [(2, 3), (2, 3)]               0
================================================================================
Parameters in forward computation graph, duplicate included
   Total params: 227
   Trainable params: 219
   Non-trainable params: 8
Shared params in forward computation graph: 12
Unique parameters in model: 215
--------------------------------------------------------------------------------
"""  # as MXNet 1.9.1 prints it


class Net(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(
            nn.Conv2D(4, 3, in_channels=2, activation="relu"), nn.BatchNorm(), nn.Flatten()
        )
        self.first, self.again = nn.Dense(3), nn.Dense(3, in_units=3)
        self.shared = nn.Dense(3, in_units=3, params=self.again.params)

    def hybrid_forward(self, F, x, y):
        x = self.shared(self.again(self.first(self.body(x))))
        return x, [x + y, y]


def test_summary(capsys):
    net = Net()
    net.initialize()
    net.summary(nd.ones((2, 2, 5, 5)), nd.ones((2, 3)))
    assert capsys.readouterr().out == SUMMARY
    assert not net.first._forward_hooks
    net.hybridize()
    with pytest.raises(AssertionError, match="a hybridized block does not call its layers"):
        net.summary(nd.ones((2, 2, 5, 5)), nd.ones((2, 3)))


def test_a_summary_of_a_net_on_several_devices(capsys):
    mx.virtual_gpus(3)
    net = nn.Dense(3, in_units=2)
    net.initialize(ctx=[mx.gpu(1), mx.gpu(2)])
    net.summary(nd.ones((1, 2), ctx=mx.gpu(1)))
    assert "Total params: 9\n" in capsys.readouterr().out
    mx.virtual_gpus(0)


def test_handles_take_hooks_off():
    layer, log = nn.Dense(1, in_units=1), []
    layer.initialize()
    before = layer.register_forward_pre_hook(lambda block, inputs: log.append("before"))
    with layer.register_forward_hook(lambda block, inputs, output: log.append("after")):
        layer(nd.ones((1, 1)))
    before.detach()
    before.detach()
    layer(nd.ones((1, 1)))
    assert log == ["before", "after"]
    with pytest.raises(RuntimeError, match="it has a hook already"):
        before.attach(OrderedDict(), print)


def test_a_hook_that_detaches_itself():
    layer, log = nn.Dense(1, in_units=1), []
    layer.initialize()

    def once(block, inputs, output):
        log.append(output.shape)
        handle.detach()

    handle = layer.register_forward_hook(once)
    layer(nd.ones((2, 1)))
    layer(nd.ones((2, 1)))
    assert log == [(2, 1)] and isinstance(handle, utils.HookHandle)


def told(net, x, monitor_all=False):
    seen = []
    net.register_op_hook(lambda name, op, array: seen.append((name, op, array)), monitor_all)
    return net(x), seen


def test_op_hooks_see_what_the_call_computes():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3), nn.Activation("relu"), nn.Dropout(0.5))
    net.initialize()
    x = nd.array(np.random.default_rng(0).normal(size=(4, 5)))
    assert told(net, x)[1] == []  # not hybridized
    net.hybridize()
    out, seen = told(net, x)
    assert [(name, op) for name, op, _ in seen] == [
        ("net_dense0_fwd_output", "FullyConnected"),
        ("net_relu0_fwd_output", "Activation"),
        ("net_dropout0_fwd_output", "Dropout"),
    ]
    np.testing.assert_array_equal(seen[1][2].asnumpy(), np.maximum(seen[0][2].asnumpy(), 0))
    with autograd.record():
        out, seen = told(net, x, monitor_all=True)
    out.backward()
    assert [name for name, _, _ in seen[:6]] == [
        "net_dense0_fwd_data",
        "net_dense0_fwd_weight",
        "net_dense0_fwd_bias",
        "net_dense0_fwd_output",
        "net_relu0_fwd_input0",
        "net_relu0_fwd_output",
    ]
    np.testing.assert_array_equal(seen[0][2].asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(seen[-1][2].asnumpy(), out.asnumpy())  # one draw
    mask = (out.asnumpy() != 0) * 2.0
    wanted = (mask * (seen[3][2].asnumpy() > 0)).sum(0)
    np.testing.assert_allclose(net[0].bias.grad().asnumpy(), wanted)


def test_op_hooks_see_a_cells_values_too():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, activation="relu", in_units=2))
    net.initialize("ones")
    net.hybridize()
    seen = []
    net.register_op_hook(lambda name, op, array: seen.append((name, float(array.sum().asscalar()))))
    shell = Shell()
    shell.ns.update(net=net, nd=nd)
    shell.hybridize("y = net(nd.ones((1, 2))) + 1", "--force")
    assert seen == [("net_dense0_fwd_output", 4.0), ("net_dense0_relu_fwd_output", 4.0)]
    assert shell.ns["y"].asnumpy().tolist() == [[3.0, 3.0]]


def test_a_summary_of_a_net_whose_shapes_are_not_known_yet(capsys):
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.inner = nn.HybridSequential()
            self.inner.add(nn.Dense(3), nn.Dense(2))

        def hybrid_forward(self, F, x):
            return F.relu(self.inner(x))

    net = Net()
    net.initialize()
    net.summary(nd.ones((2, 4)))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[3:7]]
    assert rows == [
        ["Input", "(2,", "4)", "0"],
        ["Dense-1", "(2,", "3)", "15"],
        ["Dense-2", "(2,", "2)", "8"],
        ["Net-3", "(2,", "2)", "0"],
    ]
