"""How long pictures of graphs take in a real JupyterLab, and how smoothly they move.

    .venv/bin/python benchmarks/ui.py [NAME ...]

For each graph, collapsed as it opens and with every group open: the kernel's time for all forms of
the picture, bytes of the messages, bytes of the saved output, from the click on Run to the second
frame after the picture is there, the longest task of the page's thread, frames per second while it
is panned, at reading size and as a whole. Goals: 0.3, 0.5, 0.7, 1.2 and 3 s to drawn at 42, 443,
1,000, 5,000 and 20,000 nodes; 60 frames per second, 30 at 20,000.
"""

from __future__ import annotations

import sys
from typing import Any

from lab_page import lab_page
from notebook_page import NotebookPage

PRELUDE = """
%load_ext jupyter_hybrid
import random, time
from jupyter_hybrid import gluon, nd, sym
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.views import GraphViewer

def mlp():
    net = nn.HybridSequential()
    for _ in range(13):
        net.add(nn.Dense(16, activation="relu"))
    return net, nd.ones((4, 16))

class Bottleneck(gluon.HybridBlock):
    def __init__(self, channels, **options):
        super().__init__(**options)
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            for kernel, pad in ((1, 0), (3, 1), (1, 0)):
                conv = nn.Conv2D(channels, kernel, padding=pad, use_bias=False)
                self.body.add(conv, nn.BatchNorm(), nn.Activation("relu"))
    def hybrid_forward(self, F, x):
        return F.Activation(self.body(x) + x, act_type="relu")

def resnet50():
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, padding=1))
        for i, blocks in enumerate((3, 4, 6, 3)):
            stage = nn.HybridSequential(prefix=f"stage{i + 1}_")
            with stage.name_scope():
                for _ in range(blocks):
                    stage.add(Bottleneck(4))
            net.add(stage)
        net.add(nn.Dense(10))
    return net, nd.ones((1, 4, 8, 8))

def called(made):
    net, x = made
    net.initialize()
    net.hybridize()
    net(x).wait_to_read()
    return net

def flat(n):
    draw = random.Random(1)
    nodes = [sym.var("x", shape=(3, 3))]
    for _ in range(n):
        a, b = draw.choice(nodes[-30:]), draw.choice(nodes[-30:])
        nodes.append(draw.choice([sym.tanh(a), a + b, a * b, sym.exp(a)]))
    return sym.Group(nodes[1:])  # no node is left out

def scoped(n):
    x = sym.var("x", shape=(3, 3))
    for i in range(n // 20):
        name = f"stage{i // 50}_block{i}_"
        y = x
        for k in range(9):
            y = sym.tanh(sym.exp(y, name=f"{name}exp{k}"), name=f"{name}tanh{k}")
        x = sym.broadcast_add(y, x, name=f"{name}add")
        x = sym.abs(x, name=f"{name}abs")
    return x

def drawn(thing):
    begun = time.perf_counter()
    viewer = GraphViewer(thing)
    bundle = viewer._repr_mimebundle_()
    print(1e3 * (time.perf_counter() - begun))
    viewer.close()
"""
GRAPHS = {
    "mlp": "called(mlp())",
    "resnet50": "called(resnet50())",
    "flat 1k": "flat(1_000)",
    "scoped 1k": "scoped(1_000)",
    "flat 5k": "flat(5_000)",
    "scoped 5k": "scoped(5_000)",
    "flat 20k": "flat(20_000)",
    "scoped 20k": "scoped(20_000)",
}

RUN = """async index => {
  const panel = window.jupyterapp.shell.currentWidget;
  const { kernel } = panel.sessionContext.session;
  let bytes = 0;
  const hear = (_, { msg, direction }) => {
    if (direction === 'recv') bytes += JSON.stringify(msg.content).length;
  };
  const tasks = [];
  const watch = new PerformanceObserver(list => {
    list.getEntries().forEach(entry => tasks.push(entry.duration));
  });
  watch.observe({ entryTypes: ['longtask'] });
  kernel.anyMessage.connect(hear);
  panel.content.activeCellIndex = index;
  const cell = panel.content.widgets[index].node;
  const begun = performance.now();
  void window.jupyterapp.commands.execute('notebook:run-cell');
  while (!cell.querySelector('.hyb-graph .hyb-plot[data-nodes]')) {
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  const drawn = performance.now() - begun;
  await new Promise(done => setTimeout(done, 700));
  kernel.anyMessage.disconnect(hear);
  watch.disconnect();
  const saved = JSON.stringify(panel.content.model.cells.get(index).toJSON().outputs).length;
  cell.querySelector('.hyb-graph').scrollIntoView();
  return { drawn, bytes, saved, longest: Math.max(0, ...tasks) };
}"""
OPEN = """async index => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[index].node;
  const plot = cell.querySelector('.hyb-graph .hyb-plot');
  const more = cell.querySelector('[aria-label="Open the closed groups"]');
  const tasks = [];
  const watch = new PerformanceObserver(list => {
    list.getEntries().forEach(entry => tasks.push(entry.duration));
  });
  watch.observe({ entryTypes: ['longtask'] });
  let opened = 0;
  for (let before = -1; more && before !== plot.dataset.nodes; ) {
    before = plot.dataset.nodes;
    const begun = performance.now();
    more.click();
    const note = cell.querySelector('.hyb-plot-note');
    do {
      await new Promise(requestAnimationFrame);
    } while (!note.hidden && note.textContent.startsWith('Laying'));
    if (before !== plot.dataset.nodes) opened = performance.now() - begun;
    await new Promise(done => setTimeout(done, 900));
  }
  watch.disconnect();
  const coarse = cell.querySelector('.hyb-plot-note').textContent;
  return { opened, cards: Number(plot.dataset.nodes), longest: Math.max(0, ...tasks), coarse };
}"""
FPS = """async ([index, whole]) => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[index].node;
  if (whole) cell.querySelector('[aria-label="Show the whole graph"]').click();
  const plot = cell.querySelector('.hyb-graph .hyb-plot');
  const { x, y } = plot.getBoundingClientRect();
  const send = (type, dx, dy) => plot.dispatchEvent(new PointerEvent(type, {
    button: 0, buttons: 1, clientX: x + 60 + dx, clientY: y + 60 + dy, bubbles: true, pointerId: 1
  }));
  plot.setPointerCapture = () => undefined;
  send('pointerdown', 0, 0);
  let frames = 0;
  const begun = performance.now();
  while (performance.now() - begun < 2000) {
    await new Promise(requestAnimationFrame);
    frames += 1;
    send('pointermove', frames % 60, frames % 100);
  }
  send('pointerup', 0, 0);
  return frames / 2;
}"""


def measure(notebook: NotebookPage, chosen: dict[str, str]) -> None:
    cells = [PRELUDE, *(f"GraphViewer({thing})" for thing in chosen.values())]
    notebook.write("pictures.ipynb", cells)
    notebook.open("pictures.ipynb")
    page = notebook.page
    notebook.select_cell(0)
    notebook.command("notebook:run-cell")
    notebook.wait_idle(1)
    head = (
        "graph", "cards", "kernel ms", "drawn ms", "longest ms", "sent KB", "saved KB", "fps",
        "fps whole", "all cards", "open ms", "longest ms", "fps", "fps whole",
    )  # fmt: skip
    print(" ".join(f"{word:>10}" for word in head), flush=True)
    for i, (name, thing) in enumerate(chosen.items(), 1):
        kernel = float(notebook.run_python(f"drawn({thing})"))
        run: dict[str, Any] = page.evaluate(RUN, i)
        notebook.wait_idle(i + 1)
        cards = page.evaluate(OPEN.partition("const more")[0] + "return plot.dataset.nodes }", i)
        smooth = [page.evaluate(FPS, [i, whole]) for whole in (False, True)]
        all_open: dict[str, Any] = page.evaluate(OPEN, i)
        rough = [page.evaluate(FPS, [i, whole]) for whole in (False, True)]
        row = [
            cards, kernel, run["drawn"], run["longest"], run["bytes"] / 1024, run["saved"] / 1024,
            *smooth, all_open["cards"], all_open["opened"], all_open["longest"], *rough,
        ]  # fmt: skip
        print(f"{name:>10} " + " ".join(f"{float(v):10.0f}" for v in row), all_open["coarse"])


def main() -> None:
    chosen = {name: GRAPHS[name] for name in (sys.argv[1:] or GRAPHS)}
    with lab_page(120_000) as page:
        measure(page, chosen)


if __name__ == "__main__":
    main()
