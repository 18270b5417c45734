"""Runs the cells of one notebook or script in this process and writes what each did to a file.

    python tools/foreign_cells.py plain|cell|symbolic|auto|decorator|block SOURCE RECORDS [PLAN]

A record a cell: seconds of every run, outputs, error, and the values of the names that it changed
as plain data. The plan (of the plain run) says how often each cell runs.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import pickle
import random
import signal
import sys
import textwrap
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

# On a machine that others use, a cell's processor time says more than the time on the wall.
CLOCK = time.process_time if os.environ.get("FOREIGN_CLOCK") == "cpu" else time.perf_counter
# A cell of at most so many seconds runs so often, a longer one once.
AGAIN = ((0.2, 6), (1.0, 3), (5.0, 2))
CELL_S = float(os.environ.get("FOREIGN_CELL_S", "30"))
LONG_S = 0.02  # in its own lines: a cell that may gain
_SAMPLE_S = 0.001
_ELEMENTS, _ITEMS, _DEPTH = 200_000, 200, 4


class TooLong(BaseException):
    """A cell was ended after its time."""


def cells_of(path: Path) -> list[str]:
    """The code cells of a notebook; a script's parts between ``# %%`` lines."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".py":
        return [part for part in text.split("\n# %%") if part.strip()]
    notebook = json.loads(text)
    sheets = notebook.get("worksheets") or [notebook]
    cells = [c for sheet in sheets for c in sheet.get("cells", []) if c["cell_type"] == "code"]
    sources = [c.get("source", c.get("input", "")) for c in cells]
    return ["".join(s) for s in sources if "".join(s).strip()]


def left_out(text: str) -> bool:
    """Cells with another cell magic, a shell command or a question to the user."""
    lines = [line.strip() for line in text.splitlines()]
    return any(line.startswith(("%%", "!", "%timeit", "%debug", "%run")) for line in lines) or any(
        word in text for word in ("install ", "input(", "getpass")
    )


def decorated(value: Any) -> bool:
    return type(value).__name__ == "HybridFunction"


def data(value: Any, depth: int = 0) -> Any:
    """A value as plain data: (kind, type, content); what has no such form is its type alone."""
    import numpy as np

    value = getattr(value, "__wrapped__", value) if decorated(value) else value
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if value is None or isinstance(value, (bool, int, str, bytes)):
        return "exact", name, value if not isinstance(value, int) else int(value)
    if isinstance(value, (float, complex)):
        return "floats", name, np.asarray(value)
    if callable(getattr(type(value), "asnumpy", None)):
        value = value.asnumpy()
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        name = f"{name} {array.dtype}{array.shape}"
        if array.dtype == object and depth < _DEPTH:
            return "list", name, [data(v, depth + 1) for v in array.ravel()[:_ITEMS].tolist()]
        return "floats", name, np.array(array.ravel()[:_ELEMENTS])
    if depth < _DEPTH and type(value).__module__.startswith("pandas") and hasattr(value, "values"):
        return "list", name, [data(np.asarray(value.values), depth + 1)]
    if depth < _DEPTH and isinstance(value, (list, tuple)):
        return "list", f"{name} {len(value)}", [data(v, depth + 1) for v in value[:_ITEMS]]
    if depth < _DEPTH and isinstance(value, dict):
        some = list(value.items())[:_ITEMS]
        pairs = [data(v, depth + 1) for pair in some for v in pair]
        return "list", f"{name} {len(value)}", pairs
    if depth < _DEPTH and type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        return "list", name, [data(v, depth + 1) for v in vars(value).items()]
    return "type", name, None


def hybridized(text: str, mode: str) -> str:
    """The cell as the mode has it run; one that is no plain Python is left as it is."""
    if mode == "cell":
        return "%%hybridize --view none\n" + text
    if mode not in ("decorator", "block"):
        return text
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    package = "__import__('jupyter_hybrid')"
    if mode == "block":
        inside = [s for s in tree.body if getattr(s, "module", "") != "__future__"]
        before = [s for s in tree.body if s not in inside]
        shown = [inside.pop()] if inside and isinstance(inside[-1], ast.Expr) else []
        first, body, last = (ast.unparse(ast.Module(part, [])) for part in (before, inside, shown))
        if shown and text.rstrip().endswith(";"):
            last += ";"
        body = textwrap.indent(body or "pass", "    ")
        return f"{first}\nwith {package}.symbolic():\n{body}\n{last}"
    lines = text.splitlines()
    places = [s.lineno for s in tree.body if isinstance(s, ast.FunctionDef) and not yields(s)]
    for line in reversed(places):
        lines.insert(line - 1, f"@{package}.hybridize")
    return "\n".join(lines)


def yields(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def picture(shown: dict[str, Any]) -> bool:
    """True of the picture of a cell, which symbolic mode shows."""
    return any(kind.startswith("application/vnd.jupyter-hybrid") for kind in shown)


class Own:
    """Seconds that a run spends in the lines of the notebook and its modules, not in libraries."""

    def __init__(self, folder: str):
        self.seconds, self._last, self._folder = 0.0, 0.0, folder

    def __enter__(self) -> Own:
        signal.signal(signal.SIGPROF, self._look)
        self._last = time.perf_counter()
        signal.setitimer(signal.ITIMER_PROF, _SAMPLE_S, _SAMPLE_S)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)

    def _look(self, _: int, frame: Any) -> None:
        # What a call in C takes is told when it ends, of the frame that called it.
        now = time.perf_counter()
        name = frame.f_code.co_filename if frame else ""
        if name.startswith(("<ipython-input", self._folder)):
            self.seconds += now - self._last
        self._last = now


class Notebook:
    """A shell in which the cells of one source run."""

    def __init__(self, mode: str):
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        self.mode = mode
        # Another thread would write the history to a file while cells run, on their clock.
        history = Config({"HistoryManager": {"enabled": False}})
        self.shell = InteractiveShell.instance(config=history)
        self.shell.showtraceback = self.shell.showsyntaxerror = lambda *args, **kwargs: None
        self.hidden: set[str] = set(self.shell.user_ns)
        self.before: dict[str, bytes] = {}
        if mode in ("cell", "symbolic", "auto"):
            self.shell.run_line_magic("load_ext", "jupyter_hybrid")
        if mode != "plain":
            for name in ("hybridize", "symbolic"):  # the time of the import is no cell's
                getattr(importlib.import_module("jupyter_hybrid"), name)
        if mode in ("symbolic", "auto"):
            self.shell.run_line_magic("hybrid", f"mode {mode}")
        self.run("warm = (__import__('numpy').arange(3) * 2).sum()\nprint(warm)\ndel warm")

    def run(self, text: str) -> tuple[float, str, list[Any], tuple[str, str] | None]:
        """Seconds, printed text, shown texts and the error of one run of a cell."""
        import numpy as np
        from IPython.utils.capture import capture_output

        np.random.seed(7)
        random.seed(7)
        text = hybridized(text, self.mode)
        # The collector passes over everything now and then: over what other cells left, in whose
        # time it falls is chance.
        gc.collect()
        gc.freeze()
        with capture_output() as captured:
            signal.setitimer(signal.ITIMER_REAL, CELL_S)
            start = CLOCK()
            try:
                # With history: a last ';' is read there.
                result = self.shell.run_cell(text, store_history=True)
            finally:
                taken = CLOCK() - start
                signal.setitimer(signal.ITIMER_REAL, 0)
                gc.unfreeze()
        error = result.error_before_exec or result.error_in_exec
        shown = [o.data.get("text/plain", "") for o in captured.outputs if not picture(o.data)]
        failed = None if error is None else (type(error).__name__, str(error))
        return taken, captured.stdout, shown, failed

    def changed(self) -> dict[str, Any]:
        """The names whose data are other than after the cell before."""
        from IPython.utils.capture import capture_output

        names = self.shell.user_ns
        mine = [n for n in names if n not in self.hidden and not n.startswith("_")]
        if mine:
            with capture_output():  # a later cell reads them: deferred names become real
                self.shell.run_cell(f"[{', '.join(mine)}] and None", store_history=False)
        found = {}
        for name in mine:
            try:
                value = pickle.dumps(data(names[name]))
            except Exception as error:  # an object that doesn't let itself be looked at
                value = pickle.dumps(("type", type(error).__name__, None))
            if self.before.get(name) != value:
                self.before[name] = found[name] = value
        return found


def main() -> None:
    mode, source, records, *plan = sys.argv[1:]
    runs = json.loads(Path(plan[0]).read_text()) if plan else None

    def alarm(*_: Any) -> None:
        raise TooLong(f"more than {CELL_S:g} s")

    signal.signal(signal.SIGALRM, alarm)  # a timer of processor time makes its clock coarse
    path = Path(source).resolve()
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    notebook = Notebook(mode)
    with open(records, "wb") as file:
        for i, text in enumerate(cells_of(path)):
            if left_out(text):
                pickle.dump(None, file)
                continue
            times, outs, shows, errors = zip(notebook.run(text))
            often = 1 if errors[0] else next((n for s, n in AGAIN if times[0] < s), 1)
            count = runs[i] if runs else often
            own = Own(str(path.parent))
            for k in range(count - 1):
                # The last of several runs, which are seldom the best one's equal.
                is_looked_at = mode == "plain" and k == count - 2 and times[0] >= LONG_S
                with own if is_looked_at else nullcontext():
                    more = zip(notebook.run(text))
                times, outs, shows, errors = (
                    a + b for a, b in zip((times, outs, shows, errors), more)
                )
            record = {"text": text, "times": times, "outs": outs, "shows": shows, "errors": errors}
            record |= {"own_s": own.seconds, "names": notebook.changed()}
            pickle.dump(record, file)
            file.flush()
            if errors[0] and errors[0][0] == "TooLong":
                break


if __name__ == "__main__":
    main()
