"""The real thing in a real browser: the tour, the slider, the live panel, links, reload."""

from __future__ import annotations

import json
import time

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect

from conftest import TOKEN, Lab

FOUR_LINES = """%%hybridize
import numpy as np
a = np.ones(10)
b = np.ones(10) * 2
c = b * a
d = c + 1"""


def make_notebook(lab: Lab, name: str, cells: list[str]) -> None:
    notebook = new_notebook(cells=[new_code_cell(c, id=f"cell-{i}") for i, c in enumerate(cells)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, lab.root / name)


def open_notebook(page: Page, lab: Lab, name: str) -> None:
    page.goto(f"{lab.url}lab/tree/{name}?token={TOKEN}&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_function(
        """() => { const panel = window.jupyterapp?.shell.currentWidget;
        return panel?.sessionContext?.session?.kernel?.status === 'idle'; }"""
    )


def execute(page: Page, command: str) -> None:
    """Starts a JupyterLab command without waiting for its end."""
    page.evaluate("(name) => { window.jupyterapp.commands.execute(name); }", command)


def select_cell(page: Page, index: int) -> None:
    page.evaluate(
        "(i) => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = i; }", index
    )


def run_all(page: Page) -> None:
    execute(page, "notebook:run-all-cells")


def wait_idle(page: Page, cells: int, timeout: float = 180_000) -> None:
    """Until so many code cells carry an execution number and the kernel is idle."""
    page.wait_for_function(
        """(n) => { const panel = window.jupyterapp.shell.currentWidget;
        const done = panel.content.widgets.filter(
          w => w.model.type === 'code' && w.model.executionCount !== null).length;
        return done >= n && panel.sessionContext.session.kernel.status === 'idle'; }""",
        arg=cells,
        timeout=timeout,
    )


def text_of_cell(page: Page, index: int) -> str:
    return page.evaluate(
        """(i) => { const cell = window.jupyterapp.shell.currentWidget.content.widgets[i];
        return cell.outputArea ? cell.outputArea.node.innerText : ''; }""",
        index,
    )


def spans(page: Page) -> dict[str, int]:
    text = page.locator(".hyb-timeline").get_attribute("data-spans")
    return json.loads(text or "{}")


def test_tour_runs_and_the_slider_moves(page, lab, root):
    open_notebook(page, lab, "00_tour.ipynb")
    count = page.evaluate("window.jupyterapp.shell.currentWidget.content.widgets.length")
    code = page.evaluate(
        "window.jupyterapp.shell.currentWidget.content.widgets"
        ".filter(w => w.model.type === 'code').length"
    )
    run_all(page)
    wait_idle(page, code)
    checks = [text_of_cell(page, i) for i in range(count)]
    assert any("holds" in text for text in checks)
    assert not any("Traceback" in text for text in checks)
    viewer = page.locator(".hyb-viewer").first
    viewer.scroll_into_view_if_needed()
    slider = viewer.locator("input[type=range]")
    slider.focus()
    slider.press("Home")
    expect(viewer).to_have_attribute("data-stage", "written")
    seen = [viewer.get_attribute("data-stage")]
    for _ in range(8):
        slider.press("ArrowRight")
        seen.append(viewer.get_attribute("data-stage"))
    assert "fuse" in seen and seen[-1] == "plan"
    status = viewer.locator(".hyb-status").inner_text()
    assert "memory plan" in status
    page.screenshot(path=str(root / "test-results" / "tour.png"))


def test_lanes_gain_spans_while_a_long_cell_runs(page, lab, root):
    make_notebook(
        lab,
        "live.ipynb",
        [
            "%load_ext jupyter_hybrid\nfrom jupyter_hybrid import nd\nimport time",
            "x = nd.random.uniform(shape=(400, 400))\nend = time.time() + 4\n"
            "while time.time() < end:\n    y = nd.dot(x, x)\n    y.wait_to_read()",
        ],
    )
    open_notebook(page, lab, "live.ipynb")
    execute(page, "jupyter-hybrid:show-panel")
    select_cell(page, 0)
    run_all(page)
    page.wait_for_selector(".hyb-timeline")
    page.wait_for_function(
        """() => { const t = document.querySelector('.hyb-timeline');
        const s = JSON.parse(t?.dataset.spans || '{}');
        return Object.values(s).some(n => n > 0); }"""
    )
    readings, frames = [], []
    for _ in range(6):
        busy = page.evaluate(
            "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
        )
        if busy == "busy":
            readings.append(sum(spans(page).values()))
            frames.append(int(page.locator(".hyb-timeline").get_attribute("data-frames") or 0))
        time.sleep(0.4)
    assert len(readings) >= 3, "the cell ended before it could be watched"
    assert readings == sorted(readings) and readings[-1] > readings[0]
    assert frames[-1] > frames[0]
    page.screenshot(path=str(root / "test-results" / "live.png"))
    wait_idle(page, 2)


def test_click_on_a_node_highlights_its_line(page, lab):
    make_notebook(lab, "links.ipynb", ["%load_ext jupyter_hybrid", FOUR_LINES])
    open_notebook(page, lab, "links.ipynb")
    run_all(page)
    wait_idle(page, 2)
    viewer = page.locator(".hyb-viewer").first
    viewer.locator("input[type=range]").focus()
    viewer.locator("input[type=range]").press("Home")
    expect(viewer).to_have_attribute("data-stage", "written")
    page.wait_for_timeout(900)  # the transition between stages ends
    option = viewer.locator("[role=option]", has_text="c = mul").first
    plot = viewer.locator(".hyb-plot")
    x = float(option.get_attribute("data-x") or 0)
    y = float(option.get_attribute("data-y") or 0)
    plot.scroll_into_view_if_needed()
    plot.click(position={"x": x, "y": y})
    line = page.locator(".hyb-source-line")
    expect(line.first).to_contain_text("c = b * a")


def test_picture_outlives_its_kernel(page, lab):
    make_notebook(lab, "kept.ipynb", ["%load_ext jupyter_hybrid", FOUR_LINES])
    open_notebook(page, lab, "kept.ipynb")
    run_all(page)
    wait_idle(page, 2)
    page.wait_for_selector(".hyb-viewer")
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    lab.shut_down_kernels()
    page.route("**/api/sessions*", lambda route: route.abort())
    page.goto(f"{lab.url}lab/tree/kept.ipynb?token={TOKEN}&reset")
    viewer = page.locator(".hyb-viewer").first
    expect(viewer).to_be_visible()
    assert lab.api("GET", "sessions") == []
    slider = viewer.locator("input[type=range]")
    slider.focus()
    slider.press("End")
    expect(viewer).to_have_attribute("data-stage", "plan")


def test_toolbar_button_and_badge(page, lab):
    make_notebook(lab, "button.ipynb", ["%load_ext jupyter_hybrid", "x = 1"])
    open_notebook(page, lab, "button.ipynb")
    run_all(page)
    wait_idle(page, 2)
    select_cell(page, 1)
    cell = page.locator(".jp-CodeCell").nth(1)
    expect(cell).to_have_attribute("data-hybrid-mode", "imperative")
    page.evaluate("window.jupyterapp.commands.execute('jupyter-hybrid:toggle-hybridize')")
    expect(cell).to_have_attribute("data-hybrid-mode", "symbolic")
    source = "window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.source"
    assert page.evaluate(source).startswith("%%hybridize")
    page.evaluate("window.jupyterapp.commands.execute('jupyter-hybrid:toggle-hybridize')")
    assert page.evaluate(source) == "x = 1"


def test_viewer_widget_and_picture_move_together(page, lab):
    make_notebook(
        lab,
        "widget.ipynb",
        [
            "%load_ext jupyter_hybrid",
            FOUR_LINES,
            "from jupyter_hybrid.views import GraphViewer\nimport jupyter_hybrid\n"
            "viewer = GraphViewer(jupyter_hybrid.report())\nviewer",
        ],
    )
    open_notebook(page, lab, "widget.ipynb")
    execute(page, "jupyter-hybrid:show-panel")
    run_all(page)
    wait_idle(page, 3)
    picture = page.locator(".jp-CodeCell").nth(2).locator(".hyb-viewer").first
    slider = picture.locator("input[type=range]")
    slider.focus()
    slider.press("Home")
    expect(picture).to_have_attribute("data-stage", "written")
    page.evaluate(
        """async () => { const k = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
        const f = k.requestExecute({code: 'seen = viewer.stage; viewer.stage = 1'});
        await f.done; }"""
    )
    page.wait_for_function(
        "() => document.querySelectorAll('.jp-CodeCell')[2].querySelector('.hyb-viewer')"
        "?.dataset.stage !== 'written'"
    )
