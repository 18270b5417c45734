"""Cells that use pandas, matplotlib, torch and others do under the magic what plain Python does.

Every case runs plain and hybridized, once and twice. The cases of a library in sequence are a
notebook, which also runs in symbolic mode.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ecosystem.catalogue import Notebook, read
from ecosystem.known import KNOWN
from ecosystem.sides import Library
from hostile.runner import Runner, compare

NOTEBOOKS = read()
SYMBOLIC = "in symbolic mode"


@pytest.fixture(scope="module")
def runner(tmp_path_factory) -> Iterator[Runner]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("ecosystem")
        patch.chdir(folder)
        runner = Runner(folder)
        patch.setattr(runner.shell.ip, "showtraceback", lambda *args, **kwargs: None)
        yield runner


def trial(notebook: Notebook, name: str) -> object:
    """A case; what is known to differ must differ."""
    case = f"{notebook.library}: {name}"
    marks = [pytest.mark.skipif(bool(notebook.missing), reason=notebook.missing)]
    if case in KNOWN:
        marks.append(pytest.mark.xfail(reason=KNOWN[case], strict=True))
    return pytest.param(notebook, name, marks=marks, id=case.replace(" ", "_"))


@pytest.mark.parametrize(
    ("notebook", "name"), [trial(n, name) for n in NOTEBOOKS for name in n.cases]
)
def test_same_as_plain_python(notebook: Notebook, name: str, runner: Runner):
    once = notebook.steps([name])
    found = compare(runner.run(once, False), runner.run(once, True), Library)
    twice = once + once[1:]
    again = compare(runner.run(twice, False), runner.run(twice, True), Library)
    assert not found + again, "\n".join([*notebook.cases[name], *found, "Run again:", *again])


@pytest.mark.parametrize(("notebook", "name"), [trial(n, SYMBOLIC) for n in NOTEBOOKS])
def test_a_whole_notebook(notebook: Notebook, name: str, runner: Runner, monkeypatch):
    """All cells of the library, but for those that differ under the magic already."""
    cells = notebook.steps([n for n in notebook.cases if f"{notebook.library}: {n}" not in KNOWN])
    pictures = runner.shell.ip.display_pub
    monkeypatch.setattr(pictures, "publish", lambda *args, **kwargs: None)
    wanted = runner.run(cells, False)
    runner.shell.run("%hybrid mode symbolic")
    try:
        got = runner.run(cells, False)
    finally:
        runner.shell.run("%hybrid mode imperative")
    found = compare(wanted, got, Library)
    assert not found, "\n".join(found)


def test_a_table_that_fits():
    cases = {f"{n.library}: {name}" for n in NOTEBOOKS for name in (*n.cases, SYMBOLIC)}
    assert set(KNOWN) <= cases
