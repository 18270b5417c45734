"""How long a cell's programs take: their kernels' time, whether or not the cell waits for them."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as jh
from jupyter_hybrid import MXNetError, _core, engine, nd
from jupyter_hybrid.views import spec_of


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run("from jupyter_hybrid import nd, gpu\nimport numpy as np\na = nd.ones((60, 60))")
    return made


_copies: set[int] = set()  # a name is told once to each reader


def reader_from_here() -> _core.TraceReader:
    """A reader that sees what starts from here on: what ran before it is over and read."""
    nd.waitall()
    reader = _core.TraceReader()
    kernels(reader)
    return reader


def kernels(reader: _core.TraceReader) -> list[tuple[float, float]]:
    """(start, end) in ms of the programs' kernels since the reader's last frame, and of copies
    between their parts, which are no node's."""
    frame = reader.read_frame(1 << 30)
    _copies.update(id_ for id_, name in frame["names"].items() if name == "copy_to_device")
    spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    ours = (spans["node"] > 0) | np.isin(spans["name"], list(_copies))
    spans = spans[ours & (spans["flags"] & 16 == 0)]  # of no waits
    return list(zip(spans["start_ms"], spans["start_ms"] + spans["extent_ms"], strict=True))


def test_a_program_that_is_held_runs_on_after_its_cell(shell):
    with engine.using(inline=False, slow=3600):  # held until that is over
        shell.hybridize("b = nd.dot(a, a)\nc = nd.dot(b, a)")
        report = shell.report
        assert report.running and "run not over yet" in repr(report)
        totals = spec_of(report)["totals"]
        assert totals["running"] and totals["run_s"] is None
        letting_go = threading.Thread(target=engine.configure, kwargs={"slow": 0})
        letting_go.start()
        assert report.run_s > 0  # waits for it
        letting_go.join()
    assert not report.running and "not over" not in repr(report)
    totals = spec_of(report)["totals"]
    assert totals["run_s"] == report.run_s and not totals["running"]


def test_a_run_lasts_from_its_first_kernel_to_its_last(shell):
    with engine.using(inline=False):
        shell.hybridize("b = nd.dot(a, a)\nc = nd.dot(b, a)")
        reader = reader_from_here()
        shell.hybridize("b = nd.dot(a, a)\nc = nd.dot(b, a)")
        report = shell.report
        seconds = report.run_s
    found = kernels(reader)
    begin, end = report.segments[0].times.latest
    assert len(found) == 2 and begin <= min(found)[0] < max(found)[1] <= end + 1e-3
    assert seconds == pytest.approx((end - begin) * 1e-3)


def test_merged_segments_have_the_time_of_all_their_runs(shell):
    shell.run("x = np.ones((90, 90)); read = []")
    loop = "for i in range(20):\n    x = x @ x / 90\n    read.append(float(x.sum()))"
    shell.hybridize(loop, "--force")
    reader = reader_from_here()
    with engine.using(inline=False):
        shell.hybridize(loop, "--force")
        report = shell.report
        (merged,) = [s for s in report.segments if s.count > 1]
        seconds = merged.run_s
    worked = sum(end - start for start, end in kernels(reader)) * 1e-3
    others = sum(s.run_s for s in report.segments if s is not merged)
    assert merged.count >= 18 and seconds + others >= worked - 1e-6
    begin, end = merged.times.latest
    assert seconds > (end - begin) * 1e-3
    assert report.run_s == pytest.approx(seconds + others)


def test_small_work_that_the_caller_does_itself_is_timed_too(shell):
    shell.run("a = nd.ones(8)")
    shell.hybridize("b = a * 2 + 1\nb.asnumpy()")
    begin, end = shell.report.segments[0].times.latest
    assert not shell.report.running and end > begin


def test_a_cell_that_is_skipped_has_a_run_of_its_own(shell):
    body = "b = nd.dot(a, a) + 1"
    for _ in range(3):
        shell.hybridize(body)
        shell.report.run_s
    assert shell.report.replay == "skipped"
    first = shell.report
    latest = first.segments[0].times.latest
    shell.hybridize(body)
    assert shell.report.run_s > 0 and first.segments[0].times.latest == latest
    assert shell.report.segments[0].times.latest > latest


def test_a_run_that_never_comes_is_over(shell):
    shell.run("bad = nd.take(nd.ones((3, 2)), nd.array([7]), mode='raise')")
    with pytest.raises(MXNetError, match="take"), engine.using(inline=False):
        shell.hybridize("c = bad * 2 + 1")
        assert shell.report.run_s == 0 and not shell.report.running


def test_parts_on_several_devices_are_one_run(shell):
    jh.virtual_gpus(2)
    try:
        shell.run("x = nd.ones((50, 50), ctx=gpu(0))")
        body = "y = nd.dot(x, x)\nz = nd.dot(y.as_in_context(gpu(1)), y.as_in_context(gpu(1)))"
        shell.hybridize(body)
        reader = reader_from_here()
        shell.hybridize(body)
        seconds = shell.report.run_s
        found = kernels(reader)
        begin, end = shell.report.segments[0].times.latest
        assert len(found) >= 3 and begin <= min(found)[0]  # two products and a copy
        assert max(end for _, end in found) <= end + 1e-3
        assert seconds == pytest.approx((end - begin) * 1e-3)
    finally:
        nd.waitall()
        jh.virtual_gpus(0)


def test_times_of_two_recorders_of_runs_are_added(shell):
    one, other = _core.RunTimes(), _core.RunTimes()
    assert one.latest is None and one.seconds() == 0
    x = np.ones((40, 40))
    shell.ns["x"] = x
    shell.hybridize("y = x @ x")
    program = shell.report.segments[0].compiled.program
    for times in (one, other, other):
        program.run([nd.array(x, dtype="float64")], times=times)
    nd.waitall()
    one.wait(), other.wait()
    both = one.seconds() + other.seconds()
    one.take(other)
    assert one.seconds() == pytest.approx(both) and other.seconds() == 0
