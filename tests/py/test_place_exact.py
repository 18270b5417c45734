"""Exact placement from Python: progress, errors in it, interruption, other threads going on."""

from __future__ import annotations

import random
import signal
import threading
import time

import pytest

from jupyter_hybrid import _core


def full(seed: int, sections: int, capacity: int) -> list[tuple[int, int, int, int]]:
    """Lifetimes (id, lower, upper, size) that fill every section: hard to place without a gap."""
    draw = random.Random(seed)
    lifetimes: list[list[int]] = []
    before: list[tuple[int, int]] = []  # offset, which
    for section in range(sections):
        now: list[tuple[int, int]] = []
        at = 0
        while at < capacity:
            longer = [which for offset, which in before if offset == at and draw.random() < 0.6]
            if longer:
                lifetimes[longer[0]][2] = section + 1
                now.append((at, longer[0]))
                at += lifetimes[longer[0]][3]
                continue
            size = min(
                1 + draw.randrange(capacity // 4),
                capacity - at,
                *(offset - at for offset, _ in before if offset > at),
            )
            now.append((at, len(lifetimes)))
            lifetimes.append([len(lifetimes), section, section + 1, size])
            at += size
        before = now
    return [(a, b, c, d) for a, b, c, d in lifetimes]


HARD = full(1, 24, 100_003)


def test_progress_is_reported_and_ordered() -> None:
    seen: list[tuple[float, int, int]] = []
    layout = _core.place_exact(HARD, 1, 0.5, lambda *now: seen.append(now))
    assert len(seen) >= 2
    assert all(bound <= peak for _, peak, bound in seen)
    assert [s for s, _, _ in seen] == sorted(s for s, _, _ in seen)
    assert layout["peak"] <= seen[0][1]
    names = [name for name, _ in layout["attempts"]]
    peaks = [peak for _, peak in layout["attempts"]]
    assert names
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[-1] == layout["peak"]


def test_an_error_in_the_progress_callback_ends_the_search() -> None:
    def fail(*_now: object) -> None:
        raise RuntimeError("from progress")

    with pytest.raises(RuntimeError, match="from progress"):
        _core.place_exact(HARD, 1, 100.0, fail)


@pytest.mark.alone
def test_an_interrupt_ends_the_search() -> None:
    # A background job of a shell starts with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    searching = threading.Event()

    def interrupt() -> None:
        searching.wait()
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            _core.place_exact(HARD, 1, 100.0, lambda *_now: searching.set())
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.alone
def test_other_threads_run_meanwhile() -> None:
    done = threading.Event()
    count = 0

    def work() -> None:
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    _core.place_exact(HARD, 1, 0.5)
    done.set()
    thread.join()
    assert count > 20


def test_a_capacity_that_is_met_ends_the_search() -> None:
    least = _core.place_buffers(HARD, 1, 0.0)["lower_bound"]
    quick = _core.place_buffers(HARD, 1, 10.0)["peak"]
    between = (least + quick) // 2
    met = _core.place_exact(HARD, 1, 100.0, capacity=between)
    assert met["peak"] <= between
    loose = _core.place_exact(HARD, 1, 100.0, capacity=10 * least)
    assert loose["attempts"] == _core.place_buffers(HARD, 1, 10.0)["attempts"]
    impossible = _core.place_exact(HARD, 1, 100.0, capacity=least - 1)
    assert impossible["peak"] >= least


def test_bad_lifetimes_are_refused() -> None:
    with pytest.raises(_core.MXNetError, match="ends at 1, before its start 2"):
        _core.place_exact([(0, 2, 1, 64)])
    with pytest.raises(_core.MXNetError, match="has size -1"):
        _core.place_buffers([(0, 0, 1, -1)])
