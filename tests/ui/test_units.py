"""Units in the page: a loop as one body times n, under its cell and where a report is asked for."""

from __future__ import annotations

from playwright.sync_api import expect

LOAD = "%load_ext jupyter_hybrid\nimport jupyter_hybrid\nimport numpy as np"
NESTED = """grid = np.zeros((60, 40))
for i in range(1, 60):
    for j in range(1, 40):
        grid[i, j] = 0.5 * grid[i - 1, j] + j
"""
REFUSED = "names = []\nfor k in range(20_000):\n    names.append(str(k))\n"


def test_a_cell_shows_its_loops(notebook):
    notebook.write("units.ipynb", [LOAD, f"%%hybridize\n{NESTED}", f"%%hybridize\n{REFUSED}"])
    notebook.open("units.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    unit = notebook.cell(1).locator(".hyb-unit")
    expect(unit.locator(".hyb-unit-title")).to_have_text("lines 3–5 × 59 steps")
    unit.locator("summary").click()
    last = unit.get_by_role("listitem").last
    expect(last.locator(".hyb-unit-line")).to_contain_text("0.5 * grid[i - 1, j] + j")
    expect(last.locator(".hyb-unit-code code").last).to_have_text("grid[i, j] = t5")
    expect(unit.locator("dl")).to_contain_text("gridfloat64 array, 2-D")
    # A cell without a graph shows its loops alone; a line of theirs leads to the cell's.
    notebook.show_cell(2)
    refused = notebook.cell(2).locator(".hyb-refused")
    expect(refused.locator("strong")).to_have_text("a call of str()")
    refused.click()
    marked = notebook.cell(2).locator(".hyb-source-line")
    expect(marked).to_have_text("    names.append(str(k))")


def test_mode_auto_draws_loops_when_a_report_is_asked_for(notebook):
    body = NESTED.replace("60", "600").replace("40", "400")
    cells = [f"{LOAD}\n%hybrid mode auto", body, "jupyter_hybrid.report()"]
    notebook.write("asked.ipynb", cells)
    notebook.open("asked.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    expect(notebook.cell(1).locator(".jp-OutputArea-child")).to_have_count(0)
    viewer = notebook.cell(2).locator(".hyb-viewer")
    expect(viewer.locator(".hyb-unit[open]").first).to_contain_text("ran compiled, in ")
    expect(viewer).to_contain_text("the cell runs with its loops compiled")
