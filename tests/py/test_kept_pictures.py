"""A cell that runs again and again leaves no pictures in memory; pages get the last ones."""

from __future__ import annotations

import gc
import json
import tracemalloc

import ipywidgets
import pytest
from cells import Shell

from jupyter_hybrid import GraphViewer
from jupyter_hybrid.views import folded, kept, linked, output, switchboard
from jupyter_hybrid.views.kept import KeptPictures
from jupyter_hybrid.views.schema import MIME

WIDGET = "application/vnd.jupyter.widget-view+json"
CELL = "import numpy as np\nb = np.arange(6.0) * 2 + 1\nc = b.sum()"


@pytest.fixture
def shell():
    made = Shell()
    made.hybridize(CELL)
    return made


@pytest.fixture
def run(shell, monkeypatch):
    """Runs the cell so many times; the last output's data. Fewer old ones are switched than usual,
    so that the first runs fill what is bounded."""
    monkeypatch.setattr(switchboard, "_CELLS", 4)
    monkeypatch.setattr(kept.kept, "_most", 4)

    def running(times):
        for _ in range(times):
            done = shell.hybridize(CELL)
        return done.shown[-1].data

    running(5)
    return running


def models():
    return set(ipywidgets.Widget.get_manager_state()["state"])


def widget_of(data):
    """The widget that an output shows."""
    (found,) = (
        o
        for o in gc.get_objects()
        if isinstance(o, output.OutputWidget) and o.model_id == data[WIDGET]["model_id"]
    )
    return found


def heard(widget, message):
    """What a page that sends a message is sent."""
    sent = []
    widget.send = sent.append
    widget._handle_custom_msg(message, [])
    return sent


def test_where_a_page_draws_outputs_itself_no_run_makes_a_widget(run, monkeypatch):
    monkeypatch.setattr(linked, "is_drawn", lambda: True)
    before = models()
    data = run(3)
    assert models() == before and WIDGET not in data
    assert data[MIME]["stages"]


def test_a_run_leaves_an_id_in_memory_and_no_picture(run):
    known = models()
    tracemalloc.start()
    try:
        run(5)  # what replaces things that were made before is counted from here on
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        run(20)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(models() - known) == 25  # one for each output, and nothing beside it
    assert (after - before) / 20 < 12_000  # bytes; a picture takes 50,000


def test_a_page_that_asks_gets_the_picture_and_later_the_reason_why_not(run):
    first = run(1)
    widget = widget_of(first)
    (answer,) = heard(widget, {"type": "ask"})
    assert answer == {"type": "spec", "spec": json.loads(json.dumps(first[MIME]))}
    run(4)
    (answer,) = heard(widget, {"type": "ask"})
    assert answer == {"type": "gone", "why": kept.kept.gone}
    assert "keeps the 4 that were shown last, 32 MB at most" in answer["why"]
    (answer,) = heard(widget, {"type": "switch", "kept": []})
    assert answer["type"] == "refused" and "run the cell again" in answer["why"]


def test_stage_and_names_are_switched_through_the_widget_too(run, shell, monkeypatch):
    told = []
    monkeypatch.setattr(linked, "_send", told.append)
    widget = widget_of(run(1))
    last = len(widget.stage_names) - 1
    linked.receive({"id": widget.spec_id, "stage": last})
    assert widget.stage == last
    with pytest.raises(Exception, match="the stages are written, "):
        widget.stage = last + 1
    heard(widget, {"type": "ask"})
    answers = heard(widget, {"type": "switch", "kept": ["c"], "name": "b"})
    (answer,) = (a for a in answers if a["type"] == "spec")
    assert answer["spec"]["replanned"] == "%%hybridize --out c"
    assert told[-1]["spec"]["replanned"] == "%%hybridize --out c"  # to all pages once
    assert [t["type"] for t in told] == ["spec"]


def test_the_time_of_a_program_that_ran_on_comes_to_the_widget(shell):
    report = shell.report
    forms = output.Forms(report)
    data, _ = forms.bundle()
    widget = widget_of(data)
    heard(widget, {"type": "ask"})
    sent = []
    widget.send = sent.append
    forms.measure_again()
    forms.bundle()
    assert sent[-1]["spec"]["totals"]["run_s"] == report.run_s > 0


def test_old_pictures_go_by_number_and_by_bytes_but_never_the_newest():
    def made(name, size):
        return {"id": name, "noise": [hash((name, i)) for i in range(size)]}

    few = KeptPictures(3, 1 << 20)
    for name in "abcda":
        few.put(made(name, 1))
    assert [few.find(n) is not None for n in "abcd"] == [True, False, True, True]
    assert few.find("a") == made("a", 1)
    small = KeptPictures(3, 1000)
    for name in "abc":
        small.put(made(name, 100))
    assert [small.find(n) is not None for n in "abc"] == [False, False, True]
    small.put(made("d", 1))
    small.put(made("e", 1))
    assert small.find("d") and small.find("e")


def test_viewers_share_one_class(shell):
    one, other = GraphViewer(shell.report), GraphViewer(shell.report)
    assert type(one) is type(other) is GraphViewer
    assert one.script is other.script and one._esm == other._esm != ""


def test_old_viewers_hold_their_pictures_compressed_and_give_them_as_they_were(shell):
    first = GraphViewer(shell.report)
    was = first.spec
    copy = json.loads(json.dumps(was))
    viewers = [GraphViewer(was) for _ in range(folded._OPEN)]
    assert first._spec._value is None and len(first._spec._text) < len(json.dumps(copy)) / 4
    assert first.spec == copy and first.spec is first.spec
    assert viewers[0]._spec._value is None  # it made room
    first.keep_only("c")
    assert first.spec["replanned"] == "%%hybridize --out c"
