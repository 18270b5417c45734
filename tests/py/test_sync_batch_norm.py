"""SyncBatchNorm: statistics of all devices together, and what happens when one does not come."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from contextlib import suppress

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from modelled_helpers import devices

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, _core, autograd, gluon, meetings, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.gluon.contrib.nn import SyncBatchNorm
from jupyter_hybrid.gluon.utils import split_and_load
from jupyter_hybrid.modelled import record

DATA = np.random.default_rng(1).normal(3, 2, size=(16, 3, 5, 4)).astype("float32")


@pytest.fixture
def gpus(monkeypatch):
    # Threads that other tests have left call nothing.
    monkeypatch.setattr(meetings, "_earlier", {t.ident for t in threading.enumerate()})
    yield mx.virtual_gpus(4)
    _core.end_open_meetings("the test is over")
    for _ in range(8):  # one error at a time
        with suppress(MXNetError):
            nd.waitall()
    if InteractiveShell.initialized():  # its names hold arrays of these devices
        InteractiveShell.instance().reset()
    mx.virtual_gpus(0)


def layer(contexts, kind=SyncBatchNorm, hybridized=False, **options):
    made = kind(in_channels=3, **options)
    made.initialize(mx.init.Constant(0.7), ctx=contexts)
    made.gamma.set_data(nd.array([0.5, 1.5, -2.0]))
    if hybridized:
        made.hybridize()
    return made


def run(made, parts, weights):
    """Results, gradients by the data and the parameters' gradients, summed over the devices."""
    for part in parts:
        part.attach_grad()
    with autograd.record():
        results = [made(part) for part in parts]
        sums = [(r * w.as_in_context(r.ctx)).sum() for r, w in zip(results, weights, strict=True)]
    for each in sums:
        each.backward()
    grads = [sum(g.as_in_context(mx.cpu()) for g in p.list_grad()) for p in (made.gamma, made.beta)]
    return (
        np.concatenate([r.asnumpy() for r in results]),
        np.concatenate([part.grad.asnumpy() for part in parts]),
        *(g.asnumpy() for g in grads),
    )


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("sizes", [(8, 8), (4, 4, 4, 4), (9, 4, 3)])
def test_statistics_are_those_of_the_whole_batch(gpus, hybridized, sizes):
    contexts = gpus[: len(sizes)]
    weights = np.random.default_rng(2).normal(size=DATA.shape).astype("float32")
    at = np.cumsum(sizes)[:-1]
    plain = layer([mx.cpu()], nn.BatchNorm)
    expected = run(plain, [nd.array(DATA)], [nd.array(weights)])
    sync = layer(contexts, hybridized=hybridized, num_devices=len(sizes))
    parts = [nd.array(p, ctx=c) for p, c in zip(np.split(DATA, at), contexts, strict=True)]
    shares = [nd.array(w) for w in np.split(weights, at)]
    got = run(sync, parts, shares)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)
    for ours, theirs in (
        (sync.running_mean, plain.running_mean),
        (sync.running_var, plain.running_var),
    ):
        arrays = [a.asnumpy() for a in ours.list_data()]
        np.testing.assert_allclose(arrays[0], theirs.data().asnumpy(), rtol=1e-5)
        for other in arrays[1:]:
            np.testing.assert_array_equal(other, arrays[0])
    for x, y in zip(parts, np.split(DATA, at), strict=True):  # outside training nobody waits
        np.testing.assert_allclose(
            sync(x).asnumpy(), plain(nd.array(y)).asnumpy(), rtol=1e-4, atol=1e-4
        )
    again = run(sync, parts, shares)
    for a, b in zip(got, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_parts_with_a_large_mean_keep_their_digits(gpus):
    data = (1e4 + np.random.default_rng(3).normal(size=(8, 3, 64))).astype("float32")
    sync = layer(gpus[:2], num_devices=2)
    with autograd.record():
        results = [sync(x) for x in split_and_load(nd.array(data), gpus[:2])]
    got = np.concatenate([r.asnumpy() for r in results])
    wide = data.astype("float64")
    apart = (wide - wide.mean((0, 2), keepdims=True)) / np.sqrt(
        wide.var((0, 2), keepdims=True) + 1e-5
    )
    gamma, beta = np.array([0.5, 1.5, -2.0])[:, None], 0.0
    np.testing.assert_allclose(got, apart * gamma + beta, atol=2e-3)


def test_calls_pair_up_in_the_order_in_which_they_are_made(gpus):
    """A layer that is called twice: first call with first call, whatever is ready first."""
    a, b, *_ = gpus
    sync = layer([a, b], num_devices=2)
    first, second = np.split(DATA, 2)
    with autograd.record():
        on_a = [sync(nd.array(x, ctx=a)) for x in (first[:4], second[:4])]
        on_b = [sync(nd.array(x, ctx=b)) for x in (first[4:], second[4:])]
    for (x, y), whole in zip(zip(on_a, on_b, strict=True), (first, second), strict=True):
        plain = layer([mx.cpu()], nn.BatchNorm)
        with autograd.record():
            expected = plain(nd.array(whole)).asnumpy()
        got = np.concatenate([x.asnumpy(), y.asnumpy()])
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_cpus_and_threads_of_their_own():
    """cpu(0) and cpu(1), each fed by a thread that waits for its result."""
    contexts = [mx.cpu(0), mx.cpu(1)]
    sync = layer(contexts, num_devices=2)
    parts = [nd.array(x, ctx=c) for x, c in zip(np.split(DATA, 2), contexts, strict=True)]
    found = [None, None]

    def work(i):
        with autograd.record():
            found[i] = sync(parts[i]).asnumpy()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plain = layer([mx.cpu()], nn.BatchNorm)
    with autograd.record():
        expected = plain(nd.array(DATA)).asnumpy()
    np.testing.assert_allclose(np.concatenate(found), expected, rtol=1e-4, atol=1e-4)


def test_a_device_that_does_not_come_is_named_and_everything_goes_on(gpus):
    a, b, *_ = gpus
    sync = layer([a, b], num_devices=2, prefix="norm_")
    before = nd.ones((4,), ctx=a) * 3
    with autograd.record():
        alone = sync(nd.array(DATA, ctx=a))
    with pytest.raises(
        MXNetError, match=r"2 devices under the key 'norm_': gpu\(0\) came|gpu\(0\) alone"
    ):
        alone.wait_to_read()
    assert before.asnumpy().tolist() == [3, 3, 3, 3]
    with autograd.record():  # and the next batch is whole again
        both = [sync(x) for x in split_and_load(nd.array(DATA), [a, b])]
    plain = layer([mx.cpu()], nn.BatchNorm)
    with autograd.record():
        expected = plain(nd.array(DATA)).asnumpy()
    got = np.concatenate([x.asnumpy() for x in both])
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_a_step_that_fails_between_its_devices_is_not_joined_by_the_next(gpus):
    """Python's errors between two devices' calls, forward and backward, in a loop that goes on."""
    a, b, *_ = gpus
    plain = layer([mx.cpu()], nn.BatchNorm)
    weights = np.random.default_rng(2).normal(size=DATA.shape).astype("float32")
    expected = run(plain, [nd.array(DATA)], [nd.array(weights)])
    sync = layer([a, b], num_devices=2)
    parts = split_and_load(nd.array(DATA), [a, b])
    for fails in ("forward", "backward"):
        with suppress(ZeroDivisionError, MXNetError):
            with autograd.record():
                first = sync(parts[0] * 5)
                1 / (fails != "forward")
                second = sync(parts[1])
            first.backward()
            second.backward(nd.ones((2, 2), ctx=b))
        got = run(sync, parts, [nd.array(w) for w in np.split(weights, 2)])
        for x, y in zip(got, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=2e-4, atol=2e-4)
    assert np.isfinite(sync.running_var.data(a).asnumpy()).all()


def test_a_device_that_fails_tells_the_others(gpus):
    a, b, *_ = gpus
    sync = layer([a, b], num_devices=2, prefix="norm_")
    singular = nd.linalg.potrf(nd.array([[-1.0]], ctx=b)).reshape((1, 1, 1, 1))  # when it runs
    with autograd.record():
        one = sync(nd.array(DATA, ctx=a))
        other = sync(nd.array(DATA, ctx=b) + singular)
    with pytest.raises(MXNetError, match=r"gpu\(1\) did not come"):
        one.wait_to_read()
    with pytest.raises(MXNetError, match="not positive definite"):
        other.wait_to_read()


def test_crosswise_calls_are_an_error(gpus):
    a, b, *_ = gpus
    p, q = layer([a, b], num_devices=2, prefix="p_"), layer([a, b], num_devices=2, prefix="q_")
    xa, xb = nd.array(DATA, ctx=a), nd.array(DATA, ctx=b)
    with autograd.record():
        made = [p(xa), q(xa), q(xb), p(xb)]
    with pytest.raises(MXNetError, match="in the same order"):
        made[0].wait_to_read()


def test_wrong_uses_are_named(gpus):
    a, b, *_ = gpus
    x = [
        nd.array(DATA, ctx=a),
        nd.ones((3,), ctx=a),
        nd.zeros((3,), ctx=a),
        nd.zeros((3,), ctx=a),
        nd.ones((3,), ctx=a),
    ]
    with pytest.raises(MXNetError, match="given ndev=0, expected 1 or more"):
        nd.contrib.SyncBatchNorm(*x, ndev=0, key="k")
    with pytest.raises(MXNetError, match="given ndev=2 and no key"):
        nd.contrib.SyncBatchNorm(*x, ndev=2, key="")
    with autograd.record():
        nd.contrib.SyncBatchNorm(*x, ndev=2, key="k")
        with pytest.raises(
            MXNetError, match="given 3 devices under the key 'k', gpu\\(0\\) gave 2"
        ):
            y = [v.as_in_context(b) for v in x]
            nd.contrib.SyncBatchNorm(*y, ndev=3, key="k")


def test_the_naive_engine_refuses(gpus):
    sync = layer(gpus[:2], num_devices=2)
    x = nd.array(DATA, ctx=gpus[0])
    with mx.engine.using(kind="naive"):
        assert sync(x).shape == x.shape
        with autograd.record(), pytest.raises(MXNetError, match=r"given 2 devices, .* NaiveEngine"):
            sync(x)


def test_a_process_that_forks_or_ends_meanwhile():
    code = """
        import os, jupyter_hybrid as mx
        from jupyter_hybrid import autograd, nd
        from jupyter_hybrid.gluon.contrib.nn import SyncBatchNorm
        mx.virtual_gpus(2)
        net = SyncBatchNorm(in_channels=3, num_devices=2)
        net.initialize(ctx=[mx.gpu(0), mx.gpu(1)])
        nd.waitall()
        with autograd.record():
            a = net(nd.ones((2, 3), ctx=mx.gpu(0)))
        child = os.fork()
        if child == 0:
            assert (nd.ones((2,)) + 1).asnumpy().tolist() == [2, 2]
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        with autograd.record():
            b = net(nd.zeros((2, 3), ctx=mx.gpu(1)))
        assert abs(a.asnumpy()).max() > 0.9
        assert (a + b.as_in_context(mx.gpu(0))).asnumpy().max() < 1e-6
        with autograd.record():
            net(nd.ones((2, 3), ctx=mx.gpu(0)))
        print("ends")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")


def test_a_cell_that_fails_before_the_last_device_leaves_nothing_behind(gpus):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "jupyter_hybrid")
    sync = layer(gpus[:2], num_devices=2)
    shell.user_ns.update(sync=sync, autograd=autograd, xs=split_and_load(nd.array(DATA), gpus[:2]))
    cell = "with autograd.record():\n    ys = [sync(x) for x in xs]\n"
    for magic in ("", "%%hybridize\n", "%%imperative\n"):
        broken = shell.run_cell(
            "with autograd.record():\n    sync(xs[0] * 2)\n    raise KeyError\n"
        )
        assert isinstance(broken.error_in_exec, KeyError)
        shell.run_cell(magic + cell).raise_error()
        plain = layer([mx.cpu()], nn.BatchNorm)
        with autograd.record():
            expected = plain(nd.array(DATA)).asnumpy()
        got = np.concatenate([y.asnumpy() for y in shell.user_ns["ys"]])
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("magic", ["%%hybridize --view none", "%%imperative"])
def test_cells_of_nets_whose_shapes_are_not_known_yet(gpus, magic):
    """A later layer's parameters are made on one device behind the operator that waits there."""
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "jupyter_hybrid")
    shell.user_ns.update(mx=mx, nd=nd, nn=nn, autograd=autograd, gp=gpus[:2], norm=SyncBatchNorm)
    make = (
        "mx.random.seed(4)\n"
        "net = nn.HybridSequential()\n"
        "net.add(nn.Dense(4), norm(num_devices=2), nn.Dense(2))\n"
        "net.initialize(ctx=gp)\nnet.hybridize()\n"
        "x = nd.array([[1, 2, 3], [4, 6, 9]])\n"
        "with autograd.record():\n"
        "    ls = [(net(x.as_in_context(c)) ** 2).sum() for c in gp]\n"
        "found = [l.asscalar() for l in ls]\n"
    )
    shell.run_cell(f"{magic}\n{make}").raise_error()
    one, other = shell.user_ns["found"]
    assert one == other > 0
    # Devices' parts in two cells.
    part = "with autograd.record():\n    {0} = net(x.as_in_context(gp[{1}]))\n"
    shell.run_cell(f"{magic}\n{part.format('a', 0)}").raise_error()
    shell.run_cell(f"{magic}\n{part.format('b', 1)}ends = a.asnumpy(), b.asnumpy()").raise_error()
    np.testing.assert_array_equal(*shell.user_ns["ends"])


def test_an_interrupt_ends_a_wait_that_another_thread_could_end():
    code = """
        import os, signal, threading, time
        import jupyter_hybrid as mx
        from jupyter_hybrid import autograd, nd
        from jupyter_hybrid.gluon.contrib.nn import SyncBatchNorm
        signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
        threading.Thread(target=threading.Event().wait, daemon=True).start()  # it never calls
        mx.virtual_gpus(2)
        net = SyncBatchNorm(in_channels=3, num_devices=2)
        net.initialize(ctx=[mx.gpu(0), mx.gpu(1)])
        main = threading.main_thread().ident
        threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        try:
            with autograd.record():
                net(nd.ones((2, 3), ctx=mx.gpu(0))).wait_to_read()
        except KeyboardInterrupt:
            print("interrupted")
        with autograd.record():
            both = [net(nd.ones((2, 3), ctx=mx.gpu(i))) for i in range(2)]
        print(both[0].asnumpy().max())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n0.0\n", "")


def test_a_full_queue_waits_for_no_meeting(gpus):
    sync = layer(gpus[:2], num_devices=2)
    parts = split_and_load(nd.array(DATA), gpus[:2])
    nd.waitall()
    with mx.engine.using(limit_ops=4), autograd.record():
        made = [sync(x) for x in parts]
        more = [y * 2 + 1 for y in made]
        for y in more:
            y.wait_to_read()


def residual(sync, count):
    norm = (lambda: SyncBatchNorm(num_devices=count)) if sync else nn.BatchNorm
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1), norm(), nn.Activation("relu"))
    net.add(nn.Conv2D(4, 3, padding=1), norm(), nn.Activation("relu"), nn.Dense(4))
    return net


@pytest.mark.parametrize("hybridized", [False, True])
def test_training_over_devices_is_training_on_one(gpus, hybridized):
    labels = np.random.default_rng(6).integers(0, 4, len(DATA))

    def train(contexts, sync):
        mx.random.seed(3)
        net = residual(sync, len(contexts))
        net.initialize(mx.init.Xavier(), ctx=contexts)
        if hybridized:
            net.hybridize()
        trainer = gluon.Trainer(
            net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}
        )
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        losses = []
        for _ in range(8):
            xs, ys = (split_and_load(nd.array(a), contexts) for a in (DATA, labels))
            with autograd.record():
                made = [loss(net(x), y) for x, y in zip(xs, ys, strict=True)]
            autograd.backward(made)
            trainer.step(len(DATA))
            losses.append(sum(float(m.sum().asscalar()) for m in made) / len(DATA))
        arrays = [[d.asnumpy() for d in p.list_data()] for p in net.collect_params().values()]
        return losses, arrays

    plain, _ = train([mx.cpu()], False)
    for count in (2, 4):
        losses, arrays = train(gpus[:count], True)
        np.testing.assert_allclose(losses, plain, rtol=1e-3)
        for copies in arrays:
            for other in copies[1:]:
                np.testing.assert_array_equal(other, copies[0])


def test_on_the_modelled_clock_a_device_waits_for_the_other():
    """Device 1 gets its part 2 ms later: device 0 waits, then both tell each other, and go on."""
    with devices(2, host=0, dispatch=0) as (a, b):
        sync = layer([a, b], num_devices=2)
        xa, xb = nd.array(DATA, ctx=a), nd.array(DATA, ctx=b)
        big = nd.ones((1500, 1500), ctx=b)
        nd.waitall()
        with record() as timeline:
            product = nd.dot(big, big)
            with autograd.record():
                made = sync(xa), sync(xb + product[0, 0])
            for y in made:
                y.wait_to_read()
            nd.waitall()
        named = next(i for i, name in timeline.names.items() if name == "SyncBatchNorm")
        normal, told = (
            [s for c in (a, b) for s in timeline.of(c, kind) if s["name"] == named]
            for kind in ("compute", "all-reduce")
        )
        assert len(normal) == len(told) == 2
        both_there = max(s["start_s"] + s["seconds"] for s in normal)
        assert both_there > 6.7e-3  # the product's 6.75 GFLOP
        for span in told:
            assert span["start_s"] == pytest.approx(both_there)
            assert span["seconds"] > 0


def test_on_the_modelled_clock_a_missing_device_is_an_error(gpus):
    for computes in (True, False):
        with devices(2, compute=computes) as (a, b):
            sync = layer([a, b], num_devices=2)
            with autograd.record():
                alone = sync(nd.array(DATA, ctx=a))
            with pytest.raises(MXNetError, match=r"alone called|did not call"):
                alone.wait_to_read()
                nd.waitall()
            with autograd.record():
                made = [sync(x) for x in split_and_load(nd.array(DATA), [a, b])]
            nd.waitall()
            assert len(made) == 2


def test_devices_that_were_not_meant_are_told(gpus):
    """Without num_devices all GPUs are waited for."""
    sync = SyncBatchNorm(in_channels=DATA.shape[1])
    sync.initialize(ctx=gpus[:2])
    with autograd.record():
        made = [sync(x) for x in split_and_load(nd.array(DATA), gpus[:2])]
    for part in made:
        with pytest.raises(MXNetError, match=r"alone called.*if these are all: num_devices=2"):
            part.wait_to_read()
