"""The forms of .params files: genuine MXNet 1.9.1 reads ours, and we read what it writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from genuine import run_script
from old_files import arrays, params_of

from jupyter_hybrid import nd, util

FORMS = ("V0", "V1", "V2", "V3")


def write(form: str, file: Path) -> None:
    with util.np_shape(form == "V3"):
        held = {key: nd.array(array, dtype=array.dtype) for key, array in arrays(form).items()}
        nd.save(str(file), held)
    if form in ("V0", "V1"):
        file.write_bytes(params_of(file.read_bytes(), form))


def agree(found: dict[str, np.ndarray], form: str) -> None:
    expected = arrays(form)
    assert sorted(found) == sorted(expected)
    for key, array in expected.items():
        assert found[key].dtype == array.dtype
        np.testing.assert_array_equal(found[key], array, strict=True)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read(form, tmp_path):
    write(form, tmp_path / "x.params")
    magic = {"V0": 2, "V1": 0xF993FAC8, "V2": 0xF993FAC9, "V3": 0xF993FACA}[form]
    assert int.from_bytes((tmp_path / "x.params").read_bytes()[24:28], "little") == magic
    found = nd.load(str(tmp_path / "x.params"))
    agree({key: array.asnumpy() for key, array in found.items()}, form)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_genuine_mxnet_reads_and_writes_them(mxnet_python, tmp_path):
    for form in FORMS:
        write(form, tmp_path / f"ours-{form}.params")
    run_script(mxnet_python, "params_in_mxnet.py", str(tmp_path), folder=tmp_path)
    for form in FORMS:
        with np.load(tmp_path / f"ours-{form}.npz") as found:
            agree(dict(found), form)
    for form in ("V2", "V3"):
        found = nd.load(str(tmp_path / f"{form}.params"))
        agree({key: array.asnumpy() for key, array in found.items()}, form)
        ours = tmp_path / f"ours-{form}.params"
        assert ours.read_bytes() == (tmp_path / f"{form}.params").read_bytes()
