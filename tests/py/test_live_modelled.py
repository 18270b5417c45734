"""The modelled clock as the live panel gets it: frames, pace, lanes that lag."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from jupyter_hybrid import _core, nd, virtual_gpus
from jupyter_hybrid.live.modelled import MAX_BYTES, ModelledReader, model_now
from jupyter_hybrid.live.pace import Pace, rung

LANES = [
    ("host", "host", "host"),
    ("gpu(0) compute", "gpu(0)", "compute"),
    ("gpu(1) compute", "gpu(1)", "compute"),
]
RUNNING, WAIT = _core.SPAN_FLAGS["running"], _core.SPAN_FLAGS["wait"]
MS = 1e-3


class Clock:
    """Stands for ``_core.model_spans``: what tests put into it, of which it keeps the newest."""

    def __init__(self, keeps: int = 1 << 18) -> None:
        self.rows: list[tuple[float, float, int, int, int]] = []
        self.late: list[tuple[int, float]] = []
        self.now_s, self.clock, self.keeps = 0.0, 1, keeps

    def add(self, start_s: float, seconds: float, lane: int = 1, kind: int = 0, serial=0) -> None:
        self.rows.append((start_s, seconds, lane, kind, serial or len(self.rows) + 1))
        self.now_s = max(self.now_s, start_s + seconds)

    def __call__(self, begin: int, most: int) -> dict[str, Any]:
        first = max(0, len(self.rows) - self.keeps)
        at = max(begin, first)
        rows = self.rows[at : at + most]
        spans = np.zeros(len(rows), _core.MODEL_SPAN_DTYPE)
        for i, field in enumerate(("start_s", "seconds", "lane", "kind", "serial")):
            spans[field] = [row[i] for row in rows]
        spans["name"], spans["site"], spans["queued_s"] = 7, 9, 2e-6
        told = {"names": {7: "dot"}, "sites": {9: ("c", 3, "cell")}} if rows else {}
        return {
            "names": {},
            "sites": {},
            **told,
            "spans": spans.tobytes(),
            "lanes": LANES,
            "late": self.late,
            "now_s": self.now_s,
            "clock": self.clock,
            "lost": max(0, first - begin),
            "next": at + len(rows),
        }


def spans_of(frame: Any) -> np.ndarray:
    return np.frombuffer(frame.spans, _core.SPAN_DTYPE)


@pytest.mark.parametrize(
    ("ratio", "step"),
    [(1, 1), (1.01, 2), (20, 20), (20.1, 50), (51, 100), (0.3, 0.5), (0.5, 0.5), (3e7, 1e6)],
)
def test_the_factors_ladder(ratio, step):
    assert rung(ratio) == step


@pytest.mark.parametrize(("speed", "slower"), [(1 / 45, 50), (1 / 450, 500), (1, 1), (4, 0.5)])
def test_the_factor_follows_what_the_cpu_computes(speed, slower):
    """A queue of 1000 modelled seconds, computed at that speed, is shown at about that speed."""
    pace = Pace()
    before = 0.0
    for i in range(601):
        real_s = i / 30
        pace.step(real_s, 1000.0, real_s * speed, over=False)
        if i == 8:
            assert pace.slower is None and pace.shown_s == 0  # nobody knows how fast yet
        if i == 300:
            before = pace.shown_s
    assert slower / 2.5 <= pace.slower <= slower * 1.01
    assert (pace.shown_s - before) / 10 == pytest.approx(speed, rel=0.3)
    assert abs(pace.shown_s - 20 * speed) < 3 * speed  # within seconds of what is computed
    pace.step(30.0, 1000.0, 1000.0, over=True)
    assert pace.shown_s == 1000.0


def test_one_factor_holds_for_a_while_and_idle_time_changes_nothing():
    pace, changes = Pace(), []
    for i in range(1800):  # a minute at a speed between two steps
        before = pace.slower
        pace.step(i / 30, 1000.0, i / 30 / 51, over=False)
        if pace.slower != before:
            changes.append(i / 30)
    assert all(b - a >= 1 for a, b in pairwise(changes))
    assert len(changes) <= 12
    end = pace.shown_s
    pace.step(60.0, end, end, over=False)
    kept = pace.slower
    for i in range(300):  # the cell does something else for 10 s
        pace.step(60 + i / 30, end, end, over=False)
    assert pace.slower == kept and pace.shown_s == end


def test_the_picture_stands_where_the_cpu_is_far_behind():
    """What comes first is easy, and then one operator takes for ever."""
    pace = Pace()
    for i in range(300):
        pace.step(i / 30, 10.0, min(i / 30 / 10, 0.1), over=False)
        assert pace.shown_s <= 0.1 + 0.31 / 10
    assert pace.shown_s > 0.1 and pace.slower > 100


def test_the_host_before_says_nothing_of_the_devices():
    """The host alone is as fast as real time; what it then waits for is 100 times slower."""
    pace = Pace()
    for i in range(61):
        pace.step(i / 30, i / 30, i / 30, over=False)
    assert pace.slower == 1 and pace.shown_s > 1.5
    for i in range(1, 90):
        computed_s = 2 + i / 30 / 100
        pace.step(2 + i / 30, 4.0, computed_s, over=False)
        assert pace.shown_s <= computed_s + 0.01
    assert pace.slower in (100, 200)


def test_the_factor_of_earlier_work_does_not_run_away():
    """The next cell is 100 times as hard: what is shown stays with what is computed."""
    pace = Pace()
    for i in range(90):
        pace.step(i / 30, 1.0, min(1.0, i / 30), over=False)
    pace.step(3.0, 1.0, 1.0, over=True)
    assert pace.slower == 1
    for i in range(150):
        computed = 1 + max(0.0, i / 30 - 1) / 100  # nothing in the first second
        pace.step(3 + i / 30, 2.0, computed, over=False)
        assert pace.shown_s <= computed + 0.01
    assert pace.slower in (100, 200)


def test_a_span_waits_for_its_time_and_runs_before():
    clock, told = Clock(), []
    reader = ModelledReader(clock)
    for i in range(100):
        clock.add(i * MS, MS, kind=0)
    first = reader.frame(0.0, over=False)
    assert first.head["lanes"][1] == {
        "id": 1, "name": "gpu(0) compute", "device": "gpu(0)", "virtual": True, "kind": "compute"
    }  # fmt: skip
    assert first.head["names"] == {"7": "dot"} and first.head["sites"]["9"]["line"] == 3
    assert len(spans_of(first)) == 0 and first.head["slower"] is None
    for i in range(1, 120):  # the CPU computes at a hundredth of modelled time
        clock.late = [(1, i / 30 / 100)]
        frame = reader.frame(i / 30, over=False)
        if frame is None:
            continue
        spans, now = spans_of(frame), frame.head["now_ms"]
        assert "lanes" in frame.head and frame.head["lanes"] == [] and frame.head["names"] == {}
        running = spans["flags"] & RUNNING > 0
        ends = spans["start_ms"] + spans["extent_ms"]
        assert (spans["start_ms"] < now + 1e-9).all() and (ends <= now + 1e-4).all()
        assert running.sum() <= 1
        if running.any():  # its end is not told
            assert ends[running][0] == pytest.approx(now, abs=1e-4)
        told += spans["start_ms"][~running].round().astype(int).tolist()
    assert told == list(range(len(told))) and 20 < len(told) < 60
    clock.late = []
    last = reader.frame(5.0, over=True)
    told += spans_of(last)["start_ms"].round().astype(int).tolist()
    assert told == list(range(100))  # each once, the rest at the end
    assert last.head["now_ms"] == pytest.approx(100) and not last.head["live"]
    assert reader.frame(5.1, over=True) is None


def test_a_panel_that_comes_late_begins_with_the_cell_that_runs():
    clock = Clock()
    for i in range(100):
        clock.add(i * MS, MS)
    clock.late = [(1, 60 * MS)]
    frame = ModelledReader(clock).frame(0.0, over=False, cell=(1, 50 * MS))
    assert frame.head["now_ms"] == 50 and len(spans_of(frame)) == 50


def test_frames_are_small_and_lose_nothing():
    clock, got = Clock(), 0
    for i in range(20_000):
        clock.add(i * MS, MS, lane=1 + i % 2)
    reader = ModelledReader(clock)
    for i in range(100):
        frame = reader.frame(i / 30, over=True)
        if frame is None:
            break
        assert len(frame.spans) <= MAX_BYTES and frame.head["lost"] == 0
        spans = spans_of(frame)
        done = spans[spans["flags"] & RUNNING == 0]
        got += len(done)
        # The picture goes no further than its spans: no lane looks idle because of the rest.
        assert frame.head["now_ms"] == pytest.approx(
            (done["start_ms"] + done["extent_ms"]).max(), rel=1e-6
        )
    assert got == 20_000 and not frame.head["live"] if frame else got == 20_000


def test_rounding_holds_nothing_back():
    clock = Clock()
    clock.add(0.1, 0.2)
    clock.now_s = 0.3  # 0.1 + 0.2 is more
    frame = ModelledReader(clock).frame(0.0, over=True)
    assert len(spans_of(frame)) == 1 and not frame.head["live"]


def test_what_is_no_longer_kept_is_counted():
    clock = Clock(keeps=100)
    reader = ModelledReader(clock)
    clock.add(0, MS)
    assert len(spans_of(reader.frame(0.0, over=True))) == 1
    for i in range(1, 401):
        clock.add(i * MS, MS)
    frame = reader.frame(0.1, over=True)
    assert frame.head["lost"] == 300 and len(spans_of(frame)) == 100
    assert [gap["lane"] for gap in frame.head["gaps"]] == [0, 1, 2]
    assert frame.head["gaps"][0]["start_ms"] == pytest.approx(1)
    assert frame.head["gaps"][0]["end_ms"] == pytest.approx(301)


def as_fast(reader: ModelledReader) -> None:
    """As fast as real time, whatever the CPU does."""
    reader._pace.slower, reader._pace._chosen, reader._pace._was_late = 1.0, 1e9, True


def shown_until(reader: ModelledReader, clock: Clock, ms: float, computed_ms: float) -> Any:
    """Frames at the pace of 1:1 until that time is shown; the last one."""
    reader.frame(0.0, over=False)
    as_fast(reader)
    clock.late = [(1, computed_ms * MS)]
    return reader.frame(ms * MS, over=False)


def test_a_lane_lags_when_an_operator_that_has_ended_is_not_computed():
    def shown(ms: float, computed_ms: float) -> list[int]:
        clock = Clock()
        for i in range(10):
            clock.add(i * MS, MS, lane=1)
            clock.add(i * MS, MS, lane=2)
        reader = ModelledReader(clock)
        frame = shown_until(reader, clock, ms, computed_ms)
        assert frame.head["now_ms"] == pytest.approx(ms)
        return frame.head["lagging"]

    assert shown(4.5, 4.0) == []  # only the one that runs in the picture is not computed
    assert shown(4.5, 3.0) == [1]
    assert shown(4.5, 6.0) == []  # ahead of the picture


def test_a_program_in_progress_does_not_lag():
    """Its kernels are one operator, that is computed when all of them are."""
    for now_ms, lagging in ((4.5, []), (5.5, [1])):
        clock = Clock()
        for i in range(5):
            clock.add(i * MS, MS, lane=1, serial=50)
        clock.add(7 * MS, MS, lane=1, serial=51)
        reader = ModelledReader(clock)
        assert shown_until(reader, clock, 2.5, 0.0).head["lagging"] == []
        frame = reader.frame(now_ms * MS, over=False)
        assert frame.head["lagging"] == lagging, now_ms


def test_nothing_lags_when_the_arithmetic_is_skipped():
    clock = Clock()
    clock.add(0, 50 * MS)
    clock.add(50 * MS, 50 * MS)
    clock.late = [(1, 0.0)]
    reader = ModelledReader(clock)
    reader.frame(0.0, over=False, computes=False)
    as_fast(reader)
    assert reader.frame(0.09, over=False, computes=False).head["lagging"] == []
    assert reader.frame(0.095, over=False, computes=True).head["lagging"] == [1]


def test_waits_and_pushes_of_the_host():
    clock = Clock()
    clock.add(0, MS, lane=0, kind=2, serial=5)
    clock.add(MS, MS, lane=1, kind=0, serial=5)
    clock.add(MS, MS, lane=0, kind=3)
    frame = ModelledReader(clock).frame(0.0, over=True)
    host, kernel, wait = spans_of(frame)
    assert frame.head["families"] == {"7": "linear"}
    assert [host["flags"], kernel["flags"], wait["flags"]] == [0, 0, WAIT]
    assert [host["serial"], kernel["serial"]] == [0, 5]
    assert kernel["queued_ms"] == pytest.approx(2e-3) and kernel["pusher"] == 0


def test_what_crosses_links_has_the_colour_of_copies():
    clock = Clock()
    clock.add(0, MS, kind=1)
    assert ModelledReader(clock).frame(0.0, over=True).head["families"] == {"7": "copy"}


def test_a_new_clock_voids_the_old_one_and_its_end_is_told_once():
    clock = Clock()
    clock.add(0, MS)
    reader = ModelledReader(clock)
    assert reader.frame(0.0, over=True, cell=(1, 0.25)).head["cell_ms"] == 250
    clock.rows.clear()
    clock.clock, clock.now_s = 2, 0.0
    clock.add(0, 2 * MS)
    frame = reader.frame(0.1, over=True, cell=(1, 0.25))
    assert frame.head["clock"] == 2 and len(frame.head["lanes"]) == 3
    assert frame.head["cell_ms"] == 0 and frame.head["names"] == {"7": "dot"}
    assert spans_of(frame)["extent_ms"] == pytest.approx([2])
    clock.clock = 0
    assert reader.frame(0.2, over=True).head == {"clock": 0}
    assert reader.frame(0.3, over=True) is None


@pytest.fixture
def two_gpus():
    yield virtual_gpus(2, like="V100")
    virtual_gpus(0)


def test_the_real_clock(two_gpus):
    """Every kernel of a program arrives, with its line and the time that the record has."""
    began = model_now()
    assert began[0] > 0
    x = nd.ones((8, 8), ctx=two_gpus[0])
    y = nd.dot(x, x).as_in_context(two_gpus[1])
    y.wait_to_read()
    nd.waitall()
    reader = ModelledReader()
    frame = reader.frame(time.monotonic(), over=True, cell=began)
    names = {int(k): v for k, v in frame.head["names"].items()}
    lanes = {lane["id"]: lane["name"] for lane in frame.head["lanes"]}
    ran = [(lanes[s["lane"]], names[int(s["name"])]) for s in spans_of(frame)]
    assert ("gpu(0) compute", "ones") in ran and ("gpu(0) compute", "dot") in ran
    assert any(lane == "gpu(1) copy-in" for lane, _ in ran)
    assert frame.head["now_ms"] == pytest.approx(model_now()[1] * 1e3)
    lines = {site["text"] for site in frame.head["sites"].values()}
    assert any("test_live_modelled" in text for text in lines)
    virtual_gpus(0)
    assert reader.frame(time.monotonic(), over=True).head == {"clock": 0}
