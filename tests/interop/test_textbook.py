"""The textbook's programs have genuine MXNet's losses here: as they stand, hybridized, in cells."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cells import Shell
from record_textbook import RECORDED, record
from textbook_programs import KINDS, PROGRAMS

from jupyter_hybrid.compat import mxnet as compat

TOLERANCE, COMPARED = 1e-4, 20  # relative, of the first losses
SHORT = 5  # steps of a program in the short tier
HYBRIDIZED = [name for name, program in PROGRAMS.items() if program.blocks]


@pytest.fixture(scope="module")
def mx() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compat, "_genuine", lambda: None)
        compat.install()
        yield import_module("mxnet")
        compat.uninstall()
    assert "mxnet" not in sys.modules


@pytest.fixture
def shell() -> Shell:
    return Shell()


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    with np.load(RECORDED) as held:
        return dict(held)


def compare(found: Any, wanted: np.ndarray) -> None:
    steps = min(len(found), COMPARED)
    np.testing.assert_allclose(found[:steps], wanted[:steps], rtol=TOLERANCE)


def in_cell(shell: Shell, train: Any, steps: int) -> Any:
    """The losses of a hybridized cell, all of which is recorded."""
    shell.ns.update(train=train, steps=steps)
    shell.hybridize("losses = train(steps)", "--force --view none")
    assert shell.report.segments
    assert not [why for _, why in shell.report.graph_breaks if "left to Python" in str(why)]
    return shell.ns["losses"]


def test_every_kind_is_there(recorded):
    assert len(KINDS) == 10
    assert set(recorded) == set(PROGRAMS)
    assert all(len(recorded[name]) == PROGRAMS[name].steps >= COMPARED for name in PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_imperative(mx, recorded, name):
    compare(PROGRAMS[name].make(mx, False)(SHORT), recorded[name])


@pytest.mark.parametrize("name", HYBRIDIZED)
def test_hybridized(mx, recorded, name):
    compare(PROGRAMS[name].make(mx, True)(SHORT), recorded[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_a_cell(mx, recorded, shell, name):
    compare(in_cell(shell, PROGRAMS[name].make(mx, False), SHORT), recorded[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_steps(mx, recorded, shell, name):
    program = PROGRAMS[name]
    compare(in_cell(shell, program.make(mx, False), COMPARED), recorded[name])
    runs = [recorded[name]]
    runs += [program.make(mx, active)(program.steps) for active in {False, program.blocks}]
    for losses in runs:
        compare(losses, recorded[name])
        assert losses[-1] <= 0.7 * losses[0]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_recorded_losses_are_genuine(recorded, mxnet_python, tmp_path: Path):
    record(mxnet_python, tmp_path / "now.npz")
    with np.load(tmp_path / "now.npz") as now:
        for name, losses in recorded.items():
            compare(now[name], losses)
