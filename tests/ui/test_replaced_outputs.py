"""A cell with a picture that runs again and again: page and kernel are left as they were."""

from __future__ import annotations

import json

import pytest
from notebook_page import NotebookPage

START = """%load_ext jupyter_hybrid
import numpy as np
from jupyter_hybrid import nd
w = nd.ones((8, 8))
import tracemalloc
def held():
    import gc, ipywidgets, json
    gc.collect()
    comms = get_ipython().kernel.comm_manager.comms
    return json.dumps([tracemalloc.get_traced_memory()[0], len(comms),
                       len(ipywidgets.Widget.get_manager_state()["state"])])
tracemalloc.start()
"""
PICTURE = "%%hybridize\ny = w\nfor _ in range(6):\n    y = nd.tanh(nd.dot(y, w) + 1)"
SETTLE = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
RUNS = 40
ENOUGH = 36  # runs after which what the kernel remembers of cells is full


def run_again(page: NotebookPage, times: int) -> None:
    for _ in range(times):
        page.page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell')")
        page.page.evaluate(SETTLE)


def held(page: NotebookPage) -> tuple[dict[str, float], list[int]]:
    """What the page holds, and what the kernel does: bytes, comms, models of widgets."""
    session = page.page.context.new_cdp_session(page.page)
    session.send("Performance.enable")
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    told = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    targets = session.send("Target.getTargets")["targetInfos"]
    counts = {name: told[name] for name in ("Nodes", "JSEventListeners", "JSHeapUsedSize")}
    counts["workers"] = sum(t["type"] == "worker" for t in targets)
    counts["canvases"] = page.page.locator("canvas").count()
    session.detach()
    return counts, json.loads(page.run_python("print(held())"))


@pytest.mark.slow
def test_what_a_run_replaces_is_freed_in_page_and_kernel(notebook):
    notebook.write("again.ipynb", [START, PICTURE])
    notebook.open("again.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    notebook.select_cell(1)
    run_again(notebook, ENOUGH)
    page_before, kernel_before = held(notebook)
    run_again(notebook, RUNS)
    page, kernel = held(notebook)
    assert notebook.viewer().get_attribute("data-stage-name")
    assert page["workers"] == page_before["workers"]
    assert page["canvases"] == page_before["canvases"]
    assert page["JSEventListeners"] <= page_before["JSEventListeners"] + RUNS // 2
    assert page["Nodes"] <= page_before["Nodes"] + 10 * RUNS  # a viewer has some 300
    assert page["JSHeapUsedSize"] <= page_before["JSHeapUsedSize"] + RUNS * 30_000
    bytes_, *others = kernel
    assert others == kernel_before[1:]
    assert bytes_ <= kernel_before[0] + RUNS * 5_000  # a picture takes 100,000
