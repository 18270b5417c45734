"""BatchNorm folded into convolutions: in fast mode alone, within a bound, with its reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_hybrid import _core, autograd, nd, sym
from jupyter_hybrid.gluon import nn


def compiled(symbol: Any, shapes: dict[str, tuple[int, ...]], dtype: str = "float32", **options):
    inferred = symbol._infer(shapes, {})[0]
    return _core.compile(symbol.graph(), inferred, [dtype] * len(inferred), **options)


def arrays_of(symbol: Any, shapes: dict[str, tuple[int, ...]], dtype: str, seed: int) -> list[Any]:
    """Arrays in the order of inputs; variances between 0.5 and 2."""
    rng = np.random.default_rng(seed)
    made = []
    for name, shape in zip(symbol.list_inputs(), symbol._infer(shapes, {})[0], strict=True):
        values = rng.uniform(0.5, 2, shape) if name.endswith("var") else rng.normal(size=shape)
        made.append(nd.array(values.astype(dtype), dtype=dtype))
    return made


def normed(x: Any, name: str, filters: int, **options: Any) -> Any:
    conv = {"kernel": (3, 3), "pad": (1, 1), "num_filter": filters, "no_bias": True}
    conv.update({k: options.pop(k) for k in ("no_bias", "num_group") if k in options})
    y = sym.Convolution(x, name=f"conv{name}", **conv)
    return sym.BatchNorm(y, name=f"bn{name}", **{"fix_gamma": False, **options})


def stage_of(made: Any) -> Any:
    return next(s for s in made.stages if s.name == "bn_fold")


def ops(made: Any) -> list[str]:
    return [m.op for n in made.program.graph.nodes for m in (n.members or [n]) if m.op]


@pytest.mark.parametrize("spatial", [1, 3])
def test_convolutions_of_series_and_volumes_take_it_too(spatial):
    shapes = {"x": (2, 3, *(6,) * spatial)}
    y = sym.Convolution(sym.var("x"), kernel=(2,) * spatial, num_filter=4, name="conv")
    y = sym.BatchNorm(y, fix_gamma=False, name="bn")
    arrays = arrays_of(y, shapes, "float64", 1)
    exact, fast = compiled(y, shapes, "float64"), compiled(y, shapes, "float64", fast=True)
    assert "BatchNorm" in ops(exact) and "BatchNorm" not in ops(fast)
    want, got = (made.program.run(arrays)[0].asnumpy() for made in (exact, fast))
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_random_nets_stay_within_the_bound(seed):
    rng = np.random.default_rng(seed)
    x = sym.var("x")
    shapes = {"x": (3, 4, 20, 17)}
    for i in range(int(rng.integers(1, 4))):
        x = normed(
            x,
            str(i),
            int(rng.choice([4, 6, 8])),
            fix_gamma=bool(rng.integers(2)),
            no_bias=bool(rng.integers(2)),
            num_group=int(rng.choice([1, 2])),
        )
        x = sym.relu(x) if rng.integers(2) else x
    dtype = "float64" if seed % 3 == 0 else "float32"
    arrays = arrays_of(x, shapes, dtype, seed)
    exact, fast = compiled(x, shapes, dtype), compiled(x, shapes, dtype, fast=True)
    assert "BatchNorm" in ops(exact) and "BatchNorm" not in ops(fast)
    stage = stage_of(fast)
    assert {c.action for c in stage.changes} == {"added", "folded", "rewritten"}
    steps = {c.step for c in stage.changes}
    assert len(steps) == ops(exact).count("BatchNorm")
    before = fast.stages[[s.name for s in fast.stages].index("bn_fold") - 1].graph
    changed = {n.id for n in before.nodes} ^ {n.id for n in stage.graph.nodes}
    assert changed <= {i for c in stage.changes for i in (c.node, c.into)}
    ids = [n.id for n in stage.graph.nodes]
    assert len(ids) == len(set(ids))
    written = {n.id for n in fast.stages[0].graph.nodes}
    assert all(set(n.origins) <= written for n in stage.graph.nodes)
    want, got = (m.program.run(arrays)[0].asnumpy() for m in (exact, fast))
    # A sum of k products in another order: k roundings of its largest term, for each layer.
    bound = (3e-5 if dtype == "float32" else 1e-12) * np.abs(want).max()
    assert np.abs(want - got).max() <= bound


def kept(symbol: Any, shapes: dict[str, tuple[int, ...]], **options: Any) -> str:
    stage = stage_of(compiled(symbol, shapes, fast=True, **options))
    assert not stage.changed
    return "; ".join(c.why for c in stage.changes)


def test_what_is_not_folded_says_why():
    shapes = {"x": (2, 4, 16, 16)}
    x = sym.var("x")
    net = normed(x, "0", 4)
    assert "statistics are the batch's" in kept(net, shapes, training=True)
    assert "not a convolution's result" in kept(sym.BatchNorm(sym.relu(x)), shapes)
    assert "used elsewhere" in kept(sym.Group([net, net.get_internals()["conv0_output"]]), shapes)
    assert "more weights" in kept(net, {"x": (1, 4, 2, 2)})
    stage = stage_of(compiled(net, shapes))
    assert not stage.changed and "only with fast" in stage.why_skipped
    off = stage_of(compiled(net, shapes, fast=True, without=["bn_fold"]))
    assert off.why_skipped == "switched off"


def test_blocks_in_fast_mode():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    net.initialize()
    x = nd.array(np.random.default_rng(0).normal(size=(2, 3, 16, 16)).astype("float32"))
    with autograd.record():
        net(x)
    expected = net(x).asnumpy()
    net.hybridize(fast=True)
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    report = net._cached.graph.report()
    assert any(s.name == "bn_fold" and s.changed for s in report.stages)
    with autograd.record():  # training is as it was
        trained = net(x)
    assert np.isfinite(trained.asnumpy()).all()
