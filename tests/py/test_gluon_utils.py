"""Gradients' norm, local files instead of downloads."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import nd
from jupyter_hybrid.gluon import utils


def test_clip_global_norm():
    arrays = [nd.array([[3.0, 0.0]]), nd.array([4.0])]
    assert utils.clip_global_norm(arrays, 10.0) == pytest.approx(5)
    assert arrays[1].asscalar() == 4
    norm = utils.clip_global_norm(arrays, 1.0, check_isfinite=False)
    assert norm.shape == (1,) and norm.asscalar() == pytest.approx(5)
    np.testing.assert_allclose(arrays[0].asnumpy(), [[0.6, 0]], rtol=1e-6)
    with pytest.warns(UserWarning, match="nan or inf"):
        utils.clip_global_norm([nd.array([np.nan])], 1.0)
    with pytest.raises(AssertionError, match="at least one array"):
        utils.clip_global_norm([], 1.0)


def test_shapes_that_are_known():
    known = [utils.shape_is_known(s) for s in (None, (), (2, 3), (2, 0))]
    assert known == [False, False, True, False]
    with pytest.raises(AssertionError, match=r"got \(2, -1\)"):
        utils.shape_is_known((2, -1))


def test_local_files_are_read_and_others_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "source.txt"
    source.write_bytes(b"some words")
    digest = hashlib.sha1(b"some words", usedforsecurity=False).hexdigest()
    assert utils.check_sha1(str(source), digest) and not utils.check_sha1(str(source), "0" * 40)
    copy = utils.download(source.as_uri(), str(tmp_path / "there" / "copy.txt"), sha1_hash=digest)
    assert Path(copy).read_bytes() == b"some words"
    url = "https://example.org/files/data.bin"
    with pytest.raises(FileNotFoundError, match=r"get https://.*data\.bin yourself and put it at"):
        utils.download(url)
    (tmp_path / "data.bin").write_bytes(b"x")
    assert utils.download(url) == "data.bin"
    assert utils.download(url, str(tmp_path)) == str(tmp_path / "data.bin")
    with pytest.raises(ValueError, match="has another SHA-1 hash"):
        utils.download(url, sha1_hash=digest)
    with pytest.raises(AssertionError, match="has no file name"):
        utils.download("https://example.org/")
    source.write_bytes(b"other words")
    assert Path(utils.download(source.as_uri(), copy)).read_bytes() == b"some words"
    assert (
        Path(utils.download(source.as_uri(), copy, overwrite=True)).read_bytes() == b"other words"
    )


def test_a_file_takes_anothers_place(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1")
    second.write_text("2")
    utils.replace_file(str(first), str(second))
    assert second.read_text() == "1" and not first.exists()
    with pytest.raises(OSError, match="can't become"):
        utils.replace_file(str(second), str(tmp_path / "none" / "c"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_norms_beyond_float16(dtype):
    arrays = [nd.array([300.0, 400.0], dtype=dtype), nd.array([1200.0], dtype=dtype)]
    assert utils.clip_global_norm(arrays, 1.0) == pytest.approx(1300, rel=1e-2)
    found = np.concatenate([a.astype("float32").asnumpy() for a in arrays])
    np.testing.assert_allclose(found, np.array([3, 4, 12]) / 13, rtol=1e-2)
