"""Errors of hybridized cells in JupyterLab's output: the user's cell, line and code, and no frame
of our own."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_hybrid\nimport numpy as np\nfrom jupyter_hybrid import nd\n"
LOAD += "table, index = nd.ones((3, 2)), nd.array([7])"
EARLIER = "def halves(x):\n    checked = x.reshape(2, -1)\n    return checked.reshape(5, 7)"
CASES = {
    "trace": (
        "%%hybridize\na = np.ones(3)\nb = np.ones(4)\nc = a + b  # here\nd = c * 2",
        4,
        "broadcast",
        "c = a + b  # here",
    ),
    "kernel": (
        "%%hybridize\n# an index out of range\npicked = nd.take(table, index, mode='raise')"
        "\ntotal = picked.sum()\nprint(total)  # read here",
        3,
        "IndexRangeError",
        "picked = nd.take(table, index, mode='raise')",
    ),
    "python": (
        "%%hybridize\na = np.ones(3)\nif a.sum() > 2:\n    raise KeyError('missing')\nb = a",
        4,
        "KeyError",
        "raise KeyError('missing')",
    ),
    "syntax": ("%%hybridize\na = np.ones(3)\nb = a +", 3, "SyntaxError", "b = a +"),
}


def shown_error(notebook, index: int) -> str:
    """The text of a cell's error output as the page shows it."""
    output = notebook.cell(index).locator("[data-mime-type='application/vnd.jupyter.stderr']")
    expect(output.first).to_be_visible()
    return output.first.inner_text()


def no_frame_of_ours(text: str) -> None:
    files = re.findall(r"^[ ]*(?:File|Cell) [^\n]*", text, re.M)
    assert files, text
    assert not [f for f in files if "jupyter_hybrid" in f], text
    for word in (
        "lib/mixins.py",
        "__jupyter_hybrid__",
        "run_symbolically",
        "run_cell_magic",
        "_core.",
    ):
        assert word not in text


@pytest.mark.parametrize("case", CASES)
def test_error_in_a_hybridized_cell(notebook, case):
    source, line, kind, code = CASES[case]
    notebook.write("errors.ipynb", [LOAD, source])
    notebook.open("errors.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    text = shown_error(notebook, 1)
    assert kind in text
    no_frame_of_ours(text)
    # The arrow of the traceback stands at the user's line, or the message names it.
    arrow = re.search(rf"-+> {line} .*{re.escape(code)}", text)
    named = re.search(rf"line {line}\b", text) and code in text
    assert arrow or named, text


def test_error_in_a_function_of_an_earlier_cell(notebook):
    notebook.write(
        "earlier.ipynb", [LOAD, EARLIER, "%%hybridize\na = np.arange(8.0)\nb = halves(a)\nc = b"]
    )
    notebook.open("earlier.ipynb")
    notebook.run_all()
    notebook.wait_idle()
    text = shown_error(notebook, 2)
    no_frame_of_ours(text)
    assert "ValueError" in text
    calling = re.search(r"-+> 3 b = halves\(a\)", text)
    inside = re.search(r"-+> 3 +return checked\.reshape\(5, 7\)", text)
    assert calling and inside and calling.start() < inside.start(), text


def test_error_in_symbolic_mode_counts_lines_from_the_first(notebook):
    notebook.write(
        "mode.ipynb",
        [f"{LOAD}\n%hybrid mode symbolic", "a = np.ones(3)\nb = a + np.ones(4)", "1"],
    )
    notebook.open("mode.ipynb")
    notebook.run_all()
    notebook.wait_idle(cells=2)
    text = shown_error(notebook, 1)
    no_frame_of_ours(text)
    assert re.search(r"-+> 2 b = a \+ np\.ones\(4\)", text), text
