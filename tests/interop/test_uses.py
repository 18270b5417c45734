"""Programs on what isn't an operator give what they gave under genuine MXNet 1.9.1."""

from __future__ import annotations

from functools import cache

import pytest
import used_names
from case import Case
from compare import difference
from packed import Cases, read
from public_names import FOLDER
from uses_run import programs, results

import jupyter_hybrid as mx

PROGRAMS = programs()


@cache
def recorded() -> Cases:
    return read(FOLDER / "uses.npz")


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_recorded(name):
    with used_names.case(name, ()) as same:
        found = results(mx, PROGRAMS[name])
        same.append(True)
    wanted = recorded()[name]
    assert sorted(found) == sorted(wanted)
    apart = {
        key: difference(Case(key, (), lambda mx: {}, times=5), {key: one}, found)
        for key, one in wanted.items()
    }
    assert not any(apart.values()), {key: told for key, told in apart.items() if told}


def test_every_program_is_recorded():
    assert list(recorded()) == list(PROGRAMS), "run make interop"
