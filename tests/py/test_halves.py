"""float16 and bfloat16: conversions to the bit, operators in float32 with one rounding."""

import pickle

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, gluon, init, nd, sym
from jupyter_hybrid.gluon import nn

ALL = np.arange(1 << 16, dtype=np.uint16)


def test_every_float16_and_back():
    halves = nd.from_numpy(ALL.view(np.float16), zero_copy=False)
    wide = halves.astype("float32")
    np.testing.assert_array_equal(wide.asnumpy(), ALL.view(np.float16).astype("float32"))
    back = wide.astype("float16").asnumpy()
    number = ~np.isnan(back)
    np.testing.assert_array_equal(back.view("u2")[number], ALL[number])
    assert np.isnan(ALL.view(np.float16)[~number]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "int8", "bool"])
def test_rounding_is_numpys(dtype):
    rng = np.random.default_rng(3)
    x = rng.normal(size=3001) * 10.0 ** rng.integers(-9, 6, 3001)
    edges = [65519.99, 65520, 65504, -65520, 2.0**-24, 2.0**-25, 2.0**-25 * 1.0001, 2.0**-14, 0.0]
    x = np.concatenate(
        [x, edges, np.array(edges) * -1, [2049, 2051, 1 + 2.0**-11, 1 + 3 * 2.0**-11]]
    )
    if np.dtype(dtype).kind != "f":
        x = np.clip(x, -100 if dtype != "uint8" else 0, 100)
    x = x.astype(dtype)
    with np.errstate(over="ignore"):
        wanted = x.astype("float16")
    found = nd.array(x, dtype=dtype).astype("float16").asnumpy()
    np.testing.assert_array_equal(found.view("u2"), wanted.view("u2"))


def test_bfloat16_rounds_to_even():
    x = np.random.default_rng(4).normal(size=4099).astype("float32")
    bits = x.view("u4").astype(np.uint64)
    wanted = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype("u4").view("float32")
    found = nd.array(x).astype("bfloat16")
    assert found.dtype == "bfloat16"
    np.testing.assert_array_equal(found.astype("float32").asnumpy(), wanted)
    np.testing.assert_array_equal(found.asnumpy(), wanted)  # NumPy has no bfloat16
    assert str(found[:1]).strip().startswith("[")
    assert nd.ones(1).astype(np.dtype([("bfloat16", np.uint16)])).dtype == "bfloat16"
    assert nd.ones(1).astype("bfloat16").asscalar() == 1
    written = pickle.loads(pickle.dumps(nd.array([1, 2, 3], dtype="bfloat16")))
    written[0], written[[1]] = 5, 7
    assert written.dtype == "bfloat16" and written.asnumpy().tolist() == [5, 7, 3]
    assert np.isnan(nd.array([np.nan]).astype("bfloat16").astype("float32").asnumpy()[0])
    twice = nd.array([1.0]).astype("bfloat16") + nd.array([2.0**-9]).astype("bfloat16")
    assert twice.astype("float64").asnumpy()[0] == 1.0


SAMPLES = {
    "add": (lambda F, x, y: x + y, lambda x, y: x + y),
    "divide by a number": (lambda F, x, y: x / 3, lambda x, y: x / np.float32(3)),
    "exp": (lambda F, x, y: F.exp(x), lambda x, y: np.exp(x)),
    "sigmoid": (lambda F, x, y: F.sigmoid(x), lambda x, y: 1 / (1 + np.exp(-x))),
    "greater": (lambda F, x, y: x > y, lambda x, y: x > y),
    "where": (lambda F, x, y: F.where(x > y, x, y), lambda x, y: np.where(x > y, x, y)),
    "sum": (lambda F, x, y: F.sum(x, axis=1), lambda x, y: x.sum(1)),
    "mean": (lambda F, x, y: F.mean(x), lambda x, y: x.mean().reshape(1)),
    "dot": (lambda F, x, y: F.dot(x, y.T if F is nd else F.transpose(y)), lambda x, y: x @ y.T),
    "concat": (lambda F, x, y: F.concat(x, y, dim=1), lambda x, y: np.concatenate([x, y], 1)),
    "softmax": (
        lambda F, x, y: F.softmax(x),
        lambda x, y: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    ),
    "sort": (lambda F, x, y: F.sort(x), lambda x, y: np.sort(x)),
    "cast": (lambda F, x, y: F.cast(x, "float32"), lambda x, y: x),
    "zeros": (lambda F, x, y: F.zeros((2, 2), dtype="float16"), lambda x, y: np.zeros((2, 2))),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_operators_round_once(name):
    ours, plain = SAMPLES[name]
    rng = np.random.default_rng(5)
    x, y = (rng.normal(size=(5, 7)).astype("float16") for _ in range(2))
    wanted = plain(x.astype("float32"), y.astype("float32"))
    dtype = np.float32 if name == "cast" else np.float16
    a, b = nd.array(x, dtype="float16"), nd.array(y, dtype="float16")
    symbol = ours(sym, sym.var("a"), sym.var("b"))
    names = symbol.list_arguments()
    by_name = {n: v for n, v in {"a": a, "b": b}.items() if n in names}
    for found in (ours(nd, a, b), symbol.eval(**by_name)[0]):
        assert found.dtype is dtype
        np.testing.assert_allclose(found.asnumpy(), wanted.astype(dtype), rtol=1e-3, atol=1e-7)
        apart = found.asnumpy().astype("float64") - wanted
        np.testing.assert_array_less(abs(apart), abs(wanted) * 2**-10.9 + 1e-7)  # one rounding


def test_gradients_and_windows():
    x = np.random.default_rng(6).normal(size=(3, 4)).astype("float16")
    a = nd.array(x, dtype="float16")
    a.attach_grad()
    with autograd.record():
        loss = (nd.tanh(a) * a)[1:].sum()
    loss.backward()
    wide = x.astype("float32")
    wanted = np.tanh(wide) + wide * (1 - np.tanh(wide) ** 2)
    wanted[0] = 0
    assert a.grad.dtype is np.float16
    np.testing.assert_allclose(a.grad.asnumpy(), wanted, rtol=4e-3, atol=4e-3)
    a[:, 1] += 1
    np.testing.assert_array_equal(a.asnumpy()[:, 1], x[:, 1] + np.float16(1))


def test_nets_and_files(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=4), nn.BatchNorm(in_channels=8), nn.Dense(2))
    net.initialize()
    x = nd.random.normal(shape=(3, 4))
    wide = net(x).asnumpy()
    net.cast("float16")
    plain = net(x.astype("float16"))
    net.hybridize()
    fused = net(x.astype("float16"))
    assert plain.dtype is fused.dtype is np.float16
    np.testing.assert_allclose(plain.asnumpy(), wide, rtol=2e-2, atol=2e-3)
    np.testing.assert_array_equal(fused.asnumpy(), plain.asnumpy())
    net.save_parameters(str(tmp_path / "net.params"))
    assert nd.load(str(tmp_path / "net.params"))["0.weight"].dtype is np.float16


def test_cells_give_the_same_bits():
    body = "h = (nd.exp(x) * y - x).sum(axis=1)\nz = nd.relu(nd.dot(x, y.T)) / 3\nz += 1\n"
    shell, plain = Shell(), {}
    rng = np.random.default_rng(7)
    for name in "xy":
        plain[name] = nd.array(rng.normal(size=(9, 33)), dtype="float16")
        shell.ns[name] = plain[name].copy()
    shell.ns["nd"] = plain["nd"] = nd
    exec(body, plain)
    shell.hybridize(body)
    for name in "hz":
        assert shell.ns[name].dtype is np.float16
        np.testing.assert_array_equal(shell.ns[name].asnumpy(), plain[name].asnumpy())


@pytest.mark.parametrize("hybridized", [False, True])
def test_nets_of_bfloat16_are_trained(hybridized, tmp_path):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(2, 3, in_channels=1), gluon.nn.BatchNorm(in_channels=2))
    net.add(gluon.nn.Dense(2, in_units=18, dtype="bfloat16"))
    net.cast(np.dtype([("bfloat16", np.uint16)]))  # as MXNet spells it
    net.initialize(init.Xavier())
    if hybridized:
        net.hybridize()
    assert repr(net[0].weight).endswith("_weight (shape=(2, 1, 3, 3), dtype=bfloat16)")
    assert net[1].gamma.dtype is np.float32  # statistics need the digits
    x, label = nd.random.normal(shape=(4, 1, 5, 5)).astype("bfloat16"), nd.array([0, 1, 0, 1])
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    losses = []
    for _ in range(6):
        with autograd.record():
            loss = loss_of(net(x), label)
        loss.backward()
        trainer.step(4)
        losses.append(loss.astype("float32").mean().asscalar())
    assert loss.dtype == "bfloat16" and losses[-1] < 0.9 * losses[0]
    net.save_parameters(str(tmp_path / "net.params"))
    net.load_parameters(str(tmp_path / "net.params"))
    other = gluon.nn.Dense(2, in_units=18)
    other.initialize()
    with pytest.raises(MXNetError, match="is float32, in the file it is bfloat16"):
        other.weight.load(net[2].weight.data(), None)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_number_beside_halves_is_a_half(dtype):
    """As in MXNet and in NumPy: 0.1 is the half that is next to it."""
    x = nd.array(np.linspace(0.1, 3, 50)).astype(dtype)
    for number in (0.1, 1e-7, 3.3e5, -0.3, 7):
        beside = nd.full((1,), number).astype(dtype)
        for given, expected in ((x * number, x * beside), (number - x, beside - x)):
            np.testing.assert_array_equal(
                given.astype("float32").asnumpy(), expected.astype("float32").asnumpy()
            )
