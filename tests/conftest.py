"""What every Python test shares: reasons for taking long, fixed random draws, where things are."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies

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
