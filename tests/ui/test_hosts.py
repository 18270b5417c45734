"""The same three things in other hosts: the answer, the picture with its selection, the panel.

Notebook 7, JupyterLab that sends a panel's messages over the main shell, and a kernel of
ipykernel 6, which has no other shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from host_environments import environment
from lab_server import Lab
from notebook_page import NotebookPage
from playwright.sync_api import Browser, expect

CELLS = [
    "%load_ext jupyter_hybrid\nimport numpy as np\nfrom jupyter_hybrid import nd",
    "%%hybridize\na = np.arange(6.0)\nb = a * 2 + 1\nprint(b.sum())",
    "y = nd.dot(nd.ones((300, 300)), nd.ones((300, 300)))\ny.wait_to_read()",
]
SUBSHELLS = ("@jupyterlab/apputils-extension:kernels-settings", "commsOverSubshells")
CURRENT = "window.jupyterapp?.shell?.currentWidget"


class InNotebook7(NotebookPage):
    """Each notebook is a page of its own."""

    def open(self, name: str) -> None:
        self.page.goto(self.lab.notebook_address(name))
        self.page.wait_for_function(
            f"() => {CURRENT}?.sessionContext?.session?.kernel?.status === 'idle'"
        )


HOSTS = ["Notebook 7", "subshells off", pytest.param("ipykernel 6", marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=HOSTS)
def host(
    browser: Browser, lab: Lab, root: Path, request: pytest.FixtureRequest
) -> Iterator[NotebookPage]:
    """A page with a notebook whose cells have run, and with the panel."""
    context = browser.new_context(viewport={"width": 1500, "height": 1000}, reduced_motion="reduce")
    kind = InNotebook7 if request.param == "Notebook 7" else NotebookPage
    made = kind(context.new_page(), lab)
    made.page.set_default_timeout(60_000)
    made.is_old = request.param == "ipykernel 6"
    name = f"{request.param.replace(' ', '-')}.ipynb"
    spec = "python3"
    if request.param == "ipykernel 6":
        python = environment(root, "ipykernel6", "--no-deps", "ipykernel==6.30.1")
        spec = lab.add_kernel("ipykernel6", python)
    made.write(name, CELLS, spec)
    off = request.param == "subshells off"
    if kind is NotebookPage:
        made.page.goto(lab.address())
        made.page.wait_for_function("() => window.jupyterapp")
        made.page.evaluate("window.jupyterapp.restored.then(() => true)")
        if off:
            made.set(*SUBSHELLS, "disabled")
    made.open(name)
    for index in range(2):
        made.select_cell(index)
        made.command("notebook:run-cell")
    made.wait_idle(2)
    yield made
    if off:
        made.set(*SUBSHELLS, "perCommTarget")
    context.close()


def test_the_answer_is_right(host):
    assert host.outputs()[1].startswith("36.0")
    version = host.run_python("import ipykernel; print(ipykernel.__version__)")
    assert version.startswith("6.") == host.is_old
    assert "Traceback" not in "".join(host.outputs())


def test_a_click_on_a_node_shows_its_card(host):
    viewer = host.viewer()
    expect(viewer.locator(".hyb-canvas").first).to_be_visible()
    option = host.click_node("sum")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(viewer.locator(".hyb-details")).to_contain_text(re.compile("print|sum"))
    expect(viewer.locator(".hyb-status")).to_contain_text("Selected: ")
    expect(host.page.locator(".hyb-source-line").first).to_be_visible()


def test_the_panel_moves(host):
    host.command("jupyter-hybrid:show-panel")
    expect(host.page.locator(".hyb-timeline").first).to_be_visible()
    host.select_cell(2)
    host.command("notebook:run-cell")
    assert host.more_spans(0) > 0
    before = host.frames()
    host.page.wait_for_function(
        f"() => Number(document.querySelector('.hyb-timeline').dataset.frames) > {before}"
    )
