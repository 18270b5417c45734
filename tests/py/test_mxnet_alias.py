"""The names of MXNet 1.9.1: every spelling of an import, and what isn't carried."""

import importlib
import sys
from types import ModuleType

import pytest
from cells import Shell

import jupyter_hybrid
from jupyter_hybrid import gluon, nd, sym
from jupyter_hybrid.base import MXNetError
from jupyter_hybrid.compat import mxnet as compat
from jupyter_hybrid.compat.mxnet import tree


@pytest.fixture
def mx(monkeypatch):
    monkeypatch.setattr(compat, "_genuine", lambda: None)
    compat.install()
    compat.install()  # twice is fine
    yield importlib.import_module("mxnet")
    compat.uninstall()
    assert "mxnet" not in sys.modules
    assert "__getattr__" not in vars(nd)


def test_our_modules_are_the_same_objects(mx):
    names: dict = {}
    exec(
        "import mxnet as mx, mxnet.ndarray as F, mxnet.gluon.loss\n"
        "from mxnet import nd, sym, symbol, gluon, init\n"
        "from mxnet.gluon import nn\n"
        "from mxnet.ndarray.ndarray import NDArray\n"
        "from mxnet.gluon.nn.basic_layers import Dense\n"
        "from mxnet.gluon.block import HybridBlock\n",
        names,
    )
    assert mx.__version__ == "1.9.1"
    assert names["F"] is names["nd"] is mx.nd is mx.ndarray is nd
    assert names["symbol"] is names["sym"] is sym
    assert names["init"] is mx.initializer is importlib.import_module("mxnet.init")
    assert names["NDArray"] is nd.NDArray
    assert names["Dense"] is names["nn"].Dense is gluon.nn.Dense
    assert names["HybridBlock"] is gluon.HybridBlock
    assert mx.gluon.loss.HybridBlock is gluon.HybridBlock
    assert mx.hybridize is jupyter_hybrid.hybridize


def test_every_module_of_the_tree_imports(mx):
    for name in tree.modules():
        if name != ".":
            assert isinstance(importlib.import_module(f"mxnet.{name}"), ModuleType)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("mxnet.nothing")


def test_it_says_where_it_is_and_what_it_is(mx):
    names: dict = {}
    exec("from mxnet import __file__, libinfo", names)
    assert names["__file__"].endswith(".py")
    assert names["libinfo"].__version__ == mx.__version__ == "1.9.1"


def test_names_that_are_not_carried_say_why_when_used(mx):
    names: dict = {}
    exec("from mxnet.module import Module\nfrom mxnet.ndarray.sparse import csr_matrix", names)
    with pytest.raises(NotImplementedError, match=r"mxnet\.module\.Module: the classic half"):
        names["Module"](sym.var("x"))
    with pytest.raises(MXNetError, match=r"csr_matrix: arrays"):
        names["csr_matrix"]((2, 3))
    with pytest.raises(compat.NotCarriedError, match=r"mx\.np"):
        mx.np.zeros((2,))
    exec("class Mine(Module): pass", names)  # libraries do, in modules that are only imported
    with pytest.raises(compat.NotCarriedError, match="Module"):
        names["Mine"](sym.var("x"))
    assert not isinstance(nd.ones(2), mx.nd.sparse.CSRNDArray)
    assert "arrays are dense" in repr(mx.nd.sparse.CSRNDArray)
    with pytest.raises(MXNetError, match=r"sparse\.zeros: arrays are dense"):
        mx.nd.sparse.zeros("csr", (2, 3))


@pytest.mark.parametrize("name", ["nothing", "nd.nothing", "gluon.nn.nothing", "io.nothing"])
def test_names_that_mxnet_has_not_either(mx, name):
    module, _, attribute = f"mxnet.{name}".rpartition(".")
    with pytest.raises(AttributeError, match=f"no attribute '{attribute}'"):
        getattr(importlib.import_module(module), attribute)


def test_genuine_mxnet_stays_unless_it_is_to_be_replaced(monkeypatch):
    genuine = ModuleType("mxnet")
    genuine.__file__ = "/somewhere/mxnet/__init__.py"
    monkeypatch.setitem(sys.modules, "mxnet", genuine)
    with pytest.raises(MXNetError, match=r"somewhere.*replace=True"):
        compat.install()
    assert not compat.installed()
    compat.install(replace=True)
    assert importlib.import_module("mxnet").__version__ == "1.9.1"
    compat.uninstall()
    assert importlib.import_module("mxnet") is genuine


def test_cells_see_through_the_name():
    body = (
        "import mxnet as mx\n"
        "from mxnet import nd\n"
        "y = mx.nd.ones((3, 4))\n"
        "z = nd.relu(mx.nd.dot(y, y.T) - mx.ndarray.op.sqrt(y).sum()).sum()\n"
    )
    shell = Shell()
    shell.run("%hybrid alias mxnet --replace")
    try:
        for _ in range(2):
            shell.hybridize(body)
            assert len(shell.report.segments) == 1
            assert shell.ns["z"].asscalar() == 0.0
    finally:
        assert "MXNet itself" in shell.run("%hybrid alias off").out
    assert "MXNet itself" in shell.run("%hybrid alias").out
    shell.run("%hybrid alias torch", fails=True)
