"""Private names of MXNet's that libraries built on it import."""

import importlib
import pickle
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest

from jupyter_hybrid import context, nd, sym
from jupyter_hybrid.compat import mxnet as compat
from jupyter_hybrid.compat.mxnet import library_privates as privates
from jupyter_hybrid.gluon import loss, nn, rnn
from jupyter_hybrid.gluon.data import BatchSampler, SequentialSampler
from jupyter_hybrid.gluon.data.pool_iterator import PoolIterator


def test_they_are_found_where_mxnet_has_them(monkeypatch):
    monkeypatch.setattr(compat, "_genuine", lambda: None)
    compat.install()
    try:
        for (module, name), value in privates.NAMES.items():
            assert getattr(importlib.import_module(f"mxnet.{module}"), name) is value
    finally:
        compat.uninstall()


def test_where_files_lie(monkeypatch):
    monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    assert privates.repository_url().startswith("https://apache-mxnet")
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///here")
    assert privates.repository_file_url("gluon/x", "y.zip") == "file:///here/gluon/x/y.zip"


@pytest.mark.parametrize(
    ("sizes", "wanted"), [((2, 2, 4, 4), 2), ((4, 4, 2, 2), 3), ((2, 4, 4, 2), 1), ((), 2)]
)
def test_interpolation_by_the_sizes(sizes, wanted):
    assert privates.interpolation(9, sizes) == wanted


def test_other_interpolations():
    assert [privates.interpolation(i) for i in range(5)] == list(range(5))
    assert privates.interpolation(10) in range(5)
    with pytest.raises(ValueError, match="got 7"):
        privates.interpolation(7)


def test_nested_arguments_are_taken_apart_and_put_together():
    a, b, s = nd.ones(1), nd.ones(2), sym.Variable("s")
    two = sym.split(s, num_outputs=2)
    flat, fmt = privates.flatten([a, (b, None), [s], two], "input")
    assert fmt == [0, [0, -1], [0], 2] and flat[0] is a and flat[2] is None and flat[4] is two
    back, rest = privates.regroup([a, b, None, s, 7, 8, 9], fmt)
    assert back == [a, [b, None], [s], [7, 8]] and rest == [9]
    assert privates.flatten(a, "input") == ([a], 0) and privates.regroup([a], 0) == (a, [])
    with pytest.raises(ValueError, match=r"input of a hybrid block.*got 3 of type int"):
        privates.flatten([3], "input")
    with pytest.raises(ValueError, match="got -2"):
        privates.regroup([a], -2)


def test_weights_of_a_loss_and_shapes():
    loss = nd.array([[1, 2], [3, 4]])
    weighted = privates.apply_weighting(nd, loss, 0.5, nd.array([[2], [4]]))
    assert weighted.asnumpy().tolist() == [[1, 2], [6, 8]]
    assert privates.apply_weighting(nd, loss) is loss
    with pytest.raises(AssertionError, match="expected a number"):
        privates.apply_weighting(nd, loss, "2")
    assert privates.reshape_like(nd, loss, nd.zeros((4,))).shape == (4,)
    named = {"x": (2, 2), "y": (4,)}
    symbol = privates.reshape_like(sym, sym.Variable("x"), sym.Variable("y"))
    assert symbol.infer_shape(**named)[1] == [(4,)]


def test_nested_arrays_on_a_context():
    moved = privates.on_context([nd.ones(1), (nd.ones(2), "text")], context.cpu(1))
    assert moved[0].context == moved[1][0].context == context.cpu(1) and moved[1][1] == "text"


def test_private_names_of_blocks_and_parameters():
    """Subclasses in GluonNLP and GluonCV read and call them."""

    class Masked(loss.SoftmaxCELoss):
        def hybrid_forward(self, F, pred, label, length):
            assert self._sparse_label and self._axis == -1 and not self._from_logits
            picked = -F.pick(F.log_softmax(pred, axis=self._axis), label, axis=self._axis)
            return F.mean(F.SequenceMask(picked, length, True, axis=1), axis=1)

    out = Masked()(nd.zeros((2, 3, 4)), nd.zeros((2, 3)), nd.array([3, 1]))
    np.testing.assert_allclose(out.asnumpy(), np.log(4) * np.array([1, 1 / 3]), rtol=1e-6)
    assert loss.PoissonNLLLoss(compute_full=True)._compute_full
    net = nn.Dense(2)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3)))
    net._clear_cached_op()
    net.weight._load_init(nd.ones((2, 3)), None)
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


def test_states_are_made_by_a_function_of_nd():
    for make, value in ((nd.zeros, 0), (nd.ones, 1)):
        states = rnn.LSTMCell(3).begin_state(2, func=make)
        assert [s.asnumpy().tolist() for s in states] == [[[value] * 3] * 2] * 2
        assert make((1, 2), name="x").shape == (1, 2)


def batch(indices, batchify, dataset):
    if 5 in indices:
        raise KeyError(5)
    made = batchify([i if dataset is None else dataset[i] for i in indices])
    return pickle.dumps(made) if dataset is None else made


def numbers(n):
    return BatchSampler(SequentialSampler(n), 2, "keep")


@pytest.mark.parametrize("dataset", [None, range(0, 50, 10)])
def test_a_pool_makes_batches_in_order(dataset):
    with ThreadPool(2) as pool:
        batches = PoolIterator(pool, sum, numbers(5), worker_fn=batch, prefetch=2, dataset=dataset)
        assert len(batches) == 3 and batches.next() == (1 if dataset is None else 10)
        assert list(batches) == ([5, 4] if dataset is None else [50, 40])
        assert list(batches) == []


def test_an_error_of_a_batch_ends_the_pool():
    pool = ThreadPool(1)
    batches = PoolIterator(pool, sum, numbers(8), worker_fn=batch)
    assert next(batches) == 1 and next(batches) == 5
    with pytest.raises(KeyError):
        next(batches)
    with pytest.raises(ValueError, match="not running"):
        pool.apply(int)


def test_pinned_batches():
    with ThreadPool(1) as pool:
        batches = PoolIterator(
            pool, lambda part: [nd.array(part), 3], numbers(2), True, 0, batch, dataset=range(2)
        )
        [[array, three]] = list(batches)
        assert array.context == context.cpu_pinned() and three == 3
