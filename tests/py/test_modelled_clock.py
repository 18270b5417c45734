"""Modelled devices: kernels, copies and the host on a clock of their own."""

from __future__ import annotations

import numpy as np
import pytest
from modelled_helpers import TOY, devices
from modelled_runs import FOLDER, RUNS

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, engine, gluon, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.modelled import Link, Timeline, declared, record, timeline
from jupyter_hybrid.modelled.figures import KINDS

N = 500
PRODUCT = 1e-6 + 2 * N**3 / 1e12  # of N x N matrices on the toy


def kernels(run, device):
    return run.of(device, "compute")


def test_a_product_takes_what_the_data_sheet_says():
    with devices(1) as (gpu,):
        a = nd.ones((N, N), ctx=gpu)
        with record() as run:
            b = nd.dot(a, a)
            c = b + 1
        (product, added) = kernels(run, gpu)
        assert product["seconds"] == pytest.approx(PRODUCT)
        assert product["flops"] == 2 * N**3
        assert added["seconds"] == pytest.approx(1e-6 + 2 * 4 * N * N / 1e12)  # its memory
        assert added["start_s"] == pytest.approx(product["start_s"] + product["seconds"])
        assert run.seconds == pytest.approx(product["seconds"] + added["seconds"])
        assert run.names[int(product["name"])] == "dot"
        assert "line" in run.places[int(product["site"])]
        np.testing.assert_array_equal(c.asnumpy(), np.full((N, N), N + 1, np.float32))


def saved(name):
    """The committed timeline, which is what the program gives here, too."""
    kept, ours = Timeline.load(FOLDER / f"{name}.json"), RUNS[name]()
    assert ours.seconds == pytest.approx(kept.seconds)
    assert len(ours.spans) == len(kept.spans)
    for field in ("start_s", "seconds"):
        np.testing.assert_allclose(
            np.sort(ours.spans[field]), np.sort(kept.spans[field]), rtol=1e-6, atol=1e-12
        )
    return kept


def test_fifty_products_on_two_devices_take_half_as_long():
    one, two = saved("products_1").seconds, saved("products_2").seconds
    assert one == pytest.approx(50 * PRODUCT)
    assert two == pytest.approx(one / 2, rel=0.05)
    slow = mx.modelled.DeviceModel(**{**TOY.__dict__, "float32": TOY.float32 / 2})
    with devices(2, like=[TOY, slow]) as gpus:
        arrays = [nd.ones((N, N), ctx=c) for c in gpus]
        nd.waitall()
        with record() as run:
            for i in range(50):
                nd.dot(arrays[i % 2], arrays[i % 2])
    assert run.seconds == pytest.approx(25 * (1e-6 + 2 * (PRODUCT - 1e-6)))


def test_copies_hide_behind_work_that_does_not_need_them():
    assert saved("copies_free").overlap() >= 0.85  # all but the last copy
    assert saved("copies_forced").overlap() == 0


def test_copies_share_links_and_tell_their_bandwidth():
    def seconds(bandwidth, both):
        links = [Link("cpu(0)", "switch", bandwidth), Link("switch", "gpu(0)", 1e12),
                 Link("switch", "gpu(1)", 1e12, latency=1e-3)]  # fmt: skip
        with devices(2, links=links) as gpus:
            x = nd.ones((1000, 1000))
            with record() as run:
                for gpu in gpus[: 1 + both]:
                    x.copyto(gpu)
            return run

    alone = seconds(1e9, False)
    assert alone.seconds == pytest.approx(4e6 / 1e9)
    assert seconds(5e8, False).seconds == pytest.approx(4e6 / 5e8)
    both = seconds(1e9, True)
    # The first has the link alone until the second's latency is over; then they share it.
    first, second = both.of("gpu(0)", "copy-in")[0], both.of("gpu(1)", "copy-in")[0]
    assert first["seconds"] == pytest.approx(1e-3 + 2 * 3e-3)
    assert second["seconds"] == pytest.approx(1e-3 + 2 * 3e-3 + 1e-3)
    links = {both.lanes[s["lane"]].name for s in both.of("links")}
    assert links == {"cpu(0) to switch", "switch to gpu(0)", "switch to gpu(1)"}


def test_the_host_pays_for_pushes_and_waits():
    with devices(1, dispatch=1e-3) as (gpu,):
        a = nd.ones((N, N), ctx=gpu)
        nd.waitall()
        with record() as run:
            for _ in range(4):
                a = nd.dot(a, a)
            a.wait_to_read()
            nd.ones((2, 2), ctx=gpu)
        starts = kernels(run, gpu)["start_s"]
        done = 4e-3 + PRODUCT
        assert starts == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3, done + 1e-3])
        waits = run.spans[run.spans["kind"] == KINDS.index("wait")]
        assert waits["seconds"][0] == pytest.approx(PRODUCT)
        (figures,) = run.figures()
        assert figures.compute == pytest.approx(4 * PRODUCT + kernels(run, gpu)["seconds"][-1])
        assert figures.idle == pytest.approx(run.seconds - figures.compute)
    with devices(1, host=1000.0) as (gpu,), record() as run:
        sum(i * i for i in range(20000))  # the thread's own time counts
        nd.ones((2, 2), ctx=gpu)
    host = run.spans[run.spans["kind"] == KINDS.index("dispatch")]["seconds"].sum()
    assert host > 0.1


def test_many_devices_starve_behind_one_thread_and_a_program_feeds_them():
    """Eight fast GPUs, 30 us a push: one operator after the other, and as one program."""
    assert saved("eight_imperative").utilisation() <= 0.3  # 138 us of work in 8 x 2 x 30 us a layer
    assert saved("eight_hybridized").utilisation() >= 0.8


@pytest.mark.parametrize("kind", ["threaded", "naive"])
def test_order_and_results_are_those_without_a_clock(kind):
    def compute(gpu):
        x = nd.array(np.arange(12).reshape(3, 4), ctx=gpu)
        y = (x * 2).as_in_context(mx.cpu()) + 1
        y[:] = y - 1
        z = y.as_in_context(gpu)
        z += x
        return z.asnumpy(), y.sum().asscalar()

    with engine.using(kind=kind):
        with devices(2) as (_, gpu):
            ours = compute(gpu)
            run = timeline()
        (plain,) = mx.virtual_gpus(1)
        theirs = compute(plain)
        mx.virtual_gpus(0)
    np.testing.assert_array_equal(ours[0], theirs[0])
    assert ours[1] == theirs[1]
    lanes = {run.lanes[s["lane"]].kind for s in run.of("gpu(1)")}
    assert lanes == {"compute", "copy-in", "copy-out"}


def test_values_on_the_host_wait_for_the_clock():
    """What the host reads of a device has come over the link before."""
    with devices(1, links=[Link("cpu(0)", "gpu(0)", 1e6)]) as (gpu,):
        x = nd.ones((250,), ctx=gpu)  # 1000 bytes: 1 ms
        with record() as run:
            y = x.as_in_context(mx.cpu()) + 1  # small: it would be inlined
            z = y * 2
            assert z.asnumpy().sum() == 1000
        (copied,) = run.of("gpu(0)", "copy-out")
        assert copied["seconds"] == pytest.approx(1e-3)
        assert run.of("cpu(0)", "compute")["start_s"].min() >= copied["start_s"] + 1e-3


def test_programs_hand_out_results_before_they_end():
    """Backward of a hybridized net: the last layer's gradient can leave before the first's."""
    with devices(1, compute=False) as (gpu,):
        net = nn.HybridSequential()
        for _ in range(6):
            net.add(nn.Dense(400))
        net.initialize(ctx=gpu)
        net.hybridize()
        x = nd.zeros((400, 400), ctx=gpu)
        for _ in range(2):
            with autograd.record():
                y = net(x)
            y.backward()
        with autograd.record():
            y = net(x)
        nd.waitall()
        with record() as run:
            y.backward()
            net[5].weight.grad(gpu).copyto(mx.cpu())
            net[0].weight.grad(gpu).copyto(mx.cpu())
        last, first = run.of("gpu(0)", "copy-out")["start_s"]
        ends = np.sort(kernels(run, gpu)["start_s"] + kernels(run, gpu)["seconds"])
        assert last < ends[len(ends) // 2]
        assert first >= ends[-2] - 1e-15  # a sum of floats


def test_gradients_of_hybridized_nets_are_the_same_arrays_and_values():
    (gpu,) = mx.virtual_gpus(1)
    try:
        for ctx in (mx.cpu(), gpu):
            net = nn.HybridSequential()
            net.add(nn.Dense(3, in_units=4), nn.Dense(2, in_units=3))
            net.initialize(mx.init.Constant(0.5), ctx=ctx)
            x = nd.array(np.arange(8).reshape(2, 4), ctx=ctx)
            grads = {}
            for hybrid in (False, True):
                net.hybridize(hybrid)
                held = [p.grad() for p in net.collect_params().values()]
                for _ in range(2):
                    with autograd.record():
                        y = net(x).sum()
                    y.backward()
                grads[hybrid] = [g.asnumpy() for g in held]
            for a, b in zip(grads[False], grads[True], strict=True):
                np.testing.assert_array_equal(a, b)
                assert a.any()
    finally:
        mx.virtual_gpus(0)


def test_declaring_and_taking_back():
    assert declared() is None
    with pytest.raises(MXNetError, match="no devices are modelled"), record():
        pass
    with devices(2) as gpus:
        assert str(declared()) == "2 x toy, virtual, computed by the CPU"
        assert all(gpu.virtual for gpu in gpus) and mx.num_gpus() == 2
        with (
            pytest.raises(MXNetError, match="declared anew"),
            record(),
        ):
            mx.virtual_gpus(1, like=TOY)
        mx.virtual_gpus(2)
        assert declared() is None and mx.num_gpus() == 2
    for options, match in [
        ({"like": "V1000"}, "no device 'V1000' is known; there are K80, P100, V100"),
        ({"like": [TOY]}, "2 GPUs, but `like` describes 1"),
        ({"like": TOY, "links": "torus"}, "no topology 'torus'"),
        ({"like": TOY, "links": [Link("gpu(0)", "gpu(1)", 1e9)]}, r"from cpu\(0\) to gpu\(0\)"),
        ({"like": TOY, "links": [Link("cpu(0)", "gpu(5)", 1e9)]}, r"gpu\(5\), which does not"),
        ({"like": TOY, "dispatch": -1}, "dispatch time of the host is -1"),
        ({"compute": False}, "need devices to be like"),
    ]:
        mx.virtual_gpus(3)
        with pytest.raises(MXNetError, match=match):
            mx.virtual_gpus(2, **options)
        assert mx.num_gpus() == 3
    mx.virtual_gpus(0)
    with pytest.raises(TypeError, match="DeviceModel"):
        mx.virtual_gpus(2, like=3)


def test_presets_give_their_figures_and_sources():
    for name, model in mx.modelled.DEVICES.items():
        assert model.name == name and model.source
        assert model.float64 <= model.float32 <= model.tensor16
        assert model.seconds(0, model.bandwidth) == pytest.approx(1 + model.launch)
    assert mx.modelled.device("rtx-3090") is mx.modelled.DEVICES["RTX 3090"]


def test_training_on_the_clock_is_training():
    def losses(contexts):
        mx.random.seed(3)
        net = nn.Dense(3, in_units=5)
        net.initialize(mx.init.Uniform(0.1), ctx=contexts, force_reinit=True)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        loss = gluon.loss.L2Loss()
        x = nd.array(np.linspace(-1, 1, 40).reshape(8, 5))
        found = []
        for _ in range(5):
            parts = gluon.utils.split_and_load(x, contexts)
            with autograd.record():
                made = [loss(net(p), p[:, :3]) for p in parts]
            for part in made:
                part.backward()
            trainer.step(8)
            found.append(sum(part.sum().asscalar() for part in made))
        return found

    plain = losses([mx.cpu()])
    with devices(2) as gpus:
        np.testing.assert_allclose(losses(gpus), plain, rtol=1e-5)
