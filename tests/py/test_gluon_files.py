"""Parameters and models in files: every option, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jupyter_hybrid import cpu, nd
from jupyter_hybrid.gluon import SymbolBlock, nn

X = nd.array([[1.0, -2.0, 3.0]])


class Shared(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(3, in_units=3)
        self.second = nn.Dense(3, in_units=3, params=self.first.params)

    def hybrid_forward(self, F, x):
        return self.second(self.first(x))


def made(kind=Shared, value=None):
    net = kind()
    net.initialize("normal" if value is None else value)
    return net


def test_shared_parameters_may_be_written_once(tmp_path):
    file = str(tmp_path / "a.params")
    net, other = made(), made()
    net.save_parameters(file)
    assert len(nd.load(file)) == 4
    net.save_parameters(file, deduplicate=True)
    assert sorted(nd.load(file)) == ["second.bias", "second.weight"]
    other.load_parameters(file)
    np.testing.assert_array_equal(other(X).asnumpy(), net(X).asnumpy())


def test_element_types_agree_or_are_cast(tmp_path):
    file = str(tmp_path / "a.params")
    net = made()
    net.cast("float64")
    net.save_parameters(file)
    net.cast("float32")
    with pytest.raises(AssertionError, match="is float32, in the file it is float64; pass cast"):
        net.load_parameters(file)
    net.load_parameters(file, cast_dtype=True)
    assert net.first.weight.data().dtype == np.float32
    net.load_parameters(file, cast_dtype=True, dtype_source="saved")
    assert net.first.weight.data().dtype == net.first.weight.dtype == np.float64
    with pytest.raises(ValueError, match="dtype_source: expected 'current' or 'saved', got 'x'"):
        net.load_parameters(file, cast_dtype=True, dtype_source="x")


def test_contexts_of_loaded_parameters(tmp_path):
    file = str(tmp_path / "a.params")
    made().save_parameters(file)
    net = Shared()
    net.load_parameters(file, ctx=[cpu(0), cpu(1)])
    assert net.first.weight.list_ctx() == [cpu(0), cpu(1)]
    with pytest.raises(AssertionError, match="call reset_ctx first"):
        net.load_parameters(file, ctx=cpu(2))
    net.first.bias.data(cpu(0))[:] = 1
    net.first.bias.data(cpu(1))[:] = 2
    net.save_parameters(file)  # the mean
    assert nd.load(file)["first.bias"].asnumpy().tolist() == [1.5] * 3


def test_parameters_by_name(tmp_path):
    file = str(tmp_path / "a.params")
    net, other = made(), made()
    with pytest.warns(UserWarning, match="deprecated"):
        net.first.save_params(file)
    assert sorted(nd.load(file)) == ["bias", "weight"]
    with pytest.warns(UserWarning, match="deprecated"):
        other.first.load_params(file)
    np.testing.assert_array_equal(
        other.first.weight.data().asnumpy(), net.first.weight.data().asnumpy()
    )
    with pytest.raises(ValueError, match=r"strip_prefix: dense\d+_weight does not start with 'x_'"):
        net.collect_params().save(file, strip_prefix="x_")
    with pytest.raises(AssertionError, match=r"restore_prefix: dense\d+_weight does not start"):
        net.collect_params().load(file, restore_prefix="x_")
    values = {f"arg:{k}": nd.ones((3,) * (1 + k.endswith("weight"))) for k in ("weight", "bias")}
    net.first.collect_params().load_dict(values, restore_prefix=net.first.prefix)
    assert net.first.weight.data().asnumpy().sum() == 9
    with pytest.raises(AssertionError, match="param_dict: no values for"):
        net.collect_params().load_dict({})


def chain():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="tanh"), nn.Dense(2))
    return net


def test_a_model_is_saved_and_restored(tmp_path):
    start = str(tmp_path / "model")
    net, other = made(chain), chain()
    net.hybridize()
    wanted = net(X).asnumpy()
    net.save(start)
    other.load(start)
    assert other.name == net.name and list(other.collect_params()) == list(net.collect_params())
    assert [p.name for p in other.collect_params().values()] == list(net.collect_params())
    assert other._active
    np.testing.assert_array_equal(other(X).asnumpy(), wanted)
    with pytest.raises(ValueError, match="describes no Dense at place 0"):
        nn.Dense(3).load(start)


def test_a_models_file_is_mxnets(tmp_path):
    net = made(chain)
    net.hybridize()
    net(X)
    net.save(str(tmp_path / "model"))
    described = json.loads((tmp_path / "model-model.json").read_text())["hybridsequential0"]
    assert set(described) == {
        "orig_name", "hybridized", "in_format", "out_format", "inputs", "symbol", "children",
        "dense1", "dense3",
    }  # fmt: skip
    assert described["children"] == {net[0].name: "0", net[1].name: "1"}
    assert (described["in_format"], described["out_format"]) == ([0], 0)


def test_imports_of_missing_and_further_parameters(tmp_path):
    net = made(chain)
    net.hybridize()
    net(X)
    symbol, params = net.export(str(tmp_path / "net"))
    arrays = nd.load(params)
    weight = f"arg:{net[0].weight.name}"
    nd.save(params, {**{k: v for k, v in arrays.items() if k != weight}, "arg:more": nd.ones(1)})
    with pytest.raises(ValueError, match="no values for"):
        SymbolBlock.imports(symbol, "data", params, ignore_extra=True)
    with pytest.raises(ValueError, match="more is not a parameter here"):
        SymbolBlock.imports(symbol, "data", params, allow_missing=True)
    block = SymbolBlock.imports(symbol, "data", params, allow_missing=True, ignore_extra=True)
    block.collect_params()[net[0].weight.name].initialize("zeros")
    np.testing.assert_allclose(block(X).asnumpy(), net[1].bias.data().asnumpy()[None], atol=1e-6)


def test_parameters_of_a_symbol_are_its_arguments_and_then_its_states(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.BatchNorm(in_channels=4), nn.Dense(2, in_units=4))
    net.initialize()
    files = net.export(str(tmp_path / "net"), example=X)
    names = [n.split("_", 1)[1] for n in SymbolBlock.imports(files[0], "data").params]
    assert names == [
        "weight", "bias", "gamma", "beta", "weight", "bias", "running_mean", "running_var",
    ]  # fmt: skip


def test_a_float16_symbol_keeps_its_statistics_in_float32(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.BatchNorm(in_channels=4))
    net.initialize()
    files = net.export(str(tmp_path / "net"), example=X)
    block = SymbolBlock.imports(files[0], "data")
    block.cast("float16")
    kinds = {name.split("_", 1)[1]: np.dtype(p.dtype).name for name, p in block.params.items()}
    assert kinds["weight"] == "float16" and kinds["gamma"] == kinds["running_var"] == "float32"
