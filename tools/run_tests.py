"""Runs the parts of the test suite, prints a summary and ends with the totals.

    python tools/run_tests.py [--all] [PART ...]

A part that fails to build, crashes or runs no test counts as one failure.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import browser
import frontend

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "test-results"


@dataclass
class Result:
    """The totals of one part."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)

    def problem(self, text: str) -> Result:
        """Notes what went wrong outside the tests themselves, as one failure."""
        self.problems.append(text)
        self.failed += 1
        return self


def call(*command: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> int:
    sys.stdout.flush()
    variables = {**os.environ, **(env or {})}
    return subprocess.run(command, cwd=cwd, env=variables, stdin=subprocess.DEVNULL).returncode


def judged(result: Result, code: int, what: str) -> Result:
    """Adds what the exit code says and the report does not."""
    if code and not result.failed:
        result.problem(f"{what} ended with exit code {code}")
    elif not result.passed + result.failed:
        result.problem(f"{what} ran no test")
    return result


# --- C++ ----------------------------------------------------------------------------------------
def run_doctest(program: Path, env: dict[str, str] | None = None) -> Result:
    sys.stdout.flush()
    done = subprocess.run(
        [str(program), "--no-colors=true"],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    print(done.stdout, end="")
    result = Result()
    line = re.search(
        r"test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed(?: \|\s*(\d+) skipped)?",
        done.stdout,
    )
    if line:
        result = Result(*(int(n or 0) for n in line.groups()))
    return judged(result, done.returncode, program.name)


def run_cpp(folder: Path, env: dict[str, str] | None = None) -> Result:
    """The core's tests, and those of GPUs on a driver that the tests build."""
    results = [run_doctest(folder / name, env) for name in ("hybrid_tests", "hybrid_cuda_tests")]
    return Result(
        sum(r.passed for r in results),
        sum(r.failed for r in results),
        sum(r.skipped for r in results),
        [text for r in results for text in r.problems],
    )


def cpp(_: bool) -> Result:
    if call("make", "--no-print-directory", "cpp-tests"):
        return Result().problem("the C++ tests do not build")
    return run_cpp(ROOT / "build" / "editable")


def sanitized(name: str, kinds: str, env: dict[str, str]) -> Callable[[bool], Result]:
    """The C++ tests once more, in a build folder of their own, under a sanitizer."""

    def part(_: bool) -> Result:
        folder = ROOT / "build" / name
        cmake = str(Path(sys.prefix) / "bin" / "cmake")
        options = ["-G", "Ninja", "-DHYBRID_DEV=ON", "-DHYBRID_TESTS=ON"]
        options += [f"-DHYBRID_SANITIZE={kinds}", f"-DPython_EXECUTABLE={sys.executable}"]
        options += [f"-DCMAKE_MAKE_PROGRAM={Path(sys.prefix) / 'bin' / 'ninja'}"]
        if call(cmake, "-S", ".", "-B", str(folder), *options) or call(
            cmake, "--build", str(folder), "--target", "hybrid_tests", "hybrid_cuda_tests"
        ):
            return Result().problem(f"the C++ tests do not build with -fsanitize={kinds}")
        return run_cpp(folder, env)

    return part


# --- Python -------------------------------------------------------------------------------------
def pytest_part(
    name: str,
    folder: str,
    prepare: Callable[[], str | None] | None = None,
    may_skip_all: bool = False,
):
    """A folder of pytest tests; `prepare` answers what is missing, if anything is."""

    def part(long: bool) -> Result:
        if not (ROOT / folder).is_dir():
            return Result().problem(f"{folder} is missing")
        missing = prepare() if prepare else None
        if missing:
            return Result().problem(missing)
        report = RESULTS / f"{name}.xml"
        marks = [] if long else ["-m", "not slow"]
        command = [sys.executable, "-m", "pytest", "-q", folder, f"--junitxml={report}", *marks]
        code = call(*command, env={"HYBRID_HYPOTHESIS": "long" if long else "fixed"})
        result = read_junit(report)
        if may_skip_all and not code and result.skipped:
            return result
        return judged(result, 0 if code == 5 else code, f"pytest {folder}")

    return part


def read_junit(report: Path) -> Result:
    if not report.exists():
        return Result()
    passed = failed = skipped = 0
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        left_out = int(suite.get("skipped", 0))
        failed += bad
        skipped += left_out
        passed += max(0, int(suite.get("tests", 0)) - bad - left_out)
    return Result(passed, failed, skipped)


# --- TypeScript ---------------------------------------------------------------------------------
def ts(_: bool) -> Result:
    folder = ROOT / "labextension"
    if not (folder / "package.json").exists():
        return Result().problem("labextension is missing")
    report = RESULTS / "ts.json"
    vitest = str(folder / "node_modules" / ".bin" / "vitest")
    reporters = ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
    code = call(vitest, "run", *reporters, env=frontend.environment(), cwd=folder)
    if not report.exists():
        return judged(Result(), code, "vitest")
    totals = json.loads(report.read_text())
    left_out = totals["numPendingTests"] + totals.get("numTodoTests", 0)
    return judged(
        Result(totals["numPassedTests"], totals["numFailedTests"], left_out), code, "vitest"
    )


PARTS: dict[str, Callable[[bool], Result]] = {
    "cpp": cpp,
    "py": pytest_part("py", "tests/py"),
    "gpu": pytest_part("gpu", "tests/gpu", may_skip_all=True),  # needs a GPU of the machine
    "ts": ts,
    "notebooks": pytest_part("notebooks", "tests/notebooks"),
    "ui": pytest_part("ui", "tests/ui", browser.missing),
    "interop": pytest_part("interop", "tests/interop"),
}
LONG: dict[str, Callable[[bool], Result]] = {
    "asan": sanitized("asan", "address,undefined", {"UBSAN_OPTIONS": "halt_on_error=1"}),
    "tsan": sanitized("tsan", "thread", {"TSAN_OPTIONS": "halt_on_error=0"}),
}


def main(arguments: list[str]) -> int:
    long = "--all" in arguments
    known = {**PARTS, **LONG}
    names = [a for a in arguments if a != "--all"] or [*PARTS, *(LONG if long else [])]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"unknown part {unknown[0]!r}; the parts are {', '.join(known)}")
        return 2
    RESULTS.mkdir(exist_ok=True)
    for name in names:
        for old in RESULTS.glob(f"{name}.*"):
            old.unlink()

    results: dict[str, tuple[Result, float]] = {}
    for name in names:
        print(f"\n=== {name} ===")
        start = time.monotonic()
        results[name] = known[name](long), time.monotonic() - start

    print(f"\n{'part':<12}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}")
    for name, (result, seconds) in results.items():
        counts = f"{result.passed:>8}{result.failed:>8}{result.skipped:>9}"
        print(f"{name:<12}{counts}{seconds:>9.1f}")
        for text in result.problems:
            print(f"{'':<12}{text}")
    passed = sum(result.passed for result, _ in results.values())
    failed = sum(result.failed for result, _ in results.values())
    skipped = sum(result.skipped for result, _ in results.values())
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
