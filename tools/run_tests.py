"""Runs the parts of the test suite on two cores, prints what each cost and ends with the totals.

    python tools/run_tests.py [--all] [PART ...]

One stream runs the C++ tests and then pieces of tests/py, the other one the front end, the browser,
the notebooks and interop; a stream that is free takes the next piece. Tests marked `alone` come
last. A part that fails to build, crashes or runs no test counts as one failure.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque

from suite_parts import LONG, PARTS, RESULTS, Piece, build_cpp, py_alone
from suite_results import Result, slowest, totals

FIRST, SECOND = ("cpp", "asan", "tsan"), ("ts", "ui", "notebooks", "interop", "gpu")
SHARED = ("fuzz", "py")
# Seconds in the short tier: on the clock, or of the processor where many processes share the work.
BUDGETS = {
    "cpp": ("clock", 150.0),
    "py": ("cpu", 900.0),
    "fuzz": ("clock", 60.0),
    "ts": ("clock", 20.0),
    "ui": ("clock", 420.0),
    "notebooks": ("clock", 180.0),
    "interop": ("clock", 60.0),
    "gpu": ("clock", 120.0),
}
WHOLE = 1500.0


class Run:
    """The pieces that wait, and what came of those that ran."""

    def __init__(self, names: list[str], long: bool):
        """Builds the C++ tests first, by both cores; that is no part of what tests may cost."""
        known = {**PARTS, **LONG}
        self.results = {name: Result() for name in names}
        self.building = 0.0
        self._lock = threading.Lock()
        if "cpp" in names:
            built = self.perform(Piece("cpp", "cpp-build", build_cpp, threads=True))
            self.building = built.seconds
            self.results["cpp"].seconds = self.results["cpp"].cpu = 0.0
            if built.failed:
                names = [name for name in names if name != "cpp"]
        self._queues = {
            which: deque(p for n in group if n in names for p in known[n](long))
            for which, group in enumerate((FIRST, SHARED, SECOND))
        }

    def _next(self, order: tuple[int, ...]) -> Piece | None:
        with self._lock:
            waiting = [self._queues[which] for which in order if self._queues[which]]
            return waiting[0].popleft() if waiting else None

    def perform(self, piece: Piece) -> Result:
        """Runs a piece and prints what it printed, in one go."""
        try:
            result = piece.run()
        except Exception as error:  # a part that can't be started is a failure like any other
            result = Result().problem(f"{piece.label}: {error}")
        with self._lock:
            self.results[piece.part].add(result)
            text = piece.text() if piece.log.exists() else ""
            print(f"\n=== {piece.label}: {result.seconds:.0f} s ===\n{text}", end="", flush=True)
        return result

    def stream(self, *order: int) -> None:
        """Takes pieces until none waits: its own, the shared ones, then the other stream's."""
        while piece := self._next(order):
            self.perform(piece)

    def streams(self) -> None:
        other = threading.Thread(target=self.stream, args=(2, 1, 0), daemon=True)
        other.start()
        self.stream(0, 1, 2)
        other.join()


def main(arguments: list[str]) -> int:
    long = "--all" in arguments
    known = [*PARTS, *LONG]
    names = [a for a in arguments if a != "--all"] or [*PARTS, *(LONG if long else [])]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"unknown part {unknown[0]!r}; the parts are {', '.join(known)}")
        return 2
    RESULTS.mkdir(exist_ok=True)
    for name in names:
        for pattern in (f"{name}.*", f"{name}-*.*"):
            for old in RESULTS.glob(pattern):
                old.unlink()

    start = time.monotonic()
    run = Run(names, long)
    run.streams()
    if "py" in names:
        run.perform(py_alone(long))
    for name, result in run.results.items():
        if not result.passed + result.failed and not (name == "gpu" and result.skipped):
            result.problem(f"{name} ran no test")

    print(slowest(test for result in run.results.values() for test in result.tests))
    print(totals(run.results, {} if long else BUDGETS))
    spent = time.monotonic() - start
    print(f"\n{spent:.0f} s on the clock, of {WHOLE:.0f}; {run.building:.0f} built the C++ tests")
    passed = sum(result.passed for result in run.results.values())
    failed = sum(result.failed for result in run.results.values())
    skipped = sum(result.skipped for result in run.results.values())
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
