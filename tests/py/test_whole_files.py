"""Saved files are there whole or not at all."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, nd, sym
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


WRITER = """
import sys
from jupyter_hybrid import nd
old, new = ({"x": nd.full((300, 1000), value)} for value in (0, 1))
for turn in range(10**6):
    nd.save(sys.argv[1], new if turn % 2 else old)
    if turn == 5:
        print(flush=True)
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.params"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
    values = nd.load(path)["x"].asnumpy()
    assert values.shape == (300, 1000) and len(np.unique(values)) == 1


def test_files_that_are_not_there_are_mxnets_error_and_pythons(tmp_path):
    for load in (nd.load, sym.load):
        with pytest.raises(MXNetError, match=r"none\.json"):
            load(tmp_path / "none.json")
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "none.json")


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("{")
    for load in (nd.load, sym.load):
        with pytest.raises(MXNetError, match=r"a\.json: "):
            load(str(path))
    with pytest.raises(TypeError, match="names of type str, got 1, a int"):
        nd.save(path, {1: nd.ones(2)})
