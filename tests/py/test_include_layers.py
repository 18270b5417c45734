"""The folders of the core stand in layers, and whoever breaks their order is named."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
check = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "include_layers.py")))


def test_no_folder_includes_from_above():
    assert check.violations(ROOT / "csrc", check.LAYERS) == []


def test_cmake_compiles_every_layer():
    (rooms,) = re.findall(r"set\(rooms ([^)]+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert {*rooms.split(), "capi", "bind"} == set(check.LAYERS)


@pytest.fixture
def house(tmp_path):
    """Two folders, `high` upon `low`."""
    (tmp_path / "low").mkdir()
    (tmp_path / "high").mkdir()
    (tmp_path / "low" / "ground.h").write_text("#include <vector>\n")
    (tmp_path / "high" / "roof.h").write_text('#include "low/ground.h"\n#include "roof.h"\n')
    return tmp_path


def test_a_house_in_order_passes(house):
    assert check.violations(house, ("low", "high")) == []


def test_an_include_from_above_is_named(house):
    (house / "low" / "deep").mkdir()
    (house / "low" / "deep" / "leak.cc").write_text('\n#  include "high/roof.h"\n')
    (wrong,) = check.violations(house, ("low", "high"))
    assert wrong.startswith(f"{house / 'low/deep/leak.cc'}:2: ")
    assert 'low includes "high/roof.h"' in wrong


def test_folders_and_layers_are_the_same(house):
    (wrong,) = check.violations(house, ("low",))
    assert "high: not among the layers" in wrong
    (wrong,) = check.violations(house, ("low", "high", "attic"))
    assert "attic is no folder" in wrong


def test_contributing_lists_the_layers_in_their_order():
    listed = re.findall(r"^\| `csrc/(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    assert tuple(listed) == check.LAYERS
