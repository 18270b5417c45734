"""What is kept of programs: stages that were looked at long ago are made again."""

from __future__ import annotations

import pytest
from cells import Shell

from jupyter_hybrid.capture import program_cache


@pytest.fixture
def shell():
    program_cache.clear()
    made = Shell()
    made.run("from jupyter_hybrid import nd\nw = nd.ones((3, 3))")
    yield made
    program_cache.clear()


def test_stages_of_programs_looked_at_long_ago_are_made_again(shell, monkeypatch):
    monkeypatch.setattr(program_cache, "_STAGES", 2)
    reports = []
    for factor in range(2, 7):
        shell.hybridize(f"z = nd.tanh(w * {factor}) * {factor}", "--force --out z")
        reports.append(shell.report)
        texts = [stage.program for stage in shell.report.stages]
    assert len(program_cache._known) == 5
    assert len(program_cache._with_stages) == 2
    first = reports[0].segments[0].compiled
    assert first not in program_cache._with_stages
    made = [str(stage.graph) for stage in first.stages]
    assert first in program_cache._with_stages
    assert made == [str(stage.graph) for stage in reports[0].segments[0].compiled.stages]
    assert "* 2" in made[0] and "* 6" in texts[0]


def test_a_searched_plan_keeps_its_stages(shell, monkeypatch):
    monkeypatch.setattr(program_cache, "_STAGES", 1)
    shell.hybridize("z = nd.tanh(w * 9) * 9", "--force --out z --plan exact")
    compiled = shell.report.segments[0].compiled
    stages = compiled.stages
    shell.hybridize("z = nd.tanh(w * 8) * 8", "--force --out z")
    _ = shell.report.segments[0].compiled.stages
    assert compiled.stages is stages
