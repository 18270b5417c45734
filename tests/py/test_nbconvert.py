"""`jupyter nbconvert` of a hybridized notebook carries the viewer, with nothing fetched."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from pathlib import Path
from subprocess import run
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_hybrid.views.script import static

CELLS = [
    "%load_ext jupyter_hybrid",
    "%%hybridize\nimport numpy as np\na = np.ones(10)\nb = a * 2\nc = b + a",
    "import jupyter_hybrid\nfrom jupyter_hybrid.views import GraphViewer\n"
    "GraphViewer(jupyter_hybrid.report())",
]


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook executed and saved by nbconvert, widget state and all."""
    folder = tmp_path_factory.mktemp("nbconvert")
    source = folder / "made.ipynb"
    notebook = new_notebook(cells=[new_code_cell(c) for c in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, source)
    convert("--execute", "--to", "notebook", "--output", "run.ipynb", str(source))
    convert("--to", "html", str(folder / "run.ipynb"))
    return folder


def convert(*arguments: str) -> None:
    done = run(
        [sys.executable, "-m", "nbconvert", *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def bundles(executed: Path) -> list[dict]:
    notebook = nbformat.read(executed / "run.ipynb", as_version=4)
    return [
        output["data"]
        for cell in notebook.cells
        for output in cell.outputs
        if "image/svg+xml" in output.get("data", {})
    ]


@pytest.mark.takes("nbconvert starts twice, and a kernel")
def test_the_saved_notebook_carries_every_form(executed):
    notebook = nbformat.read(executed / "run.ipynb", as_version=4)
    assert "application/vnd.jupyter.widget-state+json" in notebook.metadata["widgets"]
    saved = bundles(executed)
    assert len(saved) == 2
    for data in saved:
        assert {"text/plain", "image/svg+xml"} <= set(data)
        assert "application/vnd.jupyter-hybrid.graph.v1+json" in data
        assert data["image/svg+xml"].startswith("<svg") and "c = " in data["image/svg+xml"]
        assert "kernels" in data["text/plain"] or "memory" in data["text/plain"]


def test_the_page_carries_the_viewer_and_no_blank_widget(executed):
    page = (executed / "run.html").read_text()
    body = page[page.index("<body") :]
    pictures = re.findall(
        r'<div id="hyb-\w+">(<svg.*?</svg>)</div><script>(.*?)</script>', body, re.S
    )
    assert len(pictures) == 2
    for drawn, script in pictures:
        ElementTree.fromstring(drawn)  # what stands there where no script runs
        assert "c = " in drawn
        assert "http" not in script
        packed = re.findall(r'"([\w+/=]{100,})"', script)
        code, spec = (gzip.decompress(base64.b64decode(text)).decode() for text in packed)
        assert code == static("graph.js")
        assert json.loads(spec)["stages"][0]["name"] == "written"
    # A widget view would stand in the picture's place, blank without a network.
    assert "application/vnd.jupyter.widget-view+json" not in body


def test_a_site_that_shows_plain_outputs_has_the_picture(executed):
    """Code-hosting sites show the richest of HTML, SVG and text, and run no script of it."""
    for data in bundles(executed):
        assert re.match(r'<div id="hyb-\w+"><svg', data["text/html"])
        json.dumps(data)
