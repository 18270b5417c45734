"""Recurrent cells: first states, modifiers, sequences as lists and arrays, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import autograd, nd, sym
from jupyter_hybrid.gluon import contrib, nn, rnn

X = nd.array(np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32"))
both = pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])


class Net(nn.HybridBlock):
    def __init__(self, cell, **options):
        super().__init__()
        self.cell, self.options = cell, options

    def hybrid_forward(self, F, x):
        return self.cell.unroll(3, x, **self.options)[0]


@both
def test_states_are_zeros_unless_given(hybridized):
    stack = rnn.HybridSequentialRNNCell()
    for cell in (rnn.LSTMCell(5), rnn.DropoutCell(0.0), rnn.GRUCell(4)):
        stack.add(cell)
    net = Net(stack, merge_outputs=True)
    net.initialize("normal")
    net.hybridize(hybridized)
    states = stack.begin_state(batch_size=2)
    assert [s.shape for s in states] == [(2, 5), (2, 5), (2, 4)]
    wanted = stack.unroll(3, X, states, merge_outputs=True)[0].asnumpy()
    np.testing.assert_allclose(net(X).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    x, steps = X, []
    for i in range(3):
        out, states = stack(x[:, i, :], states)
        steps.append(out.asnumpy())
    np.testing.assert_allclose(np.stack(steps, 1), wanted, rtol=1e-5, atol=1e-6)


def test_first_states_by_other_functions():
    cell = rnn.LSTMCell(5, prefix="a_")
    ones = cell.begin_state(batch_size=2, func=nd.ones, dtype="float64")
    assert ones[0].asnumpy().sum() == 10 and ones[0].dtype == np.float64
    names = [s.name for s in cell.begin_state(func=sym.var)]
    assert names == ["a_begin_state_2", "a_begin_state_3"]
    seen = []
    cell.begin_state(batch_size=3, func=lambda shape, **more: seen.append((shape, more)))
    assert seen[0] == ((3, 5), {"name": "a_begin_state_4", "__layout__": "NC"})


def test_modifiers_stand_around_a_cell():
    base = rnn.RNNCell(4, prefix="base_")
    residual = rnn.ResidualCell(base)
    assert list(residual.collect_params()) == list(base.collect_params())
    residual.initialize("normal")
    alone = rnn.RNNCell(4, params=base.params)
    out = residual.unroll(3, X, merge_outputs=True)[0].asnumpy()
    wanted = alone.unroll(3, X, merge_outputs=True)[0].asnumpy() + X.asnumpy()
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)
    for wrong in (base.begin_state, lambda: rnn.ZoneoutCell(base)):
        with pytest.raises(AssertionError, match="a modifier cell, such as ZoneoutCell, stands"):
            wrong()
    assert residual.begin_state(batch_size=2)[0].shape == (2, 4)


def test_zoneout_keeps_former_values():
    cell = rnn.ZoneoutCell(rnn.RNNCell(500), zoneout_outputs=0.5, zoneout_states=0.25)
    cell.initialize("normal")
    with autograd.record():
        outputs, _ = cell.unroll(2, X[:, :2, :])
    first, second = (o.asnumpy() for o in outputs)
    assert abs((first == 0).mean() - 0.5) < 0.06  # nothing came before
    assert abs((first == second).mean() - 0.5) < 0.06
    with pytest.raises(AssertionError, match="a bidirectional cell has no step"):
        rnn.ZoneoutCell(rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2)))


@pytest.mark.parametrize(
    "drop", [{"drop_inputs": 0.5}, {"drop_states": 0.5}, {"drop_outputs": 0.5}]
)
def test_variational_dropout_has_one_mask(drop):
    cell = contrib.rnn.VariationalDropoutCell(rnn.RNNCell(100), **drop)
    cell.initialize("normal")
    with autograd.record():
        outputs, _ = cell.unroll(3, X, merge_outputs=False)
    zeros = [o.asnumpy() == 0 for o in outputs]
    if "drop_outputs" in drop:
        assert 0.3 < zeros[0].mean() < 0.7
    for other in zeros[1:]:
        assert (other == zeros[0]).all()
    assert cell.unroll(3, X, merge_outputs=True)[0].shape == (2, 3, 100)


def test_what_does_not_fit_is_named():
    cell = rnn.RNNCell(4)
    cell.initialize()
    with pytest.raises(
        AssertionError, match=r"expected 5 steps along axis 1, got shape \(2, 3, 4\)"
    ):
        cell.unroll(5, X)
    with pytest.raises(AssertionError, match="expected 5 steps, got a list of 1"):
        cell.unroll(5, [X[:, 0, :]])
    with pytest.raises(AssertionError, match="of a layout with N and T, got 'NC'"):
        cell.unroll(3, X, layout="NC")
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2)))
    with pytest.raises(AssertionError, match="has no step; use unroll"):
        stack(X[:, 0, :], stack.begin_state(batch_size=2))
    with pytest.raises(AssertionError, match=r"h2h_kernel: expected odd numbers, got 2"):
        contrib.rnn.Conv1DRNNCell((1, 3), 2, 3, 2)


def test_printed_cells():
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.LSTMCell(3, input_size=2))
    stack.add(rnn.ZoneoutCell(rnn.RNNCell(3), 0.1))
    assert repr(stack) == (
        "SequentialRNNCell(\n(0): LSTMCell(2 -> 12)\n"
        "(1): ZoneoutCell(p_out=0.1, p_state=0.0, RNNCell(None -> 3, tanh))\n)"
    )
    assert repr(contrib.rnn.Conv1DGRUCell((2, 6), 3, 3, 3)) == "Conv1DGRUCell(2 -> 9, tanh, NCW)"
