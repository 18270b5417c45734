"""``hybrid-run`` and files that name devices: copies between them, groups of operators."""

from __future__ import annotations

import json

import numpy as np
import pytest
from test_hybrid_run import hybrid_run

import jupyter_hybrid as mx
from jupyter_hybrid import gluon, nd, sym


@pytest.fixture
def gpus():
    yield mx.virtual_gpus(2)
    nd.waitall()
    mx.virtual_gpus(0)


class TwoDevices(gluon.HybridBlock):
    """A layer on gpu(0), the next on gpu(1)."""

    def __init__(self, gpus):
        super().__init__()
        self.gpus = gpus
        with self.name_scope():
            self.first = self.params.get("first", shape=(3, 4))
            self.second = self.params.get("second", shape=(4, 2))
        for param, gpu in zip((self.first, self.second), gpus, strict=True):
            param.initialize(ctx=gpu)

    def hybrid_forward(self, F, x, first, second):
        hidden = F.tanh(F.dot(x.as_in_context(self.gpus[0]), first))
        return F.dot(hidden.as_in_context(self.gpus[1]), second)


@pytest.fixture
def exported(gpus, tmp_path):
    """(symbol file, parameter file, file of the input, output in Python)."""
    mx.random.seed(4)
    net = TwoDevices(gpus)
    net.hybridize()
    x = nd.array(np.arange(6).reshape(2, 3) / 10)
    y = net(x.as_in_context(gpus[0]))
    assert y.context == gpus[1]
    symbol, params = net.export(str(tmp_path / "net"))
    np.save(tmp_path / "x.npy", x.asnumpy())
    return symbol, params, tmp_path / "x.npy", y.asnumpy()


def test_copies_between_devices_run_where_the_file_says(exported, tmp_path):
    symbol, params, x, y = exported
    given = (symbol, params, x, "-o", tmp_path / "y.npy")
    assert hybrid_run(*given, "--virtual-gpus", 2) == ""
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), y)
    text = hybrid_run(symbol, params, x, "--virtual-gpus", 2, "--describe", "--plan")
    assert text.splitlines()[:2] == ["device  gpu(0)", "device  gpu(1)"]


def test_a_device_that_is_not_there_is_an_error_with_the_way_out(exported):
    symbol, params, x, _ = exported
    for n, missing in ((0, 0), (1, 1)):
        text = hybrid_run(symbol, params, x, "--virtual-gpus", n, status=1)
        assert f"the model runs on gpu({missing}), which is not there" in text
        assert f"--virtual-gpus {missing + 1}" in text
    text = hybrid_run(symbol, params, "--virtual-gpus", 1, "--describe")
    assert "device  gpu(0)\n" in text and "device  gpu(1), not there\n" in text
    for wrong in ("65", "two", "-1"):
        assert "--virtual-gpus" in hybrid_run(symbol, "--virtual-gpus", wrong, status=2)


def test_mxnet_sees_copies_and_python_sees_devices(exported, gpus):
    symbol, params, x, y = exported
    with open(symbol) as file:
        nodes = json.load(file)["nodes"]
    copies = [n for n in nodes if n["op"] == "_copy"]
    assert [n["attrs"]["__copy_to__"] for n in copies] == ["gpu(0)", "gpu(1)"]
    read = gluon.SymbolBlock.imports(symbol, ["data"], params)
    params = read.collect_params()
    for name, param in params.items():
        param.reset_ctx(gpus[1] if name.endswith("second") else gpus[0])
    found = read(nd.array(np.load(x)))
    assert found.context == gpus[1]
    np.testing.assert_array_equal(found.asnumpy(), y)


def test_a_copy_to_no_device_is_refused(exported, tmp_path):
    with open(exported[0]) as file:
        text = file.read()
    for wrong in ("", "gpu", "gpu(-1)", "tpu(0)", "gpu(99999)"):
        changed = text.replace('"__copy_to__": "gpu(1)"', f'"__copy_to__": "{wrong}"')
        assert changed != text
        path = tmp_path / "changed-symbol.json"
        path.write_text(changed)
        assert f"expected a device such as cpu(0) or gpu(1), given '{wrong}'" in hybrid_run(
            path, "--describe", status=1
        )


@pytest.fixture
def grouped(tmp_path):
    """A symbol of two groups: (symbol file, parameter file, file of the input, output)."""
    x = sym.var("data")
    with mx.AttrScope(ctx_group="dev1"):
        hidden = sym.FullyConnected(x, num_hidden=4, name="fc1")
    with mx.AttrScope(ctx_group="dev2"):
        net = sym.FullyConnected(sym.tanh(hidden, name="act"), num_hidden=2, name="fc2")
    rng = np.random.default_rng(3)
    shapes = dict(zip(net.list_arguments(), net.infer_shape(data=(2, 3))[0], strict=True))
    arrays = {n: nd.array(rng.normal(size=s)) for n, s in shapes.items()}
    net.save(str(tmp_path / "net-symbol.json"))
    nd.save(
        str(tmp_path / "net.params"),
        {f"arg:{n}": a for n, a in arrays.items() if n != "data"},
    )
    np.save(tmp_path / "x.npy", arrays["data"].asnumpy())
    (y,) = net.eval(**arrays)
    return (*(tmp_path / n for n in ("net-symbol.json", "net.params", "x.npy")), y.asnumpy())


def test_groups_are_given_devices(grouped, tmp_path):
    symbol, params, x, y = grouped
    for places in ("dev1=gpu(0),dev2=gpu(1)", "dev1=gpu(1),dev2=cpu(0)", "dev1=cpu(1),dev2=cpu(0)"):
        words = ["--virtual-gpus", 2, "--group2ctx", places]
        hybrid_run(symbol, params, x, *words, "-o", tmp_path / "y.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), y)
        described = hybrid_run(symbol, params, *words, "--describe")
        named = [place.split("=")[1] for place in places.split(",")]
        assert [f"device  {name}" for name in named] == described.splitlines()[:2]
    hybrid_run(symbol, params, x, "-o", tmp_path / "y.npy")  # they mean nothing
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), y)


def test_wrong_groups_are_errors(grouped):
    symbol, params, x, _ = grouped

    def refused(places, *words, status=1):
        return hybrid_run(symbol, params, x, "--group2ctx", places, *words, status=status)

    assert "no group 'dev3'; its groups are dev1, dev2" in refused("dev3=cpu(1)")
    assert "no device for the group 'dev2' of 'act'" in refused("dev1=cpu(1)")
    assert "gpu(1), which is not there: --virtual-gpus 2" in refused("dev1=cpu(0),dev2=gpu(1)")
    assert "expected a device such as" in refused("dev1=gpu")
    assert "expected GROUP=DEVICE" in refused("dev1", status=2)
