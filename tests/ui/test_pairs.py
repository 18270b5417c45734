"""One selection: editor line, node, rectangle, program line and span light each other, by pairs."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect
from test_lanes import point_at, until

LOAD = """%load_ext jupyter_hybrid
import numpy as np
from jupyter_hybrid import GraphViewer, gluon, nd"""
SHOWN = "GraphViewer(net)"
NET = """class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        y = F.dot(x, x)
        return F.dot(y, x)
"""
MADE = "net = Net()\nnet.hybridize()\nx = nd.ones((900, 900))\nx.wait_to_read()"
CALLED = "z = net(x)\nz.wait_to_read()"
NET_FILE = f"from jupyter_hybrid import gluon\n\n\n{NET}"
IN_A_FILE = "net of a file"
# Two products on lines of their own, each with a buffer and a span; the cells up to the picture.
CASES = {
    "nd": ["%%hybridize --out z\nx = nd.ones((900, 900))\ny = nd.dot(x, x)\nz = nd.dot(y, x)"],
    "numpy": ["%%hybridize --out z\nx = np.ones((900, 900))\ny = x @ x\nz = y @ x"],
    "net of another cell": [NET + MADE, CALLED, SHOWN],
    "net called in a hybridized cell": [NET + MADE, f"%%hybridize --out z\n{CALLED}"],
    IN_A_FILE: [f"from pairs_net import Net\n{MADE}", CALLED, SHOWN],
}
CLOSE_FILE = """async () => {
  const { shell } = window.jupyterapp;
  const [file] = [...shell.widgets('main')].filter(w => w.context?.path === 'pairs_net.py');
  file.dispose();
  const [notebook] = [...shell.widgets('main')].filter(w => w.sessionContext);
  shell.activateById(notebook.id);
}"""
KINDS = ("line", "node", "rectangle", "program line", "span")


class Picture:
    """A picture and its panel: what lights, and how a person chooses."""

    def __init__(self, notebook, code):
        self.notebook, self.page, self.viewer = notebook, notebook.page, notebook.viewer()
        lines = [(i, line) for i, line in enumerate(code.splitlines(), 1)]
        self.products = [(i, line) for i, line in lines if "dot(" in line or "@" in line]
        self.timeline = self.page.locator(".hyb-timeline").first
        self.memory = self.viewer.locator(".hyb-memory .hyb-plot[data-buffers]")
        options = self.viewer.locator("[role=option]", has_text="dot")
        self.nodes = [options.nth(i).get_attribute("data-node") for i in range(2)]
        self.rectangles = ["", ""]  # known once a node was chosen

    def tab(self, name):
        """By the page: the cursor stays in its editor."""
        self.viewer.get_by_role("tab", name=name).evaluate("tab => tab.click()")

    def choose(self, kind, which):
        """The first product (0) or the second (1)."""
        if kind == "line":
            self.page.locator(".cm-line", has_text=self.products[which][1]).first.click()
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
            plot.click(position=point_at(plot, tooltip, f"line {self.products[which][0]}", lane))

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
            texts = [text.strip() for text in marked.all_inner_texts()]
            return texts == [self.products[which][1].strip()]
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


@pytest.mark.parametrize("case", CASES)
def test_each_lights_the_other_four(notebook, case):
    name = f"pairs-{case.replace(' ', '-')}.ipynb"
    cells = CASES[case]
    notebook.write(name, [LOAD, *cells])
    (notebook.lab.root / "pairs_net.py").write_text(NET_FILE)
    notebook.open(name)
    notebook.command("jupyter-hybrid:show-panel")
    page = notebook.page

    def run(index):
        notebook.select_cell(index)
        notebook.command("notebook:run-cell")
        notebook.wait_idle(index + 1)

    run(0)
    # The panel is connected: what runs from here on is told.
    expect(page.locator(".hyb-status-item button")).to_have_text("Hybrid: imperative · 0 pending")
    expect(page.locator("[aria-label='Memory pools']")).to_contain_text("in use")
    page.get_by_role("button", name="Forget what was drawn").click()  # what ran before
    for index in range(1, len(cells) + 1):
        run(index)
        if cells[index:] in ([], [SHOWN]):  # the products have run
            assert until(lambda: sum(notebook.operators().get("cpu(0)", [0])) >= 2)
            page.get_by_role("button", name="Show all that the last cell").click()
    expect(page.locator(".hyb-timeline").first).to_have_attribute("data-marked", "0")
    assert notebook.stage("End") == "plan"
    picture = Picture(notebook, NET_FILE if case == IN_A_FILE else cells[0])
    if case == IN_A_FILE:
        open_file_of(picture)
    for which in (0, 1, 0):
        for kind in sorted(KINDS, key="node".__ne__):
            picture.choose(kind, which)
            for other in KINDS:
                lights = partial(picture.lit, other, which)
                assert other == kind or until(lights), (kind, other)
    if case == IN_A_FILE:
        page.evaluate(CLOSE_FILE)
        (notebook.lab.root / "pairs_net.py").unlink()
        picture.viewer.locator(".hyb-source").click()
        words = "Line 6 of pairs_net.py: JupyterLab has no such file."
        expect(page.get_by_text(words)).to_be_visible()


def open_file_of(picture):
    """By the line in the card of a chosen node; the file stands beside the notebook."""
    picture.choose("node", 1)
    source = picture.viewer.locator(".hyb-source")
    line, text = picture.products[1]
    expect(source).to_have_text(f"{line}{text.strip()} in pairs_net.py")
    source.click()
    expect(picture.page.locator(".jp-FileEditor .hyb-source-line")).to_have_text(text)
    expect(picture.viewer).to_be_visible()
