"""One JupyterLab server and one real browser for all UI tests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

TOKEN = "hybrid-tests"
_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


class Lab:
    """A running JupyterLab over a copy of the notebooks."""

    def __init__(self, root: Path, url: str):
        self.root, self.url = root, url

    def api(self, method: str, path: str) -> object:
        """Calls the server's REST interface."""
        request = urllib.request.Request(
            f"{self.url}api/{path}", method=method, headers={"Authorization": f"token {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def shut_down_kernels(self) -> None:
        """Ends every session."""
        for session in self.api("GET", "sessions"):  # type: ignore[attr-defined]
            self.api("DELETE", f"sessions/{session['id']}")


@pytest.fixture(scope="session")
def lab(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The server; its log is shown when it does not come up."""
    home = tmp_path_factory.mktemp("lab")
    work = home / "work"
    shutil.copytree(root / "notebooks", work)
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
        f"--ServerApp.root_dir={work}", f"--IdentityProvider.token={TOKEN}",
        "--LabApp.expose_app_in_browser=True", "--ServerApp.open_browser=False",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    log: list[str] = []
    found: list[str] = []

    def read() -> None:
        for line in process.stdout or ():
            log.append(line)
            match = re.search(r"(http://(?:localhost|127\.0\.0\.1):\d+/)", line)
            if match and not found:
                found.append(match.group(1))

    threading.Thread(target=read, daemon=True).start()
    try:
        deadline = time.monotonic() + 90
        while not found and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.1)
        if not found:
            pytest.fail("JupyterLab did not start:\n" + "".join(log[-40:]))
        yield Lab(work, found[0])
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser, lab: Lab, root: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh page; a failing test leaves a screenshot in ``test-results``."""
    context = browser.new_context(viewport={"width": 1500, "height": 1000})
    made = context.new_page()
    made.set_default_timeout(60_000)
    failures = request.session.testsfailed
    yield made
    if request.session.testsfailed > failures:
        folder = root / "test-results"
        folder.mkdir(exist_ok=True)
        made.screenshot(path=str(folder / f"{request.node.name}.png"))
    context.close()
    lab.shut_down_kernels()
