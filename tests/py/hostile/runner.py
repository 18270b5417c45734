"""Runs the same cells plain and under the magic in one kind of shell, and says what differs."""

from __future__ import annotations

import ctypes
import gc
import inspect
import sys
import types
import warnings
import weakref
from collections import ChainMap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cells import Shell
from IPython.utils.capture import capture_output

import jupyter_hybrid as mx
from tests.corpus.equality import OWN_MODULES, Comparison

from .catalogue import Hostile, Step, module_of, steps

MODULE = "hostile_helper"
FLOATS = 1e-12  # of the largest magnitude
OWN_MODULES.add(MODULE)
_BY_TYPE = (
    np.flatiter, memoryview, ctypes._Pointer, types.MappingProxyType, types.ModuleType,
    weakref.ref, weakref.WeakKeyDictionary,
)  # fmt: skip


@dataclass
class Trace:
    """What a list of cells did and left."""

    names: dict[str, Any]
    values: list[Any]
    out: list[str]
    err: list[str]
    errors: list[tuple[str, str] | None]
    warned: list[tuple[str, str]]
    draws: list[int]


class Runner:
    """One shell for all runs; every run begins with an empty namespace. What its runs keep from the
    collector, the end of a with-block gives back."""

    def __init__(self, folder: Path):
        self.shell = Shell()
        self.folder = folder
        self.hidden = set(self.shell.ns)

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        gc.unfreeze()  # later tests of the process look for what they have made before

    def run(self, todo: list[Step], hybridized: bool) -> Trace:
        """The cells in a fresh namespace; names are read as a later cell would read them."""
        names = self.shell.ns
        for name in [n for n in names if n not in self.hidden]:
            del names[name]
        sys.modules.pop(MODULE, None)
        gc.collect()  # what an earlier cell left in a circle is freed here, not in this one, ...
        gc.freeze()  # ... and nobody goes through the rest again
        np.random.seed(11)
        mx.random.seed(11)
        trace = Trace({}, [], [], [], [], [], [])
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            for step in todo:
                self._cell(step.text, step.magic and hybridized, trace)
        trace.warned = [(w.category.__name__, str(w.message)) for w in warned]
        trace.draws = np.random.randint(1 << 30, size=3).tolist()
        mine = [n for n in names if n not in self.hidden and not n.startswith("_")]
        if mine:
            with capture_output(display=False):
                self.shell.ip.run_cell(f"({', '.join(mine)},)", store_history=False)
        trace.names = {n: names[n] for n in mine if n in names}
        return trace

    def _cell(self, text: str, magic: bool, trace: Trace) -> None:
        with capture_output(display=False) as captured:
            head = "%%hybridize --view none\n" if magic else ""
            result = self.shell.ip.run_cell(head + text, store_history=False)
            gc.collect(0)
        error = result.error_before_exec or result.error_in_exec
        trace.values.append(result.result)
        trace.out.append(captured.stdout)
        trace.err.append(captured.stderr)
        trace.errors.append(None if error is None else (type(error).__name__, str(error)))

    def differences(self, cell: Hostile, place: str, times: int) -> list[str]:
        """What the magic changes for this cell, its last cell run that many times."""
        folder = str(self.folder)
        (self.folder / f"{MODULE}.py").write_text(module_of(cell))
        sys.path.insert(0, folder)
        sys.path_importer_cache.pop(folder, None)
        sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
        try:
            todo = steps(cell, place, MODULE)
            todo += todo[-1:] * (times - 1)
            return compare(self.run(todo, False), self.run(todo, True))
        finally:
            sys.dont_write_bytecode = before
            sys.path.remove(folder)
            sys.modules.pop(MODULE, None)


class Sides(Comparison):
    """The comparison of the corpus; what has a life of its own is compared by its state or type."""

    def _inside(self, path: str, wanted: Any, got: Any) -> None:
        if isinstance(wanted, types.GeneratorType):
            states = [inspect.getgeneratorstate(g) for g in (wanted, got)]
            self.values(f"the state of {path}", *states)
        elif isinstance(wanted, (types.SimpleNamespace, ChainMap)):
            self.values(f"vars({path})", vars(wanted), vars(got))
        elif not isinstance(wanted, _BY_TYPE):
            super()._inside(path, wanted, got)


def compare(wanted: Trace, got: Trace, sides: type[Sides] = Sides) -> list[str]:
    """What differs, in words."""
    found = sides(FLOATS)
    found.namespaces(wanted.names, got.names)
    for i, (w, g) in enumerate(zip(wanted.errors, got.errors)):
        if w != g:
            found.differ(f"exception of cell {i}", f"is {g}, not {w}")
        elif w is None:
            found.values(f"the value of cell {i}", wanted.values[i], got.values[i])
        found.text(f"printed by cell {i}", wanted.out[i], got.out[i])
        found.text(f"errors printed by cell {i}", wanted.err[i], got.err[i])
    if wanted.warned != got.warned:
        found.differ("warnings", f"are {got.warned}, not {wanted.warned}")
    if wanted.draws != got.draws:
        found.differ("np.random", "continues otherwise")
    return found.differences + _identities(wanted.names, got.names)


def _identities(wanted: dict[str, Any], got: dict[str, Any]) -> list[str]:
    """Names that are one object in one run only; numbers and texts are free to be shared."""
    shared = (bool, int, float, complex, str, bytes, frozenset, np.generic, types.ModuleType)
    names = [n for n, v in wanted.items() if n in got and not isinstance(v, shared)]
    return [
        f"{a} is {b}: {got[a] is got[b]}, not {wanted[a] is wanted[b]}"
        for i, a in enumerate(names)
        for b in names[:i]
        if (wanted[a] is wanted[b]) != (got[a] is got[b])
    ]
