"""Stores: what is pushed, pulled, updated; trainers on several devices through them."""

from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, kv, nd, optimizer


def value(array: Any) -> list[float]:
    return array.asnumpy().tolist()


@pytest.fixture(params=["local", "device"])
def store(request: Any) -> Any:
    made = kv.create(request.param)
    made.init([3, 5], [nd.ones((2,)), nd.zeros((3,))])
    return made


def test_pushes_are_added_and_pulled(store: Any) -> None:
    out, other = nd.zeros((2,)), nd.zeros((2,))
    store.push(3, [nd.ones((2,)) * 2, nd.ones((2,)) * 3])
    store.pull(3, out=[out, other])
    assert value(out) == value(other) == [5, 5]
    store.push([3, 3], [nd.ones((2,)), nd.ones((2,)) * 3])  # a key twice
    store.pull(3, out)
    assert value(out) == [4, 4]
    values = [nd.ones((2,)), nd.ones((2,))]
    store.pushpull(3, values)
    assert [value(v) for v in values] == [[2, 2], [2, 2]]
    whole = nd.zeros((3,))
    store.pushpull([3, 5], [values, nd.ones((3,)) * 7], out=[out, whole])
    assert value(out) == [4, 4] and value(whole) == [7, 7, 7]
    assert (store.rank, store.num_workers, store.is_capable("optimizer")) == (0, 1, True)


def test_a_value_in_the_store_is_a_copy(store: Any) -> None:
    given, out = nd.ones((2,)), nd.zeros((2,))
    store.broadcast(7, given, out=out)
    given[:] = 4
    store.pull(7, given)
    assert value(given) == value(out) == [1, 1]


def test_an_updater_is_given_what_was_pushed(store: Any) -> None:
    seen, out = [], nd.zeros((2,))

    def update(key: Any, pushed: Any, stored: Any) -> None:
        seen.append((key, value(pushed)))
        stored += pushed * 2

    store._set_updater(update)
    store.push(3, [nd.ones((2,))] * 4)
    store.pull(3, out)
    assert seen == [(3, [4, 4])] and value(out) == [9, 9]


def test_an_optimizer_and_its_states_in_a_file(tmp_path: Any) -> None:
    store, out = kv.create(), nd.zeros((2,))
    store.init("w", nd.ones((2,)))
    with pytest.raises(mx.MXNetError, match="no states to save: call set_optimizer first"):
        store.save_optimizer_states(tmp_path / "none")
    store.set_optimizer(optimizer.create("sgd", momentum=0.5, learning_rate=1.0))
    store.push("w", nd.ones((2,)))
    store.save_optimizer_states(tmp_path / "states")
    store.push("w", nd.ones((2,)))
    store.pull("w", out)
    assert value(out) == [-1.5, -1.5]
    store.load_optimizer_states(tmp_path / "states")
    store.push("w", nd.ones((2,)))
    store.pull("w", out)
    assert value(out) == [-3, -3] and os.listdir(tmp_path) == ["states"]


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (lambda s: s.init(3, nd.ones((2,))), "duplicate init of key 3"),
        (lambda s: s.init("a", nd.ones((2,))), "keys 3 and 'a': of one kind only"),
        (lambda s: s.push(4, nd.ones((2,))), "key 4 has not been inited"),
        (lambda s: s.pull(4, nd.ones((2,))), "key 4 has not been inited"),
        (lambda s: s.pull(3), "needs out"),
        (lambda s: s.push(3, nd.ones((4,))), r"key 3: expected shape \(2,\), got \(4,\)"),
        (lambda s: s.push(3, np.ones(2)), "key 3: expected NDArrays"),
        (lambda s: s.push([3, 5], nd.ones((2,))), "2 keys need a list of as many values"),
        (lambda s: s.push(2.5, nd.ones((2,))), "keys that are str or int, got 2.5"),
        (lambda s: s.row_sparse_pull(3, nd.ones((2,)), row_ids=nd.ones((1,))), "dense"),
        (lambda s: s.set_gradient_compression({"type": "3bit"}), "gradient compression"),
    ],
)
def test_misuse_is_named(store: Any, what: Any, why: str) -> None:
    with pytest.raises(mx.MXNetError, match=why):
        what(store)


def test_stores_by_name() -> None:
    assert [kv.create(n).type for n in ("Local", "device", "teststore")] == [
        "local", "device", "teststore",
    ]  # fmt: skip
    with pytest.raises(mx.MXNetError, match="no store 'dist_sync': there is one process"):
        kv.create("dist_sync")
    with pytest.raises(mx.MXNetError, match="no store 'loca': it is not known; there are local"):
        kv.create("loca")
    with pytest.raises(TypeError, match="expected a name, got int"):
        kv.create(3)
    with pytest.raises(ValueError, match="unknown capability"):
        kv.create().is_capable("sparsity")


# Trainers ----------------------------------------------------------------------------------------
CONTEXTS = [mx.cpu(0), mx.cpu(1)]


def parameters() -> list[Any]:
    made = []
    for i in range(2):
        p = gluon.Parameter(f"p{i}", shape=(2,))
        p.initialize(mx.init.One(), ctx=CONTEXTS)
        made.append(p)
    return made


def backward(params: list[Any], factor: float = 1.0) -> None:
    losses = []
    with autograd.record():
        for k, ctx in enumerate(CONTEXTS):
            parts = [(p.data(ctx) * (factor * (k + 1))).sum() for p in params]
            losses.append(sum(parts[1:], parts[0]))
    autograd.backward(losses)


@pytest.mark.parametrize("in_store", [None, True, False])
def test_copies_on_devices_stay_the_same(in_store: bool | None) -> None:
    params = parameters()
    options = {"learning_rate": 0.5, "momentum": 0.5}
    trainer = gluon.Trainer(params, "sgd", options, update_on_kvstore=in_store)
    for _ in range(2):
        backward(params)
        trainer.step(1)
    for p in params:
        assert [value(d) for d in p.list_data()] == [[-2.75, -2.75]] * 2
    assert bool(trainer._update_on_kvstore) is (in_store is not False)
    assert len(trainer.state_arrays()) == (4 if in_store is False else 2)
    with pytest.raises(UserWarning, match=r"p0 on cpu\(0\) was not written"):
        trainer.step(1)
    backward(params[:1])
    trainer.step(1, ignore_stale_grad=True)
    assert value(params[1].data(CONTEXTS[0])) == [-2.75, -2.75]
    assert value(params[0].data(CONTEXTS[1])) == [-5.375, -5.375]


def test_values_that_are_set_are_trained_on() -> None:
    """The store that updates the weights takes them, and its momentum goes on."""
    params = parameters()
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.5, "momentum": 0.5})
    backward(params)
    trainer.step(1)
    params[0].set_data(nd.array([4.0, 8.0]))
    backward(params)
    trainer.step(1)
    for p, wanted in zip(params, ([1.75, 5.75], [-2.75, -2.75])):
        assert [value(d) for d in p.list_data()] == [wanted] * 2


def test_gradients_changed_between_reduce_and_update() -> None:
    params = parameters()
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    backward(params)
    trainer.allreduce_grads()
    for p in params:
        for grad in p.list_grad():
            assert value(grad) == [3, 3]
            grad[:] = 0.25
    trainer.update(1)
    assert value(params[0].data(CONTEXTS[1])) == [0.75, 0.75]
    stored = gluon.Trainer(parameters(), "sgd")
    for call in (stored.allreduce_grads, lambda: stored.update(1)):
        with pytest.raises(AssertionError, match="update_on_kvstore=False"):
            call()


def test_without_a_store_devices_train_apart() -> None:
    params = parameters()
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1.0}, kvstore=None)
    backward(params)
    trainer.step(1)
    assert [value(d)[0] for d in params[0].list_data()] == [0, -1]


def test_a_store_that_runs_no_optimizer() -> None:
    params = parameters()
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1.0}, kvstore="teststore")
    backward(params)
    trainer.step(1)
    assert [value(d)[0] for d in params[0].list_data()] == [-2, -2]
    trainer = gluon.Trainer(params, "sgd", kvstore="teststore", update_on_kvstore=True)
    with pytest.raises(ValueError, match="runs no optimizer"):
        trainer.step(1)


@pytest.mark.parametrize("in_store", [True, False])
def test_states_of_a_trainer_in_a_file(tmp_path: Any, in_store: bool) -> None:
    params, file = parameters(), tmp_path / "trainer.states"
    trainer = gluon.Trainer(params, "adam", {"learning_rate": 0.1}, update_on_kvstore=in_store)
    backward(params)
    trainer.step(1)
    trainer.save_states(file)
    at = [p.data(CONTEXTS[0]).copy() for p in params]
    backward(params, 2)
    trainer.step(1)
    wanted = [value(p.data(CONTEXTS[1])) for p in params]
    again = parameters()
    for p, a in zip(again, at):
        p.set_data(a)
    other = gluon.Trainer(again, "sgd", update_on_kvstore=in_store)
    other.load_states(file)
    assert type(other.optimizer) is optimizer.Adam and other.optimizer.param_dict[1] is again[1]
    backward(again, 2)
    other.step(1)
    assert [value(p.data(CONTEXTS[1])) for p in again] == wanted


def test_files_of_mxnet_are_refused(tmp_path: Any) -> None:
    params, file = parameters(), tmp_path / "mx.states"
    file.write_bytes(pickle.dumps(({}, None)))
    for in_store in (True, False):
        trainer = gluon.Trainer(params, "sgd", update_on_kvstore=in_store)
        with pytest.raises(mx.MXNetError, match=r"mx\.states: .* got a pickle, as MXNet writes"):
            trainer.load_states(file)
    with pytest.raises(FileNotFoundError):
        trainer.load_states(tmp_path / "none")


def test_a_file_stays_until_the_new_one_is_whole(tmp_path: Any, monkeypatch: Any) -> None:
    params, file = parameters(), tmp_path / "states"
    trainer = gluon.Trainer(params, "sgd", {"momentum": 0.5}, update_on_kvstore=False)
    trainer.save_states(file)
    before = file.read_bytes()

    def fails(*_: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fails)
    backward(params)
    trainer.step(1)
    with pytest.raises(OSError, match="no space"):
        trainer.save_states(file)
    assert file.read_bytes() == before and os.listdir(tmp_path) == ["states"]


def test_bad_arguments_of_a_trainer() -> None:
    params = parameters()
    with pytest.raises(ValueError, match="expected a list or dict of Parameters, got int"):
        gluon.Trainer(3, "sgd")
    with pytest.raises(AssertionError, match="optimizer_params belong to an optimizer's name"):
        gluon.Trainer(params, optimizer.SGD(), {"learning_rate": 1})
    with pytest.raises(mx.MXNetError, match="in a store of type 'device', not in 'local'"):
        options = {"kvstore": "local", "compression_params": {"type": "2bit"}}
        gluon.Trainer(params, "sgd", **options).step(1)
    with pytest.raises(mx.MXNetError, match="of type 'teststore' compresses no gradients"):
        options = {"kvstore": "teststore", "compression_params": {"type": "2bit"}}
        gluon.Trainer(params, "sgd", **options).step(1)
    with pytest.raises(TypeError, match="expected a kvstore, its name or None, got int"):
        gluon.Trainer(params, "sgd", kvstore=3).step(1)
    with pytest.raises(ValueError, match="needs a kvstore"):
        gluon.Trainer(params, "sgd", kvstore=None, update_on_kvstore=True).step(1)


@pytest.mark.parametrize("kind", ["local", "device", "teststore"])
def test_keys_that_share_arrays_are_read_before_any_is_written(kind):
    devices = mx.virtual_gpus(4)
    try:
        store = mx.kv.create(kind)
        values = [nd.ones((2, 3), ctx=device) for device in devices]
        if kind != "teststore":
            store.init(["a", "b", "c"], [nd.zeros((2, 3))] * 3)
            store.pushpull(["a", "b", "c"], [values] * 3)
        else:
            store.pushpull("a", values)
        for array in values:
            np.testing.assert_array_equal(array.asnumpy(), np.full((2, 3), 4))
        assert type(store).is_capable("optimizer") == (kind != "teststore")
    finally:
        nd.waitall()
        mx.virtual_gpus(0)


def test_an_init_that_fails_leaves_no_key(store: Any) -> None:
    with pytest.raises(mx.MXNetError, match="duplicate init of key 3"):
        store.init([8, 3], [nd.ones((2,)), nd.ones((2,))])
    store.init(8, nd.ones((1,)))
    with pytest.raises(mx.MXNetError, match="duplicate init of key 9"):
        store.init([9, 9], [nd.ones((2,)), nd.ones((2,))])


@pytest.mark.parametrize("count", [1, 2])
def test_autograd_records_no_store(store: Any, count: int) -> None:
    """What comes from a store is a constant, as in MXNet."""
    xs = [nd.array([1.0, 2.0], ctx=mx.cpu(i)) for i in range(count)]
    for x in xs:
        x.attach_grad()
    with autograd.record():
        out = nd.zeros((2,))
        store.push(3, [x * x for x in xs])
        store.pull(3, out=out)
        y = out * xs[0]
    y.backward()
    assert value(xs[0].grad) == [count, 4 * count]


def test_what_is_pushed_and_pulled_is_cast(store: Any) -> None:
    """The first of a key's arrays tells the type in the store."""
    store.push(3, [nd.ones((2,), dtype="float64", ctx=mx.cpu(0)), nd.ones((2,), ctx=mx.cpu(1))])
    out = [nd.zeros((2,), dtype=dtype, ctx=mx.cpu(1)) for dtype in ("float16", "float32")]
    store.pull(3, out=out)
    assert [value(o) for o in out] == [[2, 2], [2, 2]]
    assert [o.dtype for o in out] == [np.float16, np.float32]


def test_nccl_is_a_store_of_one_process() -> None:
    store = kv.create("nccl")
    store.init(1, nd.zeros((2,)))
    values = [nd.ones((2,), ctx=mx.cpu(i)) for i in range(2)]
    store.pushpull(1, values)
    assert store.type == "nccl" and [value(v) for v in values] == [[2, 2], [2, 2]]
    store.set_gradient_compression({"type": "2bit"})
