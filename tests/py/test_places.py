"""Where a picture's nodes come from, beyond its own cell."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from cells import Shell

from jupyter_hybrid import _core, nd
from jupyter_hybrid.views import GraphViewer
from jupyter_hybrid.views.pictures import spec_of
from jupyter_hybrid.views.places import file_at

NET = """from jupyter_hybrid import gluon

class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        y = F.exp(x)
        return F.tanh(F.dot(y, y))
"""


@pytest.fixture
def net(tmp_path, monkeypatch):
    (tmp_path / "placed_net.py").write_text(NET)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("placed_net").Net()
    made.hybridize()
    yield made
    del sys.modules["placed_net"]


def told(spec, stage=-1):
    """Operator -> the places of its node."""
    nodes = spec["stages"][stage]["graph"]["nodes"]
    return {n["op"]: [spec["places"][i] for i in n["places"]] for n in nodes}


def test_a_net_tells_its_file_and_lines(net, tmp_path, monkeypatch):
    net(nd.ones((3, 3))).wait_to_read()
    exp, rest = ({"cell": None, "line": line, "code": code} for line, code in [
        (5, "y = F.exp(x)"), (6, "return F.tanh(F.dot(y, y))"),
    ])  # fmt: skip
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = str(tmp_path / "placed_net.py")
    places = told(spec_of(net))
    assert places["exp"] == [{**exp, "file": file}]
    assert places["dot"] == places["tanh"] == [{**rest, "file": file}]
    monkeypatch.chdir(tmp_path)
    assert told(spec_of(net))["exp"] == [{**exp, "file": "placed_net.py"}]
    beside = GraphViewer(net, beside=net).spec["beside"]
    assert beside["places"] == spec_of(net)["places"]


def test_a_cell_tells_its_own_lines_by_number_alone(net):
    shell = Shell()
    shell.ns.update(nd=nd, net=net, x=nd.ones((3, 3)))
    shell.hybridize("y = nd.sqrt(x)\nz = net(y)\n")
    spec = spec_of(shell.report)
    written = {op: [p["line"] for p in places] for op, places in told(spec, 0).items()}
    assert written == {"input": [], "sqrt": [], "exp": [5], "dot": [6], "tanh": [6]}
    lines = {n["op"]: n["line"] for n in spec["stages"][0]["graph"]["nodes"]}
    assert lines["sqrt"] == 2 and lines["exp"] is None
    (kernel,) = (n for n in spec["stages"][-1]["graph"]["nodes"] if n["members"])
    assert [m["line"] for m in kernel["members"]] == [2, None]
    assert [spec["places"][i]["line"] for i in kernel["places"]] == [5]


def test_files_of_one_name_are_told_apart(tmp_path):
    sites = []
    for folder in ("a", "b"):
        file = tmp_path / folder / "same_name.py"
        namespace = {"site": _core.current_site}
        exec(compile("made = site()", str(file), "exec"), namespace)
        sites.append(namespace["made"])
    assert [_core.site_file(site) for site in sites] == [
        str(tmp_path / folder / "same_name.py") for folder in ("a", "b")
    ]
    assert [_core.site(site)[1] for site in sites] == [1, 1]


def test_a_file_at_home_is_written_so(tmp_path, monkeypatch):
    here = Path(__file__)
    monkeypatch.setenv("HOME", str(here.parents[1]))
    monkeypatch.chdir(tmp_path)
    assert file_at(_core.current_site()) == f"~/{here.parent.name}/{here.name}"


def test_code_without_a_file_has_none(tmp_path, monkeypatch):
    namespace = {"site": _core.current_site}
    exec(compile("\nmade = site()", "<made>", "exec"), namespace)
    assert file_at(namespace["made"]) == ""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("HOME", str(gone))
    gone.rmdir()
    assert file_at(_core.current_site()) == __file__
