"""Decorated functions and blocks run as written once that was measured to be faster."""

from __future__ import annotations

import numpy as np
import pytest
from test_patience import Clock

import jupyter_hybrid
from jupyter_hybrid import nd
from jupyter_hybrid.capture.source import budget
from jupyter_hybrid.scripts import costs


def mode(of):
    """Was it recorded, or written?"""
    return {"symbolic": "r", "imperative": "w"}[of.report().mode]


@pytest.fixture(autouse=True)
def two_seconds(monkeypatch):
    """So long they are recorded before a trial."""
    monkeypatch.setattr(budget, "GRACE_S", 2.0)


def decorated(**options):
    @jupyter_hybrid.hybridize(**options)
    def half(x):
        return x * 0.5 + 1

    return half


def modes_of(function, count, *args):
    modes = ""
    for _ in range(count):
        wanted = function.__wrapped__(*args)
        got = function(*args)
        assert type(got) is type(wanted) and np.array_equal(got, wanted)
        modes += mode(function)
    return modes


@pytest.mark.parametrize(
    ("took", "modes"),
    [
        ((1, 1, 1, 0.25, 0.5, 0.25), "rrrwww"),
        ((1, 1, 1, 2, 1, 1, 1, 0.5, 0.5), "rrrwrrrww"),
        ((1, 1, 1, 9, *[1] * 20), "rrrw" + "r" * 20),
        ((1, 1, 1, 0.25, 9, 0.25, 9, 9, 1, 1, 1, 0.25), "rrrwwwwwrrrw"),
        ([0.01] * 20, "r" * 20),
    ],
    ids=["written", "a disturbed trial", "recorded", "more to do", "in no time"],
)
def test_calls_go_the_faster_way(monkeypatch, took, modes):
    monkeypatch.setattr(costs, "clock", Clock(*took))
    assert modes_of(decorated(), len(modes), np.arange(5.0)) == modes


def test_a_block_goes_the_faster_way(monkeypatch):
    monkeypatch.setattr(costs, "clock", Clock(1, 1, 1, 0.25, 0.25))
    x, modes = np.ones(2), ""
    for _ in range(5):
        with jupyter_hybrid.symbolic() as cell:
            x = x * 2
        modes += mode(cell)
    assert modes == "rrrww" and x.tolist() == [32, 32]
    assert "it runs as written, in 250 ms; recorded it takes" in cell.report().explain()


def test_a_block_that_raises_as_written(monkeypatch):
    monkeypatch.setattr(costs, "clock", Clock(1, 1, 1, 0.25))
    for divisor in (1, 1, 1, 0):
        try:
            with jupyter_hybrid.symbolic() as cell:
                y = np.ones(2) * (1 / divisor)
        except ZeroDivisionError:
            y = mode(cell)
    assert y == "w"


def test_each_kind_of_arguments_is_measured_by_itself(monkeypatch):
    monkeypatch.setattr(costs, "clock", Clock(*[1, 1, 1, 0.25] * 3))
    half = decorated()
    kinds = (np.ones(10), np.ones(1000), 3)
    modes = [modes_of(half, 4, x) for x in kinds]
    assert modes == ["rrrw"] * 3
    assert costs.kinds([np.ones(9)]) == costs.kinds([np.ones((3, 5))])


@pytest.mark.parametrize("options", [{"force": True}, {"no": ["fuse"]}, {"passes": []}])
def test_who_asks_for_more_gets_a_recording(monkeypatch, options):
    monkeypatch.setattr(costs, "clock", Clock(*[1] * 18))
    assert modes_of(decorated(**options), 9, np.ones(3)) == "r" * 9
    for _ in range(9):
        with jupyter_hybrid.symbolic(**options) as cell:
            y = np.ones(2) + 1
        assert mode(cell) == "r" and y[0] == 2


def test_nd_arrays_are_not_measured(monkeypatch):
    """Their work is not done when a call returns."""
    monkeypatch.setattr(costs, "clock", Clock(*[1] * 18))

    @jupyter_hybrid.hybridize
    def made(n):
        return nd.ones((n,)), n

    for function, given in ((decorated(), nd.ones((3,))), (made, 3)):
        for _ in range(6):
            function(given)
            assert mode(function) == "r"
    for _ in range(6):
        with jupyter_hybrid.symbolic() as cell:
            v = nd.ones((2,)) * 2
        assert mode(cell) == "r" and v.tolist() == [2, 2]


def test_an_error_as_written_has_the_users_frames(monkeypatch):
    monkeypatch.setattr(costs, "clock", Clock(1, 1, 1, 0.25))

    @jupyter_hybrid.hybridize
    def inverse(n):
        return 1 / n

    for n in (1, 1, 1):
        inverse(n)
    with pytest.raises(ZeroDivisionError) as caught:
        inverse(False)
    assert [f.name for f in caught.traceback][1:] == ["inverse"]


def test_loops_of_a_forced_function_are_recorded_whole():
    @jupyter_hybrid.hybridize(force=True)
    def count(x):
        n = 0
        for v in x:
            if v > 0.5:
                n += 1
        return n

    assert count(np.linspace(0, 1, 100)) == 50
    assert sum(b.count for b in count.report().graph_breaks) == 100


def test_other_options_are_named():
    with pytest.raises(TypeError, match="hybridize: no option 'view'; there are passes, no and"):
        jupyter_hybrid.hybridize(view="none")
    with pytest.raises(TypeError, match="symbolic: no option 'plan'; there are out, passes, no"):
        jupyter_hybrid.symbolic(plan="exact")
