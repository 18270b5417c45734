"""Data parallelism: gradients summed over devices, the same parameters everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from modelled_helpers import devices

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, _core, autograd, gluon, kvstore, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.gluon.utils import split_and_load
from jupyter_hybrid.kvstore.exchange import BUCKET_BYTES, Group, buckets
from jupyter_hybrid.modelled import Link, nvlink_ring, pcie_tree, record


@pytest.fixture
def gpus():
    yield mx.virtual_gpus(8)
    nd.waitall()
    mx.virtual_gpus(0)


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3, activation="tanh", in_channels=1), nn.MaxPool2D(2, 2), nn.Flatten(),
        nn.Dense(16, activation="tanh", in_units=4 * 5 * 5), nn.Dense(4, in_units=16),
    )  # fmt: skip
    return net


DATA = np.random.default_rng(5).normal(size=(32, 1, 12, 12)).astype("float32")
LABELS = np.random.default_rng(6).integers(0, 4, 32)


def train(contexts, optimizer, steps=12, net=lenet, **trainer_options):
    """Losses, and the parameters of every device."""
    mx.random.seed(11)
    model = net()
    model.initialize(mx.init.Xavier(), ctx=contexts)
    model.hybridize()
    name, options = optimizer
    trainer = gluon.Trainer(model.collect_params(), name, dict(options), **trainer_options)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    found = []
    for _ in range(steps):
        xs, ys = (split_and_load(nd.array(a), contexts) for a in (DATA, LABELS))
        with autograd.record():
            made = [loss(model(x), y) for x, y in zip(xs, ys, strict=True)]
        for part in made:
            part.backward()
        trainer.step(len(DATA))
        found.append(sum(float(part.sum().asscalar()) for part in made) / len(DATA))
    arrays = [[d.asnumpy() for d in p.list_data()] for p in model.collect_params().values()]
    return found, arrays


OPTIMIZERS = [("sgd", {"learning_rate": 0.1, "momentum": 0.9}), ("adam", {"learning_rate": 0.01})]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: o[0])
@pytest.mark.parametrize("in_store", [True, False])
def test_training_on_several_devices_is_training_on_one(gpus, optimizer, in_store):
    plain, (weights, *_) = train([mx.cpu()], optimizer)
    assert plain[-1] < plain[0] * 0.9
    for count in (1, 2, 4, 8):
        options = {"update_on_kvstore": in_store} if count > 1 else {}
        losses, arrays = train(gpus[:count], optimizer, **options)
        np.testing.assert_allclose(losses, plain, rtol=1e-4)
        np.testing.assert_allclose(arrays[0][0], weights[0], rtol=1e-2, atol=1e-4)
        for copies in arrays:
            for other in copies[1:]:
                np.testing.assert_array_equal(other, copies[0])  # bit by bit
    again, same = train(gpus[:8], optimizer, update_on_kvstore=in_store)
    assert again == losses
    for a, b in zip(arrays, same, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("nadam", {}), ("lars", {"momentum": 0.9}), ("lamb", {}), ("dcasgd", {}),
        ("lbsgd", {"momentum": 0.9, "batch_scale": 2, "updates_per_epoch": 4, "warmup_epochs": 1}),
    ],
    ids=lambda o: o if isinstance(o, str) else "",
)  # fmt: skip
def test_updates_outside_the_store_leave_devices_equal(gpus, name, options):
    """Of optimizers whose updates depend on more than the parameter's own state."""

    def made():
        falling = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.05)
        return name, {"learning_rate": 0.05, "lr_scheduler": falling, **options}

    plain, _ = train([mx.cpu()], made(), steps=7)
    losses, arrays = train(gpus[:4], made(), steps=7, update_on_kvstore=False)
    np.testing.assert_allclose(losses, plain, rtol=1e-4)
    for copies in arrays:
        for other in copies[1:]:
            np.testing.assert_array_equal(other, copies[0])


def test_sums_are_those_of_one_device_fed_the_same_parts(gpus):
    """Devices are added in their order, as one device adds one part after the other."""
    sgd = ("sgd", {"learning_rate": 0.5})
    _, parallel = train(gpus[:4], sgd, steps=1)
    mx.random.seed(11)
    model = lenet()
    model.initialize(mx.init.Xavier(), ctx=gpus[0])
    model.hybridize()
    for p in model.collect_params().values():
        p.grad_req = "add"
    trainer = gluon.Trainer(model.collect_params(), *sgd)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for x, y in zip(np.split(DATA, 4), np.split(LABELS, 4), strict=True):
        with autograd.record():
            part = loss(model(nd.array(x, ctx=gpus[0])), nd.array(y, ctx=gpus[0]))
        part.backward()
    trainer.step(len(DATA))
    for copies, p in zip(parallel, model.collect_params().values(), strict=True):
        np.testing.assert_array_equal(copies[0], p.data().asnumpy())


def test_exchange_sums_in_order_and_writes_everywhere(gpus):
    parts = [nd.array([1e8, i, -1e8], ctx=c) for i, c in enumerate(gpus)]
    small = [nd.array([float(i)], ctx=c) for i, c in enumerate(gpus)]
    home = nd.zeros((3,), ctx=mx.cpu())
    assert _core.exchange([parts, small], [[*parts, home], small[:1]])
    expected = np.zeros(3, np.float32)
    for i in range(8):
        expected = expected + np.array([1e8, i, -1e8], np.float32)
    for array in (*parts, home):
        np.testing.assert_array_equal(array.asnumpy(), expected)
    assert small[0].asscalar() == 28 and small[7].asscalar() == 7
    # A target that is another source keeps what others still read.
    a, b = nd.array([1.0], ctx=gpus[0]), nd.array([10.0], ctx=gpus[1])
    assert _core.exchange([[a, b]], [[b]])
    assert (a.asscalar(), b.asscalar()) == (1, 11)
    with pytest.raises(MXNetError, match="exchange: expected float32"):
        _core.exchange([[a, nd.ones((2,), ctx=gpus[1])]], [[a]])
    with pytest.raises(MXNetError, match="no arrays"):
        _core.exchange([[]], [[a]])
    with autograd.record():
        assert not _core.exchange([[a, b]], [[a]])


def test_errors_pass_through_an_exchange(gpus):
    bad = nd.take(nd.ones((3,), ctx=gpus[0]), nd.array([0], ctx=gpus[0]), mode="clip")
    failing = nd.linalg.potrf(-nd.eye(1, ctx=gpus[1]))  # no root
    store = kvstore.create("device")
    store.init(0, nd.zeros((1, 1), ctx=gpus[0]))
    out = [nd.zeros((1, 1), ctx=c) for c in gpus[:2]]
    store.pushpull(0, [bad.reshape((1, 1)), failing], out=out)
    for array in out:
        with pytest.raises(MXNetError, match="positive definite"):
            array.asnumpy()
    store.pushpull(0, [nd.ones((1, 1), ctx=c) for c in gpus[:2]], out=out)
    nd.waitall()


def test_buckets_begin_with_the_last_layers():
    sizes = [10, BUCKET_BYTES // 8, BUCKET_BYTES // 8, BUCKET_BYTES, 5]
    arrays = [nd.zeros((n,)) for n in sizes]
    groups = [Group(i, [a, a], [a]) for i, a in enumerate(arrays)]
    made = [(first, [g.key for g in bucket]) for first, bucket in buckets(groups)]
    assert made == [(3, [3, 4]), (1, [1, 2]), (0, [0])]


@pytest.mark.parametrize("n", [2, 4, 8])
def test_an_all_reduce_takes_what_rings_take(n):
    """2 (n - 1) / n of the bytes over every hop, half each way round, and as many latencies."""
    size = 1_000_000

    def seconds(links):
        with devices(n, links=links, compute=False) as gpus:
            arrays = [nd.zeros((size,), ctx=c) for c in gpus]
            nd.waitall()
            with record() as run:
                assert _core.exchange([arrays], [arrays])
            lanes = {lane.device for lane in run.lanes if lane.kind == "all-reduce"}
            assert lanes == {str(c) for c in gpus}
            return run.seconds

    sent = 2 * (n - 1) / n * size * 4
    ring = nvlink_ring(n, 25e9)
    hops = 1 if n > 2 else 2  # both rings of two devices cross the one link
    expected = 2 * (n - 1) * 1.4e-6 + sent / 2 * hops / 25e9
    assert seconds(ring) == pytest.approx(expected, rel=1e-6)
    half = [Link(x.end, x.other, x.bandwidth / 2, x.latency, x.name) for x in ring]
    assert seconds(half) == pytest.approx(2 * (n - 1) * 1.4e-6 + sent * hops / 25e9, rel=1e-6)
    # In a tree of PCIe both rings cross every link each way.
    latency = 2 if n == 2 else 4  # links of the longest hop
    tree = 2 * (n - 1) * latency * 2.5e-6 + sent / 12e9
    assert seconds(pcie_tree(n)) == pytest.approx(tree, rel=1e-6)


def test_compressed_gradients_cross_links_in_fewer_bytes():
    with devices(2, compute=False) as gpus:
        grads = [nd.zeros((1_000_000,), ctx=c) for c in gpus]
        for kind, ratio in [(None, 1), ("fp16", 1 / 2), ("2bit", 1 / 16)]:
            store = kvstore.create("device")
            store.init(0, nd.zeros((1_000_000,), ctx=gpus[0]))
            if kind:
                store.set_gradient_compression({"type": kind})
            with record() as run:
                store.pushpull(0, grads)
            (span,) = run.of("gpu(1)", "all-reduce")
            assert span["bytes"] == pytest.approx(4e6 * ratio / 2)
            with record() as run:  # what the store hands out is whole
                store.pull(0, grads)
            (span,) = run.of("gpu(1)", "all-reduce")
            assert span["bytes"] == pytest.approx(4e6 / 2)


def test_communication_hides_behind_backward():
    def overlap(in_store):
        with devices(4, links="nvlink", compute=False, like="V100") as gpus:
            net = nn.HybridSequential()
            with net.name_scope():
                for _ in range(12):
                    net.add(nn.Dense(1024, in_units=1024))
            net.initialize(ctx=gpus)
            net.hybridize()
            trainer = gluon.Trainer(net.collect_params(), "sgd", update_on_kvstore=in_store)
            xs = [nd.zeros((512, 1024), ctx=c) for c in gpus]

            def step():
                with autograd.record():
                    ys = [net(x) for x in xs]
                for y in ys:
                    y.backward()
                trainer.step(1)

            for _ in range(2):
                step()
            nd.waitall()
            with record() as run:
                step()
            spans = np.sort(run.of("gpu(3)", "all-reduce"), order="start_s")
            return run.overlap(), [run.names[int(s["name"])] for s in spans]

    share, names = overlap(False)
    assert share >= 0.5
    # A bucket is full with a weight of 4 MiB. They come as backward makes them, not by name.
    of_layer = {int(name.rpartition("dense")[2].removesuffix("_bias")): name for name in names}
    assert sorted(of_layer) == list(range(12)) and len(names) == 12
    assert all(name.count(f"dense{layer}_") == 2 for layer, name in of_layer.items())
    assert names.index(of_layer[10]) < names.index(of_layer[3]) < names.index(of_layer[2])
    _, names = overlap(True)
    assert {name.split()[0] for name in names} == {"reduce", "broadcast"}


def test_steps_that_accumulate_send_nothing():
    with devices(2, compute=False) as gpus:
        net = nn.Dense(4, in_units=4)
        net.initialize(ctx=gpus)
        for p in net.collect_params().values():
            p.grad_req = "add"
        trainer = gluon.Trainer(net.collect_params(), "sgd", update_on_kvstore=False)
        xs = [nd.zeros((2, 4), ctx=c) for c in gpus]

        def backward():
            with autograd.record():
                ys = [net(x) for x in xs]
            for y in ys:
                y.backward()

        backward()
        trainer.step(1)
        with record() as quiet:
            for _ in range(3):
                backward()
        assert not len(quiet.of("gpu(0)", "all-reduce"))
        with record() as sends:
            trainer.step(1)
        assert len(sends.of("gpu(0)", "all-reduce")) == 1


def test_a_device_named_twice_is_refused(gpus):
    net = nn.Dense(2, in_units=3)
    with pytest.raises(MXNetError, match=r"expected every device once, got gpu\(1\) twice"):
        net.initialize(ctx=[gpus[1], gpus[0], gpus[1]])
    net.initialize(ctx=gpus[:2])
    with pytest.raises(MXNetError, match=r"gpu\(0\) twice"):
        net.collect_params().reset_ctx([gpus[0], gpus[0]])
    assert net.weight.list_ctx() == gpus[:2]


@pytest.mark.parametrize("way", ["in store", "outside", "in two calls"])
def test_a_device_without_a_gradient_counts_as_0(gpus, way):
    p = gluon.Parameter("w", shape=(1,))
    p.initialize(mx.init.One(), ctx=gpus[:2])
    momentum = {"learning_rate": 1.0, "momentum": 0.9}
    trainer = gluon.Trainer([p], "sgd", momentum, update_on_kvstore=way == "in store")

    def step(*contexts, **options):
        with autograd.record():
            ys = [p.data(c) * 2 for c in contexts]
        for y in ys:
            y.backward()
        if way == "in two calls":
            for unused in {*gpus[:2]} - {*contexts}:
                p.grad(unused)[:] = 0
            trainer.allreduce_grads()
            trainer.update(1, **options)
        else:
            trainer.step(1, **options)

    step(*gpus[:2])
    assert [a.asscalar() for a in p.list_data()] == [-3, -3]
    before = [a.asscalar() for a in p.list_grad()]
    for one in gpus[:2]:
        with pytest.raises(UserWarning, match="pass ignore_stale_grad=True"):
            step(one)
        assert [a.asscalar() for a in p.list_data()] == [-3, -3]
        if way == "outside":  # nothing was summed
            other = gpus[one == gpus[0]]
            assert p.grad(other).asscalar() == before[other.device_id] and p.grad(one) == 2
            before[one.device_id] = 2
        p.list_data()[0]._fresh_grad = p.list_data()[1]._fresh_grad = False
    step(gpus[1], ignore_stale_grad=True)
    for a in p.list_data():
        np.testing.assert_allclose(a.asscalar(), -3 + 0.9 * -4 - 2, rtol=1e-6)


class Stops(mx.optimizer.Adam):
    """Stops before its n-th call."""

    left = 0

    def update_multi_precision(self, index, weight, grad, state):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        super().update_multi_precision(index, weight, grad, state)


@pytest.mark.parametrize("nth", range(1, 13))
def test_an_update_that_stops_between_devices_leaves_them_equal(gpus, nth):
    net = nn.Dense(2, in_units=3)
    net.initialize(mx.init.Xavier(), ctx=gpus[:3])
    trainer = gluon.Trainer(net.collect_params(), Stops(), update_on_kvstore=False)
    trainer.optimizer.left = nth

    def step():
        with autograd.record():
            ys = [net(nd.ones((1, 3), ctx=c) * (1 + c.device_id)).sum() for c in gpus[:3]]
        for y in ys:
            y.backward()
        trainer.step(1)

    for _ in range(3):
        try:
            step()
        except KeyboardInterrupt:
            stopped = True
        for param in net.collect_params().values():
            first, *others = [a.asnumpy() for a in param.list_data()]
            for other in others:
                np.testing.assert_array_equal(other, first)
    assert stopped
    states = [dict(updater.states) for updater in trainer._updaters]
    for index, of_first in states[0].items():
        for other in states[1:]:
            for a, b in zip(of_first, other[index], strict=True):
                np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_a_device_without_memory_for_its_states_catches_up():
    def fails(limit):
        """How many steps fail; from then on there is memory."""
        with devices(2) as gpus:
            mx.random.seed(3)
            net = nn.Dense(64, in_units=64)
            net.initialize(mx.init.Xavier(), ctx=gpus)
            net.hybridize()
            trainer = gluon.Trainer(net.collect_params(), "adam", update_on_kvstore=False)
            nd.waitall()
            gpus[1].limit_memory(limit)
            failed = 0
            for step in range(4):
                if step == 2:
                    gpus[1].limit_memory(10**9)
                try:
                    with autograd.record():
                        losses = [(net(nd.ones((64, 64), ctx=c)) ** 2).sum() for c in gpus]
                    for one in losses:
                        one.backward()
                    del losses, one
                    trainer.step(128)
                except MXNetError as error:
                    assert "out of memory on gpu(1)" in str(error)
                    failed += 1
                for param in net.collect_params().values():
                    first, second = [a.asnumpy() for a in param.list_data()]
                    np.testing.assert_array_equal(first, second)
            first, second = [u.states for u in trainer._updaters]
            for index in first:
                for a, b in zip(first[index], second[index], strict=True):
                    np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
            return failed

    found = [fails(limit) for limit in range(40_000, 240_000, 10_000)]
    assert {0, 1, 2} == set(found) and found == sorted(found, reverse=True)


@pytest.mark.parametrize("in_store", [True, False])
def test_a_first_step_without_memory_is_made_up_for(in_store):
    with devices(2) as gpus:
        net = nn.Dense(64, in_units=64)
        net.initialize(mx.init.One(), ctx=gpus)
        trainer = gluon.Trainer(
            net.collect_params(), "adam", {"learning_rate": 0.1}, update_on_kvstore=in_store
        )

        def backward():
            with autograd.record():
                losses = [net(nd.ones((1, 64), ctx=c)).sum() for c in gpus]
            autograd.backward(losses)

        for free in range(2_000, 120_000, 6_000):  # from the first copy into the store on
            backward()
            nd.waitall()
            gpus[0].limit_memory(_core.pool_stats(gpus[0])["used"] + free)
            try:
                trainer.step(2)
                break
            except MXNetError as error:
                assert "out of memory on gpu(0)" in str(error)
            weights = [a.asnumpy() for a in net.weight.list_data()]
            np.testing.assert_array_equal(*weights)
        assert free > 20_000
        gpus[0].limit_memory(10**9)
        backward()
        trainer.step(2)
        first, second = [a.asnumpy() for a in net.weight.list_data()]
        np.testing.assert_array_equal(first, second)
        assert first[0, 0] < 0.9


@pytest.mark.parametrize("compression", [None, {"type": "2bit", "threshold": 0.01}])
def test_a_step_without_memory_can_be_made_again(compression):
    """Where nothing has changed yet; else the gradients must be computed again."""

    def weights(failing):
        with devices(2) as gpus:
            net = nn.Dense(64, in_units=64)
            net.initialize(mx.init.One(), ctx=gpus)
            trainer = gluon.Trainer(net.collect_params(), "sgd", compression_params=compression)
            for step in range(4):
                with autograd.record():
                    losses = [net(nd.ones((1, 64), ctx=c)).sum() for c in gpus]
                autograd.backward(losses)
                nd.waitall()
                if failing and step == 2:
                    gpus[0].limit_memory(_core.pool_stats(gpus[0])["used"] + 4_000)
                    with pytest.raises(MXNetError, match="out of memory on gpu"):
                        trainer.step(2)
                    gpus[0].limit_memory(10**9)
                trainer.step(2)
            return [a.asnumpy() for a in net.weight.list_data()]

    plain = weights(False)
    for found in weights(True):
        np.testing.assert_array_equal(found, plain[0])


def test_gradients_that_may_be_sums_do_not_count_again(gpus):
    p = gluon.Parameter("w", shape=(1,))
    p.initialize(mx.init.One(), ctx=gpus[:2])
    trainer = gluon.Trainer([p], Stops(), update_on_kvstore=False)
    trainer.optimizer.left = 1
    with autograd.record():
        ys = [p.data(c) * 2 for c in gpus[:2]]
    autograd.backward(ys)
    with pytest.raises(KeyboardInterrupt):
        trainer.step(1)
    assert [g.asscalar() for g in p.list_grad()] == [4, 4]
    with pytest.raises(UserWarning, match="was not written by"):
        trainer.step(1)


@pytest.mark.parametrize("options", [{}, {"update_on_kvstore": False}])
def test_parameters_that_are_cast_train_on(gpus, options):
    def trained(contexts, **options):
        net = nn.Dense(2, in_units=2)
        net.initialize(mx.init.One(), ctx=contexts)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1}, **options)
        for dtype in ("float32", "float64", "float64", "float32"):
            net.cast(dtype)
            with autograd.record():
                ones = [nd.ones((1, 2), ctx=c, dtype=dtype) for c in contexts]
                losses = [(net(x) ** 2).sum() for x in ones]
            autograd.backward(losses)
            trainer.step(len(contexts))
        return [a.asnumpy() for a in net.weight.list_data()]

    (whole,) = trained(gpus[:1])
    for found in trained(gpus[:2], **options):
        np.testing.assert_allclose(found, whole, rtol=1e-6)


def test_a_step_is_not_recorded(gpus):
    net = nn.Dense(2, in_units=2)
    for contexts, options in (
        (gpus[:1], {}), (gpus[:2], {}), (gpus[:2], {"update_on_kvstore": False}),
    ):  # fmt: skip
        net.initialize(mx.init.One(), ctx=contexts, force_reinit=True)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, **options)
        for _ in range(2):
            with autograd.record():
                losses = [net(nd.ones((1, 2), ctx=c)).sum() for c in contexts]
                autograd.backward(losses)
                trainer.step(len(contexts))
        for array in net.weight.list_data():
            np.testing.assert_allclose(array.asnumpy(), 0.8, rtol=1e-6)


@pytest.mark.parametrize("in_store", [True, False])
@pytest.mark.parametrize("name", ["adam", "nadam"])
def test_states_go_on_with_other_devices(gpus, tmp_path, name, in_store):
    def trained(contexts, steps, load=None):
        p = gluon.Parameter("w", shape=(3,))
        p.initialize(mx.init.One(), ctx=contexts)
        options = {"update_on_kvstore": in_store} if len(contexts) > 1 else {}
        trainer = gluon.Trainer([p], name, {"learning_rate": 0.1}, **options)
        if load is not None:
            p.set_data(load)
            trainer.load_states(tmp_path / "states")
        for _ in range(steps):
            with autograd.record():
                ys = [(p.data(c) ** 2).sum() / len(contexts) for c in contexts]
            for y in ys:
                y.backward()
            trainer.step(1)
        trainer.save_states(tmp_path / "states")
        return [a.asnumpy() for a in p.list_data()]

    (whole,) = trained(gpus[:1], 6)
    some = trained([mx.cpu()], 3)
    for contexts in (gpus[:2], [mx.cpu(), gpus[0]], gpus[5:6]):
        trained([mx.cpu()], 3)
        for found in trained(contexts, 3, nd.array(some[0])):
            np.testing.assert_allclose(found, whole, rtol=1e-6)


def test_uneven_parts_and_parameters_that_are_not_used(gpus):
    two = gpus[:2]
    net = nn.Dense(2, in_units=3)
    unused = gluon.Parameter("unused", shape=(2,))
    net.initialize(mx.init.One(), ctx=two)
    unused.initialize(mx.init.One(), ctx=two)
    params = {**dict(net.collect_params().items()), "unused": unused}
    trainer = gluon.Trainer(list(params.values()), "sgd", {"learning_rate": 1.0})
    xs = split_and_load(nd.ones((5, 3)), two, even_split=False)
    assert [x.shape[0] for x in xs] == [3, 2]
    with autograd.record():
        ys = [net(x).sum() for x in xs]
    for y in ys:
        y.backward()
    with pytest.raises(UserWarning, match="unused"):
        trainer.step(5)
    trainer.step(5, ignore_stale_grad=True)
    for ctx in two:
        np.testing.assert_allclose(net.weight.data(ctx).asnumpy(), 0, atol=1e-6)
        np.testing.assert_array_equal(unused.data(ctx).asnumpy(), 1)
