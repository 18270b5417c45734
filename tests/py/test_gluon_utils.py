"""Gradients' norm, files that are fetched."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import SimpleNamespace

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
    url = "file:///nowhere/data.bin"
    (tmp_path / "data.bin").write_bytes(b"x")
    assert utils.download(url) == "data.bin"
    assert utils.download(url, str(tmp_path)) == str(tmp_path / "data.bin")
    with pytest.raises(ValueError, match="has another SHA-1 hash"):
        utils.download(source.as_uri(), str(tmp_path / "data.bin"), sha1_hash=digest)
    with pytest.raises(AssertionError, match="has no file name"):
        utils.download("https://example.org/")
    source.write_bytes(b"other words")
    assert Path(utils.download(source.as_uri(), copy)).read_bytes() == b"some words"
    assert (
        Path(utils.download(source.as_uri(), copy, overwrite=True)).read_bytes() == b"other words"
    )


class _Network:
    """In the place of ``requests``: answers in order; an error is raised."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def get(self, url, **how):
        self.asked.append((url, how["verify"]))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, content = answer
        return SimpleNamespace(status_code=status, content=content)


def test_files_of_other_computers_are_fetched(tmp_path, monkeypatch):
    url, file = "https://example.org/files/data.bin", tmp_path / "there" / "data.bin"

    def download(*answers, **how):
        network = _Network(*answers)
        monkeypatch.setitem(sys.modules, "requests", network)
        try:
            return utils.download(url, str(file), **how)
        finally:
            asked.append(len(network.asked))

    asked = []
    with pytest.raises(
        FileNotFoundError, match=r"cut; get https://.*data\.bin yourself and put it"
    ):
        download(*[OSError("cut")] * 3, retries=2)
    with pytest.raises(FileNotFoundError, match="answers 404"):
        download((404, b""), retries=0)
    assert not file.exists()
    assert download(OSError("cut"), (200, b"some words")) == str(file)
    assert download() == str(file)  # it is there
    digest = hashlib.sha1(b"others", usedforsecurity=False).hexdigest()
    with pytest.warns(UserWarning, match="Unverified HTTPS request"):
        download((200, b"others"), sha1_hash=digest, verify_ssl=False)
    assert file.read_bytes() == b"others"
    with pytest.raises(ValueError, match="has another SHA-1 hash"):
        download((200, b"neither"), sha1_hash=digest, overwrite=True)
    assert asked == [3, 1, 2, 0, 1, 1]
    assert [path.name for path in file.parent.iterdir()] == ["data.bin"]


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
