"""`view(path)`: model files as pictures, parameters as a table."""

from __future__ import annotations

import numpy as np
import pytest
from exported import exported

import jupyter_hybrid as mx
from jupyter_hybrid import nd
from jupyter_hybrid.base import MXNetError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    exported(path)
    return path


def nodes(viewer):
    return {n["label"]: n for n in viewer.spec["stages"][0]["graph"]["nodes"]}


@pytest.mark.parametrize("name", ["small-symbol.json", "small.onnx"])
def test_a_model_is_drawn_with_the_shapes_of_its_parameters(folder, name):
    drawn = nodes(mx.view(folder / name))
    weight = next(n for label, n in drawn.items() if label.endswith("stem_weight"))
    assert weight["shape"] == [4, 2, 3, 3]
    assert {"Convolution", "FullyConnected"} <= set(drawn)


def test_a_symbol_without_parameters_is_drawn_too(folder, tmp_path):
    alone = tmp_path / "alone-symbol.json"
    alone.write_text((folder / "small-symbol.json").read_text())
    assert "Convolution" in nodes(mx.view(str(alone)))


def test_parameters_are_those_of_the_model_itself(folder, tmp_path):
    for name in ("small-symbol.json", "small-0000.params"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    nd.save(str(tmp_path / "small-big-0000.params"), {"arg:net_stem_weight": nd.ones((9, 9))})
    drawn = nodes(mx.view(tmp_path / "small-symbol.json"))
    assert drawn["net_stem_weight"]["shape"] == [4, 2, 3, 3]
    (tmp_path / "small-0000.params").write_bytes(b"broken")  # the symbol is a picture without it
    assert "Convolution" in nodes(mx.view(tmp_path / "small-symbol.json"))


def test_parameters_are_listed_with_figures(folder, tmp_path):
    words = repr(mx.view(folder / "small-0000.params"))
    assert "net_stem_weight" in words and "(4, 2, 3, 3)" in words and "4 arrays" in words
    sick = tmp_path / "sick.params"
    values = nd.array(np.array([1.0, np.nan, 3.0], dtype="float32"))
    nd.save(str(sick), {"arg:<b>": values, "aux:none": nd.zeros((0,))})
    table = mx.view(sick)
    name, shape, dtype, size, low, mean, high, nans = table.rows[0]
    assert (name, shape, dtype, size) == ("<b>", "(3,)", "float32", "12 B")
    assert (low, mean, high, nans) == ("1", "2", "3", "1")
    assert table.rows[1][4:] == ("", "", "", "")
    assert "&lt;b&gt;" in table._repr_html_() and "<b>" not in table._repr_html_()


def test_other_files_are_refused(folder, tmp_path):
    with pytest.raises(ValueError, match=r"expected a \*-symbol.json, \*.params or \*.onnx file"):
        mx.view("model.pt")
    broken = tmp_path / "broken.params"
    broken.write_bytes(b"not a parameter file")
    with pytest.raises(MXNetError):
        mx.view(broken)
    with pytest.raises(FileNotFoundError):
        mx.view(folder / "absent.params")
