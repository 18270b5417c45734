"""States of optimizers in files: the same training afterwards; nothing of other files is run."""

from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import lr_scheduler, nd, optimizer

KINDS = ["sgd", "nadam", "lars", "lbsgd", "dcasgd", "rmsprop", "ftrl"]


def step(update: Any, arrays: list[Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    grads = [nd.array(rng.normal(size=a.shape).astype("float32")) for a in arrays]
    update([*range(len(arrays))], grads, arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_training_goes_on_as_without_the_file(kind: str) -> None:
    options: dict[str, Any] = {"momentum": 0.9} if kind in ("sgd", "lars", "lbsgd") else {}
    schedule = lr_scheduler.MultiFactorScheduler([2, 4], 0.5, base_lr=0.1)
    made = optimizer.create(kind, lr_scheduler=schedule, wd=0.01, **options)
    update, arrays = optimizer.get_updater(made), [nd.ones((2, 3)), nd.ones((4,))]
    for i in range(3):
        step(update, arrays, i)
    saved, copies = update.get_states(dump_optimizer=True), [a.copy() for a in arrays]
    again = optimizer.get_updater(optimizer.create("adam"))
    again.set_states(saved)
    assert type(again.optimizer) is type(made) and again.optimizer is not made
    assert again.optimizer.num_update == 3 and again.optimizer.lr_scheduler is not schedule
    for i in range(3, 6):
        step(update, arrays, i)
        step(again, copies, i)
    for one, other in zip(arrays, copies):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_states_alone() -> None:
    made = optimizer.create("adam", learning_rate=0.5)
    update = optimizer.get_updater(made)
    update("name", nd.ones((2,)), nd.ones((2,)))
    other = optimizer.get_updater(optimizer.create("adam", learning_rate=0.25))
    kept = other.optimizer
    other.set_states(update.get_states())
    assert other.optimizer is kept
    mean, var = other.states["name"]
    np.testing.assert_array_equal(mean.asnumpy(), update.states["name"][0].asnumpy())
    assert var.shape == (2,)


class Harm:
    def __reduce__(self) -> Any:
        return os.mkdir, ("harm_was_done",)


def test_pickles_are_refused_and_not_run(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    update = optimizer.get_updater(optimizer.create("sgd"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(mx.MXNetError, match=r"got (a pickle|\d+ bytes of another kind)"):
            update.set_states(pickle.dumps(Harm(), protocol))
    assert not os.listdir(tmp_path)


def test_damaged_states_are_an_error() -> None:
    made = optimizer.create("sgd", momentum=0.5)
    update = optimizer.get_updater(made)
    update([0, 1], [nd.ones((2,)), nd.ones((3,))], [nd.ones((2,)), nd.ones((3,))])
    good = update.get_states(dump_optimizer=True)
    rng = np.random.default_rng(1)
    for case in range(300):
        bad = bytearray(good)
        for _ in range(1 + case % 3):
            bad[rng.integers(len(bad))] = rng.integers(256)
        cut = bytes(bad[: rng.integers(len(bad))] if case % 4 == 0 else bad)
        fresh = optimizer.get_updater(optimizer.create("sgd"))
        try:
            fresh.set_states(cut)
        except mx.MXNetError:
            assert fresh.states == {}
    with pytest.raises(mx.MXNetError, match="got 0 bytes"):
        update.set_states(b"")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"name": "sgd"', b'"name": "sgx"', "the optimizer 'sgx' is not registered"),
        (b'"momentum"', b'"__dict__"', "can't have an attribute '__dict__'"),
        (b'"lr_mult"', b'"formula"', "can't have an attribute 'formula'"),
        (b'{"array": 0}', b'{"array": 9}', "damaged"),
    ],
)
def test_a_file_can_ask_for_nothing_else(old: bytes, new: bytes, why: str) -> None:
    update = optimizer.get_updater(optimizer.create("sgd", momentum=0.5))
    update(0, nd.ones((2,)), nd.ones((2,)))
    good = update.get_states(dump_optimizer=True)
    assert old in good
    with pytest.raises(mx.MXNetError, match=why):
        update.set_states(good.replace(old, new))


def test_what_cannot_be_saved_is_named() -> None:
    made = optimizer.create("sgd")
    made.lr_scheduler = lambda count: 0.1
    with pytest.raises(mx.MXNetError, match="the attribute lr_scheduler of SGD can't be saved"):
        optimizer.get_updater(made).get_states(dump_optimizer=True)
