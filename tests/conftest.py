"""What every Python test shares: reasons for taking long, fixed random draws, where things are."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy.ma  # noqa: F401  # NumPy loads it late: in a cell, past pytest's own finder
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from tests import held_up

# The same examples in every run: a failure seen once can be seen again.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", parent=settings.get_profile("fixed"), max_examples=500)
settings.load_profile(os.environ.get("HYBRID_HYPOTHESIS", "fixed"))


@given(strategies.none())
def _first(_: None) -> None:
    """With its first example Hypothesis begins to watch the garbage collector."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The reason that a long test gives goes into the report, for the list of the slowest."""
    # Hypothesis's callback is code that runs unasked, in the middle of any cell: what waits is
    # computed first, and a graph has two parts.
    _first()
    gc.callbacks[:] = [c for c in gc.callbacks if not c.__module__.startswith("hypothesis.")]
    for item in items:
        mark = item.get_closest_marker("takes")
        if mark:
            item.user_properties.append(("takes", mark.args[0]))


@pytest.fixture(scope="session")
def held_up_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A line for each frame that the second lock has held up, in any IPython of the tests."""
    log = tmp_path_factory.mktemp("lock") / "held_up"
    log.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(held_up.LOG, str(log))
        patch.setenv("PYTHONSTARTUP", held_up.__file__)
        held_up.tell()
        yield log


@pytest.fixture(autouse=True)
def closed_list(request: pytest.FixtureRequest, held_up_log: Path) -> Iterator[None]:
    """The closed list lets in all that runs in a cell: the second lock has nothing to hold up, but
    in tests of just that: the mark ``held_up`` says why, and may name the code."""
    before = held_up_log.stat().st_size
    yield
    if held_up_log.stat().st_size == before:
        return
    mark = request.node.get_closest_marker("held_up")
    found = held_up_log.read_text()[before:].splitlines()
    names = mark.args[1:] if mark else ()
    if mark is None or names:
        found = [line for line in found if line.partition(" (")[0] not in names]
        assert not found, "\n".join(found)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data(root: Path) -> Path:
    """The tests' own small files."""
    return root / "tests" / "data"


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a real browser; a missing one is an error, never a skip."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.fail("Chromium is missing: apt-get install chromium")
    return path
