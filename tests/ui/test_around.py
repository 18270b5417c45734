"""What stands around the notebook: the status bar's item, the Help menu, the settings."""

from __future__ import annotations

import json

from playwright.sync_api import expect

LOAD = "%load_ext jupyter_hybrid"
OPENS = ("jupyter-hybrid:plugin", "panelOpens")


def run(notebook, index: int) -> None:
    notebook.select_cell(index)
    notebook.command("notebook:run-cell")


def test_the_status_bar_tells_of_the_engine_and_opens_the_panel(notebook):
    notebook.write("status.ipynb", ["1", LOAD, "%hybrid mode auto"])
    notebook.open("status.ipynb")
    item = notebook.page.locator(".hyb-status-item button")
    panel = notebook.page.locator(".hyb-live-panel")
    if panel.is_visible():
        notebook.command("application:toggle-right-area")
    run(notebook, 1)
    expect(item).to_have_text("Hybrid: imperative")
    run(notebook, 2)
    expect(item).to_have_text("Hybrid: auto")
    # What waits is known while the panel is seen: the kernel sends it then only.
    item.click()
    expect(panel).to_be_visible()
    expect(item).to_have_text("Hybrid: auto · 0 pending")
    expect(item).to_have_attribute(
        "title",
        "Engine: threaded, small operators at once, at most "
        "100,000 operators pending. Click: show queue and devices",
    )
    notebook.command("application:toggle-right-area")
    expect(item).to_have_text("Hybrid: auto")
    # It is not there beside notebooks that have nothing to do with us.
    notebook.write("other.ipynb", ["1"])
    notebook.close()
    notebook.kernel = None
    notebook.open("other.ipynb")
    expect(item).to_be_hidden()


def test_the_help_menu_opens_the_notebooks_of_the_package(notebook):
    notebook.write("folder.ipynb", ["1"])
    notebook.open("folder.ipynb")
    page = notebook.page
    (notebook.lab.root / "05_folding_and_fusion.ipynb").unlink()
    mine = notebook.lab.root / "06_gradients.ipynb"
    mine.write_text(mine.read_text().replace("Gradients:", "Mine:"))
    for title, file in (("Folding and fusion", "05_folding_and_fusion"), ("Grad", "06_gradients")):
        page.get_by_role("menuitem", name="Help", exact=True).click()
        page.get_by_role("menuitem", name="Notebooks of jupyter_hybrid").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("A copy is written to the top folder.")
        choice = dialog.locator("option", has_text=title).first.inner_text()
        dialog.locator("select").select_option(choice)
        dialog.get_by_role("button", name="Open").click()
        tab = page.locator("#jp-main-dock-panel .lm-TabBar-tab.jp-mod-current")
        expect(tab).to_contain_text(file)
        page.evaluate("window.jupyterapp.shell.currentWidget.dispose()")
    shipped = json.loads((notebook.lab.root / "05_folding_and_fusion.ipynb").read_text())
    assert shipped["cells"][0]["cell_type"] == "markdown"
    assert "Mine:" in mine.read_text()


def test_settings_say_when_the_panel_opens(notebook):
    notebook.write("opens.ipynb", [LOAD])
    notebook.open("opens.ipynb")
    panel = notebook.page.locator(".hyb-live-panel")
    for setting, shown in (("always", True), ("never", False)):
        notebook.set(*OPENS, setting)
        if panel.is_visible():
            notebook.command("application:toggle-right-area")
        notebook.open("opens.ipynb")
        run(notebook, 0)
        notebook.wait_idle()
        expect(panel).to_be_visible(visible=shown)
        notebook.close()
    notebook.set(*OPENS, "asked")


def test_a_large_picture_is_saved_with_less_and_drawn_whole(notebook):
    lines = "\n".join(f"x = np.tanh(x @ w + {i}) * 1" for i in range(600))
    code = f"%%hybridize\nimport numpy as np\nx = np.ones((4, 4))\nw = np.ones((4, 4))\n{lines}"
    notebook.write("large.ipynb", [LOAD, "%hybrid output 0.49", code])
    notebook.open("large.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    notebook.show_cell(2)
    viewer = notebook.viewer()
    notes = viewer.locator(".hyb-notes")
    expect(notes).to_contain_text("as saved, this output holds 2 of")
    drawn = viewer.get_by_role("slider", name="Stage")
    assert int(drawn.get_attribute("max")) > 1
    # Without the kernel that told the rest, what was saved is drawn.
    notebook.run_python("%hybrid output 2")
    notebook.command("docmanager:save")
    page = notebook.page
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = (notebook.lab.root / "large.ipynb").read_text()
    assert '"gzip"' in saved and len(saved) < 700_000
    notebook.close()
    page.reload()
    page.wait_for_function("() => window.jupyterapp")
    notebook.open("large.ipynb")
    notebook.show_cell(2)
    expect(drawn).to_have_attribute("max", "1")
    expect(notes).to_contain_text("as saved, this output holds 2 of")
