"""Notebooks in one page of JupyterLab, as a person meets them: cells, viewers, the live panel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
from lab_server import Lab
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page

_PANEL = "window.jupyterapp.shell.currentWidget"
_OPEN = """async ([path, kernel]) => {
  const { commands, restored, shell } = window.jupyterapp;
  await restored;
  const options = { path, factory: 'Notebook', ...(kernel && { kernel: { id: kernel } }) };
  const panel = await commands.execute('docmanager:open', options);
  await panel.context.ready;
  await panel.sessionContext.ready;
  shell.activateById(panel.id);
}"""
# Through JupyterLab's own registry of settings, as its settings editor does.
_SET = """async ([plugin, key, value]) => {
  const { pluginRegistry } = window.jupyterapp;
  const token = [...pluginRegistry._services.keys()]
    .find(known => known.name.endsWith(':ISettingRegistry'));
  const registry = await pluginRegistry.resolveRequiredService(token);
  await registry.set(plugin, key, value);
}"""
# What a kernel forgets between two notebooks; other cells of theirs never ran.
_FORGET = """
from ipywidgets import Widget
Widget.close_all()
if 'hybrid' in get_ipython().magics_manager.magics['line']:
    get_ipython().run_line_magic('hybrid', 'mode imperative')
    from jupyter_hybrid.cells.outcomes import outcomes
    outcomes.clear()  # the next notebook's cells have the same ids
get_ipython().run_line_magic('reset', '-f')
"""


class NotebookPage:
    """One browser page; ``faults`` collects what the browser's console calls an error.

    Notebooks are opened one after another, and each takes over the kernel of the one before.
    """

    def __init__(self, page: Page, lab: Lab):
        self.page, self.lab = page, lab
        self.faults: list[str] = []
        self.kernel: str | None = None
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(f"{message.text} ({message.location.get('url', '')})")

    def write(self, name: str, cells: list[str], kernel: str = "python3") -> None:
        """A new notebook on the server's disk; cells have the ids cell-0, cell-1, ..."""
        made = [new_code_cell(source, id=f"cell-{i}") for i, source in enumerate(cells)]
        notebook = new_notebook(cells=made)
        notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
        nbformat.write(notebook, self.lab.root / name)

    def open(self, name: str) -> None:
        """Opens a notebook and waits for its kernel."""
        if not self.page.url.startswith(self.lab.url):
            self.page.goto(self.lab.address())
            self.page.wait_for_function("() => window.jupyterapp")
        self.page.evaluate(_OPEN, [name, self.kernel])
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(
            f"() => {_PANEL}?.sessionContext?.session?.kernel?.status === 'idle'"
        )

    def close(self) -> None:
        """Closes the notebook unsaved; its kernel, if it lives, forgets what ran in it."""
        if not self.page.evaluate(f"Boolean({_PANEL}?.sessionContext)"):
            return
        self.kernel = self.kernel_id()
        if self.kernel is not None:
            said = self.run_python(_FORGET)
            assert "Error" not in said, said
        self.page.evaluate(f"{_PANEL}.dispose()")

    def kernel_id(self) -> str | None:
        """Of the kernel of the notebook that is open."""
        return self.page.evaluate(f"{_PANEL}.sessionContext.session?.kernel?.id ?? null")

    def command(self, name: str) -> None:
        """Starts a JupyterLab command without waiting for its end."""
        self.page.evaluate("(name) => { window.jupyterapp.commands.execute(name); }", name)

    def set(self, plugin: str, key: str, value: object) -> None:
        """Sets one of JupyterLab's settings."""
        self.page.evaluate(_SET, [plugin, key, value])

    def select_cell(self, index: int) -> None:
        self.page.evaluate(f"(i) => {{ {_PANEL}.content.activeCellIndex = i; }}", index)

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")

    def is_running(self) -> bool:
        """Whether a cell runs or waits. (The kernel's status would not do: JupyterLab takes the
        idle message after a comm message on a subshell for the kernel's.)"""
        return self.page.evaluate(
            f"{_PANEL}.content.widgets.some(w => w.model.executionState === 'running')"
        )

    def code_cells(self) -> int:
        return self.page.evaluate(
            f"{_PANEL}.content.widgets.filter(w => w.model.type === 'code').length"
        )

    def wait_idle(self, cells: int | None = None, timeout: float = 180_000) -> None:
        """Until so many code cells (all) have run."""
        self.page.wait_for_function(
            f"""(n) => {{ const panel = {_PANEL};
            const done = panel.content.widgets.filter(w => w.model.type === 'code'
              && w.model.executionCount !== null && w.model.executionState === 'idle').length;
            return done >= n; }}""",
            arg=self.code_cells() if cells is None else cells,
            timeout=timeout,
        )

    def run_python(self, code: str) -> str:
        """Runs code in the kernel, outside any cell; returns what it printed or its error."""
        return self.page.evaluate(
            f"""async (code) => {{
            const future = {_PANEL}.sessionContext.session.kernel.requestExecute({{code}});
            let text = '';
            future.onIOPub = ({{header, content}}) => {{
              text += header.msg_type === 'stream' ? content.text
                : header.msg_type === 'error' ? content.traceback.join('\\n') : ''; }};
            await future.done;
            return text; }}""",
            code,
        )

    def outputs(self) -> list[str]:
        """The text forms of all code cells' outputs, from the model: also out of view."""
        return self.page.evaluate(
            f"""() => {_PANEL}.content.widgets.filter(w => w.model.type === 'code').map(
            w => w.model.outputs.toJSON().map(o => [o.text ?? '', o.data?.['text/plain'] ?? '',
              (o.traceback ?? []).join('\\n')].flat().join('')).join('\\n'))"""
        )

    def cell(self, index: int) -> Locator:
        """A code cell's element."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(index)

    def show_cell(self, index: int) -> None:
        """Scrolls a cell (counted among all) into view: cells far away are not in the page."""
        self.page.evaluate(f"(i) => {_PANEL}.content.scrollToItem(i, 'start')", index)

    def viewer(self) -> Locator:
        """The first graph viewer of the page."""
        return self.page.locator(".hyb-viewer").first

    def settle(self) -> None:
        """Until what was changed is painted; the page asks for less motion, so nothing moves."""
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def click_node(self, text: str, viewer: Locator | None = None) -> Locator:
        """Clicks a node where the canvas shows it; returns its entry in the list of nodes."""
        chosen = viewer or self.viewer()
        self.settle()
        option = chosen.locator("[role=option]", has_text=text).first
        position = {axis: float(option.get_attribute(f"data-{axis}") or 0) for axis in "xy"}
        plot = chosen.locator(".hyb-graph .hyb-plot")
        plot.scroll_into_view_if_needed()
        plot.click(position=position)
        return option

    def stage(self, key: str, viewer: Locator | None = None) -> str | None:
        """Presses a key on a viewer's slider; returns the name of the stage then shown."""
        chosen = viewer or self.viewer()
        slider = chosen.locator("input[aria-label=Stage]")
        slider.focus()
        slider.press(key)
        return chosen.get_attribute("data-stage-name")

    def spans(self) -> dict[str, int]:
        """How many spans each lane of the live panel has drawn so far."""
        timeline = self.page.locator(".jp-SidePanel .hyb-timeline, #jp-right-stack .hyb-timeline")
        return json.loads(timeline.first.get_attribute("data-spans") or "{}")

    def operators(self) -> dict[str, list[int]]:
        """Of each lane of the live panel: operators shown, merged and not recorded so far."""
        timeline = self.page.locator(".hyb-timeline").first
        return json.loads(timeline.get_attribute("data-operators") or "{}")

    def more_spans(self, than: int) -> int:
        """Waits until the panel's lanes together have drawn more spans; returns how many."""
        self.page.wait_for_function(
            """(than) => [...document.querySelectorAll('.hyb-timeline')].some(
            t => Object.values(JSON.parse(t.dataset.spans || '{}')).reduce((a, b) => a + b, 0)
              > than)""",
            arg=than,
        )
        return sum(self.spans().values())

    def frames(self) -> int:
        """Frames that the live panel has drawn so far."""
        return int(self.page.locator(".hyb-timeline").first.get_attribute("data-frames") or 0)

    def picture(self, path: Path) -> None:
        """Saves a screenshot."""
        path.parent.mkdir(exist_ok=True)
        self.page.screenshot(path=str(path))
