"""Frames per second and latency of the live panel while a cell runs, in a real JupyterLab.

    .venv/bin/python benchmarks/live_frames.py [seconds]

Starts a server and headless Chromium, runs a cell of small products for the given time (10 s) and
prints: frames that reached the page and frames drawn per second, spans per second, and for every
frame the time from its making in the kernel to its arrival in the page (one machine, two clocks:
both are compared through the wall clock, good to about a millisecond).
"""

from __future__ import annotations

import json
import statistics
import sys
import time

from lab_page import lab_page
from notebook_page import NotebookPage

WATCH = """() => {
  window.seen = [];
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  kernel.anyMessage.connect((_, { msg, direction }) => {
    const data = msg.header.msg_type === 'comm_msg' ? msg.content.data : null;
    if (direction === 'recv' && data?.type === 'frame') {
      const bytes = msg.buffers.reduce((sum, b) => sum + b.byteLength, 0);
      window.seen.push([Date.now() - Date.parse(msg.header.date), bytes]);
    }
  });
}"""


def measure(notebook: NotebookPage, seconds: float) -> None:
    cell = (
        "x = nd.random.uniform(shape=(64, 64))\nend = time.time() + SECONDS\n"
        "while time.time() < end:\n    for _ in range(50):\n        y = nd.dot(x, x)\n"
        "    y.wait_to_read()"
    ).replace("SECONDS", str(seconds + 3))
    notebook.write(
        "frames.ipynb",
        ["%load_ext jupyter_hybrid\nfrom jupyter_hybrid import nd\nimport time", cell],
    )
    notebook.open("frames.ipynb")
    notebook.page.evaluate(WATCH)
    notebook.command("jupyter-hybrid:show-panel")
    notebook.run_all()
    while not notebook.page.evaluate("window.seen.length"):
        time.sleep(0.1)
    time.sleep(1)
    notebook.page.evaluate("window.seen = []")
    frames, spans, start = notebook.frames(), sum(notebook.spans().values()), time.perf_counter()
    time.sleep(seconds)
    passed = time.perf_counter() - start
    drawn, added = notebook.frames() - frames, sum(notebook.spans().values()) - spans
    seen = json.loads(notebook.page.evaluate("JSON.stringify(window.seen)"))
    if not notebook.is_running():
        print("the cell ended too early: the figures hold for a part of the time only")
    late = sorted(row[0] for row in seen)
    print(f"frames received  {len(seen) / passed:6.1f} /s")
    print(f"frames drawn     {drawn / passed:6.1f} /s")
    print(f"spans            {added / passed:6,.0f} /s")
    print(f"data             {sum(row[1] for row in seen) / passed / 1024:6,.0f} KiB/s")
    print(
        f"latency          {statistics.median(late):6.0f} ms median, "
        f"{late[int(0.95 * (len(late) - 1))]:.0f} ms p95, {late[-1]:.0f} ms worst"
    )


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    with lab_page() as page:
        measure(page, seconds)


if __name__ == "__main__":
    main()
