"""Makes the pictures of README from real JupyterLab: notebooks/images/*.png (`make screenshots`).

Each picture has a fixed size and at most 150 kB. What stands in it is what the code of its cells
gives on this machine: times differ from run to run.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "notebooks" / "images"
MOST = 150 * 1024
sys.path[:0] = [str(ROOT / "tests" / "ui"), str(ROOT / "tools")]

from browser import chromium  # noqa: E402
from lab_server import CHROMIUM_FLAGS, Lab  # noqa: E402
from notebook_page import NotebookPage  # noqa: E402

LOAD = """%load_ext jupyter_hybrid
import numpy as np
from jupyter_hybrid import nd
x = np.linspace(-1, 1, 240_000).reshape(800, 300)
w = np.linspace(0, 1, 60_000).reshape(300, 200)"""
SOFTMAX = """%%hybridize --out loss
h = np.maximum(x @ w + 1, 0)
e = np.exp(h - h.max(axis=1, keepdims=True))
p = e / e.sum(axis=1, keepdims=True)
loss = -np.log(p[:, 0]).mean()
print(loss)"""
QUEUE = """x = nd.ones((600, 600))
for step in range(6):
    y = nd.dot(x, x)
    z = nd.exp(y * 1e-3)
    x = z / z.sum()
x.asnumpy().mean()"""
LOOP = """x = np.arange(300_000.0)
for i in range(1, len(x)):
    x[i] += 0.5 * x[i - 1]"""


class Studio:
    """One JupyterLab, one page; each method is one picture."""

    def __init__(self, page: NotebookPage):
        self.notebook, self.page = page, page.page

    def tour(self) -> bytes:
        """The tour's opening, with its panel."""
        self.notebook.open("00_tour.ipynb")
        expect(self.page.locator(".hyb-live-panel .hyb-timeline")).to_be_visible()
        self.notebook.run_all()
        self.notebook.wait_idle()
        self.notebook.show_cell(0)
        self.notebook.settle()
        return self.page.screenshot()

    def graph(self) -> bytes:
        """The graph as written, and after fusion."""
        viewer = self._viewer("graph.ipynb", 720)
        pictures = []
        for key in ("Home", "ArrowRight"):
            self.notebook.stage(key, viewer)
            while key != "Home" and viewer.get_attribute("data-stage-name") != "fuse":
                self.notebook.stage("ArrowRight", viewer)
            pictures.append(self._of(viewer))
        return _side_by_side(pictures)

    def memory(self) -> bytes:
        viewer = self._viewer("memory.ipynb")
        self.notebook.stage("End", viewer)
        viewer.get_by_role("tab", name="Memory").click()
        return self._of(viewer)

    def program(self) -> bytes:
        """The program, with what its lines took."""
        viewer = self._viewer("program.ipynb")
        self.notebook.stage("End", viewer)
        viewer.get_by_role("tab", name="Program").click()
        viewer.get_by_role("button", name="Heat").click()
        return self._of(viewer)

    def live(self) -> bytes:
        """The lanes of a cell whose operators are held for a moment, in a panel of its own."""
        self.page.set_viewport_size({"width": 1280, "height": 1000})
        self._write("live.ipynb", [f"{LOAD}\n%engine inline off slow 0.02", QUEUE])
        self.notebook.command("jupyter-hybrid:panel-main")
        self.page.wait_for_selector("#jp-main-dock-panel .hyb-live-panel")
        self.notebook.open("live.ipynb")  # again the current one
        self._run(1)
        expect(self.page.locator(".hyb-status-item")).to_contain_text("0 pending")
        self._run(2)
        self.page.wait_for_function(
            "() => Object.values(JSON.parse(document.querySelector('.hyb-timeline').dataset.spans))"
            ".reduce((a, b) => a + b, 0) >= 24"
        )
        self.page.get_by_role("button", name="Show all that the last cell").click()
        picture = self._of(self.page.locator(".hyb-live-panel"))
        self.notebook.command("jupyter-hybrid:panel-right")
        self.notebook.open("live.ipynb")
        self.notebook.run_python("get_ipython().run_line_magic('engine', 'inline on slow 0')")
        return picture

    def auto(self) -> bytes:
        """Badges of cells in mode auto, and a loop that ran compiled."""
        self.page.set_viewport_size({"width": 1000, "height": 1000})
        self._write("auto.ipynb", [f"{LOAD}\n%hybrid mode auto", LOOP, f"%%hybridize\n{LOOP}"])
        self._only_the_notebook()
        self._run(3)
        self.page.locator(".hyb-unit summary").first.click()
        self.notebook.show_cell(0)
        expect(self.notebook.cell(1).locator(".hyb-badge")).to_have_text("auto: compiled")
        return self._of(self.page.locator(".jp-WindowedPanel-outer").first)

    def _viewer(self, name: str, width: int = 1280) -> Locator:
        self.page.set_viewport_size({"width": width, "height": 1150})
        self._write(name, [LOAD, SOFTMAX])
        self._only_the_notebook()
        self._run(2)
        self.notebook.show_cell(1)
        viewer = self.notebook.viewer()
        expect(viewer.locator(".hyb-graph .hyb-plot[data-nodes]")).to_have_count(1)
        return viewer

    def _only_the_notebook(self) -> None:
        for side in ("left", "right"):
            if not self.page.evaluate(f"window.jupyterapp.shell.{side}Collapsed"):
                self.notebook.command(f"application:toggle-{side}-area")

    def _write(self, name: str, cells: list[str]) -> None:
        self.notebook.write(name, cells)
        self.notebook.open(name)

    def _run(self, cells: int) -> None:
        for index in range(cells):
            self.notebook.select_cell(index)
            self.notebook.command("notebook:run-cell")
        self.notebook.wait_idle(cells)

    def _of(self, element: Locator) -> bytes:
        """What of it is in sight, its top first."""
        self.page.mouse.move(0, 0)
        self.page.evaluate("document.activeElement.blur()")
        element.evaluate("element => element.scrollIntoView({ block: 'start' })")
        self.notebook.settle()
        box = element.bounding_box()
        notebook = self.page.locator(".jp-NotebookPanel-notebook").bounding_box()
        assert box is not None and notebook is not None
        within = element.evaluate("element => Boolean(element.closest('.jp-NotebookPanel'))")
        bottom = notebook["y"] + notebook["height"] if within else 1e9
        box["height"] = min(box["y"] + box["height"], bottom) - box["y"]
        return self.page.screenshot(clip=box)


def _side_by_side(pictures: list[bytes]) -> bytes:
    images = [Image.open(io.BytesIO(data)) for data in pictures]
    gap = 16
    width = sum(image.width for image in images) + gap * (len(images) - 1)
    whole = Image.new("RGB", (width, min(image.height for image in images)), "white")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width + gap
    return _png(whole)


def _png(image: Image.Image, **options: bool) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


def small(data: bytes) -> bytes:
    """With as many colours as :data:`MOST` bytes allow."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    for colours in (256, 128, 64, 32):
        made = _png(image.quantize(colours, dither=Image.Dither.NONE), optimize=True)
        if len(made) <= MOST:
            return made
    raise ValueError(f"a picture of {image.size} does not fit into {MOST} bytes")


def main(wanted: list[str]) -> int:
    names = wanted or ["tour", "graph", "memory", "program", "live", "auto"]
    with (
        tempfile.TemporaryDirectory() as home,
        Lab(ROOT / "notebooks", Path(home)) as lab,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        size = {"width": 1280, "height": 800}
        context = browser.new_context(viewport=size, reduced_motion="reduce")
        page = NotebookPage(context.new_page(), lab)
        for name in names:
            made = small(getattr(Studio(page), name)())
            (IMAGES / f"{name}.png").write_bytes(made)
            print(f"notebooks/images/{name}.png: {len(made) / 1024:.0f} kB", flush=True)
            page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
