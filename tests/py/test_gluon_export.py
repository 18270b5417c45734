"""Files: what genuine MXNet 1.9.1 wrote is read and computes the same; what we write reads back."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, gluon, init, nd, sym
from jupyter_hybrid.gluon import naming, nn


@pytest.fixture
def counted_anew(monkeypatch):
    monkeypatch.setattr(naming._state, "counter", Counter())


def my_mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(channels=6, kernel_size=5, padding=2, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Dense(120, activation="sigmoid"),
        nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )
    return net


NETS = {"my_mlp": my_mlp, "lenet": lenet}
genuine = pytest.mark.parametrize("name", NETS)


@pytest.fixture
def files(data):
    """The start of the genuine files' names, an input and its output."""

    def of(name):
        start = str(data / "mxnet" / name)
        return start, np.load(start + "-input.npy"), np.load(start + "-output.npy")

    return of


# Genuine files ------------------------------------------------------------------------------------
@genuine
def test_genuine_files_give_the_genuine_output(name, files):
    start, x, expected = files(name)
    net = gluon.SymbolBlock.imports(start + "-symbol.json", "data", start + "-0000.params")
    for _ in range(2):
        np.testing.assert_allclose(net(nd.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-5)


@genuine
@pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])
def test_genuine_parameters_fill_our_own_net(name, hybridized, files):
    start, x, expected = files(name)
    net = NETS[name]()
    net.load_parameters(start + "-gluon.params")
    net.hybridize(hybridized)
    np.testing.assert_allclose(net(nd.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-5)


def test_a_genuine_program_can_be_trained(files):
    start, x, _ = files("my_mlp")
    net = gluon.SymbolBlock.imports(start + "-symbol.json", ["data"], start + "-0000.params")
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    label, history = nd.array(np.arange(len(x)) % 2), []
    for _ in range(10):
        with autograd.record():
            out = loss(net(nd.array(x)), label)
        out.backward()
        trainer.step(len(x))
        history.append(float(out.mean().asscalar()))
    assert history[-1] < 0.7 * history[0]


@genuine
def test_our_export_is_the_genuine_program(name, files, tmp_path, counted_anew):
    if name == "lenet":
        my_mlp()  # the genuine program made this net first, which counted its layers
    start, x, _ = files(name)
    net = NETS[name]()
    net.load_parameters(start + "-gluon.params")
    net.hybridize()
    net(nd.array(x))
    ours, params = net.export(str(tmp_path / name))
    assert (ours, params) == (f"{tmp_path / name}-symbol.json", f"{tmp_path / name}-0000.params")
    with open(ours) as mine, open(start + "-symbol.json") as theirs:
        got, want = json.load(mine), json.load(theirs)
    assert [(n["op"], n["name"], n["inputs"]) for n in got["nodes"]] == [
        (n["op"], n["name"], n["inputs"]) for n in want["nodes"]
    ]
    for mine, genuine_node in zip(got["nodes"], want["nodes"]):
        if mine["op"] != "null":
            assert mine["attrs"] == genuine_node["attrs"]
    assert (got["heads"], got["arg_nodes"]) == (want["heads"], want["arg_nodes"])
    with open(params, "rb") as mine, open(start + "-0000.params", "rb") as theirs:
        assert mine.read() == theirs.read()


# Round trips --------------------------------------------------------------------------------------
@pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])
def test_export_and_imports(hybridized, tmp_path):
    net = lenet()
    net.initialize(init.Xavier())
    net.hybridize(hybridized)
    x = nd.array(np.random.default_rng(1).normal(size=(2, 1, 28, 28)))
    expected = net(x).asnumpy()
    files = net.export(str(tmp_path / "net"), epoch=12)
    assert files[1].endswith("net-0012.params")
    back = gluon.SymbolBlock.imports(files[0], "data", files[1])
    np.testing.assert_array_equal(back(x).asnumpy(), expected)
    again = back.export(str(tmp_path / "again"))
    third = gluon.SymbolBlock.imports(again[0], "data", again[1])
    np.testing.assert_array_equal(third(x).asnumpy(), expected)


def test_export_without_a_forward_call(tmp_path):
    net = my_mlp()
    net.initialize()
    with pytest.raises(MXNetError, match="call the block once or pass example=an input"):
        net.export(str(tmp_path / "net"))
    x = nd.ones((1, 16))
    files = net.export(str(tmp_path / "net"), example=x)
    back = gluon.SymbolBlock.imports(files[0], "data", files[1])
    np.testing.assert_array_equal(back(x).asnumpy(), net(x).asnumpy())


def test_several_inputs_and_outputs(tmp_path):
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(3)

        def hybrid_forward(self, F, a, b):
            return self.layer(a) * b, F.concat(a, b, dim=1)

    net = Net()
    net.initialize()
    net.hybridize()
    a, b = nd.ones((2, 4)), nd.ones((2, 3)) * 2
    expected = net(a, b)
    files = net.export(str(tmp_path / "net"))
    back = gluon.SymbolBlock.imports(files[0], ["data0", "data1"], files[1])
    for got, want in zip(back(a, b), expected, strict=True):
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    with pytest.raises(TypeError, match=r"expected 2 inputs \(data0, data1\), got 1"):
        back(a)


def test_a_symbol_block_inside_a_net_and_as_a_symbol(files):
    start, x, expected = files("my_mlp")
    block = gluon.SymbolBlock.imports(start + "-symbol.json", "data", start + "-0000.params")
    net = nn.HybridSequential()
    net.add(block, nn.HybridLambda(lambda F, v: v * 2))
    for hybridized in (False, True):
        net.hybridize(hybridized)
        np.testing.assert_allclose(net(nd.array(x)).asnumpy(), 2 * expected, rtol=1e-5, atol=2e-5)
    assert "dense0_weight" in block(sym.var("other")).list_arguments()


# What does not fit --------------------------------------------------------------------------------
def test_missing_and_extra_values(files, tmp_path):
    start, _, _ = files("my_mlp")
    arrays = nd.load(start + "-0000.params")
    some = str(tmp_path / "some.params")
    nd.save(some, {k: v for k, v in arrays.items() if "dense2" not in k})
    with pytest.raises(MXNetError, match="no values for dense2_weight, dense2_bias"):
        gluon.SymbolBlock.imports(start + "-symbol.json", "data", some)
    with pytest.raises(MXNetError, match="'picture' is not an argument of the symbol; its arg"):
        gluon.SymbolBlock.imports(start + "-symbol.json", "picture", start + "-0000.params")


@pytest.mark.parametrize("keep", [0, 1, 7, 20, 100, 5000])
def test_truncated_files(keep, files, tmp_path):
    start, _, _ = files("my_mlp")
    for ending in ("-symbol.json", "-0000.params"):
        with open(start + ending, "rb") as whole:
            content = whole.read()
        if keep >= len(content):
            continue
        broken = str(tmp_path / ("broken" + ending))
        with open(broken, "wb") as part:
            part.write(content[:keep])
        names = {"-symbol.json": start + "-symbol.json", "-0000.params": start + "-0000.params"}
        names[ending] = broken
        with pytest.raises(MXNetError):
            gluon.SymbolBlock.imports(names["-symbol.json"], "data", names["-0000.params"])


def test_a_folder_that_is_not_there(tmp_path):
    layer = nn.Dense(2)
    layer.initialize()
    with pytest.raises(FileNotFoundError, match=r"net-symbol\.json"):
        layer.export(str(tmp_path / "missing" / "net"), example=nd.ones((1, 2)))


def test_a_symbol_block_of_several_outputs_inside_a_net():
    x = sym.var("data")
    inner = gluon.SymbolBlock([x + 1, x * 2], [x])

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def hybrid_forward(self, F, x):
            first, second = self.inner(x)
            return first * second

    net = Net()
    for hybridized in (False, True):
        net.hybridize(hybridized)
        assert net(nd.array([3.0])).asscalar() == 24
