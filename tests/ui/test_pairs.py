"""One selection: editor line, node, rectangle, program line and span light each other, by pairs."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect
from test_lanes import point_at, until

LOAD = "%load_ext jupyter_hybrid\nimport numpy as np\nfrom jupyter_hybrid import nd"
# Two products, each with a buffer and a span of its own, on the third and fourth line.
CELLS = {
    "nd": "%%hybridize --out z\nx = nd.ones((900, 900))\ny = nd.dot(x, x)\nz = nd.dot(y, x)",
    "numpy": "%%hybridize --out z\nx = np.ones((900, 900))\ny = x @ x\nz = y @ x",
}
KINDS = ("line", "node", "rectangle", "program line", "span")


class Picture:
    """A cell's picture and its panel: what lights, and how a person chooses."""

    def __init__(self, notebook, code):
        self.notebook, self.page, self.viewer = notebook, notebook.page, notebook.viewer()
        self.lines = code.splitlines()
        self.timeline = self.page.locator(".hyb-timeline").first
        self.memory = self.viewer.locator(".hyb-memory .hyb-plot[data-buffers]")
        options = self.viewer.locator("[role=option]", has_text="dot")
        self.nodes = [options.nth(i).get_attribute("data-node") for i in range(2)]
        self.rectangles = ["", ""]  # known once a node was chosen

    def tab(self, name):
        """By the page: the cursor stays in its editor."""
        self.viewer.get_by_role("tab", name=name).evaluate("tab => tab.click()")

    def choose(self, kind, which):
        """The product of line 3 (0) or 4 (1)."""
        if kind == "line":
            self.page.locator(".cm-line", has_text=self.lines[2 + which]).first.click()
        elif kind == "node":
            self.tab("Graph")
            self.notebook.settle()
            option = self.viewer.locator(f"[data-node='{self.nodes[which]}']")
            at = {axis: float(option.get_attribute(f"data-{axis}")) for axis in "xy"}
            self.viewer.locator(".hyb-graph .hyb-plot").click(position=at)
        elif kind == "rectangle":
            self.tab("Memory")
            self.memory.click(position=self.find_rectangle(which))
        elif kind == "program line":
            self.tab("Program")
            lines = self.viewer.locator(".hyb-program .hyb-line.hyb-linked", has_text="dot(")
            lines.nth(which).click()
        else:
            plot = self.timeline.locator(".hyb-timeline-plot")
            lane = list(self.notebook.operators()).index("cpu(0)")
            tooltip = self.timeline.locator(".hyb-tooltip")
            plot.click(position=point_at(plot, tooltip, f"line {3 + which}", lane))

    def find_rectangle(self, which):
        box = self.memory.bounding_box()
        for x in range(70, int(box["width"]) - 20, 40):
            for y in range(30, int(box["height"]) - 40, 30):
                self.memory.hover(position={"x": x, "y": y})
                if self.pointed() == self.nodes[which]:
                    return {"x": x, "y": y}
        raise AssertionError(f"no rectangle of node {self.nodes[which]}")

    def pointed(self):
        return self.viewer.locator(".hyb-graph .hyb-plot").get_attribute("data-pointed")

    def lit(self, kind, which):
        if kind == "line":
            marked = self.page.locator(".hyb-source-line")
            return marked.all_inner_texts() == [self.lines[2 + which]]
        if kind == "node":
            option = self.viewer.locator(f"[data-node='{self.nodes[which]}']")
            chosen = option.get_attribute("aria-selected") == "true"
            return chosen or self.pointed() == self.nodes[which]
        if kind == "rectangle":
            lit = self.memory.get_attribute("data-lit")
            self.rectangles[which] = self.rectangles[which] or lit
            return lit == self.rectangles[which] != self.rectangles[1 - which]
        if kind == "program line":
            self.tab("Program")  # it is made when somebody looks
            lines = self.viewer.locator(".hyb-program .hyb-line:is(.hyb-selected, .hyb-hovered)")
            return any("dot(" in text for text in lines.all_inner_texts())
        return self.timeline.get_attribute("data-marked") == "1"


@pytest.mark.parametrize("face", CELLS)
def test_each_lights_the_other_four(notebook, face):
    notebook.write(f"pairs-{face}.ipynb", [LOAD, CELLS[face]])
    notebook.open(f"pairs-{face}.ipynb")
    notebook.command("jupyter-hybrid:show-panel")
    for index in range(2):
        notebook.select_cell(index)
        notebook.command("notebook:run-cell")
        notebook.wait_idle(index + 1)
        # The panel is connected: what runs from here on is told.
        status = notebook.page.locator(".hyb-status-item button")
        expect(status).to_have_text("Hybrid: imperative · 0 waiting")
    assert until(lambda: sum(notebook.operators().get("cpu(0)", [0])) >= 2)
    page = notebook.page
    page.get_by_role("button", name="Show all that the last cell").click()
    expect(page.locator(".hyb-timeline").first).to_have_attribute("data-marked", "0")
    assert notebook.stage("End") == "plan"
    picture = Picture(notebook, CELLS[face])
    for which in (0, 1, 0):
        for kind in sorted(KINDS, key="node".__ne__):
            picture.choose(kind, which)
            for other in KINDS:
                lights = partial(picture.lit, other, which)
                assert other == kind or until(lights), (kind, other)
