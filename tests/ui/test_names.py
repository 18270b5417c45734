"""The names of a cell as switches, in a real browser: moved, answered, remembered, switched off."""

from __future__ import annotations

from playwright.sync_api import expect

LOAD = "%load_ext jupyter_hybrid"
FOUR_LINES = """%%hybridize
import numpy as np
a = np.ones(10)
b = np.ones(10) * 2
c = b * a
d = c + 1"""
STATES = ["deferred", "deferred", "deferred", "kept"]


def switches(viewer):
    opener = viewer.get_by_role("button", name="Names")
    if opener.get_attribute("aria-expanded") == "false":
        opener.click()
    return viewer.get_by_role("switch")


def states(viewer) -> list[str]:
    return [s.get_attribute("data-state") for s in switches(viewer).all()]


def peak(viewer) -> str:
    return viewer.locator(".hyb-figure", has_text="peak memory").inner_text()


def test_a_switch_plans_the_cell_again(notebook):
    notebook.write("names.ipynb", [LOAD, FOUR_LINES, "bound = dict(a=type(a), c=type(c))"])
    notebook.open("names.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    viewer = notebook.viewer()
    assert notebook.stage("End") == "plan"
    assert states(viewer) == STATES
    c = switches(viewer).nth(2)
    expect(c).to_have_attribute("aria-disabled", "false")
    assert "80 B" in peak(viewer) and "160 B" not in peak(viewer)
    c.click()
    expect(c).to_have_attribute("data-state", "kept")
    expect(c).to_have_attribute("aria-checked", "true")
    assert "160 B" in peak(viewer)
    names = viewer.locator(".hyb-names")
    expect(names).to_contain_text("keeping c: +80 bytes, +0 kernels")
    expect(names).to_contain_text("%%hybridize --out c, d")
    assert viewer.get_attribute("data-stage-name") == "plan"
    # By the keyboard, with the focus kept on the switch.
    c.focus()
    notebook.page.keyboard.press("Space")
    expect(c).to_have_attribute("data-state", "deferred")
    expect(c).to_be_focused()
    assert "160 B" not in peak(viewer)
    # A stage is run where a person asks for it, and a node of it tells its values.
    run = viewer.get_by_role("region", name="Run this stage")
    run.get_by_role("button", name="Run with values").click()
    expect(run).to_contain_text("bit for bit (1 output)")
    expect(run).to_contain_text("those of the cell's run: it left the same in d")
    expect(run.get_by_role("button", name="no NaN")).to_be_disabled()
    notebook.click_node("d = ")
    expect(viewer.locator(".hyb-chosen")).to_contain_text("3, 3, 3, 3, 3, 3, …")
    notebook.run_python("d[1] = float('nan')")
    run.get_by_role("button", name="Run this stage").click()
    expect(run).to_contain_text("Not run: d has been written since the cell ran")
    # Nothing was bound.
    same = "print(bound == dict(a=type(a), c=type(c)), end='')"
    assert notebook.run_python(same) == "True"


def test_switches_of_a_widget_and_of_the_picture_move_together(notebook):
    notebook.write(
        "widget.ipynb",
        [
            LOAD,
            FOUR_LINES,
            "from jupyter_hybrid.views import GraphViewer\nimport jupyter_hybrid\n"
            "viewer = GraphViewer(jupyter_hybrid.report())\n"
            "import ipywidgets\nipywidgets.VBox([viewer])",
        ],
    )
    notebook.open("widget.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    widget = notebook.cell(2).locator(".hyb-viewer").first
    switches(widget).nth(1).click()
    expect(switches(widget).nth(1)).to_have_attribute("data-state", "kept")
    shown = notebook.run_python("print(viewer.spec['replanned'], end='')")
    assert shown == "%%hybridize --out b, d"
    notebook.run_python("viewer.keep_only('a')")
    expect(switches(widget).nth(0)).to_have_attribute("data-state", "kept")
    expect(switches(widget).nth(3)).to_have_attribute("data-state", "deferred")


def test_without_a_kernel_the_prices_stay_and_the_switches_are_off(notebook):
    notebook.write("still.ipynb", [LOAD, FOUR_LINES])
    notebook.open("still.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    expect(switches(notebook.viewer()).nth(2)).to_have_attribute("aria-disabled", "false")
    notebook.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    c = switches(notebook.viewer()).nth(2)
    expect(c).to_have_attribute("aria-disabled", "true")
    c.click(force=True)  # a person may try
    names = notebook.viewer().locator(".hyb-names")
    expect(names).to_contain_text("keeping c: +80 bytes")
    expect(names).to_contain_text("Switches are off: no kernel")
    run = notebook.viewer().get_by_role("region", name="Run this stage")
    expect(run).to_contain_text("Stages can't be run: no kernel")
    expect(c).to_have_attribute("data-state", "deferred")


def test_a_picture_of_an_earlier_kernel_says_why(notebook):
    notebook.write("earlier.ipynb", [LOAD, FOUR_LINES])
    notebook.open("earlier.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    notebook.run_python(
        "from jupyter_hybrid.views.switchboard import switchboard; switchboard._cells.clear()"
    )
    c = switches(notebook.viewer()).nth(2)
    c.click()
    expect(notebook.viewer().locator(".hyb-names")).to_contain_text("run the cell again")
    expect(c).to_have_attribute("aria-disabled", "true")
    expect(c).to_have_attribute("aria-checked", "false")
