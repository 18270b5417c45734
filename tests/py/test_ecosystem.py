"""Cells that use pandas, matplotlib, torch and others do under the magic what plain Python does.

Every case runs plain and hybridized, once and twice. The cases of a library in sequence are a
notebook, which also runs in symbolic mode.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from ecosystem.catalogue import Notebook, read
from ecosystem.known import KNOWN
from ecosystem.sides import Library
from hostile.catalogue import Step
from hostile.runner import Runner, compare

# Finalizers of what sympy caches run when they like; doctest runs a cell's code as it is written.
pytestmark = pytest.mark.held_up("finalizers, and doctest", "__call__", "double", "<module>")
NOTEBOOKS = read()
SYMBOLIC = "in symbolic mode"


@pytest.fixture(scope="module")
def runner(tmp_path_factory) -> Iterator[Runner]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("ecosystem")
        patch.chdir(folder)
        with Runner(folder) as runner:
            patch.setattr(runner.shell.ip, "showtraceback", lambda *args, **kwargs: None)
            yield runner
    if "joblib.externals.loky" in sys.modules:  # its processes wait for more work
        sys.modules["joblib.externals.loky"].get_reusable_executor().shutdown(wait=True)


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
    for times in (1, 2):
        setup, *cells = notebook.steps([name])
        todo = [setup, *cells * times]
        found = compare(runner.run(todo, False), runner.run(todo, True), Library)
        assert not found, "\n".join([*notebook.cases[name], f"Run {times} times:", *found])


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


_APART = {
    "pandas": ("a = pd.DataFrame({'v': x})", "a = pd.DataFrame({'v': x + 1})"),
    "matplotlib": ("a = plt.plot(x, x)[0].figure", "a = plt.plot(x, x * x)[0].figure"),
    "torch": ("a = torch.from_numpy(x)", "a = torch.from_numpy(x * 2)"),
    "sklearn": ("a = LinearRegression().fit(X, y)", "a = LinearRegression().fit(X * 2, y)"),
    "scipy": ("a = sparse.csr_array(np.outer(x, x))", "a = sparse.csr_array(np.outer(x, -x))"),
    "tqdm": ("a = trange(3, disable=True)", "a = trange(4, disable=True)"),
}


@pytest.mark.parametrize("library", _APART)
def test_the_comparison_sees(library: str, runner: Runner):
    """What a library made is looked into, not passed over."""
    notebook = next(n for n in NOTEBOOKS if n.library == library)
    if notebook.missing:
        pytest.skip(notebook.missing)
    first, again, other = (
        runner.run([*notebook.steps([]), Step(text, False)], False)
        for text in (*_APART[library][:1] * 2, _APART[library][1])
    )
    assert not compare(first, again, Library)
    assert compare(first, other, Library)
