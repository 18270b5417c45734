"""Losses against NumPy: values, weights, axes, gradients; imperatively and hybridized."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, nd
from jupyter_hybrid.gluon import loss as gloss

RNG = np.random.default_rng(5)
both = pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])


def values(loss, hybridized, *arrays):
    if hybridized:
        loss.hybridize()
    return loss(*[nd.array(a) for a in arrays]).asnumpy()


def log_softmax(x, axis=-1):
    x = x.astype(np.float64)
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


@both
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_l2(weight, hybridized):
    pred, label = RNG.normal(size=(2, 4, 3, 2))
    sample = RNG.uniform(size=(4, 1, 1))
    expected = weight / 2 * np.square(pred - label)
    out = values(gloss.L2Loss(weight), hybridized, pred, label)
    np.testing.assert_allclose(out, expected.mean((1, 2)), rtol=1e-5)
    out = values(gloss.L2Loss(weight), hybridized, pred, label, sample)
    np.testing.assert_allclose(out, (expected * sample).mean((1, 2)), rtol=1e-5)


@both
def test_labels_take_the_shape_of_the_prediction(hybridized):
    pred, label = RNG.normal(size=(5, 1)), RNG.normal(size=5)
    out = values(gloss.L2Loss(), hybridized, pred, label)
    np.testing.assert_allclose(out, np.square(pred[:, 0] - label) / 2, rtol=1e-5)


@both
def test_l1_and_the_batch_axis(hybridized):
    pred, label = RNG.normal(size=(2, 4, 3))
    out = values(gloss.L1Loss(), hybridized, pred, label)
    np.testing.assert_allclose(out, np.abs(pred - label).mean(1), rtol=1e-5)
    out = values(gloss.L1Loss(weight=2.0, batch_axis=1), hybridized, pred, label)
    np.testing.assert_allclose(out, 2 * np.abs(pred - label).mean(0), rtol=1e-5)


@both
def test_softmax_cross_entropy(hybridized):
    pred, label = RNG.normal(size=(6, 4)) * 5, np.array([0, 3, 1, 1, 2, 0])
    expected = -log_softmax(pred)[np.arange(6), label]
    out = values(gloss.SoftmaxCrossEntropyLoss(), hybridized, pred, label)
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    out = values(gloss.SoftmaxCELoss(from_logits=True), hybridized, log_softmax(pred), label)
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    dense = RNG.dirichlet(np.ones(4), 6)
    out = values(gloss.SoftmaxCrossEntropyLoss(sparse_label=False), hybridized, pred, dense)
    np.testing.assert_allclose(out, -(dense * log_softmax(pred)).sum(1), rtol=1e-5)


@both
def test_softmax_cross_entropy_of_pixels(hybridized):
    pred, label = RNG.normal(size=(2, 3, 4, 5)), RNG.integers(0, 3, (2, 4, 5))
    picked = np.take_along_axis(log_softmax(pred, 1), label[:, None], 1)
    out = values(gloss.SoftmaxCrossEntropyLoss(axis=1), hybridized, pred, label)
    np.testing.assert_allclose(out, -picked.mean((1, 2, 3)), rtol=1e-5)


@both
def test_gradient_of_softmax_cross_entropy(hybridized):
    pred, label = nd.array(RNG.normal(size=(6, 4))), np.array([0, 3, 1, 1, 2, 0])
    pred.attach_grad()
    loss = gloss.SoftmaxCrossEntropyLoss()
    if hybridized:
        loss.hybridize()
    with autograd.record():
        out = loss(pred, nd.array(label))
    out.backward()
    expected = np.exp(log_softmax(pred.asnumpy())) - np.eye(4)[label]
    np.testing.assert_allclose(pred.grad.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@both
def test_mismatched_labels_are_an_error(hybridized):
    with pytest.raises(MXNetError, match="reshape_like"):
        values(gloss.L2Loss(), hybridized, np.ones((3, 2)), np.ones((3, 3)))
