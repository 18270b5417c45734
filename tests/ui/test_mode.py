"""The notebook's default mode as the badges and the toolbar's button show it, and the state of a
replayed program and of one that runs on."""

from __future__ import annotations

import re

from playwright.sync_api import expect

LOAD = "%load_ext jupyter_hybrid\nimport numpy as np"
BUTTON = '.jp-NotebookPanel-toolbar [data-jp-item-name="hybridize"] button, '
BUTTON += '.jp-NotebookPanel-toolbar [data-jp-item-name="hybridize"] jp-button'


def run(notebook, index: int) -> None:
    notebook.select_cell(index)
    notebook.command("notebook:run-cell")


def test_badges_follow_the_default_mode(notebook):
    notebook.write(
        "mode.ipynb",
        [LOAD, "%hybrid mode symbolic", "a = np.ones(4) * 2\na", "%%imperative\nb = np.ones(3)"],
    )
    notebook.open("mode.ipynb")
    run(notebook, 0)
    plain, opted_out = notebook.cell(2), notebook.cell(3)
    expect(plain).to_have_attribute("data-hybrid-mode", "imperative")
    run(notebook, 1)
    expect(plain).to_have_attribute("data-hybrid-mode", "symbolic")
    expect(plain.locator(".hyb-badge")).to_have_text("symbolic")
    expect(opted_out).to_have_attribute("data-hybrid-mode", "imperative")
    # The button tells how the chosen cell runs, by its magic or by default.
    button = notebook.page.locator(BUTTON).first
    notebook.select_cell(2)
    expect(button).to_have_attribute("aria-pressed", "true")
    notebook.select_cell(3)
    expect(button).to_have_attribute("aria-pressed", "false")
    # And it does run so: the plain cell shows its picture, the other one does not.
    run(notebook, 2)
    run(notebook, 3)
    expect(plain.locator(".hyb-viewer")).to_be_visible()
    notebook.wait_idle()
    expect(opted_out.locator(".hyb-viewer")).to_have_count(0)
    assert "imperatively" in notebook.run_python("%hybrid mode imperative")
    # It ran so, whatever holds for later cells.
    expect(plain.locator(".hyb-badge")).to_have_text("symbolic")
    expect(plain.locator(".hyb-badge")).to_have_attribute("aria-label", "Last run: symbolic")


def test_the_badge_tells_the_way_of_a_cell_in_mode_auto(notebook):
    loop = "x = np.arange(50_000.0)\nfor i in range(1, len(x)):\n    x[i] += 0.5 * x[i - 1]"
    cells = [
        f"{LOAD}\n%hybrid mode auto",
        loop,
        "y = x + 1",
        "%%hybridize --bogus\nz = 1",
        "never_run = 1",
    ]
    notebook.write("auto.ipynb", cells)
    notebook.open("auto.ipynb")
    badge = notebook.cell(1).locator(".hyb-badge")
    run(notebook, 0)
    expect(badge).to_have_text("auto")
    run(notebook, 1)
    run(notebook, 2)
    expect(badge).to_have_text("auto: compiled")
    expect(badge).to_have_attribute("title", re.compile("runs with its loops compiled, in "))
    plain = notebook.cell(2).locator(".hyb-badge")
    expect(plain).to_have_text("auto: as written")
    run(notebook, 3)
    refused = notebook.cell(3).locator(".hyb-badge")
    expect(refused).to_have_text("symbolic: refused")
    expect(refused).to_have_attribute("title", re.compile("unknown option '--bogus'"))
    # A later mode changes nothing of that.
    notebook.run_python("%hybrid mode imperative")
    never_run = notebook.cell(4).locator(".hyb-badge")
    expect(never_run).to_have_attribute("aria-label", "Next run: imperative")
    expect(badge).to_have_text("auto: compiled")
    expect(plain).to_have_text("auto: as written")
    # The button adds the magic, whose mode the cell has when it runs next.
    notebook.select_cell(1)
    notebook.command("jupyter-hybrid:toggle-hybridize")
    expect(badge).to_have_text("symbolic")


def test_the_button_opts_a_cell_out_of_symbolic_mode(notebook):
    notebook.write("out.ipynb", [f"{LOAD}\n%hybrid mode symbolic", "a = np.ones(4)"])
    notebook.open("out.ipynb")
    run(notebook, 0)
    cell = notebook.cell(1)
    expect(cell).to_have_attribute("data-hybrid-mode", "symbolic")
    notebook.select_cell(1)
    source = "window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.source"
    notebook.command("jupyter-hybrid:toggle-hybridize")
    expect(cell).to_have_attribute("data-hybrid-mode", "imperative")
    assert notebook.page.evaluate(source) == "%%imperative\na = np.ones(4)"
    notebook.command("jupyter-hybrid:toggle-hybridize")
    expect(cell).to_have_attribute("data-hybrid-mode", "symbolic")
    assert notebook.page.evaluate(source) == "a = np.ones(4)"


def test_the_header_tells_a_replayed_program(notebook):
    notebook.write("again.ipynb", [LOAD, "%%hybridize\nx = np.ones(7) * 3\ny = x + 1"])
    notebook.open("again.ipynb")
    run(notebook, 0)
    run(notebook, 1)
    totals = notebook.cell(1).locator(".hyb-preparation")
    expect(totals).to_contain_text("compiled")
    run(notebook, 1)
    expect(totals).to_contain_text("no compilation")
    state = notebook.run_python(
        "import jupyter_hybrid; print(jupyter_hybrid.report().replay, end='')"
    )
    assert state in ("replayed", "skipped")
    expect(totals).to_contain_text(state)


def test_the_header_says_running_until_the_program_is_through(notebook):
    notebook.write(
        "later.ipynb",
        [
            LOAD + "\nfrom jupyter_hybrid import nd",
            "%engine inline off slow 60",  # held until that is over
            "%%hybridize\nb = nd.ones((8, 8)) * 2",
        ],
    )
    notebook.open("later.ipynb")
    for index in range(3):
        run(notebook, index)
    totals = notebook.cell(2).locator(".hyb-totals")
    expect(totals).to_contain_text("running")
    assert notebook.stage("ArrowLeft") == "written"
    notebook.run_python("get_ipython().run_line_magic('engine', 'inline on slow 0')")
    expect(totals).not_to_contain_text("running")
    expect(totals).to_contain_text("run")
    assert notebook.viewer().get_attribute("data-stage-name") == "written"  # the same picture
    (text,) = notebook.outputs()[2:]
    assert "run not over yet" not in text and "run " in text
