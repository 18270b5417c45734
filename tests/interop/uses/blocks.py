"""gluon: blocks, parameters, trainers, their files and hooks."""

from __future__ import annotations

import contextlib
import io
import tempfile
import warnings
from pathlib import Path

import numpy as np

from .common import attribute, numbers, raised


def _net(mx, prefix="net_"):
    net = mx.gluon.nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(3, in_units=4, activation="tanh"))
        net.add(mx.gluon.nn.Dense(2, in_units=3))
    net.initialize(mx.init.Constant(0.25))
    return net


def own(mx):
    class Twice(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.seen = []
            with self.name_scope():
                self.dense = mx.gluon.nn.Dense(2, in_units=3)

        def forward(self, x):
            return self.dense(x) * 2

    class Plus(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.w = self.params.get("w", shape=(3,), init=mx.init.One())

        def hybrid_forward(self, F, x, w):
            return F.broadcast_add(x, w)

    net, x = Twice(prefix="twice_"), mx.nd.array(numbers(2, 3))
    net.initialize(init=mx.init.One())
    seen = []
    first = net.register_forward_pre_hook(lambda block, given: seen.append("before"))
    net.register_forward_hook(lambda block, given, out: seen.append("after"))
    out = net(x)
    first.detach()
    net(x)
    net.apply(lambda block: seen.append(type(block).__name__))
    extra = mx.gluon.nn.Dense(1, in_units=1, prefix="extra_")
    net.register_child(extra, "extra")
    plus = Plus(prefix="plus_")
    plus.initialize()
    imperative = plus(x)
    plus.hybridize()
    direct = plus.forward(x)
    plus.register_child(mx.gluon.nn.Flatten())
    return {
        "out": out,
        "direct": net.forward(x),
        "seen": seen,
        "params": sorted(net.params.keys()),
        "name": [net.name, net.prefix],
        "all": sorted(net.collect_params().keys()),
        "children": sorted(net._children),
        "plus": plus(x),
        "imperative": imperative,
        "plus direct": direct,
        "chosen": sorted(net.collect_params(".*weight").keys()),
        "hybrid": plus.hybrid_forward(mx.nd, x, mx.nd.ones(3)),
    }


def told(mx):
    net, x = _net(mx), mx.nd.array(numbers(2, 4))
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        net.summary(x)
    seen = []
    net.register_op_hook(lambda *given: seen.append(1), monitor_all=False)
    net(x)
    lazy = mx.gluon.nn.Dense(2)
    lazy.initialize()
    lazy.infer_shape(x)
    net.infer_type(x)
    return {
        "counted": [line.split()[-1] for line in text.getvalue().splitlines() if "param" in line],
        "shape": lazy.weight.shape,
        "type": net[0].weight.dtype,
        "hooked": len(seen) >= 0,
    }


def cast(mx):
    net = _net(mx)
    net.cast("float64")
    other = mx.gluon.nn.Sequential()
    other.add(mx.gluon.nn.Dense(2, in_units=2))
    other.initialize()
    other.cast("float16")
    weight = other[0].weight
    weight.cast("float32")
    return {
        "dtype": net[0].weight.data(),
        "half": other[0].bias.data().dtype,
        "back": attribute(weight, "dtype"),
        "out": net(mx.nd.ones((1, 4), dtype="float64")),
    }


def files(mx):
    net, x = _net(mx), mx.nd.array(numbers(2, 4))
    held = {"out": net(x)}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = str(Path(folder) / "net")
        net.save_parameters(start + ".params")
        held["keys"] = sorted(mx.nd.load(start + ".params"))
        other = _net(mx, "other_")
        other.collect_params().initialize(mx.init.Zero(), force_reinit=True)
        other.load_parameters(start + ".params", ctx=mx.cpu(), cast_dtype=True)
        held["loaded"] = other(x)
        net.save_params(start + ".old")
        other.load_params(start + ".params")
        net.collect_params().save(start + ".dict", strip_prefix="net_")
        other.collect_params().load(start + ".dict", restore_prefix="other_")
        held["dict"] = other(x)
        net.hybridize()
        net(x)
        net.export(start, epoch=3)
        again = mx.gluon.SymbolBlock.imports(
            start + "-symbol.json", ["data"], start + "-0003.params"
        )
        held["imported"] = again(x)
        held["files"] = sorted(p.name for p in Path(folder).iterdir())
        net.save(start + "-whole")
        other.load(start + "-whole")
        held["whole"] = other(x)
    data = mx.sym.var("data")
    block = mx.gluon.SymbolBlock(mx.sym.exp(data) * 2, data)
    held["symbol"] = block(x)
    return held


def parameters(mx):
    p = mx.gluon.Parameter("p", shape=(2, 3), lr_mult=0.5, wd_mult=2.0, grad_req="add")
    p.initialize(init=mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
    with mx.autograd.record():
        y = (p.data(mx.cpu(0)) * 3).sum()
    y.backward()
    held = {
        "ctx": [str(c) for c in p.list_ctx()],
        "data": p.list_data()[1],
        "grads": [g.asnumpy().sum() for g in p.list_grad()],
        "grad": p.grad(mx.cpu(0)),
        "var": p.var().name,
        "shape": attribute(p, "shape"),
        "req": attribute(p, "grad_req"),
        "dtype": attribute(p, "dtype"),
        "mult": [p.lr_mult, p.wd_mult],
    }
    p.zero_grad()
    held["zeroed"] = p.list_grad()[0]
    p.reset_ctx(mx.cpu(0))
    p.set_data(mx.nd.ones((2, 3)) * 4)
    held["moved"] = [str(c) for c in p.list_ctx()]
    held["set"] = p.data()
    c = mx.gluon.Constant("c", mx.nd.array(numbers(2)))
    c.initialize()
    held["constant"] = c.data()
    held["constant req"] = c.grad_req
    lazy = mx.gluon.Parameter("lazy", shape=(0, 2), allow_deferred_init=True)
    lazy.initialize()
    kinds = (mx.gluon.DeferredInitializationError,)
    held["lazy"] = raised(lambda: lazy.data(), *kinds)
    held["kind"] = issubclass(mx.gluon.DeferredInitializationError, mx.MXNetError)
    return held


def dictionaries(mx):
    shared = mx.gluon.ParameterDict("a_")
    shared.get("w", shape=(2,), init="ones")
    params = mx.gluon.ParameterDict("b_", shared=shared)
    params.get("v", shape=(2, 2), init=mx.init.Constant(3))
    fixed = params.get_constant("c", [[1, 2]])
    params.update(shared)
    params.initialize(ctx=mx.cpu())
    params.setattr("lr_mult", 0.5)
    held = {
        "keys": sorted(params.keys()),
        "prefix": params.prefix,
        "items": len(list(params.items())),
        "values": len(list(params.values())),
        "ctx": [str(c) for c in params.list_ctx()],
        "mult": [p.lr_mult for p in params.values()],
        "fixed": fixed.data(),
    }
    with mx.autograd.record():
        y = (params["b_v"].data() * 2).sum()
    y.backward()
    params.zero_grad()
    held["grad"] = params["b_v"].grad()
    params.load_dict({"b_v": mx.nd.ones((2, 2))}, ctx=mx.cpu(), allow_missing=True)
    params.reset_ctx(mx.cpu(1))
    held["moved"] = [str(c) for c in params.list_ctx()]
    held["v"] = params["b_v"].data()
    return held


def trainers(mx):
    p = mx.gluon.Parameter("p", shape=(3,))
    p.initialize(mx.init.One())
    trainer = mx.gluon.Trainer([p], "sgd", {"learning_rate": 0.5, "momentum": 0.9}, kvstore=None)
    held = {"kind": type(trainer.optimizer).__name__, "rate": trainer.learning_rate}
    for step in range(3):
        with mx.autograd.record():
            y = (p.data() * mx.nd.array([1, 2, 3])).sum()
        y.backward()
        if step == 1:
            trainer.allreduce_grads()
            trainer.update(2)
        else:
            trainer.step(2)
    held["p"] = p.data()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "states")
        trainer.save_states(path)
        trainer.load_states(path)
    trainer.set_learning_rate(0.1)
    with mx.autograd.record():
        y = p.data().sum()
    y.backward()
    trainer.step(1, ignore_stale_grad=True)
    held["later"] = p.data()
    held["rate later"] = trainer.learning_rate
    return held


def utilities(mx):
    utils = mx.gluon.utils
    x = mx.nd.array(numbers(5, 2))
    arrays = [mx.nd.array(numbers(3)), mx.nd.array(numbers(2, 2))]
    norm = utils.clip_global_norm(arrays, 1.5)
    held = {
        "halves": [a.asnumpy().tolist() for a in utils.split_data(x, 2, even_split=False)],
        "loaded": utils.split_and_load(np.ones((4, 2)), [mx.cpu(0), mx.cpu(1)])[1],
        "uneven": raised(lambda: utils.split_data(x, 2), ValueError),
        "norm": np.float32(norm),
        "clipped": arrays[0],
        "lazy": utils.clip_global_norm(arrays, 9.0, check_isfinite=False),
    }
    with tempfile.TemporaryDirectory() as folder:
        path, other = Path(folder) / "a", Path(folder) / "b"
        path.write_bytes(b"text")
        held["sha1"] = utils.check_sha1(str(path), "372ea08cab33e71c02c651dbc83a474d32c676ea")
        held["other sha1"] = utils.check_sha1(str(path), "0" * 40)
        there = utils.download("http://localhost/a", path=str(path))
        held["there"] = there == str(path)
        utils.replace_file(str(path), str(other))
        held["replaced"] = [path.exists(), other.read_bytes().decode()]
    return held
