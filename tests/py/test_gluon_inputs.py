"""What blocks may be called with: None, nested lists, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, nd, sym
from jupyter_hybrid.gluon import nn

both = pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])


class Sum(nn.HybridBlock):
    """The sum of what there is."""

    def hybrid_forward(self, F, a, b=None, c=None):
        there = [x for x in (a, b, c) if x is not None]
        return sum(there[1:], there[0])


class Nested(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.inner = Sum()

    def hybrid_forward(self, F, a, rest):
        b, (c, d) = rest
        return self.inner(a, b), [None, F.split(self.inner(c, d), num_outputs=2, axis=0)]


def ones(value=1.0):
    return nd.ones((2,)) * value


@both
def test_inputs_that_are_none(hybridized):
    for args in [(ones(), None), (None, ones(2)), (ones(), ones(2)), (None, None, ones(3))]:
        block = Sum()
        block.hybridize(hybridized)
        wanted = sum(a.asnumpy() for a in args if a is not None)
        for _ in range(2):
            assert (block(*args).asnumpy() == wanted).all()
        if hybridized:
            assert len(block._cached.variables) == sum(a is not None for a in args)


@both
def test_nested_inputs_and_outputs(hybridized):
    block = Nested()
    block.hybridize(hybridized)
    for _ in range(2):
        first, (nothing, parts) = block(ones(), (ones(2), [None, ones(5)]))
        assert first.asnumpy().tolist() == [3, 3] and nothing is None
        assert [p.asnumpy().tolist() for p in parts] == [[5], [5]]


def test_a_compiled_block_is_called_as_it_was_compiled():
    block = Sum()
    block.hybridize()
    block(ones(), None)
    assert block(ones()).asnumpy().tolist() == [1, 1]  # what is left out is None
    with pytest.raises(ValueError, match="expected 1 inputs"):
        block(ones(), ones())
    with pytest.raises(ValueError, match="nested, or None, elsewhere"):
        block(None, ones())
    block.hybridize()
    assert block(None, ones()).asnumpy().tolist() == [1, 1]


@both
def test_no_arrays_and_mixed_ones_are_refused(hybridized):
    block = Sum()
    block.hybridize(hybridized)
    with pytest.raises(ValueError, match="expected NDArray or Symbol inputs, got NoneType"):
        block(None, None)
    for mixed in ((ones(), sym.var("a")), (sym.var("a"), ones())):
        with pytest.raises(ValueError, match="expected NDArrays or Symbols, got both"):
            block(*mixed)


def test_numbers_are_for_blocks_that_are_not_hybridized():
    block = Sum()
    assert block(ones(), 2).asnumpy().tolist() == [3, 3]
    block.hybridize()
    with pytest.raises(ValueError, match="takes NDArrays or Symbols, got int"):
        block(ones(), 2)


def test_a_number_for_a_layer_inside_a_hybridized_one():
    class Times(nn.HybridBlock):
        def hybrid_forward(self, F, x, factor):
            return x * factor

    class Outer(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.times = Times()

        def hybrid_forward(self, F, x):
            return self.times(x, 3)

    net = Outer()
    net.hybridize()
    assert net(nd.ones(2)).asnumpy().tolist() == [3, 3]


def test_what_is_not_used_is_told():
    class First(nn.HybridBlock):
        def hybrid_forward(self, F, a, b):
            return a * 2

    block = First()
    block.hybridize()
    with pytest.warns(UserWarning, match="input data1 is not used"):
        block(ones(), ones())


def test_infer_type_and_cast():
    layer = nn.Dense(3, in_units=2, dtype="float64")
    layer.infer_type(nd.ones((1, 2), dtype="float64"))
    assert layer.weight.dtype == layer.bias.dtype == np.float64
    with pytest.raises(MXNetError, match="given float32 and float64"):
        layer.infer_type(nd.ones((1, 2)))
    norm = nn.BatchNorm(in_channels=2)
    norm.cast("float16")
    assert norm.gamma.dtype == np.float32
    norm.cast("float64")
    assert norm.running_var.dtype == np.float64


def test_backends_are_told_about():
    layer = nn.Dense(3, in_units=2)
    layer.initialize()
    with pytest.raises(ValueError, match="give a backend's name"):
        layer.optimize_for(nd.ones((1, 2)))
    with pytest.warns(UserWarning, match="no backend 'MKLDNN' here"):
        layer.optimize_for(nd.ones((1, 2)), backend="MKLDNN", flag=True)
    assert layer._active and layer._cached is not None
    before = layer._cached
    layer.hybridize(clear=False)
    assert layer._cached is before
