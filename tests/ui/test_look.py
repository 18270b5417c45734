"""How a picture looks: contrast of colours, sizes of text, nothing clipped, nothing moves."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from saved_cell import save_cell

VIEWS = ("Graph", "Memory", "Program")
CELL = "%%hybridize\nx = np.ones((40, 30))\nh = np.maximum(x @ x.T + 1, 0)\np = h / h.sum(axis=1)"
CONTRAST = 4.5  # WCAG 2.1, level AA, for text of usual size

# Every visible text with its contrast (WCAG 2.1, 1.4.3) on what is behind it, and its size.
TEXTS = """() => {
  const colour = text => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map(v => v * scale), numbers[3] ?? 1];
  };
  const over = (top, under) =>
    [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const linear = v => (v / 255 <= 0.03928 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const texts = [];
  for (const element of document.querySelectorAll('.hyb-root *')) {
    const own = [...element.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim());
    const box = element.getBoundingClientRect();
    const hidden = element.closest('.hyb-hidden, [role=listbox], :disabled, [aria-hidden=true]');
    if (own.length === 0 || box.width < 2 || box.height < 2 || hidden) continue;
    const around = [];
    for (let e = element; e; e = e.parentElement) around.unshift(getComputedStyle(e));
    let behind = [255, 255, 255, 1];
    for (const style of around) behind = over(colour(style.backgroundColor), behind);
    const ink = colour(around.at(-1).color);
    ink[3] *= around.reduce((all, style) => all * Number(style.opacity), 1);
    const [low, high] = [luminance(over(ink, behind)), luminance(behind)].sort((a, b) => a - b);
    texts.push({
      text: own.map(n => n.textContent.trim()).join(' ').slice(0, 40),
      contrast: (high + 0.05) / (low + 0.05),
      size: parseFloat(around.at(-1).fontSize)
    });
  }
  return texts;
}"""

# What reaches beyond the viewer's own box, but for code, which scrolls.
CLIPPED = """() => {
  const { right } = document.querySelector('.hyb-viewer').getBoundingClientRect();
  return [...document.querySelectorAll('.hyb-viewer *')]
    .filter(e => !e.closest('.hyb-hidden, [role=listbox], .hyb-code, pre'))
    .filter(e => e.getBoundingClientRect().width > 2 && e.getBoundingClientRect().right > right + 1)
    .map(e => `${e.className}: ${e.textContent.slice(0, 30)}`);
}"""

# Contrast with the background of the edge of the first card, which stands alone on its row at the
# left, and of the viewer's own edge.
EDGES = """() => {
  const linear = v => (v / 255 <= 0.03928 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const viewer = document.querySelector('.hyb-viewer');
  const canvas = viewer.querySelector('.hyb-graph .hyb-canvas');
  const context = canvas.getContext('2d');
  const scale = canvas.width / canvas.clientWidth;
  const { y } = viewer.querySelector('.hyb-graph [role=option]').dataset;
  const { data } = context.getImageData(0, Math.round(y * scale), canvas.width / 2, 1);
  const pixels = Array.from({ length: data.length / 4 }, (_, i) =>
    [...data.slice(4 * i, 4 * i + 3)]);
  const first = pixels.findIndex(p => contrast(p, pixels[0]) > 1.05);
  const card = Math.max(...pixels.slice(first, first + 5).map(p => contrast(p, pixels[0])));
  const frame = getComputedStyle(viewer).borderTopColor.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const whole = getComputedStyle(viewer).borderTopColor.startsWith('color(') ? 255 : 1;
  return [card, contrast(frame.map(v => v * whole), pixels[0])];
}"""

# Where the parts of the viewer that surround a picture are.
FRAME = """() => [...document.querySelectorAll('.hyb-header, .hyb-bar, .hyb-tabs, .hyb-slider, '
    + '.hyb-body, .hyb-plot')]
  .map(e => e.getBoundingClientRect()).map(b => [b.x, b.y, b.width].map(Math.round))"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("look") / "cell.html"
    save_cell(
        "h = np.maximum(x @ w + 1, 0)\ne = np.exp(h - h.max(axis=1, keepdims=True))\n"
        "p = e / e.sum(axis=1, keepdims=True)\nloss = -np.log(p[:, 0]).mean()\nprint(loss)\n",
        path,
    )
    return path


@pytest.fixture
def opened(browser, saved):
    contexts = []

    def opening(width, zoom=1.0, **options):
        context = browser.new_context(
            viewport={"width": round(width / zoom), "height": 900},
            device_scale_factor=zoom,  # the browser's zoom: fewer and larger pixels
            reduced_motion="reduce",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(40_000)
        page.goto(saved.as_uri())
        page.wait_for_selector(".hyb-graph .hyb-plot[data-nodes]")
        return page

    yield opening
    for context in contexts:
        context.close()


def faces(page):
    """Each view, with heat off and on."""
    heat = page.get_by_role("button", name="Heat")
    for view in VIEWS:
        page.get_by_role("tab", name=view).click()
        for _ in range(2):
            yield view
            heat.click()


@pytest.mark.parametrize(
    "options", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}]
)
def test_texts_can_be_read(opened, options):
    page = opened(1400, **options)
    faults = set()
    for view in faces(page):
        texts = page.evaluate(TEXTS)
        assert len(texts) > 15
        for text in texts:
            if text["contrast"] < CONTRAST or text["size"] < 11:
                faults.add((view, text["text"], round(text["contrast"], 2), text["size"]))
    assert not faults


# Of an element: its background as it is painted.
GROUND = """e => {
  const { backgroundColor, backgroundImage } = getComputedStyle(e);
  return `${backgroundColor} ${backgroundImage.slice(0, 15)}`;
}"""


def test_forced_colours_leave_what_is_chosen_to_be_seen(opened):
    page = opened(1400, forced_colors="active")
    heat, side, graph, memory = (
        page.get_by_role(role, name=name, exact=True)
        for role, name in [
            ("button", "Heat"), ("button", "Side by side"), ("tab", "Graph"), ("tab", "Memory"),
        ]
    )  # fmt: skip
    assert graph.evaluate(GROUND) != memory.evaluate(GROUND)
    assert heat.evaluate(GROUND) == side.evaluate(GROUND)
    heat.click()
    assert heat.evaluate(GROUND) != side.evaluate(GROUND)
    assert "linear-gradient" in page.locator(".hyb-heat-scale").first.evaluate(GROUND)
    page.get_by_role("tab", name="Program").click()
    lines = page.locator(".hyb-line.hyb-linked")
    lines.first.click()
    assert lines.first.evaluate(GROUND) != lines.last.evaluate(GROUND)
    assert all(text["contrast"] >= CONTRAST for text in page.evaluate(TEXTS))


@pytest.mark.parametrize("width", [1400, 1100, 700, 400, 320])
def test_the_second_picture_is_named_in_full(opened, width):
    page = opened(width)
    page.get_by_role("button", name="Side by side").click()
    lacks = page.get_by_label("Picture B").evaluate("""select => {
      const free = select.cloneNode(true);
      Object.assign(free.style, { position: 'absolute', maxWidth: 'none', width: 'max-content' });
      select.parentElement.append(free);
      const lacks = free.offsetWidth - select.offsetWidth;
      free.remove();
      return lacks;
    }""")
    assert lacks <= 0
    assert page.evaluate(CLIPPED) == []


@pytest.mark.parametrize(("width", "zoom"), [(1400, 1), (900, 1), (400, 1), (1400, 1.5), (320, 1)])
def test_nothing_is_clipped(opened, width, zoom):
    page = opened(width, zoom)
    for view in faces(page):
        assert page.evaluate(CLIPPED) == [], view
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view


# How many colours the first graph has under an element; null where that is not shown.
UNDER = """selector => {
  const element = document.querySelector(selector);
  if (element.hidden) return null;
  const canvas = document.querySelector('.hyb-graph .hyb-canvas');
  const [b, c] = [element, canvas].map(e => e.getBoundingClientRect());
  const { data } = canvas.getContext('2d').getImageData(b.x - c.x, b.y - c.y, b.width, b.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data.slice(i, i + 3).join());
  return seen.size;
}"""


def test_nothing_stands_on_a_card_at_first(browser, tmp_path):
    """Neither the map of the whole picture nor the button of the steps."""
    code = "h = np.maximum(x @ w + 1, 0)\nprint(h[0, 0])\nz = np.exp(h - 1) * 2\nprint(z[0, 0])\n"
    save_cell(code + "q = np.tanh(z) + 1\n", tmp_path / "parts.html")
    page = browser.new_page(viewport={"width": 900, "height": 900}, reduced_motion="reduce")
    page.goto((tmp_path / "parts.html").as_uri())
    page.wait_for_selector(".hyb-graph .hyb-plot[data-nodes]")
    page.wait_for_function(f"() => ({UNDER})('.hyb-minimap') === 1")
    assert page.evaluate(UNDER, ".hyb-steps") == 1
    # A person moves it: the map stays where it is.
    place = page.locator(".hyb-minimap").bounding_box()
    page.get_by_role("button", name="Zoom in").click()
    assert page.locator(".hyb-minimap").bounding_box() == place
    page.close()


@pytest.mark.parametrize("width", [1400, 400])
def test_no_box_moves_when_the_stage_changes(opened, width):
    page = opened(width)
    viewer = page.locator(".hyb-viewer")
    page.get_by_role("slider").press("Home")
    before = page.evaluate(FRAME)
    assert len(before) >= 6
    seen = 1
    while page.get_by_role("button", name="Next stage").is_enabled():
        page.get_by_role("button", name="Next stage").click()
        seen += 1
        assert page.evaluate(FRAME) == before, viewer.get_attribute("data-stage-name")
    assert seen >= 3


def test_a_pass_goes_step_by_step(opened):
    page = opened(320)
    steps, words = page.locator(".hyb-steps"), page.locator(".hyb-details")
    marks, rule = page.locator(".hyb-status"), page.locator(".hyb-steps code")
    plot = page.locator(".hyb-graph .hyb-plot")
    page.get_by_role("slider").press("Home")
    expect(steps).to_be_hidden()  # nothing has been rewritten yet
    while page.locator(".hyb-viewer").get_attribute("data-stage-name") != "fuse":
        page.get_by_role("button", name="Next stage").click()
    page.evaluate("scrollTo(0, 0)")
    frame, whole = page.evaluate(FRAME), plot.get_attribute("data-nodes")
    page.get_by_role("listbox", name="Graph nodes").press("Shift+ArrowRight")
    # The first kernel, with the operators that went into it beside it.
    expect(steps).to_have_attribute("data-step", "1")
    expect(rule).to_have_text("elementwise operators → one kernel")
    expect(marks).to_contain_text("Step 1 of ")
    expect(words.locator("h4")).to_contain_text("Step 1 of ")
    expect(words).to_contain_text("goes straight into")
    expect(plot).not_to_have_attribute("data-nodes", whole)
    first = words.locator(".hyb-changes").first.text_content()
    # They play, once through and from the beginning.
    play, stop = (page.get_by_role("button", name=name) for name in ("Play the steps", "Stop"))
    play.click()
    expect(steps).to_have_attribute("data-step", "2")
    expect(play).to_be_visible()  # it was the last
    play.click()
    expect(steps).to_have_attribute("data-step", "1")
    stop.click()
    expect(play).to_be_visible()
    page.get_by_role("slider", name="Step").press("End")
    assert words.locator(".hyb-changes").first.text_content() != first
    expect(page.get_by_role("button", name="Next step")).to_be_disabled()
    page.evaluate("scrollTo(0, 0)")  # what has the focus was scrolled to
    assert page.evaluate(FRAME) == frame
    assert page.evaluate(CLIPPED) == []
    assert all(t["contrast"] >= CONTRAST and t["size"] >= 11 for t in page.evaluate(TEXTS))
    # Back before the first step, the stage is shown as a whole.
    page.get_by_role("slider", name="Step").press("Home")
    page.get_by_role("slider", name="Step").press("Shift+ArrowLeft")
    expect(plot).to_have_attribute("data-nodes", whole)
    expect(page.locator(".hyb-steps-open")).to_be_visible()
    # A rule goes to its steps.
    words.locator(".hyb-rules button").first.click()
    expect(steps).to_have_attribute("data-step", "1")


def test_jupyterlabs_high_contrast_theme(notebook):
    notebook.write("contrast.ipynb", ["%load_ext jupyter_hybrid\nimport numpy as np", CELL])
    notebook.open("contrast.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    page = notebook.page
    change = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
    page.evaluate(change, "JupyterLab Dark High Contrast")
    page.wait_for_selector("[data-jp-theme-name='JupyterLab Dark High Contrast'] .hyb-viewer")
    try:
        # The sheet comes later than the page's mark, and the picture is painted after it.
        page.wait_for_function(f"() => Math.min(...({EDGES})()) >= 3")
        faults = [
            (view, text["text"], round(text["contrast"], 2))
            for view in faces(notebook.viewer())
            for text in page.evaluate(TEXTS)
            if text["contrast"] < CONTRAST
        ]
        assert not faults
        assert (
            page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        )
    finally:
        page.evaluate(change, "JupyterLab Light")
