"""The report under a cell: what a front end is sent when a program runs on after its cell."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from cells import Shell

from jupyter_hybrid import engine
from jupyter_hybrid.cells import shown
from jupyter_hybrid.views.schema import MIME


class FrontEnd:
    """Hears what a kernel publishes; a picture that is replaced sets ``replaced``."""

    kernel = SimpleNamespace(get_parent=lambda channel: {"metadata": {"cellId": "x"}})

    def __init__(self) -> None:
        self.display_pub = self
        self.heard: list[tuple[dict[str, Any], str, bool]] = []
        self.replaced = threading.Event()

    def publish(
        self, data: Any, metadata: Any, transient: dict[str, str], update: bool = False
    ) -> None:
        self.heard.append((data, transient["display_id"], update))
        if update:
            self.replaced.set()


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run("from jupyter_hybrid import nd\na = nd.ones((60, 60))")
    return made


def test_the_time_of_a_program_that_runs_on_is_filled_in_when_it_is_through(shell):
    front_end = FrontEnd()
    with engine.using(inline=False, slow=3600):  # held until that is over
        shell.hybridize("b = nd.dot(a, a)")
        shown.show(shell.report, front_end)
        assert not front_end.replaced.is_set()
        engine.configure(slow=0)
        assert front_end.replaced.wait(60)
    (first, name, _), (last, same, update) = front_end.heard
    assert update and name == same
    assert "run not over yet" in first["text/plain"]
    assert first[MIME]["totals"]["running"] and first[MIME]["totals"]["run_s"] is None
    assert "not over" not in last["text/plain"]
    assert last[MIME]["totals"]["run_s"] == shell.report.run_s > 0
    assert not last[MIME]["totals"]["running"]
    assert last[MIME]["id"] == first[MIME]["id"]  # the same picture: its stage stays


def test_a_program_that_is_through_is_shown_once(shell):
    shell.hybridize("b = nd.dot(a, a)\nb.wait_to_read()")
    front_end = FrontEnd()
    shown.show(shell.report, front_end)
    assert not front_end.heard  # as any other object


@pytest.mark.parametrize("end", [";", " ;  ", ";  # no value", ";\n# nor here\n\n", "; # a;b"])
@pytest.mark.parametrize("way", ["%%hybridize\n", "%%imperative\n"])
def test_a_semicolon_at_the_end_shows_nothing(shell, way, end):
    body = "if True:\n    x = 'a;b'\nx + ';'"
    ended = shell.run(way + body + end)
    assert ended.out == "" and ended.value is None
    assert shell.run(way + body + "  # shown;").value == "a;b;"  # what IPython is given to show
