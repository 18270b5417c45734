"""Saved files are there whole or not at all."""

import os

import pytest

from jupyter_hybrid import nd, sym
from jupyter_hybrid.whole_files import write_whole


def test_a_failing_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.params"
    nd.save(str(path), {"x": nd.ones(3)})
    old = path.read_bytes()

    def fails(*names):
        raise OSError("no room")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="no room"):
        nd.save(str(path), {"x": nd.zeros(1000)})
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["a.params"]
    monkeypatch.undo()
    nd.save(path, [nd.zeros(2)])
    assert nd.load(path)[0].shape == (2,)
    with pytest.raises(OSError):
        nd.save(str(tmp_path / "none" / "a.params"), nd.zeros(2))


def test_modes_links_and_devices(tmp_path):
    path, link = tmp_path / "a-symbol.json", tmp_path / "b.json"
    sym.relu(sym.var("x")).save(str(path))
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    sym.exp(sym.var("x")).save(str(link))
    assert link.is_symlink()
    assert '"exp"' in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o640
    write_whole(os.devnull, b"x")
    assert not os.path.isfile(os.devnull)
