"""Epilogues: the kernels of FullyConnected and Convolution go on elementwise, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_hybrid import _core, autograd, gluon, nd, random, sym
from jupyter_hybrid.gluon import nn


def compiled(symbol: Any, shapes: dict[str, tuple[int, ...]], dtype: str = "float32", **options):
    given = dict(zip(symbol.list_inputs(), symbol._infer(shapes, {})[0], strict=True))
    names = symbol.list_inputs()
    return _core.compile(symbol.graph(), [given[n] for n in names], [dtype] * len(names), **options)


def arrays_of(symbol: Any, shapes: dict[str, tuple[int, ...]], dtype: str, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    inferred = symbol._infer(shapes, {})[0]
    return [nd.array(rng.normal(size=s).astype(dtype), dtype=dtype) for s in inferred]


def kernels(program: Any) -> list[list[str]]:
    return [[m.op for m in n.members] or [n.op] for n in program.graph.nodes if n.kind != "input"]


def bits(arrays: list[Any]) -> list[bytes]:
    return [a.asnumpy().tobytes() for a in arrays]


def layer() -> Any:
    x = sym.FullyConnected(sym.var("x"), num_hidden=7, name="fc")
    return sym.relu(x * 2 + sym.var("r"))


def test_a_layer_is_one_kernel_that_says_so():
    shapes = {"x": (4, 5), "r": (4, 7)}
    one = compiled(layer(), shapes)
    assert kernels(one.program) == [["FullyConnected", "mul_scalar", "add", "relu"]]
    stage = next(s for s in one.stages if s.name == "epilogue")
    assert stage.changed
    assert {c.action for c in stage.changes} == {"fused"}
    assert any("never written to memory" in c.why for c in stage.changes)
    assert "FullyConnected" in str(stage.graph) and "# one kernel:" in str(stage.graph)
    node = stage.graph.nodes[-1]
    assert [m.id for m in node.members] == sorted(node.origins)
    plain = compiled(layer(), shapes, without=["epilogue"])
    assert len(kernels(plain.program)) == 2
    arrays = arrays_of(layer(), shapes, "float32", 0)
    assert bits(one.program.run(arrays)) == bits(plain.program.run(arrays))
    assert one.program.plan.planned_bytes <= plain.program.plan.planned_bytes


def reasons(symbol: Any, shapes: dict[str, tuple[int, ...]], **options: Any) -> str:
    stage = next(s for s in compiled(symbol, shapes, **options).stages if s.name == "epilogue")
    assert not stage.changed
    return "; ".join(c.why for c in stage.changes if c.action == "kept")


def test_what_is_not_fused_says_why():
    fc = sym.FullyConnected(sym.var("x"), num_hidden=7, name="fc")
    shapes = {"x": (4, 5)}
    assert "is a result itself" in reasons(sym.Group([fc, sym.relu(fc)]), shapes)
    assert "no elementwise operator" in reasons(sym.softmax(fc), shapes)
    twice = sym.Group([sym.softmax(fc), sym.relu(fc)])
    assert "read by 2 operators" in reasons(twice, shapes)
    wider = sym.broadcast_add(fc, sym.var("b", shape=(3, 4, 7)))
    assert "another shape or type" in reasons(wider, shapes)
    assert "another shape or type" in reasons(sym.cast(fc, dtype="float64"), shapes)


def test_of_two_products_the_later_is_finished():
    a = sym.FullyConnected(sym.var("x"), num_hidden=7, name="a")
    b = sym.FullyConnected(sym.var("y"), num_hidden=7, name="b")
    both = sym.relu(a + b)
    shapes = {"x": (4, 5), "y": (4, 6)}
    made = compiled(both, shapes)
    assert sorted(len(k) for k in kernels(made.program)) == [1, 3]
    stage = next(s for s in made.stages if s.name == "epilogue")
    assert any(c.action == "kept" and "comes later" in c.why for c in stage.changes)
    plain = compiled(both, shapes, without=["epilogue"])
    arrays = arrays_of(both, shapes, "float32", 1)
    assert bits(made.program.run(arrays)) == bits(plain.program.run(arrays))


def random_net(rng: np.random.Generator) -> tuple[Any, dict[str, tuple[int, ...]]]:
    """Convolutions and dense layers with chains of elementwise work between them."""
    batch, channels = int(rng.integers(1, 4)), int(rng.integers(1, 9))
    height, width = (int(v) for v in rng.integers(5, 24, 2))
    shapes = {"x": (batch, channels, height, width)}
    x = sym.var("x")
    known = []

    def chain(y: Any) -> Any:
        for _ in range(int(rng.integers(0, 5))):
            kind = rng.integers(0, 6)
            if kind == 0:
                y = sym.relu(y)
            elif kind == 1:
                y = y * float(rng.normal())
            elif kind == 2:
                y = sym.tanh(y)
            elif kind == 3:
                y = sym.broadcast_add(y, sym.var(f"v{rng.integers(1 << 30)}", shape=(1,)))
            elif kind == 4 and known and known[-1][1] == len(known[-1][0].list_inputs()):
                y = y + known[-1][0]
            else:
                y = sym.maximum(y, -0.5) - sym.square(y)
        return y

    for i in range(int(rng.integers(1, 4))):
        kernel = int(rng.choice([1, 3]))
        groups = int(rng.choice([1, 1, 2]))
        filters = 2 * int(rng.integers(1, 6))
        groups = groups if channels % groups == 0 else 1
        y = sym.Convolution(
            x,
            kernel=(kernel, kernel),
            pad=(kernel // 2, kernel // 2),
            num_filter=filters,
            num_group=groups,
            no_bias=bool(rng.integers(2)),
            name=f"conv{i}",
        )
        if filters == channels and rng.integers(2):
            y = y + x  # residual
        scale = sym.var(f"scale{i}", shape=(filters, 1, 1))
        x = chain(sym.broadcast_mul(y, scale) if rng.integers(2) else y)
        channels = filters
    for i in range(int(rng.integers(1, 3))):
        hidden = int(rng.integers(1, 40))
        x = chain(
            sym.FullyConnected(x, num_hidden=hidden, no_bias=bool(rng.integers(2)), name=f"fc{i}")
        )
    return x, shapes


@pytest.mark.parametrize("seed", range(40))
def test_random_nets_keep_every_bit(seed):
    rng = np.random.default_rng(seed)
    net, shapes = random_net(rng)
    dtype = "float64" if seed % 4 == 0 else "float32"
    arrays = arrays_of(net, shapes, dtype, seed)
    with_them, without = (compiled(net, shapes, dtype, without=w) for w in ([], ["epilogue"]))
    assert bits(with_them.program.run(arrays)) == bits(without.program.run(arrays))
    ids = [n.id for n in with_them.program.graph.nodes]
    assert len(set(ids)) == len(ids)
    written = {n.id for n in with_them.stages[0].graph.nodes}
    for node in with_them.program.graph.nodes:
        members = {m.id for m in node.members}
        assert members <= set(node.origins) or not members
        assert members <= written
    stage = next(s for s in with_them.stages if s.name == "epilogue")
    assert bits(stage.graph.run(arrays)) == bits(without.program.run(arrays))


@pytest.mark.parametrize("hybridize", [{}, {"without": ["epilogue"]}], ids=["fused", "plain"])
def test_training_keeps_every_bit(hybridize):
    def run(options: dict[str, Any] | None) -> list[bytes]:
        random.seed(1)
        net = nn.HybridSequential()
        net.add(
            nn.Conv2D(6, 3, activation="relu"),
            nn.BatchNorm(),
            nn.Dense(9, activation="tanh"),
            nn.Dense(3),
        )
        net.initialize()
        if options is not None:
            net.hybridize(**options)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        x = nd.array(np.random.default_rng(0).normal(size=(4, 3, 8, 8)).astype("float32"))
        for _ in range(2):
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            trainer.step(4)
        return bits([net(x), loss, *(p.data() for p in net.collect_params().values())])

    assert run(None) == run(hybridize)


def test_views_into_a_product_are_copied_first():
    x = sym.transpose(sym.var("x"))
    net = sym.relu(sym.FullyConnected(x, num_hidden=3, name="fc"))
    shapes = {"x": (5, 4)}
    arrays = arrays_of(net, shapes, "float32", 3)
    expected = nd.relu(nd.FullyConnected(arrays[0].T, *arrays[1:], num_hidden=3))
    assert bits(compiled(net, shapes).program.run(arrays)) == bits([expected])
