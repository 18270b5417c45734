"""Memory of modelled devices: limits, who holds it, what a program needs; values not there."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell
from modelled_helpers import TOY, devices

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, gluon, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.modelled import DeviceModel, record

KB = 1000


def toy(memory):
    return DeviceModel(**{**TOY.__dict__, "memory": memory})


def used(gpu):
    nd.waitall()
    return mx._core.pool_stats(gpu)["used"]


def test_a_device_has_so_much_and_tells_who_holds_it():
    with devices(2, like=toy(1000 * KB)) as (gpu, other):
        assert mx.context.gpu_memory_info(0) == (1000 * KB, 1000 * KB)
        keeps = nd.zeros((100_000,), ctx=gpu)
        variable = nd.ones((50_000,), ctx=gpu)
        variable.attach_grad()
        assert mx.context.gpu_memory_info(0)[0] == 1000 * KB - used(gpu)
        with pytest.raises(MXNetError) as error:
            nd.zeros((60_000,), ctx=gpu)
        text = str(error.value)
        assert "out of memory on gpu(0): 234 KB more do not fit, 781 KB" in text
        assert " of 977 KB are in use" in text
        rows = [row.strip() for row in text.splitlines()[1:]]
        assert rows[0].startswith("391 KB: arrays made at test_modelled_memory.py:test_a_dev")
        assert rows[1].startswith("195 KB: ") and rows[2].startswith("195 KB: ")
        kinds = {row.split(": ")[1].split(" made")[0] for row in rows[1:3]}
        assert kinds == {"parameters and variables", "gradients"}
        before = used(gpu)
        del keeps
        big = nd.zeros((60_000,), ctx=gpu) + 1  # the engine goes on
        assert big.asnumpy().sum() == 60_000
        assert used(gpu) < before and used(other) == 0
    with pytest.raises(MXNetError, match=r"no CUDA device|driver"):
        mx.context.gpu_memory_info(0)


def test_activations_that_fill_a_device_are_one_row_and_a_hint():
    with devices(1, like=toy(1000 * KB)) as (gpu,):
        x = nd.ones((10_000,), ctx=gpu)
        x.attach_grad()
        with pytest.raises(MXNetError) as error, autograd.record():
            y = x
            while True:
                y = nd.sin(y) * nd.cos(y)  # three sites of one line
        _, *rows, hint = str(error.value).splitlines()
        assert len(rows) == len({row.partition(": ")[2].partition(" (")[0] for row in rows}) < 9
        assert "activations made at test_modelled_memory.py" in rows[0]
        assert "a smaller batch" in hint and "remat='sqrt'" in hint


def test_a_copy_into_an_array_needs_no_memory_beside_it():
    values = np.arange(150_000, dtype=np.float32)
    with devices(2, like=toy(1000 * KB)) as (gpu, other):
        host, there = nd.array(values), nd.array(values, ctx=other)
        target = nd.zeros((150_000,), ctx=gpu)
        for write in (
            lambda: host.copyto(target),
            lambda: target.__setitem__(slice(None), host),
            lambda: target.__setitem__(slice(None), values),
            lambda: there.copyto(target),
            lambda: target.__setitem__(slice(0, 150_000), there),
        ):
            target[:] = 0
            nd.waitall()
            with record() as run:
                write()
                nd.waitall()
            assert [span["name"] for span in run.of(str(gpu), "compute")] == []
            assert len(run.of(str(gpu), "copy-in")) == 1
            np.testing.assert_array_equal(target.asnumpy(), values)
        back = nd.zeros((150_000,))
        target.copyto(back)
        np.testing.assert_array_equal(back.asnumpy(), values)


def test_what_pending_work_holds_is_waited_for():
    with devices(1, like=toy(1000 * KB)) as (gpu,):
        x = nd.ones((50_000,), ctx=gpu)
        for _ in range(50):
            x = x + 1  # 200 kB each; at most two are held by a name
        assert x.asnumpy()[0] == 51


def test_a_program_tells_its_need_before_it_runs():
    with devices(1, like=toy(3000 * KB)) as (gpu,):
        net = nn.HybridSequential()
        for _ in range(8):
            net.add(nn.Dense(100, activation="sigmoid", in_units=100, flatten=False))
        net.initialize(ctx=gpu)
        net.hybridize()
        x = nd.ones((1000, 100), ctx=gpu)
        ran = used(gpu)
        with pytest.raises(MXNetError) as error, autograd.record():
            net(x)
        text = str(error.value)
        assert "out of memory on gpu(0): the program needs " in text
        assert "At its highest it holds\n" in text and "activations of " in text
        assert "--remat sqrt" in text and "a smaller batch" in text
        assert used(gpu) == ran
        with autograd.record():
            y = net(x[:100])
        y.backward()
        assert np.isfinite(net[0].weight.grad().asnumpy()).all()


def test_rematerialization_is_offered_where_it_can_help():
    with devices(1, like=toy(1500 * KB)) as (gpu,):
        net = nn.HybridSequential()
        for _ in range(8):
            net.add(nn.Dense(100, activation="sigmoid", in_units=100, flatten=False))
        net.initialize(ctx=gpu)
        x = nd.ones((1000, 100), ctx=gpu)
        for how in (None, "sqrt", 3600 * KB):
            net.hybridize(remat=how)
            with pytest.raises(MXNetError, match="the program needs") as error, autograd.record():
                net(x)
            text = str(error.value)
            assert " activations of " in text
            assert ("--remat sqrt" in text) == (how is None)
            assert text.endswith("a smaller batch")


def test_a_program_without_a_gradient_has_intermediate_results():
    with devices(1, like=toy(3000 * KB)) as (gpu,):
        shell = Shell()
        shell.ns.update(nd=nd, big=nd.ones((500, 600), ctx=gpu))
        cell = "r = nd.dot(nd.dot(big * 2, big.T), big) + 1"
        text = str(shell.hybridize(cell, "--out r --force", fails=True).error)
        assert "the program needs" in text and "intermediate results of " in text
        assert "activations" not in text and text.endswith("Less is needed with a smaller batch")
        shell.ip.reset(new_session=False)


def test_pending_programs_do_not_take_each_others_memory():
    """Each fits alone; pushed in a row they wait for memory, and none fails."""
    with devices(1, like=toy(1750 * KB)) as (gpu,):
        net = nn.HybridSequential()
        for _ in range(4):
            net.add(nn.Dense(200, activation="sigmoid", in_units=200, flatten=False))
        net.initialize(mx.init.One(), ctx=gpu)
        net.hybridize()
        x = nd.ones((100, 200), ctx=gpu)
        expected = net(x).asnumpy()
        for _ in range(10):
            made = [net(x) for _ in range(3)]  # 80 kB each, and 160 kB to compute it
            for y in made:
                np.testing.assert_array_equal(y.asnumpy(), expected)
            del made, y


def _trained(gpu):
    mx.random.seed(1)
    net = nn.HybridSequential()
    net.add(nn.Dense(40, activation="relu", in_units=30), nn.Dense(5, in_units=40))
    net.initialize(mx.init.Uniform(0.5), ctx=gpu)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    return net, trainer


def _step(net, trainer, x):
    with autograd.record():
        loss = (net(x) ** 2).mean()
    loss.backward()
    trainer.step(1)
    return loss


@pytest.mark.parametrize("hybrid", [False, True])
def test_memory_may_end_at_every_push_of_a_training_step(hybrid):
    """For every limit between what is held and what a step needs: a clear error, memory as it was,
    parameters that still can be trained."""
    failures = 0
    with devices(1, like=toy(10**9)) as (gpu,):
        x = nd.ones((20, 30), ctx=gpu)
        net, trainer = _trained(gpu)
        net.hybridize(hybrid)
        for _ in range(2):
            _step(net, trainer, x).wait_to_read()
        held = used(gpu)
        mx._core.reset_pool_peak(gpu)
        _step(net, trainer, x).wait_to_read()
        need = mx._core.pool_stats(gpu)["peak"]
        assert used(gpu) == held < need
        for limit in range(held, need + 1, 64 if need - held < 20_000 else 640):
            gpu.limit_memory(limit)
            try:
                _step(net, trainer, x).wait_to_read()
                nd.waitall()
            except MXNetError as error:
                failures += 1
                assert "out of memory on gpu(0)" in str(error)
                del error
            gpu.limit_memory(10**9)
            for p in net.collect_params().values():
                assert np.isfinite(p.data().asnumpy()).all()
            _step(net, trainer, x).wait_to_read()
            assert used(gpu) == held
        assert failures > 10


def test_what_is_modelled_only_has_times_and_no_values():
    with devices(2, compute=False) as (gpu, other):
        a = nd.array([[1.0, 2.0]], ctx=gpu)
        b = nd.dot(a, a.T) + 1
        b.wait_to_read()  # a wait is no read
        nd.waitall()
        reads = (b.asnumpy, b.asscalar, lambda: float(b), lambda: bool(b > 0), b.copy().asnumpy)
        for read in reads:
            with pytest.raises(MXNetError, match="modelled only: its results have times") as error:
                read()
            assert "pushed at test_modelled_memory.py:" in str(error.value)
        there = b.as_in_context(mx.cpu()) * 2
        with pytest.raises(MXNetError, match="modelled only"):
            there.asnumpy()
        with pytest.raises(MXNetError, match="modelled only"):
            b.as_in_context(other).asnumpy()
        there[:] = 3  # overwritten as a whole: a value again
        assert there.asscalar() == 3
        assert nd.ones(3).sum().asscalar() == 3
    with devices(2) as (gpu, _):
        assert nd.ones(3, ctx=gpu).sum().asscalar() == 3
        with pytest.raises(MXNetError, match="modelled only"):
            b.asnumpy()


def test_what_is_modelled_only_is_shown_without_values():
    with devices(1, compute=False) as (gpu,):
        a = nd.ones((3, 3), ctx=gpu) * 2
        assert repr(a) == str(a) == f"{a}" == "\nnot computed\n<NDArray 3x3 @gpu(0)>"
        assert repr(a.sum()) == "\nnot computed\n<NDArray 1 @gpu(0)>"
        assert repr(a.as_in_context(mx.cpu())) == "\nnot computed\n<NDArray 3x3 @cpu(0)>"
    with devices(1) as (gpu,):
        assert repr(nd.ones(2, ctx=gpu)) == "\n[1. 1.]\n<NDArray 2 @gpu(0)>"


def test_modelled_only_needs_no_memory_of_the_host():
    with devices(8, like="V100", compute=False) as gpus:
        before = mx._core.pool_stats()["reserved"]
        held = [nd.zeros((3_000_000_000,), ctx=c) for c in gpus]  # 96 GB in all
        assert all(used(c) == 12 * 10**9 for c in gpus)
        with pytest.raises(
            MXNetError, match=r"gpu\(3\): 11.2 GB more do not fit, 11.2 GB of 16 GB"
        ):
            nd.zeros((3_000_000_000,), ctx=gpus[3])
        assert mx._core.pool_stats()["reserved"] == before
        del held
        assert used(gpus[0]) == 0


def test_parameters_updated_in_place_are_not_computed_either():
    with devices(1, compute=False) as (gpu,):
        net, trainer = _trained(gpu)
        net.hybridize()
        for _ in range(2):
            loss = _step(net, trainer, nd.ones((20, 30), ctx=gpu))
        loss.wait_to_read()
        with pytest.raises(MXNetError, match="modelled only"):
            net[0].weight.data().asnumpy()
