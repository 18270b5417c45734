"""Recurrent cells: first states, modifiers, sequences as lists and arrays, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, nd, sym
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


# Layers -------------------------------------------------------------------------------------------
LENGTHS = nd.array([3, 2])


def same_as_cells(layer, x, **options):
    """The layer's outputs and states, compared with those of a stack of cells."""
    states = [s + 0.5 for s in layer.begin_state(batch_size=2)]
    cells = layer._unfuse()
    given = [s for i in range(states[0].shape[0]) for s in (state[i] for state in states)]
    length = [options["valid_length"]] if options else []
    outputs, after = layer(x, states, *length)
    wanted, last = cells.unroll(3, x, given, merge_outputs=True, **options)
    np.testing.assert_allclose(outputs.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
    rows = [s.asnumpy() for i in range(after[0].shape[0]) for s in (state[i] for state in after)]
    for got, expected in zip(rows, last, strict=True):
        np.testing.assert_allclose(got, expected.asnumpy(), rtol=1e-5, atol=1e-6)


@both
@pytest.mark.parametrize("kind", [rnn.RNN, rnn.LSTM, rnn.GRU])
def test_layers_are_stacks_of_cells(kind, hybridized):
    for options in ({}, {"bidirectional": True}):
        layer = kind(5, 2, layout="NTC", **options)
        layer.initialize("normal")
        layer.hybridize(hybridized)
        assert layer(X).shape == (2, 3, 5 * (1 + len(options)))
        same_as_cells(layer, X)
        layer = kind(5, layout="NTC", use_sequence_length=True, input_size=4, **options)
        layer.initialize("normal")
        layer.hybridize(hybridized)
        same_as_cells(layer, X, valid_length=LENGTHS)


def test_parameters_of_layers_in_files(tmp_path):
    layer = rnn.LSTM(5, 2, bidirectional=True, input_size=4, prefix="a_")
    assert list(layer.collect_params())[:5] == [
        "a_l0_i2h_weight", "a_l0_h2h_weight", "a_l0_i2h_bias", "a_l0_h2h_bias", "a_r0_i2h_weight",
    ]  # fmt: skip
    assert "_unfused.1.r_cell.h2h_bias" in layer.structured_params()
    assert next(iter(rnn.GRU(3).structured_params("x."))) == "x._unfused.0.i2h_weight"
    assert repr(layer) == "LSTM(4 -> 5, TNC, num_layers=2, bidirectional)"
    layer.initialize("normal")
    layer.save_parameters(str(tmp_path / "a"))
    again = rnn.LSTM(5, 2, bidirectional=True)
    again.load_parameters(str(tmp_path / "a"))
    np.testing.assert_array_equal(again(X).asnumpy(), layer(X).asnumpy())


def test_projections_and_limits():
    layer = rnn.LSTM(6, projection_size=3, state_clip_min=-0.1, state_clip_max=0.1)
    layer.initialize("normal")
    outputs, states = layer(X, layer.begin_state(batch_size=3))
    assert outputs.shape == (2, 3, 3) and [s.shape for s in states] == [(1, 3, 3), (1, 3, 6)]
    assert abs(states[1].asnumpy()).max() <= np.float32(0.1)
    with pytest.raises(AssertionError, match="cells have no projection"):
        layer._unfuse()
    cell = contrib.rnn.LSTMPCell(6, 3, params=layer.params, prefix="")
    assert cell.state_info(2)[0]["shape"] == (2, 3)


@both
def test_layers_inside_a_net_learn_their_sizes(hybridized):
    net = nn.HybridSequential()
    net.add(nn.Dense(5, flatten=False), rnn.LSTM(4, layout="NTC"), nn.Dense(2))
    net.initialize("normal")
    net.hybridize(hybridized)
    with autograd.record():
        loss = net(X).sum()
    loss.backward()
    assert net[1].l0_i2h_weight.shape == (16, 5) and net[2].weight.shape == (2, 12)
    assert abs(net[0].weight.grad().asnumpy()).sum() > 0
    net.hybridize(not hybridized)
    np.testing.assert_allclose(net(X).sum().asscalar(), loss.asscalar(), rtol=1e-5)


def test_states_of_another_shape_are_refused():
    layer = rnn.GRU(4, input_size=4, layout="NTC")
    layer.initialize()
    with pytest.raises(ValueError, match=r"states: expected shapes \[\(1, 2, 4\)\], got"):
        layer(X, nd.ones((1, 3, 4)))
    with pytest.raises(AssertionError, match="layout: expected 'TNC' or 'NTC', got 'NCT'"):
        rnn.GRU(4, layout="NCT")
    with pytest.raises(AssertionError, match="expected 'relu' or 'tanh', got 'elu'"):
        rnn.RNN(4, activation="elu")


@pytest.mark.parametrize("valid_length", [None, LENGTHS], ids=["whole", "lengths"])
def test_a_loop_of_the_graph(valid_length):
    cell = rnn.LSTMCell(4, input_size=4)
    cell.initialize("normal")
    states = cell.begin_state(batch_size=2)
    outputs, after = contrib.rnn.dynamic_unroll(
        cell, X, states, layout="NTC", valid_length=valid_length
    )
    wanted, last = cell.unroll(3, X, states, merge_outputs=True, valid_length=valid_length)
    np.testing.assert_allclose(outputs.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
    for got, expected in zip(after, last, strict=True):
        np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_layer_says_how_many_axes_it_takes():
    layer = rnn.LSTM(4)
    layer.initialize()
    with pytest.raises(MXNetError, match=r"expected inputs of 3 axes \(TNC\), got shape \(2, 3\)"):
        layer(nd.ones((2, 3)))
