"""MXNet's name, util, runtime and base."""

import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import base, context, nd, runtime, sym, util
from jupyter_hybrid.name import NameManager, Prefix


def test_managers_name_operators():
    data = sym.var("data")
    with Prefix("mynet_"):
        net = sym.FullyConnected(data, num_hidden=10, name="fc1")
        assert sym.relu(data).name == "mynet_relu0"
        with NameManager():
            assert [sym.relu(data).name, sym.relu(data).name] == ["relu0", "relu1"]
        assert sym.relu(data).name == "mynet_relu1"
    assert net.list_arguments() == ["data", "mynet_fc1_weight", "mynet_fc1_bias"]


def test_managers_of_the_users():
    class Loud(NameManager):
        def get(self, name, hint):
            return (name or hint).upper()

    with Loud():
        x = sym.tanh(sym.var("x"))
        assert x.name == "TANH"
        assert sym.exp(x, name="mine").name == "MINE"
    assert sym.exp(x, name="mine").name == "mine"


def test_util():
    util.setenv("HYBRID_TEST_NAME", "1")
    assert util.getenv("HYBRID_TEST_NAME") == "1"
    util.setenv("HYBRID_TEST_NAME", None)
    assert util.getenv("HYBRID_TEST_NAME") is None
    assert not util.is_np_array()
    assert not util.is_np_shape()
    with util.np_shape():
        assert util.is_np_shape()
    assert not util.is_np_shape()
    assert util.use_np_shape(util.is_np_shape)()
    with pytest.raises(NotImplementedError, match=r"mx\.np"):
        util.set_np()
    with pytest.raises(ValueError, match="shape"):
        util.set_np(shape=False)
    with pytest.raises(NotImplementedError):
        util.use_np(lambda: 1)()
    util.reset_np()
    assert util.get_gpu_count() == mx.num_gpus()


def test_gpus_that_are_not_there():
    with pytest.raises(mx.MXNetError, match="no CUDA device 63"):
        context.gpu_memory_info(63)
    with pytest.raises(mx.MXNetError, match="no CUDA device 63"):
        util.get_cuda_compute_capability(mx.gpu(63))
    with pytest.raises(ValueError, match="expected a GPU"):
        util.get_cuda_compute_capability(mx.cpu())


def test_features():
    features = runtime.Features()
    assert features.is_enabled("lapack")
    assert not features.is_enabled("MKLDNN")
    assert str(features["LAPACK"]) == "✔ LAPACK"
    assert "✖ TENSORRT" in str(features)
    with pytest.raises(RuntimeError, match="no feature 'foo'"):
        features.is_enabled("foo")


def test_base():
    assert isinstance("x", base.string_types)
    assert isinstance(nd.ones(1).asnumpy()[0], base.numeric_types)
    assert base.py_str(b"\xc3\xa9") == "é"
    with pytest.raises(mx.MXNetError, match=r"f .alias g. with int is not there for symbols"):
        raise base.NotImplementedForSymbol(type("f", (), {}), "g", 3)
