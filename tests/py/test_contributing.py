"""The checklists of CONTRIBUTING name every place that their example stands in, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jupyter_hybrid.capture import options
from jupyter_hybrid.views import pictures

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
CODE = {".cc", ".h", ".inc", ".py", ".ts"}
# Where a list has to be complete. Views are named in words that other code uses too.
SEARCHED = {
    "an operator": ("csrc", "jupyter_hybrid", "tests/cpp", "tests/py/op_samples.py"),
    "a pass": (
        "csrc",
        "jupyter_hybrid",
        "tests/cpp/passes_rewrite.cc",
        "tests/cpp/passes_random.cc",
    ),
}
# Runs the example, which is one of MXNet's: a new pass has no place there.
USERS = {ROOT / "jupyter_hybrid/sym/executor.py"}


def checklist(what: str) -> tuple[str, list[Path]]:
    """(the example, the files that the list names)."""
    start = TEXT.index(f"### Add {what}\n")
    text = re.split(r"\n##+ ", TEXT[start + 4 :])[0]
    example = re.search(r"The example is `(\w+)`", text)
    assert example is not None
    named = re.findall(r"`((?:csrc|jupyter_hybrid|labextension|tests)/[^`]+)`", text)
    return example[1], [ROOT / name for name in named]


def mentions(path: Path, example: str) -> bool:
    return re.search(rf"\b{example}\b", path.read_text()) is not None


@pytest.mark.parametrize("what", ["an operator", "a pass", "a view", "a step to units"])
def test_every_place_of_a_checklist_holds_its_example(what):
    example, files = checklist(what)
    assert len(files) >= 4
    assert [f for f in files if not f.is_file() or not mentions(f, example)] == []


@pytest.mark.parametrize("what", SEARCHED)
def test_a_checklist_forgets_no_place(what):
    example, files = checklist(what)
    found = []
    for place in (ROOT / name for name in SEARCHED[what]):
        inside = [place] if place.is_file() else place.rglob("*")
        found += [f for f in inside if f.suffix in CODE and mentions(f, example)]
    assert sorted(set(found) - set(files) - USERS) == []


def test_python_and_the_page_know_the_same_views():
    page = (ROOT / "labextension/src/spec.ts").read_text()
    (listed,) = re.findall(r"export const VIEWS = \[(.*?)\]", page)
    assert tuple(re.findall(r"'(\w+)'", listed)) == pictures.VIEWS
    assert (*pictures.VIEWS, "none") == options.VIEWS


def test_what_a_reader_is_sent_to_exists():
    table = TEXT[TEXT.index("## Where does X happen?") : TEXT.index("## Words")]
    for name in re.findall(r"`((?:csrc|jupyter_hybrid|labextension)/[^`]+)`", table):
        assert list(ROOT.glob(name)), name
    for name in re.findall(r"`((?:capture|scripts|views|reports)/[\w/]+\.py)`", table):
        assert (ROOT / "jupyter_hybrid" / name).is_file(), name
