"""Every notebook runs top to bottom; each ends in a check of its own claim."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@functools.cache
def run(path: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(path, as_version=4)
    # JupyterLab saves no widget state unless told to.
    client = NotebookClient(
        notebook, timeout=240, kernel_name="python3", store_widget_state=False
    )
    # nbclient's stand-in for Output widgets writes on the socket whose replies it awaits, and can
    # so miss the reply of the cell; what `interact` prints is then plain output of the cell.
    client.widget_registry = {}
    client.execute(cwd=str(FOLDER))
    return notebook


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            found.append(str(output.get("text") or output.get("data", {}).get("text/plain", "")))
    return found


def test_the_course_is_there():
    names = {path.stem for path in NOTEBOOKS}
    course = (
        "00_tour 01_imperative_and_symbolic 02_hybridize 03_async 04_memory 05_folding_and_fusion "
        "06_gradients 07_checkpoints 09_automatic_parallelism 10_many_gpus 12_your_own_numpy "
        "13_run_elsewhere 14_mxnet_unchanged"
    )
    assert set(course.split()) <= names


@pytest.mark.takes("a notebook from top to bottom")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_runs_and_its_claim_holds(path):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), (
        "commit notebooks without output"
    )
    assert "holds" in "\n".join(texts(run(path)))


def test_converted_to_html_it_carries_the_viewer():
    path = FOLDER / "00_tour.ipynb"
    # The still pictures, each with the viewer that takes its place.
    page, _ = HTMLExporter().from_notebook_node(run(path))
    drawn = re.findall(r'<div id="hyb-\w+">(<svg.*?</svg>)</div><script>', page, re.S)
    assert len(drawn) >= 3
    assert any(" * " in d for d in drawn)
