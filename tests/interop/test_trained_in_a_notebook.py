"""A net that a notebook trains and exports is the same in every program that can run it."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from genuine import run_script
from nbclient import NotebookClient

from jupyter_hybrid import gluon, nd
from jupyter_hybrid.compat.onnx import import_to_gluon

SIZES = (1, 7, 32, 200)  # batches; it was trained with 32


@pytest.fixture(scope="module")
def trained(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What notebook 13 leaves behind, and in ``results.npz`` what it computed."""
    kept = tmp_path_factory.mktemp("trained") / "files"
    notebook = nbformat.read(root / "notebooks" / "13_run_elsewhere.ipynb", as_version=4)
    keep = f"""
import shutil
shutil.copytree(folder, {str(kept)!r})
found = {{f"{{program}}-{{size}}": array for (program, size), array in results.items()}}
np.savez({str(kept / "results.npz")!r}, scores=scores, **found)
"""
    notebook.cells.append(nbformat.v4.new_code_cell(keep))
    client = NotebookClient(notebook, timeout=240, kernel_name="python3")
    client.widget_registry = {}  # as in tests/notebooks
    client.execute(cwd=str(kept.parent))
    return kept


def agree(found: np.ndarray, expected: np.ndarray) -> None:
    """To 1e-5 of the larger of a number and the largest score."""
    assert found.dtype == expected.dtype == np.float32
    largest = float(np.abs(expected).max())
    assert largest > 1
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * largest)


@pytest.mark.takes("a notebook runs first")
def test_hybrid_run_the_c_example_and_onnxruntime_ran_in_the_notebook(trained):
    results = np.load(trained / "results.npz")
    if shutil.which("cc") is None:
        pytest.fail("a C compiler is missing: apt-get install gcc")
    pytest.importorskip("onnxruntime")
    for size in SIZES:
        expected = results["scores"][:size]
        for program in ("hybrid-run", "C", "onnxruntime"):
            agree(results[f"{program}-{size}"], expected)
        np.testing.assert_array_equal(results[f"C-{size}"], results[f"hybrid-run-{size}"])


def test_read_back_without_the_notebook(trained):
    results = np.load(trained / "results.npz")
    files = [str(trained / f"stripes-{end}") for end in ("symbol.json", "0000.params")]
    blocks = [gluon.SymbolBlock.imports(files[0], "data", files[1])]
    pytest.importorskip("onnx")
    blocks.append(import_to_gluon(str(trained / "stripes.onnx")))
    for block in blocks:
        for size in SIZES:
            x = nd.array(np.load(trained / f"x{size}.npy"))
            agree(block(x).asnumpy(), results["scores"][:size])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_genuine_mxnet_agrees(trained, mxnet_python):
    results = np.load(trained / "results.npz")
    batches = {f"x{size}": np.load(trained / f"x{size}.npy") for size in SIZES}
    np.savez(trained / "stripes-inputs.npz", **batches)
    run_script(
        mxnet_python, "run_in_mxnet.py", str(trained / "stripes"), "data", "forward", folder=trained
    )
    genuine = np.load(trained / "stripes-genuine.npz")
    for size in SIZES:
        for program in ("hybrid-run", "C", "onnxruntime"):
            agree(results[f"{program}-{size}"], genuine[f"x{size}"])
    saved = nd.load(str(trained / "stripes-0000.params"))
    states = {name for name in genuine if name.startswith("aux:")}
    assert states == {name for name in saved if name.startswith("aux:")} and len(states) == 6
    for name in states:
        np.testing.assert_array_equal(genuine[name], saved[name].asnumpy())
