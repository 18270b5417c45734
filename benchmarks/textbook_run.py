"""In the process of one system: the textbook's programs, a run for each line that asks for one.

A line is JSON: program, way, steps; the answer is seconds, of the clock and of the processor, or
with "profile" the functions that take longest. The program keeps its state between runs, so nothing
but training is on the clock.
"""

from __future__ import annotations

import cProfile
import io
import json
import os
import pstats
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "interop"))
os.chdir(Path(__file__).resolve().parents[1])  # below it a module is the user's own code

from textbook_programs import PROGRAMS  # noqa: E402

CELL = "%%hybridize --view none\nlosses = train(steps)\n"
EMPTY = "%%hybridize --view none\npass\n"


class Took(NamedTuple):
    """Seconds."""

    wall: float
    processor: float  # of all threads

    @classmethod
    def of(cls, act: Callable[[], Any]) -> Took:
        wall, processor = time.perf_counter(), time.process_time()
        act()
        return cls(time.perf_counter() - wall, time.process_time() - processor)


class Runs:
    """The programs that were asked for, made once for each way."""

    def __init__(self, genuine: bool):
        if not genuine:
            import_module("jupyter_hybrid.compat.mxnet").install(replace=True)
        self.mx = import_module("mxnet")
        self.made: dict[tuple[str, str], Callable[[int], list[float]]] = {}
        self.shell: Any = None
        if not genuine:
            shell = import_module("IPython.core.interactiveshell").InteractiveShell
            self.shell = shell.instance()
            self.shell.run_line_magic("load_ext", "jupyter_hybrid")

    def train(self, name: str, way: str) -> Callable[[int], list[float]]:
        if (name, way) not in self.made:
            self.made[name, way] = PROGRAMS[name].make(self.mx, way == "hybridized")
        return self.made[name, way]

    def took(self, name: str, way: str, steps: int) -> Took:
        """What so many steps take; a cell's less what an empty one takes."""
        train = self.train(name, way)
        if way != "cell":
            return Took.of(lambda: train(steps))
        self.shell.user_ns.update(train=train, steps=steps)
        empty = [self.cell(EMPTY) for _ in range(3)]
        taken = self.cell(CELL)
        return Took(*(max(t - min(e), 1e-6) for t, e in zip(taken, zip(*empty))))

    def cell(self, text: str) -> Took:
        with redirect_stdout(io.StringIO()):
            return Took.of(lambda: self.shell.run_cell(text, store_history=False).raise_error())

    def profile(self, name: str, way: str, steps: int) -> str:
        """The ten functions that take longest themselves, operators among them."""
        profile = cProfile.Profile()
        profile.enable()
        self.took(name, way, steps)
        profile.disable()
        text = io.StringIO()
        pstats.Stats(profile, stream=text).sort_stats("tottime").print_stats(10)
        lines = [line for line in text.getvalue().splitlines() if line.strip()]
        start = next(i for i, line in enumerate(lines) if "tottime" in line)
        return "\n".join(lines[start:])


def main(system: str) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    runs = Runs(genuine=system == "mxnet")
    print(json.dumps({"version": runs.mx.__version__}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        given = (asked["program"], asked["way"], asked["steps"])
        try:
            told = asked.get("profile") and {"text": runs.profile(*given)}
            answer = told or runs.took(*given)._asdict()
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
