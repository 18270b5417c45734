"""The operator RNN: against cells written in NumPy, dropout, lengths, symbols, bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, gluon, nd, random, sym

RNG = np.random.default_rng(3)
STEPS, BATCH, SIZE, HIDDEN = 4, 3, 2, 5
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def count(mode: str, layers: int = 1, ways: int = 1) -> int:
    inner = (layers - 1) * (ways * HIDDEN + HIDDEN + 2) + SIZE + HIDDEN + 2
    return ways * GATES[mode] * HIDDEN * inner


def arrays(mode: str, layers: int = 1, ways: int = 1, dtype: str = "float32") -> list[np.ndarray]:
    shapes = [(STEPS, BATCH, SIZE), (count(mode, layers, ways),)]
    shapes += [(layers * ways, BATCH, HIDDEN)] * (2 if mode == "lstm" else 1)
    return [(0.5 * RNG.normal(size=s)).astype(dtype) for s in shapes]


def run(mode: str, given: list, layers: int = 1, **attrs):
    given = [nd.array(a, dtype=a.dtype) for a in given]
    return nd.RNN(*given, mode=mode, state_size=HIDDEN, num_layers=layers, **attrs)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def step(mode: str, x, h, c, wx, wh, bx, bh):
    """One step of a cell: the new h and cells."""
    a, b = x @ wx.T + bx, h @ wh.T + bh
    if mode == "lstm":
        i, f, g, o = np.split(a + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (ar, az, an), (br, bz, bn) = np.split(a, 3, axis=1), np.split(b, 3, axis=1)
        z, n = sigmoid(az + bz), np.tanh(an + sigmoid(ar + br) * bn)
        return (1 - z) * n + z * h, c
    return (np.tanh(a + b) if mode == "rnn_tanh" else np.maximum(a + b, 0)), c


def weights(mode: str, parameters: np.ndarray) -> list[np.ndarray]:
    rows = GATES[mode] * HIDDEN
    wx, wh, rest = np.split(parameters, [rows * SIZE, rows * (SIZE + HIDDEN)])
    return [wx.reshape(rows, SIZE), wh.reshape(rows, HIDDEN), *np.split(rest, 2)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", GATES)
def test_is_the_cell_step_by_step(mode, dtype):
    given = arrays(mode, dtype=dtype)
    h, c = given[2][0], given[-1][0]
    expected = []
    for x in given[0]:
        h, c = step(mode, x, h, c, *weights(mode, given[1]))
        expected.append(h)
    found = run(mode, given, state_outputs=True)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found[0].asnumpy(), expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(found[1].asnumpy()[0], h, rtol=tolerance, atol=tolerance)
    if mode == "lstm":
        np.testing.assert_allclose(found[2].asnumpy()[0], c, rtol=tolerance, atol=tolerance)
    assert found[0].dtype is np.dtype(dtype).type and len(found) == (3 if mode == "lstm" else 2)


@pytest.mark.parametrize("mode", GATES)
def test_lengths_are_sequences_of_their_own(mode):
    """Both ways: what is padded is 0 and changes nothing, the second way begins at the end."""
    given, lengths = arrays(mode, 1, 2), np.array([4, 1, 2])
    found = nd.RNN(
        *[nd.array(a) for a in given], sequence_length=nd.array(lengths), mode=mode, num_layers=1,
        state_size=HIDDEN, bidirectional=True, state_outputs=True, use_sequence_length=True,
    )  # fmt: skip
    for n, length in enumerate(lengths):
        alone = [given[0][:length, n : n + 1], given[1], *[a[:, n : n + 1] for a in given[2:]]]
        expected = run(mode, alone, bidirectional=True, state_outputs=True)
        out = found[0].asnumpy()[:, n : n + 1]
        np.testing.assert_allclose(out[:length], expected[0].asnumpy(), rtol=1e-5, atol=1e-6)
        assert not out[length:].any()
        for a, b in zip(found[1:], expected[1:]):
            np.testing.assert_allclose(a.asnumpy()[:, n : n + 1], b.asnumpy(), rtol=1e-5, atol=1e-6)


def test_dropout_acts_between_layers_in_training_alone():
    given = arrays("gru", 2)
    plain = run("gru", given, 2).asnumpy()
    np.testing.assert_array_equal(run("gru", given, 2, p=0.5).asnumpy(), plain)
    with autograd.train_mode():
        random.seed(1)
        first = run("gru", given, 2, p=0.5).asnumpy()
        assert (run("gru", given, 2, p=0.5).asnumpy() != first).any()
        random.seed(1)
        np.testing.assert_array_equal(run("gru", given, 2, p=0.5).asnumpy(), first)
        np.testing.assert_array_equal(run("gru", arrays("gru")).shape, (STEPS, BATCH, HIDDEN))
    assert (first != plain).any()
    random.seed(2)
    before = nd.random.uniform(shape=(3,)).asnumpy()
    random.seed(2)
    run("gru", given, 2, p=0.5)  # outside training nothing is drawn
    np.testing.assert_array_equal(nd.random.uniform(shape=(3,)).asnumpy(), before)


def test_the_gradient_has_forwards_dropout():
    """With p = 1 the second layer reads zeros: no gradient reaches the data."""
    given = [nd.array(a) for a in arrays("gru", 2)]
    given[0].attach_grad()
    with autograd.record():
        out = nd.RNN(*given, mode="gru", state_size=HIDDEN, num_layers=2, p=1.0)
    out.backward()
    assert not given[0].grad.asnumpy().any()


def test_cells_are_clipped():
    given = arrays("lstm")
    limits = {"lstm_state_clip_min": -0.1, "lstm_state_clip_max": 0.2}
    cells = run("lstm", given, state_outputs=True, **limits)[2].asnumpy()
    assert cells.min() >= np.float32(-0.1) and cells.max() <= np.float32(0.2)
    given[0][0, 0, 0] = np.nan
    assert np.isnan(run("lstm", given, state_outputs=True, **limits)[2].asnumpy()).any()
    kept = run("lstm", given, state_outputs=True, lstm_state_clip_nan=True, **limits)[2]
    assert not np.isnan(kept.asnumpy()).any()


@pytest.mark.parametrize("steps", [0, 1])
def test_no_steps_and_no_sequences(steps):
    states = [nd.ones((1, 0, HIDDEN)), nd.ones((1, 2, HIDDEN))]
    for state in states:
        data, parameters = nd.zeros((steps, state.shape[1], SIZE)), nd.zeros((count("gru"),))
        parameters.attach_grad()
        with autograd.record():
            out = nd.RNN(data, parameters, state, mode="gru", state_size=HIDDEN, num_layers=1,
                         state_outputs=True)  # fmt: skip
        autograd.backward(out)
        assert out[0].shape == (steps, state.shape[1], HIDDEN)
        if steps == 0:
            np.testing.assert_array_equal(out[1].asnumpy(), state.asnumpy())
            assert not parameters.grad.asnumpy().any()


class Layer(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.parameters_ = self.params.get("parameters", shape=(count("lstm"),))

    def hybrid_forward(self, F, x, h, c, parameters_):
        out = F.RNN(x, parameters_, h, c, mode="lstm", state_size=HIDDEN, num_layers=1,
                    state_outputs=True)  # fmt: skip
        return F.SequenceLast(out[0]) + F.squeeze(out[1], axis=0)


def test_hybridized_and_in_a_cell_bit_for_bit():
    net, given = Layer(), [nd.array(a) for a in arrays("lstm")]
    net.initialize()
    net.parameters_.set_data(given.pop(1))
    results = []
    for active in (False, True):
        net.hybridize(active)
        with autograd.record():
            out = net(*given)
        out.backward()
        results.append((out.asnumpy(), net.parameters_.grad().asnumpy()))
    shell = Shell()
    shell.ns.update(net=net, given=given, autograd=autograd)
    shell.hybridize("with autograd.record():\n    out = net(*given)\nout.backward()\n")
    results.append((shell.ns["out"].asnumpy(), net.parameters_.grad().asnumpy()))
    for out, grad in results[1:]:
        np.testing.assert_array_equal(out, results[0][0])
        np.testing.assert_array_equal(grad, results[0][1])
    assert shell.report.kernels


def test_symbols_name_and_infer_as_mxnets():
    r = sym.RNN(sym.var("data"), state_size=3, num_layers=2, mode="lstm", name="r",
                bidirectional=True, state_outputs=True)  # fmt: skip
    assert r.list_arguments() == ["data", "r_parameters", "r_state", "r_state_cell"]
    assert r.list_outputs() == ["r_output", "r_state_output", "r_statecell_output"]
    inner, out, _ = r.infer_shape(data=(5, 2, 4))
    assert inner == [(5, 2, 4), (480,), (4, 2, 3), (4, 2, 3)]
    assert out == [(5, 2, 6), (4, 2, 3), (4, 2, 3)]
    g = sym.RNN(sym.var("data"), state_size=3, num_layers=1, mode="gru", name="g",
                use_sequence_length=True)  # fmt: skip
    assert g.list_arguments() == ["data", "g_parameters", "g_state", "g_sequence_length"]
    assert g.list_outputs() == ["g_output"]
    read = sym.load_json(g.tojson())
    assert read.list_arguments() == g.list_arguments() and read.tojson() == g.tojson()
    node = json.loads(g.tojson())["nodes"][-1]
    assert node["op"] == "RNN" and node["attrs"]["mode"] == "gru"


@pytest.mark.parametrize(
    ("attrs", "said"),
    [
        ({"state_size": 0}, "state_size 0"),
        ({"num_layers": -1}, "num_layers -1"),
        ({"mode": "lstn"}, "'lstn', expected one of rnn_relu|rnn_tanh|lstm|gru"),
        ({"p": 1.5}, "p 1.5"),
        ({"state_size": 2**40, "num_layers": 2**40}, "num_layers"),
        ({"state_size": 2**40}, "state"),
        ({"projection_size": 2}, "mode lstm"),
        ({"lstm_state_clip_min": 1.0}, "both or none"),
        ({"num_layers": 3}, "(3, 3, 5)"),
        ({"use_sequence_length": True}, "sequence_length"),
        ({"state_size": None}, "state_size"),
    ],
)
def test_bad_attributes_are_named(attrs, said):
    given = [nd.array(a) for a in arrays("gru")]
    attrs = {"mode": "gru", "state_size": HIDDEN, "num_layers": 1, **attrs}
    with pytest.raises((MXNetError, TypeError), match="RNN") as error:
        nd.RNN(*given, **attrs)
    assert said in str(error.value)


def test_bad_arrays_are_named():
    data, parameters, state = [nd.array(a) for a in arrays("gru")]
    attrs = {"mode": "gru", "state_size": HIDDEN, "num_layers": 1}
    for given, said in [
        ((data, parameters[:-1], state), "parameters"),
        ((data[0], parameters, state), "data"),
        ((data, parameters, state[:, :2]), "state"),
        ((data, parameters.astype("float64"), state), "float64"),
        ((data, parameters), "state"),
        ((data.astype("int32"), parameters.astype("int32"), state.astype("int32")), "int32"),
    ]:
        with pytest.raises((MXNetError, TypeError), match="RNN") as error:
            nd.RNN(*given, **attrs)
        assert said in str(error.value), error.value
    with pytest.raises(MXNetError, match="sequence_length 9, expected 0 to 4"):
        nd.RNN(data, parameters, state, None, nd.array([9, 1, 1]), use_sequence_length=True,
               **attrs).wait_to_read()  # fmt: skip


def test_a_second_derivative_is_refused():
    given = [nd.array(a) for a in arrays("gru")]
    given[0].attach_grad()
    with autograd.record():
        out = nd.RNN(*given, mode="gru", state_size=HIDDEN, num_layers=1)
        slope = autograd.grad((out * out).sum(), [given[0]], create_graph=True)[0]
        total = (slope * slope).sum()
    with pytest.raises(MXNetError, match="rnn_grad: has no gradient of its own"):
        total.backward()
