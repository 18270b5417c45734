"""A data-parallel ResNet-18 step on 1 to 8 devices, against a calculation on paper: times of one
device's kernels, sizes of the parameters, bandwidths of the links."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from modelled_helpers import TOY, devices

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid.gluon.model_zoo import vision
from jupyter_hybrid.modelled import Link, nvlink_ring, record

BATCH = 8
LATENCY = 1.4e-6  # of nvlink_ring's links
GPU = replace(TOY, memory=16 * 10**9)
FREE = [Link("cpu(0)", f"gpu({i})", 1e18) for i in range(8)]


class Training:
    def __init__(self, contexts):
        self.net = vision.resnet18_v1(classes=10)
        self.net.initialize(mx.init.Zero(), ctx=contexts)
        self.net.hybridize()
        self.trainer = gluon.Trainer(
            self.net.collect_params(), "sgd", kvstore="device",
            update_on_kvstore=False if len(contexts) > 1 else None,
        )  # fmt: skip
        self.xs = [nd.zeros((BATCH, 3, 64, 64), ctx=c) for c in contexts]
        self.backward()
        self.trainer.step(1)
        self.backward()
        self.trainer.step(1)
        nd.waitall()

    def backward(self):
        with autograd.record():
            ys = [self.net(x) for x in self.xs]
        for y in ys:
            y.backward()


def step_seconds(n, gpus, links):
    with devices(n, like=gpus, links=links, compute=False) as contexts:
        training = Training(contexts)
        with record() as run:
            training.backward()
            training.trainer.step(1)
        return run.seconds


@cache
def one_device(gpu):
    """When each parameter's gradient is whole, when all are, and what the update takes."""
    with devices(1, like=gpu, links=FREE[:1], compute=False) as (ctx,):
        training = Training([ctx])
        params = [p for p in training.trainer._params if p.grad_req != "null"]
        with record() as run:
            training.backward()
            for p in params:
                p.grad(ctx).copyto(mx.cpu())
        copies = np.sort(run.of("gpu(0)", "copy-out"), order="serial")
        ready = [float(start) for start in copies["start_s"]]
        kernels = run.of("gpu(0)", "compute")
        whole = float((kernels["start_s"] + kernels["seconds"]).max())
        with record() as update:
            training.trainer.update(1)
        sizes = [4 * int(np.prod(p.shape)) for p in params]
        return sizes, ready, whole, update.seconds


def calculated(n, gpu, bandwidth):
    """Buckets of 4 MiB from the last parameter on, one all-reduce after the other on two rings: of
    those that are whole the one with the first parameters."""
    sizes, ready, whole, update = one_device(gpu)
    if n == 1:
        return whole + update
    waiting, bucket = [], []
    for at in range(len(sizes) - 1, -1, -1):
        bucket.append(at)
        if sum(sizes[i] for i in bucket) < 4 << 20 and at > 0:
            continue
        sent = 2 * (n - 1) / n * sum(sizes[i] for i in bucket)
        hops = 2 if n == 2 else 1  # both ways round cross the one link
        took = 2 * (n - 1) * LATENCY + sent / 2 * hops / bandwidth
        waiting.append((max(ready[i] for i in bucket), at, took))
        bucket = []
    free = 0.0
    while waiting:
        now = max(free, min(waiting)[0])
        chosen = min((w for w in waiting if w[0] <= now), key=lambda w: w[1])
        waiting.remove(chosen)
        free = now + chosen[2]
    return max(free, whole) + update


@pytest.mark.parametrize("n", [1, 2, 4, 8])
@pytest.mark.parametrize("bandwidth", [25e9, 12.5e9, 7e9], ids=["fast", "half", "slow"])
def test_a_step_takes_what_its_costs_and_links_say(n, bandwidth):
    took = step_seconds(n, GPU, nvlink_ring(n, bandwidth) if n > 1 else FREE[:1])
    assert took == pytest.approx(calculated(n, GPU, bandwidth), rel=0.05)


def test_a_device_at_half_its_speed_keeps_the_others_waiting():
    slow = replace(
        GPU, name="slow", float32=GPU.float32 / 2, bandwidth=GPU.bandwidth / 2, launch=2e-6
    )
    took = step_seconds(4, [GPU, GPU, slow, GPU], nvlink_ring(4, 25e9))
    assert took == pytest.approx(calculated(4, slow, 25e9), rel=0.05)
    assert took > 1.8 * step_seconds(4, GPU, nvlink_ring(4, 25e9))
