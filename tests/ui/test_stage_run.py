"""Running a stage from a picture, in a real browser: the first NaN inside a kernel, histograms."""

from __future__ import annotations

import re

from playwright.sync_api import expect

CELL = "%%hybridize --out z\ny = np.log(x * 2 + 1)\nz = np.nan_to_num(y) * 3"
SET_UP = "%load_ext jupyter_hybrid\nimport numpy as np\nx = np.sin(np.linspace(0, 9, 5000))"


def test_the_first_nan_opens_its_kernel(notebook):
    notebook.write("first_nan.ipynb", [SET_UP, CELL])
    notebook.open("first_nan.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    viewer = notebook.viewer()
    assert notebook.stage("End") == "plan"
    run = viewer.get_by_role("region", name="Run this stage")
    run.get_by_role("button", name="Run with values").click()
    expect(run).to_contain_text("bit for bit (1 output)")
    options = viewer.get_by_role("option")
    expect(options.filter(has_text="y = log")).to_have_count(0)
    run.get_by_role("button", name="first NaN").click()
    log = options.filter(has_text="y = log")
    expect(log).to_have_attribute("aria-selected", "true")
    chosen = viewer.locator(".hyb-chosen")
    expect(chosen).to_contain_text("value of y, inside the kernel")
    expect(chosen).to_contain_text("as “as written” computes it, with the same results")
    expect(chosen).to_contain_text(", left out of min, max, mean")
    # Its elements, and those of an input.
    spread = chosen.get_by_role("img").first
    expect(spread).to_have_attribute("aria-label", re.compile(r"^Histogram of 3,\d+ elements from"))
    assert notebook.stage("Home") == "written"
    run.get_by_role("button", name="Run with values").click()
    notebook.click_node("x ")
    expect(chosen.get_by_role("img")).to_have_attribute("aria-label", re.compile("of 5,000 el"))
    heights = chosen.locator(".hyb-histogram i").evaluate_all(
        "bars => bars.map(b => b.offsetHeight)"
    )
    assert len(heights) == 20 and max(heights) == 36 and min(heights) > 0
    # Why a stage was not run goes when it may hold no more.
    notebook.run_python("x[0] = 5")
    run.get_by_role("button", name="Run this stage").click()
    expect(run).to_contain_text("Not run: one of x and z has been written since the cell ran, and")
    assert notebook.stage("End") == "plan" and notebook.stage("Home") == "written"
    expect(run).not_to_contain_text("Not run")
