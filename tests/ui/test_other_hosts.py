"""The viewer in marimo, and in a page that has anywidget's interface and nothing else."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from host_environments import environment
from playwright.sync_api import Page, expect
from test_lanes import until

# A host as anywidget's specification describes it: a model with traits, messages both ways.
PAGE = """
<!doctype html><meta charset=utf-8><div id=host></div>
<script type=module>
  const spec = JSON.parse(document.getElementById('spec').textContent);
  const traits = { stage: 1, selected: [] }, heard = {};
  window.saved = [];
  const model = {
    get: name => traits[name],
    set: (name, value) => { traits[name] = value; },
    save_changes: () => window.saved.push({ ...traits }),
    on: (name, call) => { heard[name] = call; },
    off: name => { delete heard[name]; },
    send: content => {
      if (content.type === 'ask') heard['msg:custom'](window.gone ?? { type: 'spec', spec });
    }
  };
  window.say = content => heard['msg:custom'](content);
  window.python = (name, value) => { traits[name] = value; heard[`change:${name}`](); };
  const { default: widget } = await import(URL.createObjectURL(
    new Blob([document.getElementById('code').textContent], { type: 'text/javascript' })));
  window.draw = () => widget.render({ model, el: document.getElementById('host') });
  window.clean = window.draw();
</script>
"""
MAKE = """
import sys
sys.path.append(sys.argv[1])
import json
import numpy as np
from cells import Shell
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.packed import packed
from jupyter_hybrid.views.script import static

shell = Shell()
done = shell.hybridize("import numpy as np\\na = np.arange(6.0)\\nb = a * 2 + 1\\nprint(b.sum())")
print(json.dumps([done.out, packed(spec_of(shell.report)), static("graph.js")]))
"""


@pytest.fixture
def blank(browser, request) -> Page:
    context = browser.new_context(viewport={"width": 1200, "height": 1000}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    yield page
    assert not page.faults
    context.close()


def click_node(page: Page, text: str):
    option = page.locator(".hyb-viewer [role=option]", has_text=text).first
    page.wait_for_selector(".hyb-graph .hyb-plot[data-nodes]")
    plot = page.locator(".hyb-graph .hyb-plot")
    plot.scroll_into_view_if_needed()
    plot.click(position={axis: float(option.get_attribute(f"data-{axis}")) for axis in "xy"})
    expect(option).to_have_attribute("aria-selected", "true")
    expect(page.locator(".hyb-status")).to_contain_text("Selected: ")
    expect(page.locator(".hyb-details")).to_contain_text("line")


def test_a_page_with_anywidgets_interface_alone(blank, root):
    command = [sys.executable, "-c", MAKE, str(root / "tests" / "py")]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    printed, spec, code = json.loads(made.stdout.splitlines()[-1])
    assert printed.strip() == "36.0"
    data = json.dumps(spec).replace("<", "\\u003c")
    assert "</script" not in code
    blank.set_content(
        f"<script id=spec type=text/plain>{data}</script>"
        f"<script id=code type=text/plain>{code}</script>{PAGE}"
    )
    click_node(blank, "sum")
    saved = blank.evaluate("window.saved.at(-1)")
    assert len(saved["selected"]) == 1 and saved["stage"] == 1
    blank.evaluate("window.python('stage', 0)")
    expect(blank.locator(".hyb-viewer")).to_have_attribute("data-stage", "0")
    blank.evaluate("window.python('selected', [])")
    expect(blank.locator("[role=option][aria-selected=true]")).to_have_count(0)
    # A page that has drawn a picture goes on with it; one that comes later is told.
    blank.evaluate("window.gone = { type: 'gone', why: 'it is <b>gone</b>' }")
    blank.evaluate("window.say(window.gone)")
    expect(blank.locator(".hyb-viewer")).to_have_count(1)
    blank.evaluate("window.clean()")
    expect(blank.locator(".hyb-viewer")).to_have_count(0)
    blank.evaluate("window.clean = window.draw()")
    expect(blank.locator("#host")).to_have_text("it is <b>gone</b>")
    blank.evaluate("window.clean()")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_marimo(blank, root):
    python = environment(root, "marimo", "marimo==0.25.2")
    app = Path(__file__).with_name("marimo_app.py")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [python, "-m", "marimo", "run", app, "--headless", "--no-token", "--port", port]
    server = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert until(lambda: answers(int(port))), "marimo did not start"
        blank.goto(f"http://127.0.0.1:{port}")
        expect(blank.get_by_text("total 36")).to_contain_text("total 36.0, chosen 0")
        click_node(blank, "sum")
        expect(blank.get_by_text("total 36")).to_contain_text("chosen 1")
    finally:
        server.terminate()
        server.wait(20)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
