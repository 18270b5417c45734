"""Valid cells run hybridized as they run by themselves: names, types, prints, errors, lines."""

from __future__ import annotations

import io
import linecache
import types
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from cells import Shell
from IPython.utils.capture import capture_output
from valid_cells import CELLS

from jupyter_hybrid.capture.source import budget, patience

# One that stays as written is asked about when it is made, though that runs none of its code.
pytestmark = pytest.mark.held_up("a generator expression is made", "<genexpr>")
# Compared by what they do alone.
_DOING = (types.FunctionType, types.ModuleType, type, types.GeneratorType, lru_cache(len).__class__)


@pytest.fixture
def shell() -> Shell:
    return Shell()


class Ran:
    """What a run left: names, printed text, error and the lines of its traceback."""

    def __init__(self, names: dict[str, Any], out: str, error: BaseException | None, file: str):
        self.names = {n: v for n, v in names.items() if not n.startswith("_")}
        self.out, self.error = out, error
        self.lines = [line for name, line in _frames(error) if name == file]


def _frames(error: BaseException | None) -> Iterator[tuple[str, int]]:
    step = error.__traceback__ if error is not None else None
    while step is not None:
        yield step.tb_frame.f_code.co_filename, step.tb_lineno
        step = step.tb_next


def plainly(body: str, names: dict[str, Any] | None = None) -> Ran:
    text, error = io.StringIO(), None
    names = {"__name__": "__main__"} if names is None else names
    linecache.cache["<plain>"] = (len(body), None, ["\n", *body.splitlines(True)], "<plain>")
    with redirect_stdout(text):
        try:
            exec(compile("\n" + body, "<plain>", "exec"), names)
        except Exception as raised:
            error = raised
    return Ran(names, text.getvalue(), error, "<plain>")


def hybridized(shell: Shell, body: str, options: str = "--view none") -> Ran:
    before = set(shell.ns)
    shell.ip._showtraceback = lambda *_: None  # not among what the cell prints
    with capture_output() as captured:
        done = shell.ip.run_cell(f"%%hybridize {options}\n{body}", store_history=False)
    del shell.ip._showtraceback
    error = done.error_before_exec or done.error_in_exec
    out = captured.stdout
    made = [n for n in shell.ns if n not in before and not n.startswith("_")]
    names = dict(zip(made, shell.run(f"[{', '.join(made)}]").value))  # deferred ones are read
    files = [name for name, _ in _frames(error) if "ipython-input" in name]
    return Ran(names, out, error, files[-1] if files else "")


def same(a: Any, b: Any) -> bool:
    if type(a).__name__ != type(b).__name__:
        return False
    if isinstance(a, (np.ndarray, np.generic)):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and np.allclose(a, b, rtol=1e-13, atol=1e-15, equal_nan=True)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, _DOING):
        return True
    if isinstance(a, np.random.RandomState):
        return same(a.get_state(legacy=True), b.get_state(legacy=True))
    if type(a).__module__ == "__main__":
        return same(vars(a), vars(b))
    return repr(a) == repr(b)


def check(shell: Shell, body: str, options: str = "--view none") -> None:
    wanted = plainly(body)
    for turn in range(2):  # what was learnt in the first run holds in the second
        shell.ip.reset(new_session=False)
        got = hybridized(shell, body, options)
        where = f"run {turn + 1}"
        kinds = type(got.error).__name__, type(wanted.error).__name__
        assert kinds[0] == kinds[1], where
        assert str(got.error) == str(wanted.error), where
        assert got.lines == wanted.lines, where
        assert got.out == wanted.out, where
        assert set(got.names) == set(wanted.names), where
        for name, value in wanted.names.items():
            assert same(got.names[name], value), (where, name, got.names[name], value)


@pytest.mark.parametrize("name", CELLS)
def test_a_valid_cell(shell, name):
    check(shell, CELLS[name])


@pytest.mark.parametrize("name", CELLS)
def test_a_valid_cell_recorded_by_force(shell, name):
    check(shell, CELLS[name], "--view none --force")


@pytest.mark.parametrize("name", CELLS)
def test_a_valid_cell_that_changes_at_every_step(shell, name, monkeypatch):
    """Each loop goes from recorded steps to some as written and back, as often as it can."""
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    monkeypatch.setattr(patience, "_FIRST", 1)
    monkeypatch.setattr(patience.Phases, "_judge", lambda self: False)
    check(shell, CELLS[name])


@pytest.mark.parametrize("name", CELLS)
def test_a_valid_cell_that_is_given_up(shell, name, monkeypatch):
    """From the call or step of a loop after some values were needed, it runs as written."""
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    monkeypatch.setattr(budget, "_MANY", len(name) % 4)
    check(shell, CELLS[name])
