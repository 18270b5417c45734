"""The engine from Python: asynchrony, settings, interrupts, exit, fork, threads, memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, _core, engine, nd


def run_python(code, *, interrupt_after=None, timeout=60):
    """Runs a program of its own; optionally sends it SIGINT some time after it says "ready"."""
    with subprocess.Popen(
        [sys.executable, "-u", "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        # A shell's background jobs are started with SIGINT ignored, and so would the program be.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            if interrupt_after is not None:
                assert process.stdout.readline().strip() == "ready", process.stderr.read()
                time.sleep(interrupt_after)
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    return process.returncode, out, err


pytestmark = pytest.mark.alone

# A product that takes seconds, wherever this runs.
LONG = "x = nd.ones((3000, 3000)); y = x\nfor _ in range(40): y = nd.dot(y, x) * 1e-4"


def test_calls_return_before_the_work_is_done():
    x = nd.random.uniform(shape=(20, 20))
    nd.waitall()
    with engine.using(inline=False, slow=1):
        y = nd.dot(x, x)
        assert engine.pending() > 0
    expected = x.asnumpy().astype("float64") @ x.asnumpy().astype("float64")
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-4)


def test_settings():
    before = engine.settings()
    assert before["kind"] == "threaded" and before["inline"]
    with engine.using(kind="naive"):
        assert engine.settings()["kind"] == "naive"
        assert (nd.ones(3) + 1).tolist() == [2, 2, 2]
    with engine.using(inline=False, limit_ops=10):
        a = nd.ones(3)
        for _ in range(100):
            a = a + 1
        assert a.tolist() == [101] * 3
    assert engine.settings() == before
    for bad in ({"kind": "fast"}, {"speed": 3}, {"limit_ops": 0}, {"slow": -1}):
        with pytest.raises(MXNetError):
            engine.configure(**bad)
    assert engine.settings() == before


def test_slow_motion_holds_queued_operators():
    with engine.using(inline=False, slow=0.05):
        start = time.perf_counter()
        a = nd.ones(2)
        for _ in range(4):
            a = a * 2
        assert engine.pending() > 0
        assert "mul" in engine.describe_pending()
        assert a.tolist() == [16, 16]
        assert time.perf_counter() - start >= 0.2


@pytest.mark.parametrize("options", [{}, {"inline": False}, {"kind": "naive"}], ids=str)
def test_program_order_in_every_mode(options):
    with engine.using(**options):
        a, b, c = nd.ones((50, 50)), nd.zeros((50, 50)), nd.arange(2500).reshape((50, 50))
        for i in range(20):
            b += nd.dot(a, c)
            a[i] = b[0] * 1e-6
            c = c[::-1] + a
        found = (a.asnumpy(), b.asnumpy(), c.asnumpy())
    x, y, z = np.ones((50, 50), "f"), np.zeros((50, 50), "f"), np.arange(2500, dtype="f")
    z = z.reshape(50, 50)
    for i in range(20):
        y += x @ z
        x[i] = y[0] * np.float32(1e-6)
        z = z[::-1] + x
    for f, e in zip(found, (x, y, z)):
        np.testing.assert_allclose(f, e, rtol=1e-3)


def test_a_long_loop_without_waits_holds_bounded_memory():
    with engine.using(limit_bytes=64 << 20, inline=False):
        engine.release_pool_memory()
        engine.reset_pool_peak()
        x = nd.ones((512, 1024))  # 2 MiB
        for _ in range(500):
            y = x * 2
            z = y + x
        z.wait_to_read()
        assert engine.pool_stats()["peak"] < 200 << 20
    x = nd.ones(10)
    for _ in range(200_000):
        x = x + 0
    assert x.tolist() == [1] * 10


def test_freed_arrays_go_back_to_the_pool():
    nd.waitall()
    engine.release_pool_memory()
    before = engine.pool_stats()["used"]
    held = engine.pool_stats()["reserved"]  # by slabs of small blocks, which stay
    arrays = [nd.ones((1000, 100)) for _ in range(10)]
    nd.waitall()
    assert engine.pool_stats()["used"] >= before + 10 * 400_000
    del arrays
    nd.waitall()
    assert engine.pool_stats()["used"] <= before + 4096
    engine.release_pool_memory()
    assert engine.pool_stats()["reserved"] <= held + (1 << 20)


@pytest.mark.parametrize("wait", ["y.asnumpy()", "nd.waitall()", "y.wait_to_read()", "print(y)"])
@pytest.mark.parametrize("settings", ["", "engine.configure(inline=False)"])
def test_an_interrupt_ends_every_wait(wait, settings):
    code = f"""
        from jupyter_hybrid import nd, engine
        {settings}
        {LONG}
        try:
            print("ready")
            {wait}
            print("was not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
        print((nd.ones(2) + 1).tolist())  # the engine still works
    """
    code = code.replace(LONG, LONG.replace("\n", "\n" + " " * 8))
    status, out, err = run_python(code, interrupt_after=0.3)
    assert status == 0, err
    assert "interrupted" in out.split() and "[2.0, 2.0]" in out, out + err


def test_one_interrupt_after_the_other():
    """While products run; how soon is printed by benchmarks/interrupt_latency.py."""
    code = """
        import os, signal, threading
        from jupyter_hybrid import nd
        x = nd.ones((2000, 2000))
        for _ in range(5):
            ys = [nd.dot(x, x) for _ in range(4)]
            try:
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
                while True:
                    ys[-1].asnumpy()
            except KeyboardInterrupt:
                print("interrupted", end=" ")
            nd.waitall()
            assert ys[-1][0, 0].asscalar() == 2000
    """
    status, out, err = run_python(code)
    assert status == 0, err
    assert out.split() == ["interrupted"] * 5


def test_an_interrupt_ends_a_naive_operator():
    code = """
        from jupyter_hybrid import nd, engine
        engine.configure(kind="naive")
        x = nd.ones((4000, 4000))
        try:
            print("ready")
            while True:
                nd.dot(x, x)
        except KeyboardInterrupt:
            print("interrupted")
        print((nd.ones(2) + 1).tolist())
    """
    status, out, err = run_python(code, interrupt_after=0.5, timeout=30)
    assert status == 0 and "interrupted" in out and "[2.0, 2.0]" in out, out + err


def test_an_interrupt_ends_the_wait_for_room_in_the_queue():
    code = """
        from jupyter_hybrid import nd, engine
        engine.configure(limit_ops=4, inline=False)
        x = nd.ones((2000, 2000))
        try:
            print("ready")
            while True:
                y = nd.dot(x, x)
        except KeyboardInterrupt:
            print("interrupted")
        nd.waitall()
        print((nd.ones(2) + 1).tolist())
    """
    status, out, err = run_python(code, interrupt_after=1.0, timeout=30)
    assert status == 0 and "interrupted" in out and "[2.0, 2.0]" in out, out + err


def test_the_users_own_signal_handler_runs_in_a_wait():
    code = f"""
        import signal
        from jupyter_hybrid import nd
        class Stop(Exception): pass
        def handler(*_): raise Stop("mine")
        signal.signal(signal.SIGALRM, handler)
        {LONG}
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            y.asnumpy()
        except Stop as e:
            print("stopped by", e)
    """
    code = code.replace(LONG, LONG.replace("\n", "\n" + " " * 8))
    status, out, err = run_python(code)
    assert status == 0 and "stopped by mine" in out, out + err


@pytest.mark.parametrize("ending", ["pass", "raise SystemExit(3)", "import os; os.close(2); 1/0"])
def test_exit_with_work_pending_is_clean_and_drops_it(ending):
    code = f"""
        from jupyter_hybrid import nd, engine
        engine.configure(limit_bytes=1 << 50)
        x = nd.ones((3000, 3000)); y = nd.zeros((3000, 3000))
        for _ in range(2000): nd.dot(x, x, out=y)  # many minutes
        {ending}
    """
    status, _, err = run_python(code)
    assert status == {"p": 0, "r": 3, "i": 1}[ending[0]], err
    assert "Fatal" not in err and "terminate" not in err, err


@pytest.mark.parametrize("threads", [1, 4])
def test_exit_while_daemon_threads_wait(threads):
    code = f"""
        import threading
        from jupyter_hybrid import nd
        x = nd.ones((1500, 1500))
        def work():
            while True:
                nd.dot(x, x).wait_to_read()
        for _ in range({threads}):
            threading.Thread(target=work, daemon=True).start()
    """
    for _ in range(3):
        status, _, err = run_python(code)
        assert status == 0 and "Fatal" not in err and "terminate" not in err, (status, err)


def test_exit_while_numpy_memory_is_in_use():
    code = """
        import numpy as np
        from jupyter_hybrid import nd, engine
        engine.configure(inline=False)
        keep = [nd.from_numpy(np.ones((500, 500), "float32")) for _ in range(20)]
        results = [nd.dot(a, a) for a in keep]
        del keep
    """
    status, _, err = run_python(code)
    assert status == 0 and not err, err


def test_threads_push_and_wait_together():
    results, errors = {}, []

    def work(i):
        try:
            x = nd.full((40, 40), i + 1)
            for _ in range(50):
                x = nd.dot(x, x) / (40 * (i + 1))
            results[i] = x.asnumpy()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    for i in range(6):
        np.testing.assert_allclose(results[i], np.full((40, 40), i + 1), rtol=1e-3)


def test_threads_writing_one_array_lose_nothing():
    with engine.using(inline=False):
        total = nd.zeros((64, 64))

        def add():
            for _ in range(200):
                _core.invoke("broadcast_add", [total, nd.ones((64, 64))], {}, total)

        threads = [threading.Thread(target=add) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert total.asnumpy().min() == total.asnumpy().max() == 800


def test_another_thread_runs_while_one_waits():
    """A wait gives the GIL away; nothing else does, since no thread is asked to switch."""
    go, seen = threading.Event(), []

    def look():
        go.wait()
        seen.append(engine.pending())

    thread = threading.Thread(target=look)
    thread.start()
    x, interval = nd.ones(3), sys.getswitchinterval()
    nd.waitall()
    with engine.using(inline=False, slow=1):
        y = x + 1
        sys.setswitchinterval(1000)
        try:
            go.set()
            y.wait_to_read()
        finally:
            sys.setswitchinterval(interval)
        thread.join()
    assert seen[0] > 0


def test_fork():
    code = """
        import os, sys
        from jupyter_hybrid import nd, engine
        a = nd.ones((300, 300))
        b = nd.dot(a, a)
        engine.configure(inline=False)
        c = b + 1
        pid = os.fork()
        if pid == 0:
            assert engine.settings()["kind"] == "naive"
            value = (nd.ones(3) * 2).tolist()
            os._exit(0 if value == [2, 2, 2] else 1)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), c.asnumpy()[0, 0])
    """
    status, out, err = run_python(code)
    assert status == 0 and out.split() == ["0", "301.0"], out + err


def test_a_child_reads_what_was_pending_at_the_fork():
    code = """
        import os
        from jupyter_hybrid import nd, engine
        engine.configure(inline=False)
        a = nd.ones((400, 400))
        for _ in range(20):
            a = nd.dot(a, a) / 400
        pid = os.fork()
        if pid == 0:
            os._exit(int(a.asnumpy()[3, 3]) + 6)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), a.asnumpy()[3, 3])
    """
    status, out, err = run_python(code)
    assert status == 0 and out.split() == ["7", "1.0"], out + err


def test_fork_while_another_thread_runs_an_operator():
    """In naive mode a call computes without the GIL, and forks wait for its end."""
    code = """
        import os, threading
        from jupyter_hybrid import nd, engine
        engine.configure(kind="naive")
        x = nd.ones((2000, 2000))
        seen = threading.Event()
        def work():
            while not seen.is_set():
                nd.dot(x, x)
        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if (nd.ones((300, 300)) * 2).sum().asscalar() == 180_000 else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), end=" ")
        seen.set()
        thread.join()
        print((nd.ones(3) * 2).tolist())
    """
    status, out, err = run_python(code)
    assert status == 0 and out == "0 0 0 0 0 [2.0, 2.0, 2.0]\n", out + err


def test_worker_processes():
    """What a data loader does: forked workers make arrays, the parent goes on."""
    code = """
        import multiprocessing as mp
        from jupyter_hybrid import nd
        def work(i):
            return float((nd.ones((64, 64)) * i).sum().asscalar())
        x = nd.ones((100, 100)); (x + 1).wait_to_read()
        with mp.get_context("fork").Pool(2) as pool:
            print(pool.map(work, range(4)))
        print(float((x * 2).sum().asscalar()))
    """
    status, out, err = run_python(code)
    assert status == 0, err
    assert out.splitlines() == ["[0.0, 4096.0, 8192.0, 12288.0]", "20000.0"], out + err


def test_the_trace_tells_what_ran():
    reader = _core.TraceReader()
    earlier = reader.read_frame(1 << 30)  # lanes and names are told once
    lanes = {lane["id"]: lane for lane in earlier["lanes"]}
    with engine.using(inline=False):
        nd.dot(nd.ones((64, 64)), nd.ones((64, 64))).wait_to_read()
    nd.waitall()
    time.sleep(0.05)
    frame = reader.read_frame()
    spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    spans = spans[spans["flags"] & 16 == 0]  # no waits, which bear the names of what they wait for
    names = earlier["names"] | frame["names"]
    dots = spans[[names[n] == "dot" for n in spans["name"]]]
    assert len(dots) == 1 and 0 < dots[0]["busy_ms"] < 1000
    _, line, text = frame["sites"][dots[0]["site"]]
    assert text.startswith("test_engine.py") and line > 0
    lanes.update({lane["id"]: lane for lane in frame["lanes"]})
    assert lanes[dots[0]["lane"]]["device"] == "cpu(0)"
    assert frame["now_ms"] >= dots[0]["start_ms"]
    # It was pushed before, and reads what both `ones` wrote.
    assert dots[0]["queued_ms"] >= 0
    pairs = np.frombuffer(frame["producers"], "<u4").reshape(-1, 2)
    producers = pairs[pairs[:, 1] == dots[0]["serial"], 0]
    ones = spans[[names[n] == "ones" for n in spans["name"]]]
    assert len(ones) == 2 and set(producers) == set(ones["serial"])
    assert frame["pools"][0]["device"] == "cpu(0)"


def test_the_trace_tells_queues_and_memory():
    reader = _core.TraceReader()
    lanes = {lane["id"]: lane["device"] for lane in reader.read_frame()["lanes"]}

    def state(frame: dict[str, Any]) -> np.void:
        lanes.update({lane["id"]: lane["device"] for lane in frame["lanes"]})
        states = np.frombuffer(frame["queue"], _core.QUEUE_DTYPE)
        assert (np.diff(states["time_ms"]) >= 0).all()
        return states[[lanes[int(lane)] == "cpu(0)" for lane in states["lane"]]][-1]

    with engine.using(inline=False, slow=0.3):
        x = nd.ones((64, 64))
        y = nd.dot(x, x)
        z = nd.exp(x)
        frame = reader.read_frame()
        now = state(frame)
        assert (now["running"] + now["ready"] + now["waiting"]) == frame["pending"] == 3
        assert now["waiting"] == 2
        x.wait_to_read()  # its two readers are ready, or one of them runs
        now = state(reader.read_frame())
        assert now["waiting"] == 0 and now["ready"] + now["running"] == 2
    nd.waitall()
    big = nd.ones((512, 512))
    nd.waitall()
    del big
    frame = reader.read_frame()
    now = state(frame)
    assert now["running"] + now["ready"] + now["waiting"] == 0
    assert now["used"] == frame["pools"][0]["used"] == engine.pool_stats()["used"]
    states = np.frombuffer(frame["queue"], _core.QUEUE_DTYPE)
    assert states["high"].max() >= now["used"] + 512 * 512 * 4
    assert y.shape == z.shape


def test_the_trace_tells_of_every_operator():
    """Spans that are too many for a frame are merged; what nobody has read in time is counted."""
    x = nd.ones(8)
    nd.waitall()
    reader, late = _core.TraceReader(), _core.TraceReader()
    lanes = {lane["id"]: lane["name"] for lane in reader.read_frame()["lanes"]}
    late.read_frame()
    told: dict[str, int] = {}

    def read(reader: _core.TraceReader, max_bytes: int) -> dict[str, Any]:
        frame = reader.read_frame(max_bytes)
        lanes.update({lane["id"]: lane["name"] for lane in frame["lanes"]})
        spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
        assert len(frame["spans"]) <= max(max_bytes, 8 * spans.itemsize)
        for span in spans[spans["flags"] & (16 | 32) == 0]:
            lane = lanes[int(span["lane"])]
            told[lane] = told.get(lane, 0) + int(span["count"])
            assert span["busy_ms"] <= span["extent_ms"] * 1.001 + 1e-6
        for gap in frame["gaps"]:
            told[lanes[gap["lane"]]] = told.get(lanes[gap["lane"]], 0) + gap["count"]
            assert gap["start_ms"] <= gap["end_ms"]
        return frame

    rounds, each = 20, 5000
    with engine.using(inline=False):
        for _ in range(rounds):
            for _ in range(each):
                y = x + 1
            nd.waitall()
            assert not read(reader, 3600)["gaps"]
    assert (y.asnumpy() == 2).all()
    assert told["cpu(0)"] == rounds * each
    told.clear()
    assert read(late, 3600)["gaps"]
    assert told["cpu(0)"] == rounds * each


def test_number_of_threads():
    before = engine.num_threads()
    x = nd.random.uniform(shape=(300, 300))
    results = []
    for n in (1, 2, 3):
        engine.set_num_threads(n)
        assert engine.num_threads() == n
        results.append((nd.dot(x, x).asnumpy().tobytes(), x.sum().asnumpy().tobytes()))
    engine.set_num_threads(before)
    assert results[0] == results[1] == results[2]


def test_virtual_gpus_do_not_run_on_the_caller():
    (gpu,) = mx.virtual_gpus(1)
    reader = _core.TraceReader()
    (nd.ones(1, ctx=gpu) + 1).wait_to_read()
    frame = reader.read_frame()
    assert "gpu(0)" in {lane["device"] for lane in frame["lanes"]}
    mx.virtual_gpus(0)
