"""Model files by a double click in the file browser: a kernel reads them, the viewer shows them."""

from __future__ import annotations

from exported import exported
from playwright.sync_api import expect


def opened(notebook, name):
    """The document that a double click on a file shows."""
    page = notebook.page
    page.locator(".jp-DirListing-item", has_text=name).dblclick()
    document = page.locator(".hyb-model-file:visible")
    expect(document).to_have_count(1)
    return document


def test_model_files_open_in_the_viewer(notebook):
    exported(notebook.lab.root)
    (notebook.lab.root / "broken.params").write_bytes(b"not a parameter file")
    notebook.write("first.ipynb", ["1"])
    notebook.open("first.ipynb")
    notebook.command("filebrowser:refresh")
    for name in ("small-symbol.json", "small.onnx"):
        document = opened(notebook, name)
        viewer = document.locator(".hyb-viewer")
        expect(viewer).to_be_visible()
        names = document.get_by_role("option")
        expect(names.filter(has_text="Convolution")).to_have_count(1)
        # Shapes come from the parameters beside it, or from the model.
        expect(names.filter(has_text="(4, 2, 3, 3)")).to_have_count(1)
        notebook.command("application:close")
    table = opened(notebook, "small-0000.params").locator("table")
    expect(table).to_contain_text("net_stem_weight")
    expect(table).to_contain_text("(4, 2, 3, 3)")
    notebook.command("application:close")
    said = opened(notebook, "broken.params")
    expect(said).to_contain_text("broken.params cannot be shown")
    expect(said).to_contain_text("MXNetError")
    notebook.command("application:close")
