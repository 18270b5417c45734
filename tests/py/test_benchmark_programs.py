"""The programs that `benchmarks/programs.py` measures are what they were when they were frozen.

They are a yardstick: figures of different days compare only while the programs are the same, and
whoever changes one, even to mend it, changes what every earlier figure meant. So a digest of all
sizes and texts is kept here. Ports to other libraries are not part of it.
"""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from benchmarks.programs_list import CLASSES, FOLDER, PARTS, PROGRAMS, SIZES, digest

FROZEN = "b67b9ceef9493c0dedd2b9388091bc6de548b105e7429e602b844bfce7bb4d39"


def test_there_are_twelve_of_every_class():
    assert Counter(program.kind for program in PROGRAMS.values()) == dict.fromkeys(CLASSES, 12)
    assert {path.stem for path in FOLDER.rglob("*.py")} == set(PROGRAMS)


def test_no_program_has_changed():
    assert digest() == FROZEN


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_whole(name):
    program = PROGRAMS[name]
    assert program.title
    assert set(PARTS) <= set(program.parts) <= {*PARTS, "jax", "jax cell"}
    for size in SIZES:
        compile(program.setup(size), name, "exec")
    assert program.parts["small"] != program.parts["large"]
    bound = {node.id for node in ast.walk(ast.parse(program.cell)) if isinstance(node, ast.Name)}
    assert "result" in bound
    for port in ("jax", "jax cell"):
        compile(program.parts.get(port, ""), name, "exec")
