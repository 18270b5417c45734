"""A saved page in a clean browser: no kernel, no network, every interaction of the viewer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from saved_cell import save_cell

from jupyter_hybrid import nd, sym
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.views import GraphViewer

GRAPH = ".hyb-graph .hyb-plot"


@pytest.fixture
def opened(browser):
    """Opens a file in a context of its own that fetches nothing; faults and requests are told."""
    context = browser.new_context(
        viewport={"width": 1200, "height": 900}, reduced_motion="reduce", offline=True
    )
    page = context.new_page()
    page.set_default_timeout(40_000)
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url))

    def opening(path, before=lambda page: None):
        before(page)
        page.goto(path.as_uri())
        page.wait_for_selector(f"{GRAPH}[data-nodes]")
        return page

    yield opening
    assert [h for h in heard if not h.startswith(("file://", "blob:"))] == []
    context.close()


def cards(page) -> int:
    return int(page.locator(GRAPH).get_attribute("data-nodes"))


def place(page, text: str) -> tuple[float, float]:
    """Where a card is in the window."""
    option = page.get_by_role("option").filter(has_text=text).first
    box = page.locator(GRAPH).first.bounding_box()
    return (
        box["x"] + float(option.get_attribute("data-x")),
        box["y"] + float(option.get_attribute("data-y")),
    )


def resnet():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, padding=1, prefix="stem_"))
        for i in range(24):
            block = nn.HybridSequential(prefix=f"block{i}_")
            with block.name_scope():
                block.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
            net.add(block)
        net.add(nn.Dense(10, prefix="head_"))
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3, 8, 8))).wait_to_read()
    return net


def test_a_large_net_opens_collapsed_and_every_control_works(opened, tmp_path):
    GraphViewer(resnet()).save(tmp_path / "net.html")
    page = opened(tmp_path / "net.html")
    details = page.locator(".hyb-details")
    # Collapsed: the stem, the blocks, the head; parameters stand on their operators.
    assert cards(page) == 27
    page.get_by_role("button", name="Close the innermost groups").click()
    expect(page.locator(GRAPH)).to_have_attribute("data-nodes", "4")
    x, y = place(page, "block ×24")
    page.mouse.click(x + 10, y)
    expect(details).to_contain_text("block ×24")
    expect(details).to_contain_text("72 operators")
    # A double click and Enter open it, a button closes the innermost.
    page.mouse.dblclick(x + 10, y)
    expect(page.locator(GRAPH)).to_have_attribute("data-nodes", "27")
    page.get_by_role("button", name="Close the innermost groups").click()
    page.get_by_role("listbox").first.press("Enter")
    expect(page.locator(GRAPH)).to_have_attribute("data-nodes", "27")
    # All of it, with and without parameters.
    page.get_by_role("button", name="Open the closed groups").click()
    expect(page.locator(GRAPH)).to_have_attribute("data-nodes", "75")
    params = page.get_by_role("button", name="Show parameters as cards of their own")
    params.click()
    expect(params).to_have_attribute("aria-pressed", "true")
    assert cards(page) > 200
    params.click()
    page.get_by_role("button", name="Close the innermost groups").click()
    # The search opens what hides its hit.
    page.locator(".hyb-nodelist").first.press("Control+f")
    page.keyboard.type("block5 activation")
    hits = page.locator(".hyb-search")
    expect(hits).to_contain_text(re.compile(r"\d+ hits?"))
    page.keyboard.press("Enter")
    expect(hits).to_contain_text("1 of")
    expect(details).to_contain_text("Activation")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Activation")
    page.keyboard.press("Escape")
    expect(hits).to_be_hidden()
    # From left to right: the inputs are at the left.
    page.get_by_role("button", name="From left to right").click()
    page.get_by_role("button", name="Show the whole graph").click()
    page.wait_for_timeout(100)
    first, last = place(page, "data"), place(page, "FullyConnected")
    assert last[0] > first[0] + 200 and abs(last[1] - first[1]) < 200
    # What a node depends on and what on it; the whole picture as a file.
    page.get_by_role("button", name="Light what the chosen node").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the whole picture as an image").click()
    assert saved.value.suggested_filename.endswith(".png")
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
    # Stages and views.
    viewer = page.locator(".hyb-viewer")
    last = int(viewer.get_attribute("data-stage"))
    page.get_by_role("button", name="Previous stage").click()
    expect(viewer).to_have_attribute("data-stage", str(last - 1))
    page.get_by_role("button", name="Play the stages").click()
    expect(viewer).to_have_attribute("data-stage", str(last))
    expect(page.get_by_role("button", name="Play the stages")).to_be_visible()
    page.get_by_role("tab", name="Memory").click()
    expect(page.locator(".hyb-memory")).to_be_visible()
    page.get_by_role("tab", name="Program").click()
    expect(page.locator(".hyb-program")).to_contain_text("Convolution")


def test_what_is_alive_in_memory(opened, tmp_path):
    code = "h = np.maximum(x @ w + 1, 0)\nq = np.exp(h @ w.T) @ w\nr = (q @ w.T).T @ h\n"
    save_cell(code, tmp_path / "memory.html")
    page = opened(tmp_path / "memory.html")
    page.get_by_role("tab", name="Memory").click()
    steps = page.get_by_role("slider", name="Step of the program")
    peak = steps.get_attribute("aria-valuetext")
    assert re.match(r"Peak at step \d+ \(line \d+: .+ alive of what the program makes", peak)
    assert "1.37 MB were there before" in peak  # x and w
    # Each step by keyboard, and the node that it runs.
    steps.press("Home")
    expect(steps).to_have_attribute("aria-valuetext", re.compile(r"^step 0 \(line 2: h = "))
    steps.press("Enter")
    expect(page.locator(".hyb-status")).to_contain_text("Selected: ")
    # Lines: sorted, and chosen with all that they run.
    rows = page.locator(".hyb-by-line tbody tr")
    codes = rows.locator("code").all_inner_texts()
    assert sorted(c.split()[0] for c in codes) == ["h", "q", "r"]
    head = page.get_by_role("columnheader", name="line")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(rows.locator("code").first).to_contain_text("h = ")
    page.get_by_role("button", name="Show line 3").click()
    expect(page.locator(".hyb-status")).to_contain_text("Selected: ")
    # The planner's methods, and where another one puts the buffers.
    page.get_by_text("Planners compared").click()
    own = page.get_by_role("radio", name="(the plan)")
    expect(own).to_be_checked()
    page.get_by_role("radio").nth(1).check()
    expect(page.get_by_text("It is not the plan that runs")).to_be_visible()
    own.check()
    expect(page.get_by_text("It is not the plan that runs")).to_be_hidden()


def test_memory_tells_whose_plan_it_is_and_cuts_long_names(opened, tmp_path):
    name = "long_" * 60
    save_cell(f"{name} = x * 2\nb = np.exp({name})\nc = np.tanh(b) - 1\n", tmp_path / "m.html")
    page = opened(tmp_path / "m.html")
    details = page.locator(".hyb-details")
    page.get_by_role("tab", name="Memory").click()
    whose, stage = page.locator(".hyb-whose span:visible"), page.get_by_role("slider", name="Stage")
    # Three values of one kernel, each at its own line, under names that are cut.
    stage.press("End")
    expect(whose).to_have_text(re.compile("^The memory plan:"))
    expect(details).to_contain_text("3 values in 3 buffers")
    assert page.locator(".hyb-by-line tbody tr").count() == 3
    assert details.evaluate("e => e.scrollWidth <= e.clientWidth")
    expect(details.get_by_title(name)).to_be_visible()
    rows = details.locator(".hyb-changes button")
    assert [rows.nth(i).is_enabled() for i in range(3)] == [True] * 3
    # Each figure has its name; the words of whose plan it is take no other room.
    counted = page.locator(".hyb-counted")
    for figure in ("imperative", "planned", "lower bound", "there before"):
        expect(counted.locator("dt").filter(has_text=figure)).to_have_count(1)
    places = "() => [...document.querySelectorAll('.hyb-memory > *')].map(e => e.offsetTop)"
    before = page.evaluate(places)
    stage.press("Home")
    expect(whose).to_have_text(re.compile("^This is the plan of the last stage"))
    assert page.evaluate(places) == before


def test_heat_of_the_last_run(opened, tmp_path):
    save_cell("h = np.maximum(x @ w + 1, 0)\nz = np.exp(h - 1)\n", tmp_path / "heat.html")
    page = opened(tmp_path / "heat.html")
    legend, heat = (
        page.locator("[role=tabpanel][aria-label=Graph] .hyb-legend"),
        page.get_by_role("button", name="Heat"),
    )
    expect(heat).to_have_attribute("aria-pressed", "false")
    heat.click()
    expect(legend).to_contain_text(re.compile(r"share of the compiled run's [\d.]+ (ms|µs)"))
    page.mouse.click(*place(page, "dot"))
    expect(page.locator(".hyb-chosen")).to_contain_text(re.compile(r"time.*%.*rate.*GFLOP/s"))
    page.get_by_role("tab", name="Program").click()
    told = page.locator(".hyb-line:visible .hyb-warm")
    assert told.count() >= 4  # two lines of the cell, two kernels
    expect(told.first).to_contain_text("%")
    heat.click()
    expect(told).to_have_count(0)
    expect(legend).to_contain_text("elementwise")
    # A figure on a small card is one that fits, not a cut one.
    save_cell("s = x.sum()\nt = -s * s\n", tmp_path / "small.html")
    page = opened(tmp_path / "small.html", remember_drawn)
    page.get_by_role("slider", name="Stage").press("Home")
    page.get_by_role("button", name="Heat").click()
    page.wait_for_function("() => [...window.drawn].some(text => /^≈? ?[\\d.]+ [µm]s$/.test(text))")
    assert page.evaluate("() => [...window.drawn].filter(text => /[µm]s.*…/.test(text))") == []
    # A picture of what has not run offers none.
    GraphViewer(sym.exp(sym.var("x", shape=(3,)))).save(tmp_path / "cold.html")
    expect(opened(tmp_path / "cold.html").get_by_role("button", name="Heat")).to_be_hidden()


def test_a_kernel_opens_and_ways_are_lit(opened, tmp_path):
    """A kernel opens in place; the critical path; back and forward; half of the room."""
    save_cell("h = np.maximum(x @ w + 1, 0) * 2\n", tmp_path / "k.html")
    page = opened(tmp_path / "k.html")
    slider = page.get_by_role("slider", name="Stage")
    slider.press("End")
    before = cards(page)
    kernel = page.get_by_role("option").filter(has_text="one kernel of 3")
    expect(kernel).to_have_count(1)
    page.mouse.dblclick(*place(page, "one kernel of 3"))
    expect(page.locator(GRAPH)).to_have_attribute("data-nodes", str(before + 2))
    page.mouse.click(*place(page, "maximum"))
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(page.locator(".hyb-members [aria-current]")).to_contain_text("maximum")
    page.get_by_role("option").filter(has_text="x").first.evaluate("e => e.parentElement.focus()")
    page.keyboard.press("Home")
    first = chosen.first.inner_text()
    page.keyboard.press("Alt+ArrowLeft")
    expect(chosen.first).not_to_have_text(first)
    page.keyboard.press("Alt+ArrowRight")
    expect(chosen.first).to_have_text(first)
    page.get_by_role("button", name="Light the critical path").click()
    note = page.locator(".hyb-plot-note")
    expect(note).to_have_text(
        re.compile(r"Critical path: 2 of 2 kernels, [\d.]+ \Ss: \d+ % of the compiled run's time.*")
    )
    # Neither words nor buttons lie over the graph, which stands in the middle of half the room.
    plot = page.locator(GRAPH).first
    end = plot.evaluate("plot => plot.getBoundingClientRect().bottom")
    for below in (note, page.locator(".hyb-tools")):
        assert below.bounding_box()["y"] >= end
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(GRAPH)).to_have_count(2)
    width = plot.bounding_box()["width"]
    assert width < 500
    product = page.get_by_role("option").filter(has_text="dot").first
    page.wait_for_function(
        "([card, width]) => Math.abs(card.dataset.x - width / 2) < width / 4",
        arg=[product.element_handle(), width],
    )


def test_two_stages_and_two_reports_side_by_side(opened, tmp_path):
    cell = "h = np.maximum(x @ w + 1, 0)\nz = np.exp(h - 1)\nq = np.exp(h - 1) * 2\n"
    save_cell(cell, tmp_path / "stages.html")
    page = opened(tmp_path / "stages.html")
    viewer, pair = page.locator(".hyb-viewer"), page.locator(".hyb-pair")
    switch = page.get_by_role("button", name="Side by side")
    legend = page.locator("[role=tabpanel][aria-label=Graph] .hyb-legend").first
    shown = viewer.get_attribute("data-stage")
    assert shown != "0"
    # As written beside what was shown; the graph is all that there is of it before.
    expect(page.locator(GRAPH)).to_have_count(1)
    switch.click()
    expect(viewer).to_have_attribute("data-stage", "0")
    first, second = page.locator(".hyb-graph").first, page.get_by_role("group", name="B:")
    expect(second.locator(".hyb-plot")).to_have_attribute("data-stage", shown)
    expect(legend).to_contain_text("only in A: 0")
    expect(legend).to_contain_text("changed: 7 in A, 1 in B")
    expect(legend).to_contain_text("same: 3")
    expect(second.get_by_role("option").filter(has_text="x [input]")).to_contain_text("same")
    # A node and the kernel that it is in light each other, in words too.
    page.mouse.click(*place(page, "z = exp"))
    kernel = second.get_by_role("option").filter(has_text="fused")
    expect(kernel).to_have_attribute("aria-selected", "true")
    expect(pair).to_contain_text("A: z = exp (line 3) · B:")
    expect(pair).to_contain_text("in one kernel with 4 others")  # of its 5 operators
    second.get_by_role("listbox").press("Home")
    second.get_by_role("listbox").press("End")
    expect(first.get_by_role("option", selected=True)).to_have_count(7)
    # Another stage on the second side, chosen and by keys.
    page.get_by_label("Picture B").select_option("0:1")
    expect(legend).to_contain_text("changed: 4 in A, 2 in B")
    second.get_by_role("listbox").press("ArrowRight")
    expect(legend).to_contain_text("changed: 7 in A, 1 in B")
    # Both move together, or one alone.
    dot = second.get_by_role("option").filter(has_text="dot")
    at = dot.get_attribute("data-y")
    first.get_by_role("button", name="Zoom in").click()
    expect(dot).not_to_have_attribute("data-y", at)
    page.get_by_role("button", name="move together").click()
    at = dot.get_attribute("data-y")
    moved = first.get_by_role("option").filter(has_text="dot")
    before = moved.get_attribute("data-y")
    first.get_by_role("button", name="Zoom in").click()
    expect(moved).not_to_have_attribute("data-y", before)
    assert dot.get_attribute("data-y") == at
    # Closed, all is as it was.
    switch.click()
    expect(page.locator(GRAPH)).to_have_count(1)
    expect(viewer).to_have_attribute("data-stage", shown)
    expect(page.get_by_role("option").filter(has_text="same")).to_have_count(0)
    # An edited cell beside the first: shown at once, linked by lines.
    edited = "# scaled\nx2 = x * 0.5\n" + cell.replace("x @", "x2 @").replace(
        "exp(h - 1) *", "tanh(h - 1) *"
    )
    save_cell(cell, tmp_path / "reports.html", beside=edited)
    page = opened(tmp_path / "reports.html")
    page.get_by_role("slider", name="Stage").press("Home")
    page.get_by_label("Picture B").select_option("1:0")
    expect(legend).to_contain_text("source line, operator and position")
    expect(legend).to_contain_text("only in A: 1")
    expect(legend).to_contain_text("only in B: 2")
    expect(legend).to_contain_text("changed: 2")
    page.mouse.click(*place(page, "z = exp"))
    expect(pair).to_have_text("A: z = exp (line 3) · B: z = exp (line 5: z = np.exp(h - 1))")
    only = second.get_by_role("option").filter(has_text="tanh")
    expect(only).to_contain_text("only in B")


def test_thousands_of_nodes_are_laid_out_by_a_worker(opened, tmp_path):
    x = sym.var("x", shape=(3,))
    for i in range(2_500):
        x = sym.exp(x * 0.5) if i * i % 7 else sym.tanh(x + 1)
    GraphViewer(x).save(tmp_path / "chain.html")
    page = opened(tmp_path / "chain.html")
    assert 1 < cards(page) <= 60
    for _ in range(6):
        page.get_by_role("button", name="Open the closed groups").click()
        expect(page.locator(".hyb-plot-note")).to_be_hidden()
    assert cards(page) > 2_500
    # Too tall for an image of the usual size, which is said.
    with page.expect_download():
        page.get_by_role("button", name="Save the whole picture as an image").click()
    expect(page.locator(".hyb-plot-note")).to_have_text(
        re.compile(r"The file has [\d,]+ × 16,000 pixels, (< )?\d+ % of the usual size")
    )


def test_breaks_of_one_message_stand_together(opened, tmp_path):
    cell = (
        "h = x @ w\nprint(h[0, 0])\nz = h + 1\nprint(z[0, 0])\n"
        "np.linalg.eigvals(z[:3, :3])\nnp.linalg.eig(h[:3, :3])\n"
    )
    save_cell(cell, tmp_path / "breaks.html")
    notes = opened(tmp_path / "breaks.html").locator(".hyb-notes")
    alike = notes.get_by_role("listitem").filter(has_text="print shows a value")
    expect(alike).to_have_text(re.compile("^Lines 3, 5: print shows a value, 2 times"))
    # Where an argument differs each is one key away.
    summary = notes.locator("summary").filter(has_text="is not covered")
    of_numpy = "np.linalg.eigvals, np.linalg.eig is not covered, 2 times"
    expect(summary).to_contain_text(f"Lines 6, 7: {of_numpy}")
    one = notes.locator("li li").filter(has_text="Line 7: np.linalg.eig is not covered")
    expect(one).to_be_hidden()
    summary.press("Enter")
    expect(one).to_be_visible()
    # A file of before has text alone, with counts and prices in it.
    old = GraphViewer(sym.var("a") + 1)
    text = "print shows a value, 12 times, 3.1 ms"
    old.spec["breaks"] = [{"line": 3, "reason": text}, {"line": 7, "reason": text}]
    old.save(tmp_path / "old.html")
    notes = opened(tmp_path / "old.html").locator(".hyb-notes li")
    expect(notes.filter(has_text=text)).to_have_text([f"Line 3: {text}", f"Line 7: {text}"])


def test_names_are_text(opened, tmp_path):
    hostile = "<img src=x onerror=alert(1)></script>"
    x = sym.var(hostile, shape=(3, 3))
    for name in ("a\u202egnp.exe", "b\x00\x1b[31mred", "c\u2066\u200f\u3164"):
        x = sym.FullyConnected(x, num_hidden=3, name=name)
    GraphViewer(x).save(tmp_path / "hostile.html")
    page = opened(tmp_path / "hostile.html", remember_drawn)
    expect(page.get_by_role("option").first).to_contain_text(hostile)
    assert page.locator("img").count() == 0
    # On cards, in lists, tooltips and the program alike.
    page.get_by_role("button", name="Show parameters as cards of their own").click()
    page.get_by_role("option").filter(has_text="202egnp").first.wait_for()
    page.get_by_role("tab", name="Program").click()
    drawn = page.evaluate("() => [...window.drawn]")
    texts = [*drawn, page.content(), page.locator(".hyb-program").inner_text()]
    written = (r"a\u202egnp.exe", r"c\u2066\u200f\u3164")
    assert [any(name in text for text in drawn) for name in written] == [True, True]
    assert any(r"b\x00\x1b[31mred" in text for text in drawn)
    assert [t for t in texts if re.search("[\u202e\u2066\u200f\u3164\x00\x1b]", t)] == []


def remember_drawn(page):
    """Each text that a canvas is given."""
    page.add_init_script("""
        window.drawn = new Set();
        const fill = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
          window.drawn.add(text);
          return fill.call(this, text, ...rest);
        };
    """)
