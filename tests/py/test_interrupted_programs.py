"""An interrupted program stops: no results, arrays as a whole run or none left them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as jh
from jupyter_hybrid import engine, gluon, nd


def interrupted(wait: Callable[[], Any]) -> None:
    """Waits until it is interrupted."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,))
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            while True:
                wait()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def chain(x):
    for _ in range(2000):
        x = nd.exp(-(x * x)) + x * 0.5
    return x


def products(x):
    for _ in range(2000):
        x = nd.dot(x, x) * 1e-3
    return x


def convolutions(x):
    w = nd.ones((16, 16, 3, 3))
    for _ in range(2000):
        x = nd.Convolution(x, w, kernel=(3, 3), num_filter=16, pad=(1, 1), no_bias=True) * 1e-2
    return x


def loop(x):
    while x.sum() > -1:
        x = nd.abs(x)
    return x


PROGRAMS = {
    chain: (3_000_000,),
    products: (1000, 1000),
    convolutions: (8, 16, 64, 64),
    loop: (10,),
}


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda f: f.__name__)
def test_a_running_program_stops(run: Callable[..., Any]) -> None:
    x = nd.ones(PROGRAMS[run])
    scripted = jh.script(run)
    y = scripted(x)
    interrupted(y.wait_to_read)
    nd.waitall()  # raises nothing: the interrupt was told
    with pytest.raises(jh.MXNetError, match="interrupted"):
        y.asnumpy()
    with engine.using(kind="naive"):
        interrupted(lambda: scripted(x))
    assert (x.reshape(-1)[:2] + 1).asnumpy().tolist() == [2, 2]


def test_what_is_queued_is_dropped_and_training_goes_on() -> None:
    """Parameters keep the value of a step that was whole, and the next step counts from there."""
    net = gluon.nn.Dense(1, use_bias=False, in_units=400_000)
    net.initialize()
    net.weight.set_data(nd.zeros((1, 400_000)))
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0, "momentum": 0.0})
    x = nd.ones((1, 400_000))

    def step() -> Any:
        with jh.autograd.record():
            y = net(x)
        y.backward()
        trainer.step(1)
        return y

    step().wait_to_read()
    nd.waitall()
    with engine.using(slow=3600):  # held until it is over
        steps = [step() for _ in range(3)]
        interrupted(steps[-1].wait_to_read)
        engine.configure(slow=0)
        for y in steps:
            with pytest.raises(jh.MXNetError, match="interrupted"):
                y.asnumpy()
        nd.waitall()
    assert np.unique(net.weight.data().asnumpy()).tolist() == [-1.0]
    step()
    assert np.unique(net.weight.data().asnumpy()).tolist() == [-2.0]
