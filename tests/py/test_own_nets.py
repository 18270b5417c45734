"""Nets of Gluon's own layers in hybridized cells: one program, and never another answer."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid import random as hybrid_random
from jupyter_hybrid.gluon import nn, own_nets

CALLS = 12  # a program is made after 8


def dense(kind: Any = nn.HybridSequential) -> Any:
    net = kind()
    net.add(nn.Dense(8, activation="relu", in_units=6), nn.Dense(3, in_units=8))
    return net


def noisy() -> Any:
    net = nn.Sequential()
    net.add(nn.Dense(8, activation="tanh"), nn.Dropout(0.5), nn.LayerNorm(), nn.Dense(3))
    return net


def images() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(2), nn.Flatten())
    net.add(nn.Dense(3), nn.Dropout(0.3))
    return net


def ready(net: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The net with weights that are the same each time, and an input."""
    rng = np.random.default_rng(3)
    net.initialize()
    x = nd.array(rng.normal(size=shape).astype("float32"))
    net(x)
    for param in net.collect_params().values():
        param.set_data(nd.array(rng.normal(size=param.shape).astype("float32")))
    return net, x


def trained(net: Any, x: Any, steps: int) -> list[np.ndarray]:
    """Losses, the input's gradient and weights of so many steps."""
    hybrid_random.seed(7)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    label = nd.array([0, 2, 1, 1][: x.shape[0]])
    x.attach_grad()
    seen = []
    for _ in range(steps):
        with autograd.record():
            out = loss(net(x), label)
        out.backward()
        trainer.step(x.shape[0])
        seen += [out.asnumpy(), x.grad.asnumpy()]
    seen += [net(x).asnumpy(), *(p.data().asnumpy() for p in net.collect_params().values())]
    return seen


def programs(net: Any) -> int:
    known = own_nets._known.get(net)
    return known._cached.graph.num_programs if known is not None and known._cached else 0


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (dense, (4, 6)),
        (lambda: dense(nn.Sequential), (4, 6)),
        (noisy, (4, 6)),
        (images, (4, 1, 8, 8)),
    ],
)
def test_a_net_of_own_layers_trains_alike(make: Callable[[], Any], shape: tuple[int, ...]) -> None:
    wanted = trained(*ready(make(), shape), CALLS)
    net, x = ready(make(), shape)
    with own_nets.InCell():
        got = trained(net, x, CALLS)
    assert programs(net) > 0
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5)


def called(net: Any, x: Any) -> np.ndarray:
    for _ in range(CALLS):
        out = net(x)
    return out.asnumpy()


class Doubling(nn.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        self.runs = getattr(self, "runs", 0) + 1
        return x * 2


def test_what_the_user_wrote_is_run_each_time() -> None:
    net, x = ready(dense(), (4, 6))
    net.add(Doubling(), nn.Flatten())
    before = called(net, x)
    with own_nets.InCell():
        assert (called(net, x) == before).all()
    assert net[2].runs == 2 * CALLS
    assert programs(net) == 0


def replace_child(net: Any) -> None:
    net[0].act = nn.Activation("sigmoid")


def replace_layer(net: Any) -> None:
    net._children["0"] = ready(nn.Dense(8, activation="tanh", in_units=6), (4, 6))[0]


def add_layer(net: Any) -> None:
    net.add(nn.Activation("tanh"))


def set_weights(net: Any) -> None:
    net[1].weight.set_data(nd.ones((3, 8)))


def override(net: Any) -> None:
    net.hybrid_forward = lambda F, x: x + 1


def make_weights_anew(net: Any) -> None:
    net[1].bias.reset_ctx(net[1].bias.list_ctx()[0])
    net[1].bias.set_data(nd.ones((3,)))


@pytest.mark.parametrize(
    "change",
    [replace_child, replace_layer, add_layer, set_weights, override, make_weights_anew],
)
def test_a_net_that_changes(change: Callable[[Any], None]) -> None:
    plain, x = ready(dense(), (4, 6))
    net, _ = ready(dense(), (4, 6))
    with own_nets.InCell():
        assert (called(net, x) == called(plain, x)).all()
        assert programs(net) > 0
        change(net)
        got = called(net, x)
    change(plain)
    np.testing.assert_allclose(got, called(plain, x), rtol=1e-6)


def test_a_layer_whose_class_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    net, x = ready(dense(), (4, 6))
    with own_nets.InCell():
        called(net, x)
        monkeypatch.setattr(nn.Dense, "hybrid_forward", lambda self, F, x, **params: x * 4)
        assert (net(x).asnumpy() == 16 * x.asnumpy()).all()


def test_operators_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    net, x = ready(dense(), (4, 6))
    plain = nd.FullyConnected
    with own_nets.InCell():
        before = called(net, x)
        monkeypatch.setattr(nd, "FullyConnected", lambda *a, **k: plain(*a, **k) * 0)
        assert not net(x).asnumpy().any() and before.any()


def test_nets_are_forgotten_and_inputs_are_not_given_away() -> None:
    net, x = ready(dense(), (4, 6))
    through = nn.Sequential()
    through.add(nn.Dropout(0.5), nn.Flatten())
    with own_nets.InCell():
        called(net, x)
        for _ in range(CALLS):
            through(x)[:] = 0
    assert x.asnumpy().any()
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None


def test_hooks_are_run() -> None:
    net, x = ready(dense(), (4, 6))
    seen: list[Any] = []
    with own_nets.InCell():
        called(net, x)
        net[1].register_forward_hook(lambda block, inputs, output: seen.append(output.shape))
        called(net, x)
    assert seen == [(4, 3)] * CALLS


def test_errors_are_those_of_the_layers() -> None:
    net, x = ready(dense(), (4, 6))
    wrong = nd.ones((4, 5))
    with pytest.raises(Exception) as wanted:
        net(wrong)
    with own_nets.InCell():
        called(net, x)
        for _ in range(CALLS):
            with pytest.raises(type(wanted.value)) as got:
                net(wrong)
            assert str(got.value) == str(wanted.value)
        assert called(net, x).shape == (4, 3)


def test_gradients_of_gradients() -> None:
    def second(net: Any, x: Any) -> np.ndarray:
        x.attach_grad()
        for _ in range(CALLS):
            with autograd.record():
                y = nd.tanh(net(x))
                (slope,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
                total = (slope * slope).sum()
            total.backward()
        return x.grad.asnumpy()

    wanted = second(*ready(dense(), (4, 6)))
    net, x = ready(dense(), (4, 6))
    with own_nets.InCell():
        np.testing.assert_allclose(second(net, x), wanted, rtol=1e-4, atol=1e-6)


def test_a_cell_that_trains() -> None:
    """Once its loop is left to Python, the cell calls the net as one program."""
    shell = Shell()
    shell.ns.update(dense=dense, ready=ready, gluon=gluon, autograd=autograd, nd=nd)
    body = (
        "net, x = ready(dense(), (4, 6))\n"
        "trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})\n"
        "losses = []\n"
        "for step in range(100):\n"
        "    with autograd.record():\n"
        "        loss = (net(x) ** 2).mean()\n"
        "    loss.backward()\n"
        "    trainer.step(1)\n"
        "    losses.append(loss.asscalar())\n"
    )
    shell.run(body)
    wanted = shell.ns["losses"]
    for _ in range(3):
        shell.hybridize(body, "--view none")
        np.testing.assert_allclose(shell.ns["losses"], wanted, rtol=1e-4)
    assert not own_nets.is_on()
    (called,) = shell.report.nets.values()
    assert called > 50 and "one program, called" in repr(shell.report)
    assert "one program, called" in shell.run("%hybrid explain").out
