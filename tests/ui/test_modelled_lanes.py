"""The live panel where devices are modelled: the other clock, its pace, its lanes."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect
from test_look import CONTRAST, TEXTS

LOAD = "%load_ext jupyter_hybrid\nfrom jupyter_hybrid import engine, nd, virtual_gpus"
# Held, so that any CPU is slower than what is modelled.
CELL = """with engine.using(slow=0.2):
    xs = [nd.ones((1200, 1200), ctx=g) for g in gpus]
    for _ in range(6):
        xs = [nd.dot(x, x) for x in xs]
    nd.waitall()"""
# What each frame said, from now on.
LISTEN = """() => {
  const timeline = document.querySelector('.hyb-modelled');
  const pace = timeline.querySelector('.hyb-pace');
  window.modelledFrames = [];
  new MutationObserver(() => {
    const { now, live, lagging } = timeline.dataset;
    window.modelledFrames.push([Number(now), live, lagging, pace.textContent]);
  }).observe(timeline, { attributeFilter: ['data-now'] });
}"""
ALL_SHOWN = """least => {
  const { live, now } = document.querySelector('.hyb-modelled').dataset;
  return live === 'false' && Number(now) > least;
}"""
THEME = "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
COMPUTE_Y = 20 + 20 + 24 + 10  # the axis, the host, the title of gpu(0), half of its first lane


@pytest.fixture
def lab_page(notebook):
    """The page, with no device modelled afterwards."""
    yield notebook
    notebook.run_python("from jupyter_hybrid import virtual_gpus; virtual_gpus(0)")
    notebook.page.evaluate(THEME, "JupyterLab Light")


def run(notebook, index: int) -> None:
    notebook.select_cell(index)
    notebook.command("notebook:run-cell")


def opened(notebook, name: str, declaration: str, cell: str = CELL) -> None:
    """A notebook whose first cell has declared devices, with the panel in sight."""
    notebook.write(name, [LOAD, declaration, cell, "virtual_gpus(0)"])
    notebook.open(name)
    notebook.command("jupyter-hybrid:show-panel")
    run(notebook, 0)
    notebook.wait_idle(1)
    expect(notebook.page.locator("[aria-label='Memory pools']")).to_contain_text("in use")
    expect(notebook.page.get_by_role("radio", name="modelled time")).to_be_hidden()
    run(notebook, 1)
    expect(notebook.page.get_by_role("radio", name="modelled time")).to_be_visible()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_modelled_time_beside_real_time(lab_page, theme):
    notebook, page = lab_page, lab_page.page
    opened(notebook, f"modelled_{theme}.ipynb", "gpus = virtual_gpus(2, like='V100')")
    page.evaluate(THEME, f"JupyterLab {theme}")
    page.wait_for_selector(f"[data-jp-theme-name='JupyterLab {theme}'] .hyb-live-panel")
    real, modelled = page.locator(".hyb-timeline").first, page.locator(".hyb-modelled")
    # The keyboard chooses the clock.
    page.get_by_role("radio", name="real time").focus()
    page.keyboard.press("ArrowRight")
    chosen = page.get_by_role("radio", name="modelled time")
    expect(chosen).to_be_focused()
    expect(chosen).to_have_attribute("aria-checked", "true")
    expect(modelled).to_be_visible()
    expect(real).to_be_hidden()
    expect(modelled).to_contain_text("2 x V100, virtual, computed by the CPU")
    # While the cell runs it is shown slower, and nothing goes back.
    page.evaluate(LISTEN)
    run(notebook, 2)
    notebook.wait_idle(3)
    page.wait_for_function(ALL_SHOWN, arg=0)
    frames = page.evaluate("window.modelledFrames")
    live = [now for now, is_live, *_ in frames if is_live == "true"]
    assert len(set(live)) > 5 and live == sorted(live), frames
    assert any(re.match(r"modelled time, [\d,]+ times slower: 1 s", f[3]) for f in frames)
    expect(modelled.get_by_role("status", name="Pace")).to_have_text(
        re.compile(r"^modelled time, [\d.]+ m?s so far$")
    )
    # Every kernel stands on its device's lane.
    told = json.loads(modelled.get_attribute("data-operators") or "{}")
    for lane in ("gpu(0) compute", "gpu(1) compute"):
        assert told[lane] == [7, 0, 0]
    lanes = modelled.get_by_role("list", name="Device lanes")
    expect(lanes).to_contain_text("gpu(1) compute, virtual, compute: 7 operators")
    shares = modelled.get_by_role("list", name="Queues and memory").get_by_text("gpu(0)")
    words = r"^gpu\(0\), virtual, modelled: compute \d+ % · exposed 0 % · idle \d+ %$"
    expect(shares).to_have_text(re.compile(words))
    # A span tells its modelled time and leads to its line; a search finds it.
    plot, tooltip = modelled.locator(".hyb-timeline-plot"), modelled.locator(".hyb-tooltip")
    box = plot.bounding_box()
    for x in range(int(box["width"]) - 8, 120, -3):
        plot.hover(position={"x": float(x), "y": COMPUTE_Y})
        if "dot" in tooltip.inner_text():
            break
    said = tooltip.inner_text()
    # 2 x 1200 ** 3 operations, three matrices.
    cost = r"3\.46 GFLOP, \d+ % of the peak of its type\n16\.5 MB moved, \d+ % of its bandwidth"
    words = rf"dot\n[\d.]+ µs modelled\non gpu\(0\) compute, virtual\n{cost}\nline 4:"
    assert re.search(words, said), said
    plot.click(position={"x": float(x), "y": COMPUTE_Y})
    expect(page.locator(".hyb-source-line")).to_have_text("        xs = [nd.dot(x, x) for x in xs]")
    plot.press("/")
    page.keyboard.type("dot line 4")
    expect(page.get_by_role("search").locator("visible=true")).to_contain_text("24 hits")
    page.keyboard.press("Escape")
    # All of it can be read.
    texts = page.evaluate(TEXTS)
    assert any("so far" in text["text"] for text in texts)
    assert [t for t in texts if t["contrast"] < CONTRAST or t["size"] < 11] == []
    # Without modelled devices there is one clock again.
    run(notebook, 3)
    expect(chosen).to_be_hidden()
    expect(real).to_be_visible()
    expect(modelled).to_have_count(0)


def test_nothing_lags_where_the_arithmetic_is_skipped(lab_page):
    notebook, page = lab_page, lab_page.page
    declaration = "gpus = virtual_gpus(2, like='V100', compute=False)"
    opened(notebook, "skipped.ipynb", declaration)
    page.get_by_role("radio", name="modelled time").click()
    page.evaluate(LISTEN)
    run(notebook, 2)
    notebook.wait_idle(3)
    page.wait_for_function(ALL_SHOWN, arg=0)
    frames = page.evaluate("window.modelledFrames")
    assert frames and {lagging for _, _, lagging, _ in frames} == {""}
    told = json.loads(page.locator(".hyb-modelled").get_attribute("data-operators") or "{}")
    assert told["gpu(0) compute"] == [7, 0, 0]


# First what sets the pace; then operators of a microsecond that take a second here.
EIGHT = """xs = [nd.ones((600, 600), ctx=g) for g in gpus]
with engine.using(slow=0.2):
    for _ in range(4):
        ys = [nd.dot(x, x) for x in xs]
    nd.waitall()
ys = [y[:2, :2].copy() for y in ys]
nd.waitall()
with engine.using(slow=1):
    for _ in range(3):
        ys = [y + 1 for y in ys]
    nd.waitall()
print(sorted({float(v) for y in ys for v in y.asnumpy().ravel()}), len(ys))"""
LISTEN_TO_LANES = """() => {
  const lanes = document.querySelector(".hyb-modelled [aria-label='Device lanes']");
  window.laggingLanes = new Set();
  new MutationObserver(() => {
    const items = [...lanes.children].map(item => item.textContent);
    items.filter(text => text.endsWith(', lagging')).forEach(text =>
      window.laggingLanes.add(text.split(',')[0]));
  }).observe(lanes, { childList: true, characterData: true, subtree: true });
}"""


def test_eight_gpus_that_the_cpu_cannot_keep_up_with_are_right_and_lag(lab_page):
    notebook, page = lab_page, lab_page.page
    opened(notebook, "eight.ipynb", "gpus = virtual_gpus(8, like='V100')", EIGHT)
    page.get_by_role("radio", name="modelled time").click()
    page.evaluate(LISTEN_TO_LANES)
    run(notebook, 2)
    notebook.wait_idle(3)
    page.wait_for_function(ALL_SHOWN, arg=0)
    assert notebook.outputs()[2].strip() == "[603.0] 8"
    lagging = set(page.evaluate("[...window.laggingLanes]"))
    assert lagging and lagging <= {f"gpu({i}) compute" for i in range(8)}
    # When all is computed, nothing lags. Each did ones, products, a slice, its copy, additions.
    modelled = page.locator(".hyb-modelled")
    expect(modelled.get_by_role("list", name="Device lanes")).not_to_contain_text("lagging")
    told = json.loads(modelled.get_attribute("data-operators") or "{}")
    assert {told[f"gpu({i}) compute"][0] for i in range(8)} == {1 + 4 + 1 + 1 + 3}
    # The plot is as high as all its rows: the axis, lanes, titles, memory.
    lanes = modelled.get_by_role("list", name="Device lanes").locator("li").all_inner_texts()
    titles = {re.match(r"[gc]pu\(\d\)|host|", lane)[0] or "links" for lane in lanes} - {"host"}
    height = 20 + 20 * len(lanes) + 24 * len(titles) + 40 * 8 + 4
    assert modelled.locator(".hyb-timeline-plot").bounding_box()["height"] == height
    memory = modelled.get_by_role("list", name="Memory of modelled devices")
    # 600 x 600 numbers, and 2 x 2 of the result.
    expect(memory).to_contain_text("gpu(7), virtual, modelled: 1.37 MB in use, 1.37 MB arrays")
