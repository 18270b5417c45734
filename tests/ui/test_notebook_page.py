"""The real thing in a real browser: the tour, the slider, the live panel, links, reload."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

FOUR_LINES = """%%hybridize
import numpy as np
a = np.ones(10)
b = np.ones(10) * 2
c = b * a
d = c + 1"""

LOAD = "%load_ext jupyter_hybrid"


@pytest.mark.takes("a notebook from top to bottom")
def test_tour_runs_and_the_slider_moves(notebook):
    notebook.open("00_tour.ipynb")
    expect(notebook.page.locator(".hyb-live-panel .hyb-timeline")).to_be_visible()  # by itself
    notebook.run_all()
    notebook.wait_idle()
    outputs = notebook.outputs()
    assert any("holds" in text for text in outputs)
    assert not any("Traceback" in text for text in outputs)
    viewer = notebook.viewer()
    viewer.scroll_into_view_if_needed()
    expect(viewer.locator(".hyb-canvas").first).to_be_visible()
    seen = [notebook.stage("Home")]
    for _ in range(8):
        seen.append(notebook.stage("ArrowRight"))
    assert seen[0] == "written" and "fuse" in seen and seen[-1] == "plan"
    assert "memory plan" in viewer.locator(".hyb-status").inner_text()


def test_lanes_gain_spans_while_a_long_cell_runs(notebook):
    stop = notebook.lab.root / "stop"
    notebook.write(
        "live.ipynb",
        [
            f"{LOAD}\nfrom jupyter_hybrid import nd\nfrom pathlib import Path",
            "x = nd.random.uniform(shape=(400, 400))\n"
            "while not Path('stop').exists():\n    y = nd.dot(x, x)\n    y.wait_to_read()",
        ],
    )
    notebook.open("live.ipynb")
    notebook.command("jupyter-hybrid:show-panel")
    notebook.run_all()
    try:
        spans = [notebook.more_spans(0)]
        frames = [notebook.frames()]
        for _ in range(3):
            spans.append(notebook.more_spans(spans[-1]))
            frames.append(notebook.frames())
        assert notebook.is_running()
    finally:
        stop.touch()
    assert spans == sorted(spans)
    assert frames == sorted(frames) and frames[-1] > frames[0]
    notebook.wait_idle()


def test_click_on_a_node_highlights_its_line(notebook):
    notebook.write("links.ipynb", [LOAD, FOUR_LINES])
    notebook.open("links.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    assert notebook.stage("Home") == "written"
    option = notebook.click_node("c = b * a")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(notebook.page.locator(".hyb-source-line")).to_have_text("c = b * a")
    for term in notebook.page.locator(".hyb-details dt").all():  # each on one line
        assert term.bounding_box()["height"] < 25


def test_picture_outlives_its_kernel(notebook, lab):
    notebook.write("kept.ipynb", [LOAD, FOUR_LINES])
    notebook.open("kept.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    notebook.page.wait_for_selector(".hyb-viewer")
    notebook.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    lab.shut_down_kernels()
    sessions = "**/api/sessions*"
    notebook.page.route(
        sessions, lambda r: r.abort() if r.request.method == "POST" else r.continue_()
    )
    notebook.page.goto(lab.address("kept.ipynb"))
    dialog = notebook.page.locator(".jp-Dialog")  # no kernel can be started: we are told so
    dialog.get_by_role("button", name="Ok").click()
    dialog.get_by_role("button", name="No Kernel").click()
    notebook.page.unroute(sessions)
    expect(notebook.viewer()).to_be_visible()
    assert lab.api("GET", "sessions") == []
    assert notebook.stage("Home") == "written"
    assert notebook.stage("End") == "plan"
    # The options of the listbox are the nodes of the picture: it is drawn, not only framed.
    assert notebook.viewer().locator("[role=option]").count() >= 2


def test_toolbar_button_and_badge(notebook):
    notebook.write("button.ipynb", [LOAD, "x = 1"])
    notebook.open("button.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    notebook.select_cell(1)
    cell = notebook.cell(1)
    expect(cell).to_have_attribute("data-hybrid-mode", "imperative")
    button = notebook.page.locator(
        '.jp-NotebookPanel-toolbar [data-jp-item-name="hybridize"] >> css=jp-button, button'
    ).first
    button.click()
    expect(cell).to_have_attribute("data-hybrid-mode", "symbolic")
    expect(cell.locator(".hyb-badge")).to_have_text("symbolic")
    source = "window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.source"
    assert notebook.page.evaluate(source) == "%%hybridize\nx = 1"
    button.click()
    expect(cell).to_have_attribute("data-hybrid-mode", "imperative")
    assert notebook.page.evaluate(source) == "x = 1"


def test_viewer_traits_move_both_ways(notebook):
    notebook.write(
        "widget.ipynb",
        [
            LOAD,
            FOUR_LINES,
            "from jupyter_hybrid.views import GraphViewer\nimport jupyter_hybrid\n"
            "viewer = GraphViewer(jupyter_hybrid.report())\nviewer",
        ],
    )
    notebook.open("widget.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    picture = notebook.cell(2).locator(".hyb-viewer").first
    assert notebook.stage("Home", picture) == "written"
    option = notebook.click_node("c = b * a", picture)
    node = int(option.get_attribute("data-node") or -1)
    deadline = time.monotonic() + 10
    seen = ""
    while seen != f"0 [{node}]" and time.monotonic() < deadline:
        seen = notebook.run_python("print(viewer.stage, viewer.selected, end='')")
    assert seen == f"0 [{node}]"
    notebook.run_python("viewer.stage = 1; viewer.selected = []")
    expect(picture).to_have_attribute("data-stage", "1")
    expect(picture.locator("[role=option][aria-selected=true]")).to_have_count(0)


def test_widget_composes_with_boxes_and_interact(notebook):
    notebook.write(
        "boxes.ipynb",
        [
            LOAD,
            FOUR_LINES,
            "import ipywidgets, jupyter_hybrid\nfrom jupyter_hybrid.views import GraphViewer\n"
            "viewer = GraphViewer(jupyter_hybrid.report())\n"
            "last = len(viewer.spec['stages']) - 1\n"
            "steps = ipywidgets.IntSlider(max=last, description='stage')\n"
            "ipywidgets.link((steps, 'value'), (viewer, 'stage'))\n"
            "ipywidgets.VBox([steps, viewer])",
            "@ipywidgets.interact(size=[4, 8])\ndef draw(size):\n"
            "    from jupyter_hybrid import sym\n"
            "    return GraphViewer(sym.FullyConnected(sym.var('data'), num_hidden=size))",
        ],
    )
    notebook.open("boxes.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    inside = notebook.cell(2).locator(".widget-vbox .hyb-viewer")
    expect(inside).to_be_visible()
    notebook.run_python("steps.value = 0")
    expect(inside).to_have_attribute("data-stage-name", "written")
    assert notebook.stage("End", inside) == "plan"
    drawn = notebook.cell(3).locator(".hyb-viewer")
    expect(drawn).to_be_visible()
    notebook.cell(3).get_by_label("size").select_option("8")
    expect(drawn.locator("[role=option]", has_text="num_hidden=8").first).to_be_attached()
