"""Whole trainings over devices beside the same on one: LeNet written out by hand, and ResNet-18."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.gluon.contrib.nn import SyncBatchNorm
from jupyter_hybrid.gluon.model_zoo.vision import resnet
from jupyter_hybrid.gluon.utils import split_and_load

LOSS = gluon.loss.SoftmaxCrossEntropyLoss()


@pytest.fixture
def gpus():
    yield mx.virtual_gpus(8)
    nd.waitall()
    mx.virtual_gpus(0)


def batches(count, size, shape, classes):
    """The same every time: each class has a pattern of its own."""
    random = np.random.default_rng(0)
    patterns = random.normal(size=(classes, *shape))
    for _ in range(count):
        labels = random.integers(0, classes, size)
        yield (patterns[labels] + random.normal(size=(size, *shape))).astype("float32"), labels


# --- LeNet, written out: parameters, sums over devices and updates by hand ------------------------
def lenet_parameters():
    random = np.random.default_rng(1)
    shapes = [(20, 1, 3, 3), (20,), (50, 20, 5, 5), (50,), (128, 800), (128,), (10, 128), (10,)]
    return [(random.normal(size=s) * (0.05 if len(s) > 1 else 0)).astype("float32") for s in shapes]


def lenet(x, parameters):
    w1, b1, w2, b2, w3, b3, w4, b4 = parameters
    x = nd.Convolution(x, w1, b1, kernel=w1.shape[2:], num_filter=w1.shape[0])
    x = nd.Pooling(nd.relu(x), pool_type="avg", kernel=(2, 2), stride=(2, 2))
    x = nd.Convolution(x, w2, b2, kernel=w2.shape[2:], num_filter=w2.shape[0])
    x = nd.Pooling(nd.relu(x), pool_type="avg", kernel=(2, 2), stride=(2, 2))
    x = nd.relu(nd.dot(nd.flatten(x), w3.T) + b3)
    return nd.dot(x, w4.T) + b4


def add_up(arrays):
    """Every device's array becomes the sum of all."""
    for other in arrays[1:]:
        arrays[0][:] += other.as_in_context(arrays[0].ctx)
    for other in arrays[1:]:
        arrays[0].copyto(other)


def train_lenet(contexts, steps=50, rate=0.3, size=32):
    copies = [[nd.array(p, ctx=c) for p in lenet_parameters()] for c in contexts]
    for parameters in copies:
        for p in parameters:
            p.attach_grad()
    losses = []
    for x, y in batches(steps, size, (1, 28, 28), 10):
        xs, ys = (split_and_load(nd.array(a), contexts) for a in (x, y))
        with autograd.record():
            made = [
                LOSS(lenet(part, parameters), labels)
                for part, labels, parameters in zip(xs, ys, copies, strict=True)
            ]
        for loss in made:
            loss.backward()
        for same in zip(*copies, strict=True):
            add_up([p.grad for p in same])
        for parameters in copies:
            for p in parameters:
                p[:] = p - rate * p.grad / size
        losses.append(sum(float(m.sum().asscalar()) for m in made) / size)
    return losses, copies


def test_lenet_from_scratch_on_two_devices(gpus):
    one, _ = train_lenet(gpus[:1])
    two, copies = train_lenet(gpus[:2])
    assert one[-1] < 0.7 * one[0]
    np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-4)
    for a, b in zip(*copies, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


# --- ResNet-18 ------------------------------------------------------------------------------------
def resnet18(monkeypatch, norm):
    mx.random.seed(0)
    with monkeypatch.context() as patch:
        patch.setattr(nn, "BatchNorm", norm)
        return resnet.get_resnet(1, 18, thumbnail=True, classes=10)


def learnt(net):
    return [p for p in net.collect_params().values() if p.grad_req != "null"]


def train_resnet(net, contexts, optimizer, steps=20, size=16, parts=0, dtype="float32"):
    """Losses; with ``parts`` one device gets so many parts one after the other."""
    net.cast(dtype)
    net.initialize(mx.init.Xavier(), ctx=contexts)
    net.hybridize()
    for p in learnt(net):
        p.grad_req = "add" if parts else "write"
    trainer = gluon.Trainer(net.collect_params(), *optimizer)
    losses = []
    for x, y in batches(steps, size, (3, 16, 16), 10):
        if parts:
            split = [np.split(a, parts) for a in (x, y)]
            xs, ys = ([nd.array(p, contexts[0], dtype) for p in part] for part in split)
        else:
            xs, ys = (split_and_load(nd.array(a, dtype=dtype), contexts) for a in (x, y))
        with autograd.record():
            made = [LOSS(net(part), labels) for part, labels in zip(xs, ys, strict=True)]
        for loss in made:
            loss.backward()
        trainer.step(size)
        if parts:
            net.collect_params().zero_grad()
        losses.append(sum(float(m.sum().asscalar()) for m in made) / size)
    return losses


SGD = ("sgd", {"learning_rate": 0.003, "momentum": 0.9})
ADAM = ("adam", {"learning_rate": 1e-4})
CASES = [
    pytest.param(o, n, id=f"{o[0]}-{n}", marks=[pytest.mark.slow] if (o is ADAM or n > 2) else [])
    for o in (SGD, ADAM)
    for n in (2, 4, 8)
]


@pytest.mark.parametrize(("optimizer", "count"), CASES)
def test_resnet18_with_common_statistics_trains_as_on_one_device(
    gpus, monkeypatch, optimizer, count
):
    """In float64: in float32 the order of a batch's samples alone moves losses by 5 % in 20 steps,
    on one device too."""
    options = {"optimizer": optimizer, "dtype": "float64"}
    one = train_resnet(resnet18(monkeypatch, nn.BatchNorm), [mx.cpu()], **options)
    norm = functools.partial(SyncBatchNorm, num_devices=count)
    net = resnet18(monkeypatch, norm)
    several = train_resnet(net, gpus[:count], **options)
    np.testing.assert_allclose(several, one, rtol=1e-6)
    for p in net.collect_params().values():
        first, *others = (a.asnumpy() for a in p.list_data())
        for other in others:
            np.testing.assert_array_equal(other, first)  # the moving statistics, too


@pytest.mark.parametrize(("optimizer", "count"), CASES)
def test_resnet18_without_trains_as_one_device_fed_the_same_parts(
    gpus, monkeypatch, optimizer, count
):
    alone = resnet18(monkeypatch, nn.BatchNorm)
    one = train_resnet(alone, gpus[:1], optimizer, parts=count)
    net = resnet18(monkeypatch, nn.BatchNorm)
    several = train_resnet(net, gpus[:count], optimizer)
    np.testing.assert_array_equal(several, one)
    for p, q in zip(learnt(net), learnt(alone), strict=True):
        for array in p.list_data():
            np.testing.assert_array_equal(array.asnumpy(), q.data().asnumpy())
