"""What the memory of modelled devices is used for, over modelled time."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from modelled_helpers import TOY, devices

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, engine, gluon, nd, optimizer
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.modelled import DeviceModel, Timeline, record
from jupyter_hybrid.modelled.figures import KINDS as SPAN_KINDS

KINDS = mx._core.MEMORY_KINDS
WAIT = SPAN_KINDS.index("wait")
PUSH = 1e-4  # seconds of the host: longer than any kernel here
WEIGHT = 64 * 100 * 4  # bytes, all of them multiples of 64
DATA, RESULT = 32 * 64 * 4, 32 * 100 * 4


def toy(memory):
    return DeviceModel(**{**TOY.__dict__, "memory": memory})


def at(run, device, seconds):
    """Bytes by kind at that time, those that are 0 left out."""
    times, held = run.memory_of(device)
    row = held[np.searchsorted(times, seconds, "right") - 1]
    return {kind: int(n) for kind, n in zip(KINDS, row, strict=True) if n}


def test_a_training_step_by_hand():
    """Each operator is run before the next one is pushed, so the pool's peak is the device's."""
    with devices(1, dispatch=PUSH) as (gpu,), engine.using(kind="naive"):
        weight, data = nd.ones((64, 100), ctx=gpu), nd.ones((32, 64), ctx=gpu)
        weight.attach_grad()
        update = optimizer.get_updater(optimizer.SGD(momentum=0.9))
        nd.waitall()
        mx._core.reset_pool_peak(gpu)
        begin = mx._core.model_spans(0, 0)["now_s"]
        with record() as run:
            with autograd.record():
                result = nd.dot(data, weight)
                loss = result * result
            forward = mx._core.model_spans(0, 0)["now_s"] - begin
            loss.backward()
            del result, loss
            update(0, weight.grad, weight)
        held = {"parameters and variables": WEIGHT, "gradients": WEIGHT, "arrays": DATA}
        # A result is taken before its operator is pushed: backward's first one at `forward`.
        assert at(run, "gpu(0)", 0) == {**held, "activations": RESULT}
        assert at(run, "gpu(0)", forward - 1e-9) == {**held, "activations": 2 * RESULT}
        # The update keeps a block with the step's numbers for the next one.
        last = {**held, "optimizer states": WEIGHT, "arrays": DATA + 64}
        assert at(run, "gpu(0)", run.seconds) == last
        peak = run.figures()[0].peak_memory
        assert peak == mx._core.pool_stats(gpu)["peak"] > 2 * WEIGHT + DATA + 2 * RESULT
        free, all_of_it = mx.context.gpu_memory_info(0)
        assert all_of_it - free == sum(at(run, "gpu(0)", run.seconds).values())
        assert f"at most {mx.capture.sizes.byte_size(peak)} of memory" in str(run)


def _changes(run, device):
    times, held = run.memory_of(device)
    return list(zip(times.tolist(), held.sum(axis=1).tolist(), strict=True))


def test_memory_comes_free_when_the_device_has_done_with_it():
    """However long the CPU takes: each operator is held, and the host runs far ahead of it."""
    with devices(1, dispatch=PUSH) as (gpu,):
        a = nd.ones((64, 100), ctx=gpu)
        nd.waitall()
        with record() as run, engine.using(slow=0.03):
            b = a + 1
            del b  # the kernel has not begun
            c = a + 1
            nd.waitall()
            for _ in range(3):
                d = a + 1
            kept = c
            del c, kept, d
        spans = run.of("gpu(0)", "compute")
        ends = np.sort(spans["start_s"] + spans["seconds"])
        assert len(ends) == 5
        n = WEIGHT
        expected = [
            (0.0, 2 * n),  # a, and b which is taken before it is pushed
            (PUSH, 3 * n),  # c
            (ends[0], 2 * n),  # b, which nobody holds, when its kernel has ended
            (ends[1], 3 * n),  # the first d, when the host has waited for c
            (ends[1] + PUSH, 4 * n),  # the second; then the first is let go, and the third taken
            (ends[1] + 3 * PUSH, 2 * n),  # c, kept all the time; the second d
            (ends[4], n),  # the third d
        ]
        got = _changes(run, "gpu(0)")
        assert [n for _, n in got] == [n for _, n in expected]
        np.testing.assert_allclose([t for t, _ in got], [t for t, _ in expected], atol=1e-12)


@pytest.mark.parametrize("compute", [True, False])
def test_a_program_s_working_memory(compute):
    """It is taken for the run, and what the run gives is an array."""
    with devices(1, dispatch=PUSH, compute=compute) as (gpu,):
        net = nn.HybridSequential()
        net.add(nn.Dense(256, activation="relu", in_units=64), nn.Dense(64, in_units=256))
        net.initialize(ctx=gpu)
        net.hybridize()
        x = nd.ones((32, 64), ctx=gpu)
        net(x).wait_to_read()
        nd.waitall()
        with record() as run:
            y = net(x)
        times, held = run.memory_of("gpu(0)")
        working = held[:, KINDS.index("working memory of programs")]
        assert working.tolist() == [32 * 256 * 4, 0]  # the hidden layer
        assert times.tolist() == pytest.approx([0, run.seconds])
        assert at(run, "gpu(0)", run.seconds)["arrays"] == 2 * DATA
        del y


def _data_parallel(gpus):
    net = nn.HybridSequential()
    net.add(nn.Dense(64, activation="relu", in_units=64), nn.Dense(64, in_units=64))
    net.initialize(ctx=gpus)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", update_on_kvstore=False)
    data = [nd.ones((32, 64), ctx=c) for c in gpus]
    for _ in range(2):
        with autograd.record():
            losses = [(net(x) ** 2).mean() for x in data]
        autograd.backward(losses)
        trainer.step(64)
    nd.waitall()


def test_each_device_of_a_training_holds_its_own():
    with devices(4, compute=False) as gpus, record() as run:
        _data_parallel(gpus)
    parameters = sum(n + (-n) % 64 for n in (64 * 64 * 4, 64 * 4)) * 2
    for device in run.devices():
        seen = run.memory_of(device)[1].max(axis=0)
        assert seen[KINDS.index("parameters and variables")] == parameters
        assert seen[KINDS.index("gradients")] == parameters
        assert seen[KINDS.index("optimizer states")] == 2 * parameters


def test_it_is_saved_read_and_drawn(tmp_path):
    with devices(2, compute=False) as gpus, record() as run:
        _data_parallel(gpus)
    path = tmp_path / "run.json"
    run.save(path)
    read = Timeline.load(path)
    np.testing.assert_array_equal(read.memory, run.memory)
    assert read._repr_svg_() == run._repr_svg_() and str(read) == str(run)
    root = ElementTree.fromstring(run._repr_svg_())
    name = "{http://www.w3.org/2000/svg}"
    areas = [p.find(f"{name}title").text for p in root.iter(f"{name}path")]
    for device in ("gpu(0)", "gpu(1)"):
        for kind in ("parameters and variables", "gradients", "optimizer states"):
            assert sum(words.startswith(f"{device}, {kind}: at most") for words in areas) == 1
    texts = [t.text for t in root.iter(f"{name}text")]
    assert texts.count("memory") == 2 and "gpu(1), virtual" in texts and "0" in texts
    good = json.loads(path.read_text())
    for wrong in (3, {}, {**good["memory"], "kinds": ["x"]}, {**good["memory"], "rows": [[1]]}):
        path.write_text(json.dumps({**good, "memory": wrong}))
        with pytest.raises(MXNetError, match="no saved timeline"):
            Timeline.load(path)
    del good["memory"], good["capacities"]  # as files were before
    path.write_text(json.dumps(good))
    assert not len(Timeline.load(path).memory) and "memory" not in str(Timeline.load(path))


@pytest.mark.parametrize("compute", [True, False])
def test_the_host_waits_until_a_full_device_has_room(compute):
    """Five arrays fill it: the next one is taken when the device has done with the oldest."""
    size = 200_000  # bytes
    with devices(1, like=toy(5 * size), compute=compute) as (gpu,):
        x = nd.ones((size // 4,), ctx=gpu)
        nd.waitall()
        with record() as run:
            for _ in range(50):
                x = x + 1
        assert run.figures()[0].peak_memory == 5 * size
        waits = run.of("host")[run.of("host")["kind"] == WAIT]
        ends = run.of("gpu(0)", "compute")
        ends = np.sort(ends["start_s"] + ends["seconds"])
        # The first four results find room; then each waits for one kernel more.
        until = (waits["start_s"] + waits["seconds"]).tolist()
        assert until[:46] == pytest.approx(ends[:46].tolist())
        if compute:
            assert x.asnumpy()[0] == 51
