"""The parts of the test suite, cut into pieces that run one after another or side by side."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import browser
import frontend
from suite_results import Result, read_doctest, read_junit

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "test-results"
# Two streams share two cores: no test's kernels spread over both.
ONE_THREAD = dict.fromkeys(("HYBRID_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
PIECES = 12  # of tests/py: even enough, and few starts of Python
QUIET = re.compile(r"(?m)(^={79}\n.+:\d+:\nTEST CASE: .+\n(  .+\n)*\n)?^\d+\.\d+ s: .+\n")
KERNELS = "*kernels*,*elementwise*"  # the C++ tests of code that is compiled several times


@dataclass
class Piece:
    """Tests that run in one process; ``tests`` calls it and reads what came out."""

    part: str
    label: str
    tests: Callable[[Piece], Result]
    threads: bool = False  # as many as there are cores
    cpu: float = 0.0

    @property
    def log(self) -> Path:
        return RESULTS / f"{self.label}.log"

    def run(self) -> Result:
        self.log.write_text("")
        start = time.monotonic()
        result = self.tests(self)
        result.seconds, result.cpu = time.monotonic() - start, self.cpu
        return result

    def call(self, *command: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> int:
        """Runs a program, what it prints goes to the log; its exit code."""
        variables = {**os.environ, **({} if self.threads else ONE_THREAD), **(env or {})}
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu += usage.ru_utime + usage.ru_stime
        return process.returncode

    def say(self, line: str) -> None:
        """Into the log."""
        with self.log.open("a") as log:
            log.write(f"{line}\n")

    def text(self) -> str:
        """The log, without what doctest says of the time of a test that has nothing else to say."""
        return QUIET.sub("", self.log.read_text(errors="replace"))


# --- C++ ----------------------------------------------------------------------------------------
def doctest(piece: Piece, program: Path, *options: str, env: dict[str, str] | None = None):
    """Runs the C++ tests, or those of the files that ``options`` name."""
    before = piece.log.stat().st_size
    code = piece.call(str(program), "--no-colors=true", "--duration=true", *options, env=env)
    with piece.log.open(errors="replace") as log:
        log.seek(before)
        result = read_doctest(log.read(), piece.label)
    if not result.passed + result.failed:
        result.problem(f"{program.name} ran no test")
    return result.judged(code, program.name)


def cpp(piece: Piece) -> Result:
    """Every test, GPUs of a fake driver too; then the kernels as they run without AVX2."""
    program = ROOT / "build" / "editable" / "hybrid_tests"
    result = doctest(piece, program)
    result.add(doctest(piece, program.with_name("hybrid_cuda_tests")))
    portable = doctest(piece, program, f"--source-file={KERNELS}", env={"HYBRID_ISA": "base"})
    narrow = doctest(piece, program, "--source-file=*kernels_conv*", env={"HYBRID_ISA": "avx2"})
    for again in (portable, narrow):
        again.skipped = 0  # the other files' tests, which have run
        result.add(again)
    return result


def build_cpp(piece: Piece) -> Result:
    built = piece.call("make", "--no-print-directory", "cpp-tests") == 0
    return Result() if built else Result().problem("the C++ tests do not build")


def sanitized(name: str, kinds: str, env: dict[str, str]) -> Piece:
    """The C++ tests once more, in a build folder of their own, under a sanitizer."""

    def tests(piece: Piece) -> Result:
        folder = ROOT / "build" / name
        cmake = str(Path(sys.prefix) / "bin" / "cmake")
        options = ["-G", "Ninja", "-DHYBRID_DEV=ON", "-DHYBRID_TESTS=ON"]
        options += [f"-DHYBRID_SANITIZE={kinds}", f"-DPython_EXECUTABLE={sys.executable}"]
        options += [f"-DCMAKE_MAKE_PROGRAM={Path(sys.prefix) / 'bin' / 'ninja'}"]
        if piece.call(cmake, "-S", ".", "-B", str(folder), *options) or piece.call(
            cmake, "--build", str(folder), "--target", "hybrid_tests", "hybrid_cuda_tests"
        ):
            return Result().problem(f"the C++ tests do not build with -fsanitize={kinds}")
        result = doctest(piece, folder / "hybrid_tests", env=env)
        result.add(doctest(piece, folder / "hybrid_cuda_tests", env=env))
        return result

    return Piece(name, name, tests, threads=True)


# --- Python -------------------------------------------------------------------------------------
def pytest(
    part: str,
    label: str,
    paths: list[Path],
    long: bool,
    alone: bool | None = None,
    prepare: Callable[[], str | None] | None = None,
) -> Piece:
    """Files or folders of pytest tests.

    Args:
        alone: only the tests with this mark, or only those without; None for both.
        prepare: answers what is missing, if anything is.
    """
    wanted = {None: [], False: ["not alone"], True: ["alone"]}[alone]
    marks = " and ".join(wanted if long else [*wanted, "not slow"])

    def tests(piece: Piece) -> Result:
        missing = prepare() if prepare else None
        if missing:
            return Result().problem(missing)
        report = RESULTS / f"{label}.xml"
        names = [str(path.relative_to(ROOT)) for path in paths]
        command = [sys.executable, "-m", "pytest", "-q", *names, "-m", marks]
        # Not the cache: two runs at a time would write it.
        command += [f"--junitxml={report}", "-p", "no:cacheprovider"]
        if long:  # other examples in every run, and which can be told afterwards
            command.append(f"--hypothesis-seed={time.time_ns() % 2**32}")
            piece.say(command[-1])
        code = piece.call(*command, env={"HYBRID_HYPOTHESIS": "long" if long else "fixed"})
        return read_junit(report).judged(0 if code == 5 else code, f"pytest {label}")

    return Piece(part, label, tests, threads=alone is True)


def py(long: bool) -> list[Piece]:
    """tests/py, dealt like cards so that neighbours of one noun land in different pieces."""
    files = sorted((ROOT / "tests" / "py").glob("test_*.py"))
    piles = [files[i::PIECES] for i in range(PIECES)]
    labelled = [(f"py-{i + 1}", pile) for i, pile in enumerate(piles) if pile]
    return [pytest("py", label, pile, long, alone=False) for label, pile in labelled]


def py_alone(long: bool) -> Piece:
    """The tests of tests/py with the mark `alone`, from the files that name it."""
    files = sorted((ROOT / "tests" / "py").glob("test_*.py"))
    named = [path for path in files if "mark.alone" in path.read_text()]
    return pytest("py", "py-alone", named, long, alone=True)


# --- TypeScript ---------------------------------------------------------------------------------
def ts(piece: Piece) -> Result:
    folder = ROOT / "labextension"
    report = RESULTS / "ts.json"
    vitest = str(folder / "node_modules" / ".bin" / "vitest")
    reporters = ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
    code = piece.call(vitest, "run", *reporters, env=frontend.environment(), cwd=folder)
    if not report.exists():
        return Result().judged(code, "vitest")
    counts = json.loads(report.read_text())
    left_out = counts["numPendingTests"] + counts.get("numTodoTests", 0)
    return Result(counts["numPassedTests"], counts["numFailedTests"], left_out).judged(
        code, "vitest"
    )


def folder(part: str, long: bool, prepare: Callable[[], str | None] | None = None) -> Piece:
    return pytest(part, part, [ROOT / "tests" / part], long, prepare=prepare)


PARTS: dict[str, Callable[[bool], list[Piece]]] = {
    "cpp": lambda long: [Piece("cpp", "cpp", cpp, threads=True)],
    "py": py,
    "fuzz": lambda long: [folder("fuzz", long)],
    "ts": lambda long: [Piece("ts", "ts", ts)],
    "ui": lambda long: [folder("ui", long, browser.missing)],
    "notebooks": lambda long: [folder("notebooks", long)],
    "interop": lambda long: [folder("interop", long)],
    "gpu": lambda long: [folder("gpu", long)],  # skipped without a GPU of the machine
}
LONG: dict[str, Callable[[bool], list[Piece]]] = {
    "asan": lambda long: [
        sanitized("asan", "address,undefined", {"UBSAN_OPTIONS": "halt_on_error=1"})
    ],
    "tsan": lambda long: [sanitized("tsan", "thread", {"TSAN_OPTIONS": "halt_on_error=0"})],
}
