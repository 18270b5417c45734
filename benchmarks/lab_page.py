"""A page of a real JupyterLab for benchmarks: server and headless Chromium, gone afterwards."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "ui"))

from lab_server import CHROMIUM_FLAGS, Lab  # noqa: E402
from notebook_page import NotebookPage  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def lab_page(timeout_ms: float = 60_000) -> Iterator[NotebookPage]:
    """A page of 1500 x 1000 pixels. Exits with a message where there is no Chromium."""
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if chromium is None:
        sys.exit("Chromium is missing: apt-get install chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        Lab(ROOT / "notebooks", Path(folder) / "lab") as lab,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        page.set_default_timeout(timeout_ms)
        yield NotebookPage(page, lab)
        browser.close()
        lab.shut_down_kernels()
