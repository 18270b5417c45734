"""DataLoader: workers that fail, die, hang, are interrupted or nest, and what is left of them."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import autograd, nd, random
from jupyter_hybrid.gluon.data import ArrayDataset, BatchSampler, DataLoader, Dataset

KINDS = {
    "here": {},
    "processes": {"num_workers": 2},
    "one ahead": {"num_workers": 1, "prefetch": 0},
    "threads": {"num_workers": 2, "thread_pool": True},
    "reloading": {"num_workers": 2, "auto_reload": True},
}


class Calls(Dataset):
    """Sample i is what a function gives of it."""

    def __init__(self, function, length=8):
        self.function = function
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        return self.function(i)


def numbers(loader):
    return [batch.asnumpy().tolist() for batch in loader]


def gone(pid):
    """Has a process ended?"""
    for _ in range(500):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_gives_the_same_batches(kind):
    data = nd.array(np.arange(22.0).reshape(11, 2))
    dataset = ArrayDataset(data, np.arange(11, dtype=np.int32)).transform_first(lambda x: x * 2)
    loader = DataLoader(dataset, 4, last_batch="keep", **KINDS[kind])
    assert len(loader) == 3
    for _ in range(2):
        batches = list(loader)
        assert [b.dtype for b in batches[0]] == [np.float32, np.int32]
        assert np.concatenate([x.asnumpy() for x, _ in batches]).tolist() == (data * 2).tolist()
        assert [i for _, y in batches for i in y.tolist()] == list(range(11))


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_rounds_at_once_and_left_early(kind):
    loader = DataLoader(list(range(40)), 4, **KINDS[kind])
    for _ in loader:
        break
    first, second = iter(loader), iter(loader)
    found = [next(first), next(second), next(second), next(first)]
    assert [b.asnumpy()[0] for b in found] == [0, 0, 4, 4]
    del first
    assert len(list(second)) == 8
    assert len(list(loader)) == 10


def test_large_batches_and_plain_objects_come_whole():
    big = np.random.RandomState(0).rand(40, 3, 50, 50)
    dataset = Calls(lambda i: {"x": big[i], "n": nd.array(big[i]), "text": "é" * i}, 40)
    loader = DataLoader(dataset, 8, num_workers=2, batchify_fn=lambda samples: samples)
    samples = [sample for batch in loader for sample in batch]
    assert [len(s["text"]) for s in samples] == list(range(40))
    np.testing.assert_array_equal([s["x"] for s in samples], big)
    np.testing.assert_array_equal([s["n"].asnumpy() for s in samples], big.astype(np.float32))
    samples[0]["x"][:] = 0  # writable
    many = DataLoader(list(range(100_000)), 50_000, num_workers=1)  # long lists of indices
    assert [batch.shape for batch in many] == [(50_000,), (50_000,)]


def raises(error):
    raise error


class Awkward(Exception):
    """Can be pickled, not unpickled."""

    def __init__(self, one, two):
        super().__init__(one)
        self.two = two


@pytest.mark.parametrize("kind", ["processes", "threads", "here"])
def test_errors_come_with_the_lines_of_the_worker(kind):
    loader = DataLoader(
        Calls(lambda i: raises(KeyError(f"no {i}")) if i == 5 else i), 2, **KINDS[kind]
    )
    rounds = iter(loader)
    assert next(rounds).tolist() == [0, 1]
    with pytest.raises(KeyError, match="no 5") as caught:
        list(rounds)
    assert list(rounds) == []  # the round has ended
    if kind == "processes":
        assert "in raises" in str(caught.value.__cause__)
        assert "worker.py" not in str(caught.value.__cause__)
    assert next(iter(loader)).tolist() == [0, 1]


@pytest.mark.parametrize(
    "sample, message",
    [
        (lambda i: raises(Awkward(1, 2)), "raised Awkward: 1"),
        (lambda i: sys.exit(4), "raised SystemExit: 4"),
        (lambda i: raises(KeyboardInterrupt), "raised KeyboardInterrupt"),
        (lambda i: os._exit(5), r"pid \d+\) ended with exit code 5"),
        (lambda i: os.kill(os.getpid(), signal.SIGKILL), r"killed by signal SIGKILL \(memory"),
        (lambda i: os.kill(os.getpid(), signal.SIGABRT), "killed by signal SIGABRT"),
    ],
)
def test_workers_that_end(sample, message, tmp_path):
    fails = tmp_path / "fails"
    fails.touch()
    dataset = Calls(lambda i: sample(i) if i == 3 and fails.exists() else i)
    loader = DataLoader(dataset, 2, num_workers=2)
    with pytest.raises(RuntimeError, match=message):
        list(loader)
    fails.unlink()
    assert numbers(loader) == [[0, 1], [2, 3], [4, 5], [6, 7]]  # by workers started anew


def test_a_batch_that_can_not_be_sent():
    loader = DataLoader(Calls(lambda i: i), 2, num_workers=1, batchify_fn=lambda s: lambda: s)
    with pytest.raises(Exception, match="pickle"):
        list(loader)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_time_out(kind):
    released = threading.Event()  # a thread that goes on sleeping would be found by later cells
    loader = DataLoader(
        Calls(lambda i: (i == 2 and released.wait(30) and 0) or i), 1, timeout=0.3, **KINDS[kind]
    )
    rounds = iter(loader)
    with pytest.raises(multiprocessing.TimeoutError, match=r"within 0\.3 s"):
        list(rounds)
    released.set()


def test_nested_loaders():
    def total(i):
        inner = DataLoader(np.arange(i + 3, dtype="float32"), 2, num_workers=1)
        return sum(float(batch.sum().asscalar()) for batch in inner)

    assert numbers(DataLoader(Calls(total, 4), 2, num_workers=2)) == [[3, 6], [10, 15]]
    shared = DataLoader(list(range(4)), 2, num_workers=1)  # made here, used in workers too
    outer = DataLoader(
        Calls(lambda i: sum(b.sum().asscalar() for b in shared), 2), 1, num_workers=2
    )
    assert numbers(outer) == [[6], [6]]
    assert numbers(shared) == [[0, 1], [2, 3]]


def test_workers_end_with_their_loader():
    loader = DataLoader(Calls(lambda i: np.int64(os.getpid())), 1, num_workers=2)
    pids = {int(batch.asscalar()) for batch in loader}
    del loader
    assert os.getpid() not in pids and all(map(gone, pids))


@pytest.mark.parametrize("end", [lambda: raises(ValueError("no")), lambda: os._exit(3)])
def test_workers_end_with_a_loader_that_raised(end):
    # At once: what was raised keeps neither the loader nor itself alive.
    before = set(multiprocessing.active_children())
    gc.disable()
    try:
        with contextlib.suppress(ValueError, RuntimeError):
            list(DataLoader(Calls(lambda i: end() if i == 3 else i), 1, num_workers=2))
        for _ in range(200):
            if set(multiprocessing.active_children()) <= before:
                break
            time.sleep(0.02)
        assert set(multiprocessing.active_children()) <= before
    finally:
        gc.enable()


def test_random_numbers_follow_from_the_seeds():
    def draws():
        loader = DataLoader(Calls(lambda i: float(np.random.rand())), 2, num_workers=2)
        return numbers(loader) + numbers(loader)

    np.random.seed(1)
    random.seed(1)
    first, second = draws(), draws()
    assert first == second and len({x for batch in first for x in batch}) == 16
    np.random.seed(2)
    assert draws() != first
    drawn = DataLoader(Calls(lambda i: nd.random.uniform(shape=1)), 1, num_workers=2)
    assert len(set(map(str, numbers(drawn)))) == 8


def test_workers_record_nothing():
    with autograd.record():
        loader = DataLoader(Calls(lambda i: float(autograd.is_recording())), 8, num_workers=1)
        assert numbers(loader) == [[0] * 8]


def run(code, interrupt=False):
    """A program of its own; what it prints, once it has ended."""
    command = [sys.executable, "-u", "-c", textwrap.dedent(code)]
    default = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    with subprocess.Popen(command, stdout=-1, stderr=-2, text=True, preexec_fn=default) as process:
        try:
            head = process.stdout.readline() if interrupt else ""
            if interrupt:
                time.sleep(0.2)
                process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    return head + out


SLOW = """
    import os, time
    from jupyter_hybrid.gluon.data import DataLoader, Dataset
    class Slow(Dataset):
        def __len__(self): return 8
        def __getitem__(self, i):
            if i == 0: return os.getpid()
            time.sleep(30 * slow[0])
            return i
    slow = [True]
    loader = DataLoader(Slow(), 1, num_workers=2)
    batches = iter(loader)
    print(next(batches).asscalar())
"""


def test_interrupt():
    """What other processes leave in shared memory for a moment is none of ours."""
    code = """
    try: next(batches)
    except KeyboardInterrupt: print("interrupted")
    print(list(batches))
    end = time.time() + 20
    while (left := set(os.listdir("/dev/shm")) - before) and time.time() < end: time.sleep(0.1)
    print(sorted(left))
    """
    start = 'import os, time\nbefore = set(os.listdir("/dev/shm"))\n'
    out = run(start + textwrap.dedent(SLOW) + textwrap.dedent(code), interrupt=True).splitlines()
    assert out[1:] == ["interrupted", "[]", "[]"] and gone(int(out[0]))


@pytest.mark.parametrize("end", ["", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_workers_end_with_the_process(end):
    out = run(textwrap.dedent(SLOW).replace("sleep(30", "sleep(2") + end).splitlines()
    assert len(out) == 1 and gone(int(out[0]))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"batch_size": 2, "sampler": [1], "shuffle": True},
        {"batch_size": 2, "batch_sampler": BatchSampler([1], 1)},
        {"batch_sampler": [[1]], "shuffle": True},
        {"batch_sampler": [[1]], "last_batch": "keep"},
    ],
)
def test_arguments_that_contradict(arguments):
    with pytest.raises(ValueError, match="specified"):
        DataLoader([1, 2], **arguments)


def test_last_batch_of_another_name():
    with pytest.raises(ValueError, match="'keep', 'discard' or 'rollover'"):
        list(DataLoader([1, 2, 3], 2, last_batch="drop"))


def test_pinned():
    loader = DataLoader(ArrayDataset([1.0, 2.0], [1, 2]), 2, pin_memory=True, num_workers=1)
    ((x, y),) = loader
    assert x.context.device_type == "cpu_pinned" and y.tolist() == [1, 2]


def test_a_training_cell():
    shell = Shell()
    shell.run("from jupyter_hybrid import gluon, nd, autograd")
    shell.hybridize(
        """
        x = nd.array([[1.0], [2], [3], [4]])
        w = nd.zeros((1, 1)); w.attach_grad()
        loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, x * 3), 2, num_workers=2)
        for epoch in range(20):
            for a, b in loader:
                with autograd.record():
                    loss = ((nd.dot(a, w) - b) ** 2).mean()
                loss.backward()
                w[:] = w - 0.05 * w.grad
        """.replace("\n        ", "\n")
    )
    assert abs(shell.ns["w"].asscalar() - 3) < 1e-3
