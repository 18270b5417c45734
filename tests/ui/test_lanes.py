"""The lanes of the live panel: every operator and its line, for those who look."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

LOAD = "%load_ext jupyter_hybrid\nfrom jupyter_hybrid import engine, nd"
HEAD, LANE = 20, 34  # pixels above the first lane, and of each
THREADS = (
    "import threading; print('jupyter_hybrid live' in {t.name for t in threading.enumerate()})"
)
COLOR = "e => getComputedStyle(e).backgroundColor"
ELSEWHERE = """async ([id, code]) => {
  const kernel = window.jupyterapp.serviceManager.kernels.connectTo({ model: { id, name: '' } });
  const future = kernel.requestExecute({ code });
  let text = '';
  future.onIOPub = ({ header, content }) => {
    text += header.msg_type === 'stream' ? content.text : '';
  };
  await future.done;
  kernel.dispose();
  return text;
}"""

# Two more pages on the kernel that look at its lanes; how many frames came to each.
TWO_LOOK = """async (id) => {
  const { kernels } = window.jupyterapp.serviceManager;
  const count = [0, 0];
  const pages = count.map((_, i) => {
    const kernel = kernels.connectTo({ model: { id, name: '' }, handleComms: true });
    const comm = kernel.createComm('jupyter_hybrid.live');
    comm.onMsg = ({ content }) => (count[i] += content.data.type === 'frame' ? 1 : 0);
    comm.open({});
    comm.send({ type: 'watch', on: true, number: 1 });
    comm.send({ type: 'watch', on: false, number: 0 });  // older, and heard later
    return { kernel, comm };
  });
  const end = Date.now() + 20_000;
  while (Math.min(...count) < 4 && Date.now() < end) {
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  for (const { kernel, comm } of pages) {
    await comm.close().done;
    kernel.dispose();
  }
  return count;
}"""


def until(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold; the page and the kernel have their own pace."""
    end = time.monotonic() + 40
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


def run(notebook, index: int) -> None:
    notebook.select_cell(index)
    notebook.command("notebook:run-cell")


def shown_panel(notebook) -> None:
    """Shows the panel and runs the first cell; what the kernel ran before is cleared."""
    notebook.command("jupyter-hybrid:show-panel")
    run(notebook, 0)
    notebook.wait_idle(1)
    # The first frame came, with what was before.
    expect(notebook.page.locator("[aria-label='Memory pools']")).to_contain_text("in use")
    notebook.page.get_by_role("button", name="Forget what was drawn").click()
    assert until(lambda: sum(map(sum, notebook.operators().values())) == 0)


def point_at(plot: Locator, tooltip: Locator, words: str, lane: int) -> dict[str, float]:
    """Moves over a lane until the tooltip has these words; where that was."""
    box = plot.bounding_box()
    assert box is not None
    for x in range(int(box["width"]) - 4, 120, -6):
        position = {"x": float(x), "y": HEAD + (lane + 0.5) * LANE}
        plot.hover(position=position)
        if tooltip.is_visible() and words in tooltip.inner_text():
            return position
    raise AssertionError(f"nothing on lane {lane} says {words!r}")


@pytest.mark.takes("200,000 operators")
def test_every_operator_is_told_of(notebook):
    count = 200_000
    notebook.write(
        "many.ipynb",
        [
            LOAD,
            "engine.configure(inline=False)\nx = nd.ones((8,))\n"
            f"for _ in range({count - 1}):\n    y = x + 1\nnd.waitall()\n"
            "engine.configure(inline=True)",
        ],
    )
    notebook.open("many.ipynb")
    shown_panel(notebook)
    run(notebook, 1)
    notebook.wait_idle()

    def told() -> int:
        return sum(notebook.operators().get("cpu(0)", [0]))

    assert until(lambda: told() >= count) and told() == count
    shown, merged, unrecorded = notebook.operators()["cpu(0)"]
    assert shown + merged + unrecorded == count and merged > 0
    page = notebook.page
    lane = page.get_by_role("list", name="Device lanes").get_by_text("cpu(0)")
    expect(lane).to_contain_text(f"{count:,} operators, {merged:,} of them merged")
    # Those that the kernel merged have their names and lines all the same; where the page merged
    # them, too, they are told together.
    page.get_by_role("button", name="Show all that the last cell").click()
    page.get_by_role("button", name="What ran in the time that is shown").click()

    def counted(text: str) -> int:
        rows = page.locator(".hyb-work tbody tr", has_text=text).all()
        return sum(int(row.locator("td").nth(1).inner_text().replace(",", "")) for row in rows)

    def worked() -> int:
        return counted("y = x + 1") + counted("told together")

    assert until(lambda: count - 1 <= worked() + unrecorded <= count), worked()
    assert counted("y = x + 1") > count // 20
    # A page that is loaded anew tells of them, too, as far as the kernel still knows them.
    notebook.page.evaluate("window.jupyterapp.shell.currentWidget.context.save()")
    page.goto(notebook.lab.address())  # a workspace that opens nothing by itself
    page.wait_for_function("() => window.jupyterapp")
    notebook.open("many.ipynb")
    notebook.command("jupyter-hybrid:show-panel")
    assert until(lambda: told() >= count)
    assert sum(notebook.operators()["cpu(0)"][:2]) > 10_000


def test_a_span_tells_its_line_and_leads_there(notebook):
    code = "x = nd.ones((8,))\ny = nd.exp(x)\ny = nd.sqrt(y)\ny.asnumpy()"
    notebook.write("lines.ipynb", [f"{LOAD}\nengine.configure(inline=False, slow=0.3)", code])
    notebook.open("lines.ipynb")
    shown_panel(notebook)
    run(notebook, 1)
    notebook.wait_idle(2)
    assert until(lambda: sum(notebook.operators().get("cpu(0)", [0])) == 3), notebook.operators()
    notebook.page.get_by_role("button", name="Pause").click()  # else it moves on
    plot = notebook.page.locator(".hyb-timeline-plot")
    tooltip = notebook.page.locator(".hyb-timeline .hyb-tooltip")
    lane = list(notebook.operators()).index("cpu(0)")
    position = point_at(plot, tooltip, "sqrt", lane)
    assert "line 3:  y = nd.sqrt(y)" in tooltip.inner_text()
    # Arrows lead from its push and from what it reads.
    timeline = notebook.page.locator(".hyb-timeline").first
    expect(timeline).to_have_attribute("data-arrows", "push producer")
    assert "reads results of exp (line 2)" in tooltip.inner_text()
    # What waited for it says so in its own line.
    note = notebook.page.locator(".hyb-wait-note")
    expect(note).to_have_text(re.compile(r"^waited [\d.]+ m?s for `sqrt` pushed at line 3$"))
    assert "y.asnumpy()" in (note.locator("xpath=..").text_content() or "")
    # A search goes to it and says what it reads.
    plot.press("ControlOrMeta+f")
    notebook.page.keyboard.type("exp line 2")
    search = notebook.page.get_by_role("search")
    expect(search).to_contain_text("1 hit")
    expect(timeline).to_have_attribute("data-found", "1")
    notebook.page.keyboard.press("Enter")
    expect(search).to_contain_text("1 of 1")
    chosen = timeline.locator(".hyb-chosen")
    expect(chosen).to_contain_text("read by sqrt (line 3)")
    notebook.page.keyboard.press("Escape")
    expect(timeline).to_have_attribute("data-found", "0")
    counters = notebook.page.get_by_role("list", name="Queues and memory")
    expect(counters).to_contain_text("cpu(0): 0 running, 0 ready, 0 waiting")
    position = point_at(plot, tooltip, "sqrt", lane)
    marked = notebook.page.locator(".hyb-source-line")
    plot.click(position=position)
    expect(marked).to_have_text("y = nd.sqrt(y)")
    # A line that has moved is found; one that is gone marks no other.
    source = "window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel"
    notebook.page.evaluate(f"text => {source}.setSource(text)", "# more\n" + code)
    plot.click(position=position)
    expect(marked).to_have_text("y = nd.sqrt(y)")
    notebook.page.evaluate(f"text => {source}.setSource(text)", code.replace("sqrt", "cbrt"))
    plot.click(position=position)
    expect(marked).to_have_count(0)
    expect(notebook.page.get_by_text("The cell was edited since it ran")).to_be_visible()
    notebook.run_python("engine.configure(inline=True, slow=0)")


def test_nodes_lines_and_spans_light_each_other(notebook):
    cell = "%%hybridize\nx = nd.ones((1200, 1200))\ny = nd.dot(x, x)\nz = nd.dot(y, x)"
    plain = "w = nd.ones((1200, 1200))\nw = nd.dot(w, w)\nw.wait_to_read()"
    notebook.write("chain.ipynb", [LOAD, cell, plain])
    notebook.open("chain.ipynb")
    shown_panel(notebook)
    page = notebook.page
    timeline = page.locator(".hyb-timeline").first
    plot, tooltip = (timeline.locator(s) for s in (".hyb-timeline-plot", ".hyb-tooltip"))
    last_cell = page.get_by_role("button", name="Show all that the last cell")

    def ran(number: int, products: int) -> None:
        run(notebook, number)
        notebook.wait_idle(number + 1)
        done = until(lambda: sum(notebook.operators().get("cpu(0)", [0])) >= products)
        assert done, notebook.operators()

    ran(1, 2)
    last_cell.click()
    expect(timeline).to_have_attribute("data-marked", "0")
    # A node lights its spans, and those of no other.
    option = notebook.click_node("dot")
    expect(timeline).to_have_attribute("data-marked", "1")
    # A span lights its node, and a click chooses it.
    lane = list(notebook.operators()).index("cpu(0)")
    position = point_at(plot, tooltip, "line 4", lane)
    plot.click(position=position)
    expect(option).to_have_attribute("aria-selected", "false")
    chosen = page.locator(".hyb-viewer [role=option][aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(chosen).to_contain_text("line 4")
    # The last cell alone, and what ran then as a table.
    ran(2, 3)
    last_cell.click()
    page.get_by_role("button", name="What ran in the time that is shown").click()
    rows = page.locator(".hyb-work tbody tr")
    row = rows.filter(has_text="dot").first
    expect(row).to_contain_text(re.compile(r"dot.*ms.*line 2.*w = nd.dot\(w, w\)"))
    assert rows.filter(has_text="y = nd.dot").count() == 0
    with page.expect_download() as saved:
        page.locator(".hyb-work").get_by_role("button", name="csv").click()
    assert "w = nd.dot(w, w)" in Path(saved.value.path()).read_text()
    # It has its family's colour, as in the graph, and its code can be read beside a notebook.
    assert row.locator(".hyb-swatch").evaluate(COLOR) == "rgb(213, 94, 0)"
    assert notebook.page.locator(".hyb-chip[data-family=linear]").is_visible()
    code = row.locator("code")
    assert code.evaluate("e => e.parentElement.clientWidth") > 200, code.inner_text()
    # A row leads to its line, where the cursor lights what it pushed; not once it was edited.
    row.get_by_role("button").click()
    expect(page.locator(".hyb-source-line")).to_have_text("w = nd.dot(w, w)")
    expect(timeline).to_have_attribute("data-marked", "0")  # the chosen node ran earlier
    page.locator(".cm-line", has_text="w = nd.dot(w, w)").click()
    expect(timeline).to_have_attribute("data-marked", "1")
    page.keyboard.press("End")
    page.keyboard.type("  # more")
    expect(timeline).to_have_attribute("data-marked", "0")
    # W, A, S and D: the earlier products come into sight.
    for _ in range(14):
        plot.press("s")
    expect(page.locator(".hyb-work tbody")).to_contain_text("z = nd.dot(y, x)")
    expect(timeline).to_have_attribute("data-marked", "1")


def table_of(page) -> dict[str, list[str]]:
    """The cells of the table's rows, by the operator."""
    rows = page.locator(".hyb-work tbody tr").all()
    return {cells[0]: cells[1:] for cells in (row.locator("td").all_inner_texts() for row in rows)}


def test_a_part_of_the_time_is_selected(notebook):
    """By a drag, by keys, by its ends; the table and its file tell that part alone."""
    cell = "y = nd.exp(x)\nz = nd.sqrt(y)\nw = nd.square(z)\nw.wait_to_read()"
    setting = f"{LOAD}\nx = nd.ones((8,))\nengine.configure(inline=False, slow=0.2)"
    notebook.write("part.ipynb", [setting, cell])
    notebook.open("part.ipynb")
    shown_panel(notebook)
    run(notebook, 1)
    notebook.wait_idle(2)
    assert until(lambda: sum(notebook.operators().get("cpu(0)", [0])) >= 3)
    page = notebook.page
    plot, words = page.locator(".hyb-timeline-plot").first, page.locator(".hyb-range")
    page.get_by_role("button", name="Show all that the last cell").click()
    tooltip = page.locator(".hyb-timeline .hyb-tooltip")
    lane = list(notebook.operators()).index("cpu(0)")
    inside = point_at(plot, tooltip, "z = nd.sqrt", lane)
    box = plot.bounding_box()
    # From the left end of the lane into the second operator, while that is held.
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 118, box["y"] + inside["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + inside["y"])
    page.mouse.move(box["x"] + inside["x"] - 12, box["y"] + inside["y"])
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(words).to_contain_text(re.compile(r"[\d.]+ to [\d.]+ s selected, [\d.]+ ms"))
    table = table_of(page)
    assert set(table) == {"exp"} and table["exp"][0] == "1"
    expect(page.locator(".hyb-work-foot")).to_contain_text("time that slow motion held is no work")
    assert re.search(r"held by slow motion for 20\d(\.\d+)? ms before", tooltip.inner_text())
    with page.expect_download() as saved:
        page.locator(".hyb-work").get_by_role("button", name="csv").click()
    rows = list(csv.DictReader(Path(saved.value.path()).read_text().splitlines()))
    assert [row["operator"] for row in rows] == list(table)
    for row in rows:
        total, mean = float(row["total_s"]), float(row["mean_s"])
        assert mean == pytest.approx(total / float(row["count"])) and 0 < mean < 0.19
    # Its end goes on by keys, as far as the third operator; Escape takes it all away.
    page.get_by_role("slider", name="End of the selected time").press("End")
    assert set(table_of(page)) == {"exp", "sqrt", "square"}
    page.keyboard.press("Escape")
    expect(words).to_be_hidden()
    expect(plot).to_be_focused()
    # The button is for the keyboard, too.
    page.get_by_role("button", name="Select a part of the time").press("Enter")
    expect(page.get_by_role("slider", name="Start of the selected time")).to_be_focused()
    expect(words).to_be_visible()
    notebook.run_python("engine.configure(inline=True, slow=0)")


def test_the_panel_can_stand_below_and_as_a_tab(notebook):
    notebook.write("wide.ipynb", [f"{LOAD}\nnd.ones((3,)).asnumpy()", "nd.ones((4,)).asnumpy()"])
    notebook.open("wide.ipynb")
    run(notebook, 0)
    notebook.wait_idle(1)
    panel = notebook.page.locator(".hyb-live-panel")
    # Hidden before, it is told of what runs as soon as it is seen.
    if panel.is_visible():
        notebook.command("application:toggle-right-area")
    expect(panel).to_be_hidden()
    notebook.command("jupyter-hybrid:panel-main")
    expect(notebook.page.locator(".hyb-status-item")).to_contain_text("pending")
    for area, wide in (("down", True), ("main", True), ("right", False)):
        notebook.command(f"jupyter-hybrid:panel-{area}")
        expect(panel).to_be_visible()
        assert until(lambda wide=wide: (panel.bounding_box()["width"] > 600) == wide), area
        before = sum(map(sum, notebook.operators().values()))
        run(notebook, 1)
        assert until(lambda n=before: sum(map(sum, notebook.operators().values())) > n), area
    # A tab that was closed comes back at the side.
    notebook.command("jupyter-hybrid:panel-main")
    notebook.page.locator(".lm-TabBar-tab", has_text="Queue and devices").locator(
        ".lm-TabBar-tabCloseIcon"
    ).click()
    expect(panel).to_have_count(0)
    notebook.command("jupyter-hybrid:show-panel")
    expect(panel).to_be_visible()


def test_nothing_is_sent_to_who_does_not_look(notebook):
    notebook.write("seen.ipynb", [LOAD])
    notebook.open("seen.ipynb")
    notebook.command("jupyter-hybrid:show-panel")
    run(notebook, 0)
    notebook.wait_idle()
    assert until(lambda: "True" in notebook.run_python(THREADS))
    notebook.command("application:toggle-right-area")
    assert until(lambda: "False" in notebook.run_python(THREADS))
    notebook.command("jupyter-hybrid:show-panel")
    assert until(lambda: "True" in notebook.run_python(THREADS))
    # All who look hear of a kernel where nothing happens.
    panel = "window.jupyterapp.shell.currentWidget"
    kernel = notebook.kernel_id()
    frames = notebook.page.evaluate(TWO_LOOK, kernel)
    assert min(frames) >= 4, frames
    # The notebook is closed, its kernel goes on.
    notebook.page.evaluate(f"{panel}.dispose()")
    asked = [kernel, THREADS]
    assert until(lambda: "False" in notebook.page.evaluate(ELSEWHERE, asked))
    notebook.open("seen.ipynb")
    assert until(lambda: "True" in notebook.run_python(THREADS))


def test_a_kernel_that_somebody_else_restarts_is_met_anew(notebook):
    """From another page, say: this one is not told, and what it showed is over."""
    notebook.write("anew.ipynb", [LOAD, "nd.ones((3,)).asnumpy()"])
    notebook.open("anew.ipynb")
    shown_panel(notebook)
    run(notebook, 1)
    assert until(lambda: sum(map(sum, notebook.operators().values())) > 0)
    notebook.lab.api("POST", f"kernels/{notebook.kernel_id()}/restart")
    timeline = notebook.page.locator(".hyb-timeline").first
    expect(timeline).to_contain_text("This kernel has not loaded jupyter_hybrid yet")
    assert notebook.operators() == {}
    expect(notebook.page.locator(".hyb-status-item")).to_have_text("Hybrid: not loaded")
    # Somebody else loads it, too.
    notebook.page.evaluate(ELSEWHERE, [notebook.kernel_id(), LOAD + "\nnd.ones((3,)).asnumpy()"])
    assert until(lambda: sum(map(sum, notebook.operators().values())) > 0)
    expect(notebook.page.locator(".hyb-status-item")).to_contain_text("pending")
