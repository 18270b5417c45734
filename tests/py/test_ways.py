"""The way that a cell's next run goes: never none, and in the end a fast one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jupyter_hybrid.capture.options import Options
from jupyter_hybrid.capture.source.compiled import RanAlone
from jupyter_hybrid.capture.source.loops import FORGOTTEN
from jupyter_hybrid.capture.source.loops_ran import LoopRan
from jupyter_hybrid.cells.ways import Took, Ways

SECONDS = st.sampled_from([1e-5, 3e-4, 1e-3, 4e-3, 0.02, 0.3, 2.0])


def made(recorded: float | None, auto: bool) -> Ways:
    cell: Any = SimpleNamespace(memo={}, loops=[])
    took = {} if recorded is None else {"recorded": Took(recorded)}
    return Ways(cell, Options(view="none", auto=auto), took, [], recorded is not None)


@given(
    auto=st.booleans(),
    took=st.fixed_dictionaries(
        dict.fromkeys(("recorded", "compiled", "written", "skipped"), SECONDS)
    ),
    cold=st.floats(1, 6),
    units=st.integers(0, 30),
    gains=st.booleans(),
    can_skip=st.integers(0, 2**60 - 1).map(lambda n: [bool(n >> k & 1) for k in range(60)]),
    always=st.booleans(),
)
def test_the_fastest_way_is_found(auto, took, cold, units, gains, can_skip, always):
    """``cold``: the first run of a way takes so many times as long; ``units``: the run from which
    on there are no units any more."""
    took["skipped"] = min(took["skipped"], took["recorded"])  # no body is faster than none
    ways = made(None if auto else cold * took["recorded"], auto)
    went = []
    for number, skips in enumerate(can_skip):
        skips |= always
        way = ways.way(skips)
        assert way in ("recorded", "compiled", "written") or (way == "skipped" and skips)
        seconds = took[way] * (cold if way not in ways.took else 1)
        if way in ("recorded", "skipped"):
            ways.ran(way, seconds)
        else:
            if way == "compiled":
                ways._tries += 1
                ways.has_units = number < units
                ways._compiled_runs += ways.has_units
                ways._gains = gains and ways.has_units
                if not ways.has_units:  # it went as written
                    ways.took.pop("compiled", None)
                    way, seconds = "written", took["written"]
            ways._took(way, seconds)
        went.append(way)
    if always:
        known = {way: min(took[way], t.seconds) for way, t in ways.took.items()}
        best = min(known.values())
        often = max(set(went[-9:]), key=went[-9:].count)
        assert known[often] <= 2 * best + 1e-4 or best < 3e-5


def test_no_loop_is_said_to_take_longer_than_its_cell():
    """Its first steps, from which that is told, were cold."""
    unit: Any = SimpleNamespace(whole=False)
    for cold_s, told_s in (0.008, 0.002), (0.001, 0.001):
        ways = made(None, auto=True)
        ways._took("written", 0.002)
        ran = LoopRan(FORGOTTEN, made=unit, steps=9, seconds=1e-4, written_s=cold_s)
        ways._heard(RanAlone({FORGOTTEN: ran}), is_fair=True)
        assert ran.written_s == told_s


def test_runs_that_compile_or_wait_for_it_are_no_trial():
    """Each compiles another loop; later ones take a third of what the cell takes as written."""
    unit: Any = SimpleNamespace(whole=False)
    ran = LoopRan(FORGOTTEN, made=unit, steps=9, seconds=1e-5, written_s=1e-3)
    ways, shares, went = made(None, auto=True), [], []
    for run in range(10):
        went.append(ways.way(False))
        shares.append(ways.hot_share)
        if went[-1] == "written":
            ways.ran_alone("written", 0.0009, None)
            continue
        new = run < 3
        told = RanAlone({FORGOTTEN: ran}, take_turns=new, warm_up=new, compile_s=0.004 * new)
        ways.ran_alone("compiled", 0.006 if new else 0.0003, told)
    assert went == ["compiled"] * 5 + ["written"] * 2 + ["compiled"] * 3
    assert shares[:3] == sorted(set(shares), reverse=True)  # sooner where it runs again
    assert ways.took["compiled"].seconds == 0.0003


def test_a_cell_is_not_tried_for_ever():
    """Some loop never runs for long enough to be compiled."""
    unit: Any = SimpleNamespace(whole=False)
    ran = LoopRan(FORGOTTEN, made=unit, steps=9, seconds=1e-5, written_s=1e-3)
    ways, went = made(None, auto=True), []
    for _ in range(20):
        went.append(ways.way(False))
        told = RanAlone({FORGOTTEN: ran}, take_turns=True, warm_up=True)
        ways.ran_alone(went[-1], 0.001 if went[-1] == "written" else 0.002, told)
    assert "written" in went[:11] and went[11:].count("compiled") < 3
