"""One JupyterLab server, one real browser, one page and mostly one kernel for all UI tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_server import CHROMIUM_FLAGS, Lab
from notebook_page import NotebookPage
from playwright.sync_api import Browser, expect, sync_playwright

expect.set_options(timeout=40_000)  # a kernel may start slowly on a busy machine
# Words by which an error of the browser or the server is ours.
OURS = ("hybrid", "hyb-")
# A line of a traceback in the log that is in our package.
OUR_FRAME = re.compile(
    r'File ".*/jupyter_hybrid/(np_face|capture|reports|compare|cells|scripts|live|views|nd)/'
)


@pytest.fixture(autouse=True)
def closed_list() -> None:
    """Widgets of the page call code of other libraries: the second lock may hold it up."""


@pytest.fixture(scope="session")
def lab(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(root / "notebooks", tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def page(browser: Browser, lab: Lab) -> Iterator[NotebookPage]:
    """The page of all tests. It asks for less motion, so no test waits for a transition."""
    context = browser.new_context(viewport={"width": 1500, "height": 1000}, reduced_motion="reduce")
    made = NotebookPage(context.new_page(), lab)
    made.page.set_default_timeout(60_000)
    yield made
    context.close()
    lab.shut_down_kernels()


@pytest.fixture
def notebook(
    page: NotebookPage, root: Path, request: pytest.FixtureRequest
) -> Iterator[NotebookPage]:
    """The page without a notebook. A failing test leaves a screenshot in ``test-results``; a
    passing one fails after all when the browser's console or the kernel's log holds an error of
    ours."""
    failures, heard = request.session.testsfailed, len(page.lab.log)
    page.faults.clear()
    yield page
    failed = request.session.testsfailed > failures
    if failed:
        page.picture(root / "test-results" / f"{request.node.name}.png")
    page.close()
    if not failed:
        ours = [f for f in page.faults if any(word in f.lower() for word in OURS)]
        assert ours == [], "errors in the browser's console"
        log = "".join(page.lab.log[heard:])
        assert not OUR_FRAME.search(log), log
